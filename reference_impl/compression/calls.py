"""Calling the libraries of codecs, with their rules; ZSTD (RFC 8878) and BROTLI (RFC 7932)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import cramjam
import numpy as np

from reference_impl.compression.stream_ends import zstd_end
from reference_impl.errors import Malformed

Into = Callable[[memoryview, memoryview], int]

T = TypeVar("T")
SIZE, STREAM, TRAILING = "PQ-CODEC-001", "PQ-CODEC-002", "PQ-CODEC-003"
_FIRST_BUFFER = 1 << 20
_DECODED_TWICE = 1 << 24  # bytes of a page that may be decoded a second time
_FULL = "failed to write whole buffer"  # the message of cramjam for a buffer that is too small


class Trailing(Malformed):
    """Bytes follow the end of a compressed stream, which holds `decoded`."""

    def __init__(self, codec: str, decoded: memoryview, base: int) -> None:
        super().__init__(f"{codec}: bytes follow the end of the stream", offset=base, rule=TRAILING)
        self.decoded = decoded


def call_library(what: str, base: int, call: Callable[[], T]) -> T:
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


def decode_growing(codec: str, into: Into, data: memoryview, size: int, base: int) -> memoryview:
    """Decode into a buffer that grows eightfold as long as the stream fills it."""
    room = min(size, max(_FIRST_BUFFER, 16 * len(data)))
    while True:
        out = np.empty(room, np.uint8).data
        try:
            size_written = call_library(codec, base, partial(into, data, out))
        except cramjam.DecompressionError as error:
            if room == size:
                message = f"{codec}: more than the declared {size} bytes"
                raise Malformed(message, offset=base, rule=SIZE) from error
            room = min(size, 8 * room)
        else:
            return out[:size_written]


def compress_zstd_stream(data: memoryview, level: int | None) -> bytes:
    """Return a frame of ZSTD without the size of its content, its bytes in two pieces."""
    compressor = cramjam.zstd.Compressor(level)
    half = len(data) // 2
    written = b""
    for piece in (data[:half], data[half:]):
        compressor.compress(bytes(piece))
        written += bytes(compressor.flush())
    return written + bytes(compressor.finish())


def zstd(data: memoryview, size: int, base: int) -> memoryview:
    """Decode RFC 8878: one or more frames (skippable frames hold no data) and no other bytes."""

    def decode(frames: memoryview) -> memoryview:
        return decode_growing("ZSTD", cramjam.zstd.decompress_into, frames, size, base)

    return decode_to_end("ZSTD", data, base, zstd_end, decode)


def decode_to_end(
    codec: str,
    data: memoryview,
    base: int,
    end_of: Callable[[memoryview], int | None],
    decode: Callable[[memoryview], memoryview],
) -> memoryview:
    """Decode a stream; raise Trailing if only the bytes behind its end (`end_of`) are wrong."""
    try:
        return decode(data)
    except Malformed as error:
        end = end_of(data) if error.rule == STREAM else None
        if end is None or end == len(data):
            raise
        try:
            decoded = decode(data[:end])
        except Malformed:
            raise error from None
        raise Trailing(codec, decoded, base + end) from error


def brotli_stream(data: memoryview, size: int, base: int) -> memoryview:
    """Decode RFC 7932, and ignore bytes behind the end of the stream."""
    return decode_growing("BROTLI", cramjam.brotli.decompress_into, data, size, base)


def brotli(data: memoryview, size: int, base: int) -> memoryview:
    """Decode RFC 7932. The library ignores bytes behind the end; decoding without the last byte shows them.

    Huge pages are not decoded a second time.
    """
    out = brotli_stream(data, size, base)
    if size > _DECODED_TWICE:
        return out
    try:
        brotli_stream(data[:-1], size, base)
    except Malformed:
        return out  # the stream needs its last byte
    raise Trailing("BROTLI", out, base)
