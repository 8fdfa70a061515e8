"""SNAPPY, LZ4 and LZO: blocks without an end of their own, LZ4 and LZO of Parquet in Hadoop's framing."""

from __future__ import annotations

import struct

import cramjam
import numpy as np

from reference_impl.compression.calls import SIZE, STREAM, TRAILING, call_library, decode_to_end
from reference_impl.compression.stream_ends import snappy_end
from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed, Unsupported

try:
    import lzallright
except ImportError:  # the extra "lzo" is not installed
    lzallright = None
from collections.abc import Callable

Block = Callable[[memoryview, int, int], memoryview]


def snappy(data: memoryview, size: int, base: int) -> memoryview:
    """Decode the raw format: a header with the length, then the stream up to the last byte."""
    declared = call_library("SNAPPY", base, lambda: cramjam.snappy.decompress_raw_len(data))
    if declared != size:
        message = f"SNAPPY: the page declares {size} bytes, the stream {declared}"
        raise Malformed(message, offset=base, rule=SIZE)
    return _snappy_of(data, size, base)


def _snappy_of(data: memoryview, size: int, base: int) -> memoryview:
    def decode(stream: memoryview) -> memoryview:
        out = np.empty(size, np.uint8).data
        call_library("SNAPPY", base, lambda: cramjam.snappy.decompress_raw_into(stream, out))
        return out

    return decode_to_end("SNAPPY", data, base, snappy_end, decode)


def snappy_block(data: memoryview, room: int, base: int) -> memoryview:
    """Decode the raw format to the length of its header, at most `room` bytes."""
    declared = call_library("SNAPPY", base, lambda: cramjam.snappy.decompress_raw_len(data))
    if declared > room:
        message = f"SNAPPY: {len(data)} bytes declare {declared}, but make {room} at most"
        raise Malformed(message, offset=base, rule=SIZE)
    return _snappy_of(data, declared, base)


def lz4_block(data: memoryview, room: int, base: int) -> memoryview:
    """Decode one LZ4 block of about `room` bytes at most; it ends where the input ends.

    The library tells the size of the output only in a call that takes the first 4 bytes of its input for a
    limit of the output, as python-lz4 writes it, and, when that fails, all of the input for a block. So
    the limit put before the block must not make a block with it: the byte 0 (no literals) and an offset
    that is not 0 (a match before the beginning of the output).
    """
    limit = min(room, 255 * len(data)) + 0xFF & ~0xFF
    limit += 0x100 if limit & 0xFFFF00 == 0 else 0
    out = np.empty(limit, np.uint8).data
    block = limit.to_bytes(4, "little") + data
    return out[: call_library("LZ4", base, lambda: cramjam.lz4.decompress_block_into(block, out))]


def lz4(data: memoryview, size: int, base: int) -> memoryview:
    """Decode the deprecated LZ4: Hadoop's framing, or one block without any.

    Compression.md leaves the framing undocumented. Hadoop's codec, hence parquet-mr, frames; parquet-cpp
    before 2.0 (Arrow 1.0) wrote the bare block (PARQUET-1878). Like Arrow, this tries them in this order. No
    release of either wrote LZ4's own frame format into Parquet (PARQUET-1241).
    """
    return _of_size("LZ4", lz4_block, data, size, base)


def lzo_block(data: memoryview, _room: int, base: int) -> memoryview:
    """Decode one LZO1X block, whose output is at most 255 times its input."""
    if lzallright is None:
        raise Unsupported('LZO needs a library: pip install "colconf[lzo]"', offset=base)
    try:
        return memoryview(lzallright.LZOCompressor.decompress(data))
    except lzallright.InputNotConsumed as error:
        raise Malformed("LZO: bytes follow the end of the stream", offset=base, rule=TRAILING) from error
    except lzallright.LZOError as error:
        raise Malformed(f"LZO: {error}", offset=base, rule=STREAM) from error


def lzo(data: memoryview, size: int, base: int) -> memoryview:
    """Decode LZO as hadoop-lzo frames it for parquet-mr, or one block without framing."""
    return _of_size("LZO", lzo_block, data, size, base)


def _of_size(codec: str, block: Block, data: memoryview, size: int, base: int) -> memoryview:
    """Decode Hadoop's framing, or a block without framing if that has the declared size."""
    try:
        return _hadoop(codec, block, data, size, base)
    except Malformed as framed:
        try:
            out = block(data, size, base)
        except Malformed:
            raise framed from None
        if len(out) != size:
            raise framed from None
        return out


def framed_or_bare(codec: str, block: Block, data: memoryview, room: int, base: int) -> memoryview:
    """Decode at most `room` bytes of Hadoop's framing, or of a block without framing if there is none."""
    try:
        return _hadoop(codec, block, data, room, base)
    except Malformed:
        return block(data, room, base)


def _hadoop(codec: str, block: Block, data: memoryview, size: int, base: int) -> memoryview:
    """Decode Hadoop's block framing (org.apache.hadoop.io.compress.BlockDecompressorStream).

    stream := block*      block := <uncompressed size> chunk*      chunk := <compressed size> <bytes>
    Sizes are 4 bytes, big-endian. A block has as many chunks as it takes to reach its uncompressed size.
    """
    cursor = Cursor(data, base=base, rule=STREAM)
    parts: list[memoryview] = []
    left = size
    while cursor.remaining:
        (want,) = struct.unpack(">I", cursor.take(4, f"{codec} block size"))
        if want > left:
            message = f"{codec}: a block of {want} bytes, {left} of the declared {size} are left"
            raise cursor.fail(message, rule=SIZE)
        left -= want
        while want:
            (length,) = struct.unpack(">I", cursor.take(4, f"{codec} chunk size"))
            at = cursor.offset
            part = block(cursor.take(length, f"{codec} chunk"), want, at)
            if not part or len(part) > want:
                message = f"{codec}: a chunk holds {len(part)} bytes, the block lacks {want}"
                raise Malformed(message, offset=at, rule=SIZE)
            want -= len(part)
            parts.append(part)
    return memoryview(b"".join(parts))


def hadoop_block(block: bytes, size: int) -> bytes:
    """Return a block in the framing of Hadoop."""
    return struct.pack(">II", size, len(block)) + block if size else struct.pack(">I", 0)


def has_lzo() -> bool:
    """Return whether the library of LZO is installed."""
    return lzallright is not None


def compress_lzo(data: memoryview) -> bytes:
    """Return one LZO1X block."""
    if not has_lzo():
        raise Unsupported('LZO needs a library: pip install "colconf[lzo]"')
    return bytes(lzallright.LZOCompressor().compress(data))
