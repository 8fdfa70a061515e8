"""GZIP (RFC 1952) and ZLIB of ORC (RFC 1951, "raw" deflate)."""

from __future__ import annotations

import sys
import zlib

from reference_impl.compression.calls import SIZE, STREAM, Trailing
from reference_impl.errors import Malformed

_MAGIC = b"\x1f\x8b"  # RFC 1952, 2.3.1: begins each member
_CHUNK = 1 << 15  # input given to zlib at a time; zlib copies the input behind a member, so this is short


def deflate(data: memoryview, room: int, base: int) -> memoryview:
    """Decode RFC 1951, one stream without any header."""
    stream = zlib.decompressobj(wbits=-15)
    try:
        # ORC's block size is a uint64; zlib takes a signed one of the machine.
        out = stream.decompress(data, min(room + 1, sys.maxsize))
    except zlib.error as error:
        raise Malformed(f"ZLIB: {error}", offset=base, rule=STREAM) from error
    if len(out) > room:
        raise Malformed(f"ZLIB: more than {room} bytes", offset=base, rule=SIZE)
    if not stream.eof:
        raise Malformed("ZLIB: the stream is cut short", offset=base, rule=STREAM)
    if stream.unused_data:
        raise Trailing("ZLIB", memoryview(out), base)
    return memoryview(out)


def gzip(data: memoryview, size: int, base: int) -> memoryview:
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
            if bytes(data[at : at + 2]) != _MAGIC:
                raise Trailing("GZIP", _joined(parts), base + at)
            member = zlib.decompressobj(wbits=31)
    if not member.eof:
        raise Malformed("GZIP: the stream is cut short", offset=base + at, rule=STREAM)
    return _joined(parts)


def has_members(data: memoryview, most: int) -> bool:
    """Return whether a second member follows the first, which has at most `most` bytes inflated."""
    member = zlib.decompressobj(wbits=31)
    try:
        member.decompress(data, most)
    except zlib.error:
        return False
    return member.eof and member.unused_data[:2] == _MAGIC


def _joined(parts: list[bytes]) -> memoryview:
    return memoryview(parts[0] if len(parts) == 1 else b"".join(parts))


def compress_gzip(data: memoryview, level: int | None) -> bytes:
    """Return one GZIP member."""
    member = zlib.compressobj(-1 if level is None else level, wbits=31)
    return member.compress(data) + member.flush()


def compress_deflate(data: memoryview, level: int | None) -> bytes:
    """Return a raw DEFLATE stream."""
    stream = zlib.compressobj(-1 if level is None else level, wbits=-15)
    return stream.compress(data) + stream.flush()
