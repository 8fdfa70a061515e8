"""Edge values of the types of ORC, and nestings of a column: with nulls, or inside of a nested type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from corpora.build.orc.schemas import INT, STRING, Types, leaf, list_of, map_of, struct_of, union_of
from corpora.build.samples import DOUBLE_NANS, FLOAT_NANS, INFINITY, LINE, POINT
from reference_impl.orc.schema import TypeKind
from reference_impl.orc.statistics import TEXTS

_TEXTS = (b"", b"a", b"ab", b"abc", b"abd", "é".encode(), "日本語".encode(), "𝄞".encode(), b"a", b"")
_MOMENTS = (
    *((0, 0), (1_420_070_400, 0), (1_420_070_399, 999_999_999), (-1, 1)),
    *((-2, 999_999_999), (951_782_399, 123_456_789), (2_147_483_648, 100)),
    *((-2_208_988_800, 1_000_000), (1_700_000_000, 500_000_000)),
)
SCALE, PRECISION, LENGTH = 3, 38, 5
_KINDS = [
    kind for kind in TypeKind if kind not in (TypeKind.LIST, TypeKind.MAP, TypeKind.STRUCT, TypeKind.UNION)
]
TYPES: dict[TypeKind, Types] = {
    **{kind: leaf(kind) for kind in _KINDS},
    TypeKind.CHAR: leaf(TypeKind.CHAR, maximum_length=LENGTH),
    TypeKind.VARCHAR: leaf(TypeKind.VARCHAR, maximum_length=LENGTH),
    TypeKind.DECIMAL: leaf(TypeKind.DECIMAL, precision=PRECISION, scale=SCALE),
}
NESTED: dict[TypeKind, Types] = {
    TypeKind.LIST: list_of(INT),
    TypeKind.MAP: map_of(INT, STRING),
    TypeKind.STRUCT: struct_of(a=INT, b=STRING),
    TypeKind.UNION: union_of(INT, STRING),
}
VALUES: dict[TypeKind, tuple[Any, ...]] = {
    TypeKind.BOOLEAN: (True, False, False, True, True, True, True, True, True, True, True, False),
    TypeKind.BYTE: (0, -1, 127, -128, 7, 7, 7, 7, 1, 2),
    TypeKind.SHORT: (0, -1, 2**15 - 1, -(2**15), 7, 7, 7, 7, 8, 9),
    TypeKind.INT: (0, -1, 2**31 - 1, -(2**31), 7, 7, 7, 7, 8, 9),
    TypeKind.LONG: (0, -1, 2**63 - 1, -(2**63), 2**32, 5, 5, 5, -(2**31)),
    TypeKind.FLOAT: (0.0, -0.0, 1.5, -1.5, 2.0**-149, 2.0**-126, INFINITY, -INFINITY, *FLOAT_NANS),
    TypeKind.DOUBLE: (0.0, -0.0, 0.1, -0.1, 2.0**-1074, 2.0**-1022, INFINITY, -INFINITY, *DOUBLE_NANS),
    TypeKind.STRING: _TEXTS,
    TypeKind.VARCHAR: _TEXTS,
    TypeKind.CHAR: tuple((text.decode() + " " * LENGTH)[:LENGTH].encode() for text in _TEXTS),
    TypeKind.BINARY: (b"", b"a", b"\x00", b"\x80", b"\xff\xff", b"abd" * 12, b"b", b"", b"\xc3"),
    TypeKind.DATE: (0, -1, 1, 18_321, 2_932_896, -719_162, -141_427, 7, 7, 7),
    TypeKind.TIMESTAMP: _MOMENTS,
    TypeKind.TIMESTAMP_INSTANT: _MOMENTS,
    TypeKind.DECIMAL: (0, 1, -1, 63, 64, -64, -65, 10**18, -(10**18), 10**38 - 1, 1 - 10**38),
    TypeKind.GEOMETRY: (POINT, LINE, POINT),
    TypeKind.GEOGRAPHY: (POINT, LINE, POINT),
    TypeKind.LIST: ([1, 2], [], [None], [3]),
    TypeKind.MAP: ([(1, b"a")], [], [(2, None), (3, b"")]),
    TypeKind.STRUCT: ((1, b"a"), (None, None), (2, b"")),
    TypeKind.UNION: ((0, 1), (1, b"a"), (0, None), (1, b"")),
}
# Types without streams of integers have only one version of encodings.
PLAIN = (
    *(TypeKind.BOOLEAN, TypeKind.BYTE, TypeKind.FLOAT, TypeKind.DOUBLE),
    *(TypeKind.STRUCT, TypeKind.UNION),
)
CLAUSES: dict[TypeKind, str] = {
    TypeKind.BOOLEAN: "Boolean Columns",
    TypeKind.BYTE: "TinyInt Columns",
    **dict.fromkeys((TypeKind.SHORT, TypeKind.INT, TypeKind.LONG), "SmallInt, Int, and BigInt Columns"),
    **dict.fromkeys((TypeKind.FLOAT, TypeKind.DOUBLE), "Float and Double Columns"),
    **dict.fromkeys(TEXTS, "String, Char, and VarChar Columns"),
    **dict.fromkeys((TypeKind.BINARY, TypeKind.GEOMETRY, TypeKind.GEOGRAPHY), "Binary Columns"),
    TypeKind.DATE: "Date Columns",
    **dict.fromkeys((TypeKind.TIMESTAMP, TypeKind.TIMESTAMP_INSTANT), "Timestamp Columns"),
    TypeKind.DECIMAL: "Decimal Columns",
    TypeKind.STRUCT: "Struct Columns",
    TypeKind.LIST: "List Columns",
    TypeKind.MAP: "Map Columns",
    TypeKind.UNION: "Union Columns",
}


def clause(kind: TypeKind) -> str:
    """Return the section of ORCv1.md about columns of a type."""
    return f"ORCv1.md, {CLAUSES[kind]}"


# The nestings for columns of integers in version 1, whose runs do not depend on the types above.
OLD = ("required", "nullable", "list")


class Nesting(NamedTuple):
    """A nesting: functions for the type of the column `x` around a type, and for its values.

    Every level above the type has nulls, and some of the type's values are null.
    """

    name: str
    type: Callable[[Types], Types]
    values: Callable[[Sequence[Any]], list[Any]]


def _nullable(values: Sequence[Any]) -> list[Any]:
    """Put nulls before, after and between values."""
    out: list[Any] = [None]
    for number, value in enumerate(values):
        out += [value, None] if number % 3 == 1 else [value]
    return [*out, None, None]


def _parts(values: Sequence[Any]) -> list[list[Any] | None]:
    """Cut values, some of them null, into lists of 2, 0 and more."""
    given = _nullable(values)
    return [None, given[:2], [], given[2:3], None, given[3:], []]


def _in_maps(values: Sequence[Any]) -> list[Any]:
    parts = _parts(values)
    return [part if part is None else list(enumerate(part)) for part in parts]


def _deep(values: Sequence[Any]) -> list[Any]:
    """Return lists of maps of structs."""
    maps = [
        part if part is None else [(key, None if key == 1 else (value,)) for key, value in part]
        for part in _in_maps(values)
    ]
    return [maps[:3], None, [], maps[3:]]


NESTINGS = (
    Nesting("required", lambda type_: type_, list),
    Nesting("nullable", lambda type_: type_, _nullable),
    Nesting(
        "struct",
        lambda type_: struct_of(y=type_),
        lambda values: [None, *((value,) for value in _nullable(values)), None],
    ),
    Nesting("list", list_of, _parts),
    Nesting("map", lambda type_: map_of(INT, type_), _in_maps),
    Nesting(
        "union",
        lambda type_: union_of(INT, type_),
        lambda values: [None, (0, 5), *((1, value) for value in _nullable(values)), (0, None), (0, 7)],
    ),
    Nesting("deep", lambda type_: list_of(map_of(INT, struct_of(y=type_))), _deep),
)
