"""ZSTD (RFC 8878) and BROTLI (RFC 7932)."""

from __future__ import annotations

import cramjam

from reference_impl.compression.calls import TRAILING, decode_growing
from reference_impl.errors import Malformed

_DECODED_TWICE = 1 << 24  # bytes of a page that may be decoded a second time


def zstd(data: memoryview, size: int, base: int) -> memoryview:
    """Decode RFC 8878: one or more frames (skippable frames hold no data) and no other bytes."""
    return decode_growing("ZSTD", cramjam.zstd.decompress_into, data, size, base)


def brotli(data: memoryview, size: int, base: int) -> memoryview:
    """Decode RFC 7932. The library ignores bytes behind the end; decoding without the last byte shows them.

    Huge pages are not decoded a second time.
    """
    out = decode_growing("BROTLI", cramjam.brotli.decompress_into, data, size, base)
    if size > _DECODED_TWICE:
        return out
    try:
        decode_growing("BROTLI", cramjam.brotli.decompress_into, data[:-1], size, base)
    except Malformed:
        return out  # the stream needs its last byte
    raise Malformed("BROTLI: bytes follow the end of the stream", offset=base, rule=TRAILING)
