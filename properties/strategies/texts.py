"""Domains of text and bytes: around truncation limits, not ASCII, bytes whose order depends on the sign."""

from __future__ import annotations

import json
import struct

from properties.strategies.domains import Domain

_TEXTS = (
    "", "a", "b", "ab", "aa", "é", "ÿ", "z" * 64, "z" * 65, "z" * 63 + "é", "a" * 15 + "é", "a" * 16,
    "a" * 17, "é" * 32, "é" * 33, "x" + "é" * 40, "\uffff", "\U00010000", "\U0010ffff" * 20, "\U0010ffff",
    "\x00", "a\x00", "\x7f", "\x80", "ab\u0301", "A", "%", "_", "\\", "' \"", "a" * 300, "null", "NaN",
    "日本語" * 8, "\ud7ff", "\ue000", "x\ud7ff" * 20, "\ufffe", "\ufffd", "k\uffff" * 20, "\U0001ffff",
    "\U0010fffe", "\U0010ffffa", "\x7f" * 17, "\u07ff" * 16, "a\u0800", "\x00a", "\x00b",
)  # fmt: skip
_BINARIES = (
    b"", b"a", b"\x00", b"\xff", b"\x80", b"\x7f", b"\x7f\xff", b"\xff" * 16, b"\xff" * 64, b"\xff" * 65,
    b"a" * 64, b"a" * 65, b"\x00\x00", b"\xff\x00", b"\xc3", b"a\xff", b"\x80" * 70, bytes(300),
    b"\x00\xff" * 40,
)  # fmt: skip
_JSON = (
    "{}", "[]", "null", "true", "0", "-1.5e10", '""', '"é"', '{"a":[1,2,{"b":null}]}', '{"a":"\\u0000"}',
    '"' + "é" * 40 + '"', "[" + "1," * 60 + "1]",
)  # fmt: skip


def _counted(code: int, parts: list[bytes]) -> bytes:
    return struct.pack("<BII", 1, code, len(parts)) + b"".join(parts)


def geometries() -> Domain:
    """Return GEOMETRY and GEOGRAPHY in well-known binary: of each type, with Z and M, empty."""
    coordinates = [(0.0, 0.0), (1.0, 2.0), (180.0, 90.0), (-180.0, -90.0), (float("nan"), float("nan"))]
    edges = [struct.pack("<BIdd", 1, 1, *point) for point in coordinates]
    edges += [struct.pack(">BIdd", 0, 1, 3.0, 4.0), struct.pack("<BIddd", 1, 1001, 5.0, 6.0, 7.0)]
    at = [struct.pack("<dd", *point) for point in [(0, 0), (1, 0), (1, 1), (0, 0)]]
    ring = struct.pack("<I", len(at)) + b"".join(at)
    point, line, polygon = struct.pack("<BI", 1, 1) + at[2], _counted(2, at), _counted(3, [ring])
    edges += [line, polygon, _counted(2, []), _counted(3, []), _counted(3, [ring, ring])]
    edges += [_counted(4, [point, point]), _counted(5, [line, line]), _counted(6, [polygon])]
    edges += [_counted(7, [point, line, _counted(7, [])]), struct.pack(">BII", 0, 2, 0)]
    edges += [_counted(3002, [struct.pack("<dddd", 1, 2, 3, 4)] * 2), struct.pack("<BIddd", 1, 2001, 1, 2, 3)]
    return Domain(edges, lambda at: struct.pack("<BIdd", 1, 1, at % 360 - 180.0, at % 180 - 90.0))


def text() -> Domain:
    """Return the domain of STRING and ENUM: valid UTF-8."""
    edges = [text.encode() for text in _TEXTS]
    # A base selects the common prefix of a sequence.
    prefixes = ("", "k", "p" * 62, "é" * 31, "\U0010ffff")
    return Domain(
        edges,
        lambda at: (prefixes[at // 100_000 % 5] + f"{at % 100_000:05d}").encode(),
        (0, 100_000, 200_000, 300_000, 400_000),
    )


def binary() -> Domain:
    """Return the domain of bytes."""
    prefixes = (b"", b"\xff", b"\x80" * 15, b"\xff" * 63)
    return Domain(
        _BINARIES,
        lambda at: prefixes[at // 65_536 % 4] + (at % 65_536).to_bytes(2, "big"),
        (0, 32_700, 65_536, 65_300, 131_072, 196_608),
    )


def json_text() -> Domain:
    """Return the domain of JSON documents."""
    edges = [text.encode() for text in _JSON]
    return Domain(edges, lambda at: json.dumps({"k": f"{at:05d}"}).encode())


def _bson_of(elements: bytes) -> bytes:
    return (len(elements) + 5).to_bytes(4, "little") + elements + b"\x00"


def bson() -> Domain:
    """Return the domain of BSON documents."""
    edges = [
        _bson_of(b""),
        _bson_of(b"\x10a\x00\x01\x00\x00\x00"),
        _bson_of(b"\x0aa\x00"),
        _bson_of(b"\x02s\x00\x03\x00\x00\x00\xc3\xa9\x00"),
        _bson_of(b"\x01d\x00" + struct.pack("<d", float("nan"))),
    ]
    return Domain(edges, lambda at: _bson_of(b"\x10a\x00" + struct.pack("<i", at)))


def long_text() -> Domain:
    """Return the domain of `text` with texts of about 1,024 bytes, where bounds are shortened (ORC-203)."""
    plain = text()
    longer = ("m" * 1024, "m" * 1025, "m" * 1023 + "é", "é" * 513, "\U0010ffff" * 257, "m" * 1024 + "z")
    return Domain([*plain.edges, *(long.encode() for long in longer)], plain.nth, plain.bases)
