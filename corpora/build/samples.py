"""Edge values of physical types, and the legal encodings of each type."""

from __future__ import annotations

import struct
from typing import Any

from reference_impl.parquet.encodings.dispatch import ENCODINGS as SUPPORTED
from reference_impl.parquet.schema import Encoding, Type

FIXED_LENGTH = 3
# NaN, positive and negative, quiet and signalling, with a payload: as bytes, so that nothing is lost.
FLOAT_NANS = tuple(struct.pack("<I", bits) for bits in (0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF))
DOUBLE_NANS = tuple(struct.pack("<Q", bits) for bits in (0x7FF8 << 48, 0xFFF8 << 48, (0x7FF0 << 48) + 1))
INFINITY = float("inf")
VALUES: dict[Type, tuple[Any, ...]] = {
    Type.BOOLEAN: (True, False, False, True, True, True, True, True, True, True, True, False),
    Type.INT32: (0, -1, 2**31 - 1, -(2**31), 7, 7, 7, 7, 7, 7, 7, 7, 7, 8),
    Type.INT64: (0, -1, 2**63 - 1, -(2**63), 2**32, 5, 5, 6, -(2**31)),
    Type.INT96: (
        struct.pack("<qi", 0, 2_440_588),
        struct.pack("<qi", 86_399_999_999_999, 2_440_587),
        struct.pack("<qi", 1, 2_341_973),
        struct.pack("<qi", 3_600_000_000_000, 2_458_850),
    ),
    Type.FLOAT: (0.0, -0.0, 1.5, -1.5, 2.0**-149, 2.0**-126, INFINITY, -INFINITY, *FLOAT_NANS),
    Type.DOUBLE: (0.0, -0.0, 0.1, -0.1, 2.0**-1074, 2.0**-1022, INFINITY, -INFINITY, *DOUBLE_NANS),
    Type.BYTE_ARRAY: (b"", b"a", b"ab", b"abc", b"abd", b"\x00", b"\x80", b"\xff\xff", b"abd" * 12, b"b"),
    Type.FIXED_LEN_BYTE_ARRAY: (b"abc", b"abd", b"\xff\xff\xff", bytes(3), b"\x80ab", b"abd"),
}
DICTIONARIES = (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY)
# A dictionary may have values of any type.
ENCODINGS: dict[Encoding, tuple[Type, ...]] = {
    **{Encoding(encoding): kinds for encoding, kinds in SUPPORTED.items()},
    **dict.fromkeys(DICTIONARIES, tuple(Type)),
}
CLAUSES: dict[Encoding, str] = {
    Encoding.PLAIN: "Encodings.md, Plain",
    Encoding.PLAIN_DICTIONARY: "Encodings.md, Dictionary Encoding",
    Encoding.RLE_DICTIONARY: "Encodings.md, Dictionary Encoding",
    Encoding.RLE: "Encodings.md, Run Length Encoding / Bit-Packing Hybrid",
    Encoding.DELTA_BINARY_PACKED: "Encodings.md, Delta Encoding",
    Encoding.DELTA_LENGTH_BYTE_ARRAY: "Encodings.md, Delta-length byte array",
    Encoding.DELTA_BYTE_ARRAY: "Encodings.md, Delta Strings",
    Encoding.BYTE_STREAM_SPLIT: "Encodings.md, Byte Stream Split",
    Encoding.ALP: "AlpEncoding.md, Page Layout",
}


def fields(kind: Type, length: int = FIXED_LENGTH) -> dict[str, Any]:
    """Return the fields of a SchemaElement for a column of this type."""
    return {"kind": kind, **({"type_length": length} if kind == Type.FIXED_LEN_BYTE_ARRAY else {})}
