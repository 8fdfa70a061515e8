"""Which encodings and streams columns of a type have ("Column Encodings")."""

from __future__ import annotations

from reference_impl.orc.schema import EncodingKind, StreamKind, TypeKind
from reference_impl.orc.tail import UNSTABLE_PRE_2
from reference_impl.orc.types import BINARIES, MAX_DECIMAL64, MAX_PRECISION, STRINGS, TIMES

V2_KINDS = (EncodingKind.DIRECT_V2, EncodingKind.DICTIONARY_V2)
DICTIONARY_KINDS = (EncodingKind.DICTIONARY, EncodingKind.DICTIONARY_V2)
_DIRECT = (EncodingKind.DIRECT,)
_BOTH = (EncodingKind.DIRECT, EncodingKind.DIRECT_V2)
_ONLY_DIRECT = (
    TypeKind.BOOLEAN,
    TypeKind.BYTE,
    TypeKind.FLOAT,
    TypeKind.DOUBLE,
    TypeKind.STRUCT,
    TypeKind.UNION,
)


def encodings_of(kind: TypeKind) -> tuple[EncodingKind, ...]:
    """Return the encodings that columns of a type may have ("Column Encodings")."""
    if kind in _ONLY_DIRECT:
        return _DIRECT
    return tuple(EncodingKind) if kind in STRINGS else _BOTH


def is_immaterial(kind: TypeKind, encoding: EncodingKind | None) -> bool:
    """Return whether values of a type are the same in a wrong encoding, None if it is not known.

    A STRUCT has no data. DIRECT_V2 differs from DIRECT in runs of integers, which types of a single encoding
    do not have.
    """
    return kind is TypeKind.STRUCT or (encoding is EncodingKind.DIRECT_V2 and kind in _ONLY_DIRECT)


def is_decimal64(kind: TypeKind, precision: int | None, version: tuple[int, ...]) -> bool:
    """Return whether values are decimals that a file of this version stores as integers, at the type's scale.

    "As an interim solution, we are using RLE v2 for short decimals (precision <= 18) and the old encoding for
    long decimals" (ORCv2.md), of which files have version 1.9999.
    """
    is_short = kind is TypeKind.DECIMAL and (precision or MAX_PRECISION) <= MAX_DECIMAL64
    return is_short and version[:2] == UNSTABLE_PRE_2


def wanted_streams(kind: TypeKind, encoding: EncodingKind) -> tuple[StreamKind, ...]:
    """Return the streams of a type in an encoding, beside PRESENT, in the order of their positions.

    The streams of a dictionary have no positions, and come last.
    """
    data, length, secondary = StreamKind.DATA, StreamKind.LENGTH, StreamKind.SECONDARY
    if encoding in DICTIONARY_KINDS:
        return (data, length, StreamKind.DICTIONARY_DATA)
    if kind in STRINGS or kind in BINARIES:
        return (data, length)
    if kind is TypeKind.DECIMAL or kind in TIMES:
        return (data, secondary)
    if kind in (TypeKind.LIST, TypeKind.MAP):
        return (length,)
    return () if kind == TypeKind.STRUCT else (data,)
