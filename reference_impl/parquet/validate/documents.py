"""Checks of JSON and BSON documents."""

from __future__ import annotations

import json
import struct

_SIZES = {0x01: 8, 0x06: 0, 0x07: 12, 0x08: 1, 0x09: 8, 0x0A: 0, 0x10: 4, 0x11: 8, 0x12: 8, 0x13: 16}
_SIZES |= {0xFF: 0, 0x7F: 0}
_STRINGS = (0x02, 0x0D, 0x0E)
_MOST_DEPTH = 100


def json_problem(raw: bytes) -> str | None:
    """Return why UTF-8 bytes are no JSON (RFC 8259), None if they are, or are nested too deeply."""
    try:
        json.loads(raw.decode("utf-8"), parse_int=len, parse_float=len, parse_constant=_refuse)
    except ValueError as error:
        return f"{raw[:40]!r} is no JSON: {error}"
    except RecursionError:
        return None
    return None


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number")


def bson_problem(raw: bytes) -> str | None:
    """Return why bytes are no BSON document (bsonspec.org), None if they are."""
    try:
        end = _document(raw, 0, len(raw), 0)
    except (ValueError, struct.error) as error:
        return f"{raw[:40].hex()} is no BSON: {error}"
    return None if end == len(raw) else f"{raw[:40].hex()} is no BSON: {len(raw) - end} unused bytes follow"


def _document(raw: bytes, at: int, end: int, depth: int) -> int:
    """Check a document that begins at `at`; return where it ends. document ::= int32 e_list 0x00."""
    size = _int32(raw, at, end)
    if size < 5 or at + size > end or raw[at + size - 1]:
        raise ValueError(f"a document of {size} bytes at {at}")
    if depth > _MOST_DEPTH:
        return at + size
    end, at = at + size - 1, at + 4
    while at < end:
        kind = raw[at]
        at = _value(raw, kind, raw.index(0, at + 1, end) + 1, end, depth)
        if at > end:
            raise ValueError(f"an element of type {kind} is cut short")
    return end + 1


def _value(raw: bytes, kind: int, at: int, end: int, depth: int) -> int:
    if kind in _SIZES:
        return at + _SIZES[kind]
    if kind in (0x03, 0x04):
        return _document(raw, at, end, depth + 1)
    if kind == 0x0B:  # a regular expression: two strings that end with a zero
        return raw.index(0, raw.index(0, at, end) + 1, end) + 1
    size = _int32(raw, at, end)
    if size < 0:
        raise ValueError(f"a length of {size}")
    if kind in _STRINGS:
        return at + 4 + size
    if kind == 0x05:
        return at + 5 + size
    if kind == 0x0C:
        return at + 4 + size + 12
    if kind == 0x0F:
        return at + size
    raise ValueError(f"an element of type {kind}")


def _int32(raw: bytes, at: int, end: int) -> int:
    if at + 4 > end:
        raise ValueError("a length is cut short")
    return int.from_bytes(raw[at : at + 4], "little", signed=True)
