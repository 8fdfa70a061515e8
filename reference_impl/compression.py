"""The compression codecs of Parquet pages (Compression.md) and of ORC's chunks (ORCv1.md, "Compression").

A page of Parquet declares its uncompressed size, a chunk of ORC only that it is no larger than the
compression block. Both numbers come from the file, so nothing is allocated for them before they have been
compared with the most that the codec can make of the compressed bytes:

    codec      output at most, per byte of input                        checked by
    SNAPPY     64 / 3 (a 3-byte copy yields 64), and its own header      arithmetic
    LZ4, LZO   255 (a length is continued in steps of 255)               arithmetic
    ZSTD       32,768 (a 4-byte RLE block yields 128 KiB)                arithmetic, growing buffer
    BROTLI     some 600,000 seen, no bound known                         growing buffer
    GZIP, ZLIB 1,032                                                     bounded streaming
"""

from __future__ import annotations

import struct
import zlib
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import cramjam
import numpy as np

from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed, Unsupported, UsageError
from reference_impl.parquet.schema import CompressionCodec

try:
    import lzallright
except ImportError:  # the extra "lzo" is not installed
    lzallright = None

if TYPE_CHECKING:
    from collections.abc import Callable

    Buffer = bytes | memoryview
    Into = Callable[[memoryview, memoryview], int]
    Block = Callable[[memoryview, int, int], memoryview]

T = TypeVar("T")
SIZE, STREAM, TRAILING = "PQ-CODEC-001", "PQ-CODEC-002", "PQ-CODEC-003"
_LARGEST: dict[CompressionCodec, Callable[[int], int]] = {  # largest legal output of so many bytes of input
    CompressionCodec.SNAPPY: lambda size: size * 64 // 3,
    CompressionCodec.LZ4_RAW: lambda size: size * 255,
    CompressionCodec.LZ4: lambda size: size * 255,
    CompressionCodec.LZO: lambda size: size * 255,
    CompressionCodec.ZSTD: lambda size: size * 32768,
}
_CHUNK = 1 << 15  # input given to zlib at a time; zlib copies the input behind a member, so this is short
_DECODED_TWICE = 1 << 24  # bytes of a page that may be decoded a second time
_FIRST_BUFFER = 1 << 20
_FULL = "failed to write whole buffer"  # the message of cramjam for a buffer that is too small


def decompress(codec: CompressionCodec | int, data: memoryview, size: int, *, base: int = 0) -> memoryview:
    """Return `data` decompressed to `size` bytes; `base` is the file offset of `data`, for errors.

    An empty input is an empty output in every codec: writers of v2 pages leave out the empty section of
    values. Raises Malformed (PQ-CODEC-*), Unsupported for a codec that is not known or not installed.
    Time and memory are in proportion to `data` and to its real decompressed size.
    """
    if not isinstance(codec, CompressionCodec):
        raise Unsupported(f"compression codec {codec} is not known", offset=base)
    if size < 0:
        raise Malformed(f"an uncompressed size of {size} bytes", offset=base, rule=SIZE)
    if not len(data) and not size:
        return data
    largest = _LARGEST.get(codec)
    if largest and size > largest(len(data)):
        message = f"{len(data)} bytes of {codec.name} cannot hold {size} bytes"
        raise Malformed(message, offset=base, rule=SIZE)
    out = _DECODERS[codec](data, size, base)
    if len(out) != size:
        raise Malformed(f"{codec.name}: {size} bytes declared, {len(out)} found", offset=base, rule=SIZE)
    return out


def expand(codec: str, data: memoryview, room: int, *, base: int = 0) -> memoryview:
    """Return `data` decompressed to at most `room` bytes; only the codec knows the size.

    `codec` is ZLIB (RFC 1951: "raw" deflate), SNAPPY, LZO, LZ4 (one block without framing), ZSTD or BROTLI.
    Raises Malformed (PQ-CODEC-*, which the caller translates) and Unsupported, as `decompress` does.
    """
    largest = _LARGEST_BLOCK.get(codec)
    out = _BLOCKS[codec](data, min(room, largest(len(data))) if largest else room, base)
    if len(out) > room:
        raise Malformed(f"{codec}: {len(out)} bytes, {room} at most", offset=base, rule=SIZE)
    return out


def shrink(codec: str, data: Buffer, *, level: int | None = None) -> bytes:
    """Return `data` compressed, the inverse of `expand`; `level` is for ZLIB, BROTLI and ZSTD.

    Raises UsageError for another codec, Unsupported for LZO without its library.
    """
    if codec not in _SHRINKERS:
        raise UsageError(f"compression {codec}")
    return _SHRINKERS[codec](memoryview(data), level)


def _call(what: str, base: int, call: Callable[[], T]) -> T:
    """Call a library; its errors and panics mean that the stream is malformed."""
    try:
        return call()
    except cramjam.DecompressionError as error:
        if str(error) == _FULL:
            raise
        raise Malformed(f"{what}: {error}", offset=base, rule=STREAM) from error
    except BaseException as error:  # a Rust panic is no Exception
        if type(error).__module__ != "pyo3_runtime":
            raise
        raise Malformed(f"{what}: {error}", offset=base, rule=STREAM) from error


def _uncompressed(data: memoryview, _size: int, _base: int) -> memoryview:
    return data


def _snappy(data: memoryview, size: int, base: int) -> memoryview:
    """Decode the raw format: a header with the length, then the stream up to the last byte."""
    declared = _call("SNAPPY", base, lambda: cramjam.snappy.decompress_raw_len(data))
    if declared != size:
        message = f"SNAPPY: the page declares {size} bytes, the stream {declared}"
        raise Malformed(message, offset=base, rule=SIZE)
    return _snappy_of(data, size, base)


def _snappy_of(data: memoryview, size: int, base: int) -> memoryview:
    out = np.empty(size, np.uint8).data
    _call("SNAPPY", base, lambda: cramjam.snappy.decompress_raw_into(data, out))
    return out


def _snappy_block(data: memoryview, room: int, base: int) -> memoryview:
    """Decode the raw format to the length of its header, at most `room` bytes."""
    declared = _call("SNAPPY", base, lambda: cramjam.snappy.decompress_raw_len(data))
    if declared > room:
        message = f"SNAPPY: {len(data)} bytes declare {declared}, but make {room} at most"
        raise Malformed(message, offset=base, rule=SIZE)
    return _snappy_of(data, declared, base)


def _deflate(data: memoryview, room: int, base: int) -> memoryview:
    """Decode RFC 1951, one stream without any header."""
    stream = zlib.decompressobj(wbits=-15)
    try:
        out = stream.decompress(data, room + 1)
    except zlib.error as error:
        raise Malformed(f"ZLIB: {error}", offset=base, rule=STREAM) from error
    if len(out) > room:
        raise Malformed(f"ZLIB: more than {room} bytes", offset=base, rule=SIZE)
    if not stream.eof:
        raise Malformed("ZLIB: the stream is cut short", offset=base, rule=STREAM)
    if stream.unused_data:
        raise Malformed("ZLIB: bytes follow the end of the stream", offset=base, rule=TRAILING)
    return memoryview(out)


def _gzip(data: memoryview, size: int, base: int) -> memoryview:
    """Decode RFC 1952, also several members ("Readers should support reading pages containing multiple")."""
    parts: list[bytes] = []
    room = size
    at = 0
    member = zlib.decompressobj(wbits=31)
    while at < len(data):
        chunk = data[at : at + _CHUNK]
        try:
            part = member.decompress(chunk, room + 1)
        except zlib.error as error:
            raise Malformed(f"GZIP: {error}", offset=base + at, rule=STREAM) from error
        room -= len(part)
        if room < 0:
            raise Malformed(f"GZIP: more than the declared {size} bytes", offset=base, rule=SIZE)
        parts.append(part)
        # With room for one more byte, zlib leaves input unread only behind the end of a member.
        at += len(chunk) - len(member.unused_data)
        if member.eof and at < len(data):
            member = zlib.decompressobj(wbits=31)
    if not member.eof:
        raise Malformed("GZIP: the stream is cut short", offset=base + at, rule=STREAM)
    return memoryview(parts[0] if len(parts) == 1 else b"".join(parts))


def _growing(codec: str, into: Into, data: memoryview, size: int, base: int) -> memoryview:
    """Decode into a buffer that grows eightfold as long as the stream fills it."""
    room = min(size, max(_FIRST_BUFFER, 16 * len(data)))
    while True:
        out = np.empty(room, np.uint8).data
        try:
            size_written = _call(codec, base, partial(into, data, out))
        except cramjam.DecompressionError as error:
            if room == size:
                message = f"{codec}: more than the declared {size} bytes"
                raise Malformed(message, offset=base, rule=SIZE) from error
            room = min(size, 8 * room)
        else:
            return out[:size_written]


def _zstd(data: memoryview, size: int, base: int) -> memoryview:
    """Decode RFC 8878: one or more frames (skippable frames hold no data) and no other bytes."""
    return _growing("ZSTD", cramjam.zstd.decompress_into, data, size, base)


def _brotli(data: memoryview, size: int, base: int) -> memoryview:
    """Decode RFC 7932. The library ignores bytes behind the end; decoding without the last byte shows them.

    Huge pages are not decoded a second time.
    """
    out = _growing("BROTLI", cramjam.brotli.decompress_into, data, size, base)
    if size > _DECODED_TWICE:
        return out
    try:
        _growing("BROTLI", cramjam.brotli.decompress_into, data[:-1], size, base)
    except Malformed:
        return out  # the stream needs its last byte
    raise Malformed("BROTLI: bytes follow the end of the stream", offset=base, rule=TRAILING)


def _lz4_block(data: memoryview, room: int, base: int) -> memoryview:
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
    return out[: _call("LZ4", base, lambda: cramjam.lz4.decompress_block_into(block, out))]


def _lz4(data: memoryview, size: int, base: int) -> memoryview:
    """Decode the deprecated LZ4: Hadoop's framing, or one block without any.

    Compression.md leaves the framing undocumented. Hadoop's codec, hence parquet-mr, frames; parquet-cpp
    before 2.0 (Arrow 1.0) wrote the bare block (PARQUET-1878). Like Arrow, this tries them in this order. No
    release of either wrote LZ4's own frame format into Parquet (PARQUET-1241).
    """
    return _framed_or_bare("LZ4", _lz4_block, data, size, base)


def _lzo_block(data: memoryview, _room: int, base: int) -> memoryview:
    """Decode one LZO1X block, whose output is at most 255 times its input."""
    if lzallright is None:
        raise Unsupported('LZO needs a library: pip install "colconf[lzo]"', offset=base)
    try:
        return memoryview(lzallright.LZOCompressor.decompress(data))
    except lzallright.InputNotConsumed as error:
        raise Malformed("LZO: bytes follow the end of the stream", offset=base, rule=TRAILING) from error
    except lzallright.LZOError as error:
        raise Malformed(f"LZO: {error}", offset=base, rule=STREAM) from error


def _lzo(data: memoryview, size: int, base: int) -> memoryview:
    """Decode LZO as hadoop-lzo frames it for parquet-mr, or one block without framing."""
    return _framed_or_bare("LZO", _lzo_block, data, size, base)


def _framed_or_bare(codec: str, block: Block, data: memoryview, size: int, base: int) -> memoryview:
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


_DECODERS: dict[CompressionCodec, Block] = {
    CompressionCodec.UNCOMPRESSED: _uncompressed,
    CompressionCodec.SNAPPY: _snappy,
    CompressionCodec.GZIP: _gzip,
    CompressionCodec.LZO: _lzo,
    CompressionCodec.BROTLI: _brotli,
    CompressionCodec.LZ4: _lz4,
    CompressionCodec.ZSTD: _zstd,
    CompressionCodec.LZ4_RAW: _lz4_block,
}
_BLOCKS: dict[str, Block] = {
    "ZLIB": _deflate,
    "SNAPPY": _snappy_block,
    "LZO": _lzo_block,
    "LZ4": _lz4_block,
    "ZSTD": _zstd,
    "BROTLI": _brotli,
}
_LARGEST_BLOCK: dict[str, Callable[[int], int]] = {
    codec.name.removesuffix("_RAW"): largest
    for codec, largest in _LARGEST.items()
    if codec != CompressionCodec.LZ4
}


def compress(
    codec: CompressionCodec, data: Buffer, *, level: int | None = None, parts: int = 1, framed: bool = True
) -> bytes:
    """Return `data` compressed.

    `level` is for GZIP, BROTLI and ZSTD. `parts` splits the data into that many GZIP members, ZSTD frames
    or Hadoop blocks of LZ4 and LZO. `framed=False` leaves out Hadoop's framing of LZ4 and LZO.
    Raises UsageError for options that the codec does not have, Unsupported for LZO without its library.
    """
    splits = codec in _PARTED and (framed or codec not in _HADOOP)
    if parts < 1 or (parts > 1 and not splits):
        raise UsageError(f"{codec.name} in {parts} parts")
    view = memoryview(data)
    step = -(-len(view) // parts) or 1
    sections = [view[at : at + step] for at in range(0, step * parts, step)]
    if codec in _HADOOP and framed:
        return b"".join(_framed(_ENCODERS[codec](section, level), len(section)) for section in sections)
    return b"".join(_ENCODERS[codec](section, level) for section in sections)


def _framed(block: bytes, size: int) -> bytes:
    return struct.pack(">II", size, len(block)) + block if size else struct.pack(">I", 0)


def _compress_lzo(data: memoryview) -> bytes:
    if lzallright is None:
        raise Unsupported('LZO needs a library: pip install "colconf[lzo]"')
    return bytes(lzallright.LZOCompressor().compress(data))


def _compress_gzip(data: memoryview, level: int | None) -> bytes:
    member = zlib.compressobj(-1 if level is None else level, wbits=31)
    return member.compress(data) + member.flush()


def _compress_deflate(data: memoryview, level: int | None) -> bytes:
    stream = zlib.compressobj(-1 if level is None else level, wbits=-15)
    return stream.compress(data) + stream.flush()


_HADOOP = (CompressionCodec.LZ4, CompressionCodec.LZO)
_PARTED = (CompressionCodec.GZIP, CompressionCodec.ZSTD, *_HADOOP)
_ENCODERS: dict[CompressionCodec, Callable[[memoryview, int | None], bytes]] = {
    CompressionCodec.UNCOMPRESSED: lambda data, _: bytes(data),
    CompressionCodec.SNAPPY: lambda data, _: bytes(cramjam.snappy.compress_raw(data)),
    CompressionCodec.GZIP: _compress_gzip,
    CompressionCodec.LZO: lambda data, _: _compress_lzo(data),
    CompressionCodec.BROTLI: lambda data, level: bytes(cramjam.brotli.compress(data, level)),
    CompressionCodec.LZ4: lambda data, _: bytes(cramjam.lz4.compress_block(data, store_size=False)),
    CompressionCodec.ZSTD: lambda data, level: bytes(cramjam.zstd.compress(data, level)),
    CompressionCodec.LZ4_RAW: lambda data, _: bytes(cramjam.lz4.compress_block(data, store_size=False)),
}
_SHRINKERS: dict[str, Callable[[memoryview, int | None], bytes]] = {
    "ZLIB": _compress_deflate,
    "LZ4": _ENCODERS[CompressionCodec.LZ4_RAW],
    **{name: _ENCODERS[CompressionCodec[name]] for name in ("SNAPPY", "LZO", "BROTLI", "ZSTD")},
}
