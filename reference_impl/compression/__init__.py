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

from collections.abc import Callable
from functools import partial

import cramjam

from reference_impl.compression.blocks import (
    compress_lzo,
    framed_or_bare,
    hadoop_block,
    has_lzo,
    lz4,
    lz4_block,
    lzo,
    lzo_block,
    snappy,
    snappy_block,
)
from reference_impl.compression.calls import (
    SIZE,
    STREAM,
    TRAILING,
    Trailing,
    brotli,
    brotli_stream,
    compress_zstd_stream,
    zstd,
)
from reference_impl.compression.deflate import compress_deflate, compress_gzip, deflate, gzip
from reference_impl.errors import Malformed, Unsupported, UsageError
from reference_impl.parquet.schema import CompressionCodec

Buffer = bytes | memoryview
Block = Callable[[memoryview, int, int], memoryview]

__all__ = ["SIZE", "STREAM", "TRAILING", "Trailing", "compress", "decompress", "expand", "has_lzo", "shrink"]
_LARGEST: dict[CompressionCodec, Callable[[int], int]] = {  # largest legal output of so many bytes of input
    CompressionCodec.SNAPPY: lambda size: size * 64 // 3,
    CompressionCodec.LZ4_RAW: lambda size: size * 255,
    CompressionCodec.LZ4: lambda size: size * 255,
    CompressionCodec.LZO: lambda size: size * 255,
    CompressionCodec.ZSTD: lambda size: size * 32768,
}


def decompress(codec: CompressionCodec | int, data: memoryview, size: int, *, base: int = 0) -> memoryview:
    """Return `data` decompressed to `size` bytes; `base` is the file offset of `data`, for errors.

    An empty input is an empty output in every codec: writers of v2 pages leave out the empty section of
    values. Raises Malformed (PQ-CODEC-*; Trailing for bytes behind the end of the stream), Unsupported for a
    codec that is not known or not installed.
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


def decompress_all(codec: CompressionCodec, data: memoryview, room: int, *, base: int = 0) -> memoryview:
    """Return the whole decompressed `data`, at most `room` bytes, if the declared size is wrong.

    Bytes after the end of the stream are ignored, except for LZO and for LZ4, whose streams have no end mark.
    Raises as `decompress`.
    """
    if not len(data):
        return data
    largest = _LARGEST.get(codec)
    most = min(room, largest(len(data))) if largest else room
    try:
        out = _WHOLE.get(codec, _DECODERS[codec])(data, most, base)
    except Trailing as trailing:
        out = trailing.decoded
    if len(out) > room:
        raise Malformed(f"{codec.name}: {len(out)} bytes, {room} at most", offset=base, rule=SIZE)
    return out


def expand(codec: str, data: memoryview, room: int, *, base: int = 0) -> memoryview:
    """Return `data` decompressed to at most `room` bytes; only the codec knows the size.

    `codec` is ZLIB (RFC 1951: "raw" deflate), SNAPPY, LZO, LZ4 (one block without framing), ZSTD or BROTLI.
    Raises Malformed (PQ-CODEC-*, which the caller translates) and Unsupported, as `decompress` does. For
    bytes behind the end of a stream, but for LZO and LZ4, the error is Trailing, which holds the output.
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


def _uncompressed(data: memoryview, _size: int, _base: int) -> memoryview:
    return data


_DECODERS: dict[CompressionCodec, Block] = {
    CompressionCodec.UNCOMPRESSED: _uncompressed,
    CompressionCodec.SNAPPY: snappy,
    CompressionCodec.GZIP: gzip,
    CompressionCodec.LZO: lzo,
    CompressionCodec.BROTLI: brotli,
    CompressionCodec.LZ4: lz4,
    CompressionCodec.ZSTD: zstd,
    CompressionCodec.LZ4_RAW: lz4_block,
}
_WHOLE: dict[CompressionCodec, Block] = {  # where a decoder wants to know the size
    CompressionCodec.SNAPPY: snappy_block,
    CompressionCodec.BROTLI: brotli_stream,
    CompressionCodec.LZ4: partial(framed_or_bare, "LZ4", lz4_block),
    CompressionCodec.LZO: partial(framed_or_bare, "LZO", lzo_block),
}
_BLOCKS: dict[str, Block] = {
    "ZLIB": deflate,
    "SNAPPY": snappy_block,
    "LZO": lzo_block,
    "LZ4": lz4_block,
    "ZSTD": zstd,
    "BROTLI": brotli,
}
_LARGEST_BLOCK: dict[str, Callable[[int], int]] = {
    codec.name.removesuffix("_RAW"): largest
    for codec, largest in _LARGEST.items()
    if codec != CompressionCodec.LZ4
}


def compress(
    codec: CompressionCodec,
    data: Buffer,
    *,
    level: int | None = None,
    parts: int = 1,
    streamed: bool = False,
) -> bytes:
    """Return `data` compressed.

    `level` is for GZIP, BROTLI and ZSTD. `parts` splits the data into that many GZIP members, ZSTD frames
    or Hadoop blocks of LZ4 and LZO. `streamed`: frames of ZSTD have no size of their content, as
    those of writers that do not know it in advance.
    Raises UsageError for options that the codec does not have, Unsupported for LZO without its library.
    """
    if parts < 1 or (parts > 1 and codec not in _PARTED):
        raise UsageError(f"{codec.name} in {parts} parts")
    if streamed and codec != CompressionCodec.ZSTD:
        raise UsageError(f"{codec.name} without the size of a frame's content")
    view = memoryview(data)
    step = -(-len(view) // parts) or 1
    sections = [view[at : at + step] for at in range(0, step * parts, step)]
    if codec in _HADOOP:
        return b"".join(hadoop_block(_ENCODERS[codec](section, level), len(section)) for section in sections)
    encoder = compress_zstd_stream if streamed else _ENCODERS[codec]
    return b"".join(encoder(section, level) for section in sections)


_HADOOP = (CompressionCodec.LZ4, CompressionCodec.LZO)
_PARTED = (CompressionCodec.GZIP, CompressionCodec.ZSTD, *_HADOOP)
_ENCODERS: dict[CompressionCodec, Callable[[memoryview, int | None], bytes]] = {
    CompressionCodec.UNCOMPRESSED: lambda data, _: bytes(data),
    CompressionCodec.SNAPPY: lambda data, _: bytes(cramjam.snappy.compress_raw(data)),
    CompressionCodec.GZIP: compress_gzip,
    CompressionCodec.LZO: lambda data, _: compress_lzo(data),
    CompressionCodec.BROTLI: lambda data, level: bytes(cramjam.brotli.compress(data, level)),
    CompressionCodec.LZ4: lambda data, _: bytes(cramjam.lz4.compress_block(data, store_size=False)),
    CompressionCodec.ZSTD: lambda data, level: bytes(cramjam.zstd.compress(data, level)),
    CompressionCodec.LZ4_RAW: lambda data, _: bytes(cramjam.lz4.compress_block(data, store_size=False)),
}
_SHRINKERS: dict[str, Callable[[memoryview, int | None], bytes]] = {
    "ZLIB": compress_deflate,
    "LZ4": _ENCODERS[CompressionCodec.LZ4_RAW],
    **{name: _ENCODERS[CompressionCodec[name]] for name in ("SNAPPY", "LZO", "BROTLI", "ZSTD")},
}
