"""Faults of values that are illegal in their logical type, though they can be read."""

from __future__ import annotations

import struct
from typing import Any

from corpora.build.recipe import leaf
from properties.strategies.faults.edits import table
from properties.strategies.faults.fault import Fault, File
from properties.strategies.faults.geospatial import GEOGRAPHY, GEOMETRY, point
from properties.strategies.faults.logical import MILLIS, both, column, decimal, integer, time
from reference_impl.parquet.schema import ConvertedType, Empty, LogicalType, Type

C = ConvertedType
INT32, BYTES = Type.INT32, Type.BYTE_ARRAY
_STRING = both(LogicalType(STRING=Empty()), C.UTF8)
_ENUM = both(LogicalType(ENUM=Empty()), C.ENUM)
_JSON = both(LogicalType(JSON=Empty()), C.JSON)
_BSON = both(LogicalType(BSON=Empty()), C.BSON)
_BYTE = both(integer(8), C.INT_8)
_TIME = both(time(MILLIS), C.TIME_MILLIS)

_DAY = 86_400 * 10**9  # nanoseconds


def _decimal(*values: Any) -> File:
    return File(table(leaf("x", BYTES, **decimal(3, 1)), values))


def _moment(nanoseconds: int) -> bytes:
    return struct.pack("<qi", nanoseconds, 2_440_588)


FAULTS = (
    Fault(
        "PQ-VALUE-001/string-cut-inside-a-letter",
        "a STRING ends inside a letter of UTF-8",
        column(BYTES, b"a", "é".encode()[:1], **_STRING),
        "it ends behind the letter",
        column(BYTES, b"a", "é".encode(), **_STRING),
    ),
    Fault(
        "PQ-VALUE-002/enum-in-latin-1",
        "an ENUM is a letter of Latin-1",
        column(BYTES, b"a", b"\xe9", **_ENUM),
        "it is the letter in UTF-8",
        column(BYTES, b"a", "é".encode(), **_ENUM),
    ),
    Fault(
        "PQ-VALUE-003/json-in-latin-1",
        "a JSON string has a letter of Latin-1",
        column(BYTES, b"1", b'"\xe9"', **_JSON),
        "it has the letter in UTF-8",
        column(BYTES, b"1", '"é"'.encode(), **_JSON),
    ),
    Fault(
        "PQ-VALUE-004/json-cut-off",
        "a JSON array lacks its end",
        column(BYTES, b"1", b"[1", **_JSON),
        "it has it",
        column(BYTES, b"1", b"[1]", **_JSON),
    ),
    Fault(
        "PQ-VALUE-005/bson-cut-off",
        "a BSON document lacks the byte that ends it",
        column(BYTES, bytes.fromhex("05000000 00"), bytes.fromhex("05000000"), **_BSON),
        "it has it",
        column(BYTES, bytes.fromhex("05000000 00"), bytes.fromhex("05000000 00"), **_BSON),
    ),
    Fault(
        "PQ-VALUE-006/byte-of-128",
        "a signed integer of 8 bits is 128",
        column(INT32, 1, 128, **_BYTE),
        "it is 127",
        column(INT32, 1, 127, **_BYTE),
    ),
    Fault(
        "PQ-VALUE-007/thousand-in-three-digits",
        "a DECIMAL of 3 digits is 1000 without its point",
        column(INT32, 1, 1000, **decimal(3, 1)),
        "it is 999",
        column(INT32, 1, 999, **decimal(3, 1)),
    ),
    Fault(
        "PQ-VALUE-008/byte-too-many",
        "a DECIMAL in BYTE_ARRAY has a byte of zeros in front that it does not need",
        _decimal(b"\x01", b"\x00\x7f"),
        "it needs the byte, for its sign",
        _decimal(b"\x01", b"\x00\x80"),
    ),
    Fault(
        "PQ-VALUE-009/decimal-of-no-bytes",
        "a DECIMAL in BYTE_ARRAY has no bytes",
        _decimal(b"\x01", b""),
        "it has one, zero",
        _decimal(b"\x01", b"\x00"),
    ),
    Fault(
        "PQ-VALUE-010/midnight-at-the-end",
        "a TIME is 24:00",
        column(INT32, 0, 86_400_000, **_TIME),
        "it is a millisecond before",
        column(INT32, 0, 86_399_999, **_TIME),
    ),
    Fault(
        "PQ-VALUE-011/point-cut-off",
        "a GEOMETRY lacks the last byte of a point",
        column(BYTES, point(1.0, 2.0)[:-1], **GEOMETRY),
        "it has it",
        column(BYTES, point(1.0, 2.0), **GEOMETRY),
    ),
    Fault(
        "PQ-VALUE-012/latitude-of-91",
        "a GEOGRAPHY has a latitude of 91 degrees",
        column(BYTES, point(180.0, 91.0), **GEOGRAPHY),
        "it has one of 90",
        column(BYTES, point(180.0, 90.0), **GEOGRAPHY),
    ),
    Fault(
        "PQ-VALUE-013/midnight-at-the-end",
        "an INT96 has the nanoseconds of a whole day",
        column(Type.INT96, _moment(0), _moment(_DAY)),
        "it has one nanosecond less",
        column(Type.INT96, _moment(0), _moment(_DAY - 1)),
        also_breaks=("PQ-SCHEMA-010",),
    ),
)
