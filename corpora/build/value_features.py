"""Features that the values of a table show, and neither the footer nor the pages of its file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from corpora.build.questions.constants import infinities, zeros
from corpora.features import many_rows
from corpora.tagged import Table, Type
from corpora.tagged_atoms import columns_of, distinct

_GREGORIAN = -141_427  # days from 1970-01-01 to 1582-10-15
_OF_1900 = -25_567  # days from 1970-01-01 to 1900-01-01
_16_BITS = 1 << 16
_ENDS = frozenset({str((1 << 63) - 1), str(1 - (1 << 63))})
_NOT_A_TIME = str(-(1 << 63))  # of numpy: NaT
_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}

_Test = Callable[[Type, set[str]], bool]


def features_of_values(table: Table, format_: str, columns: Collection[str] | None = None) -> tuple[str, ...]:
    """Return the sorted features that the values of a table show, such as `parquet/value/nan`.

    Only values of the named columns are looked at, None for all.
    """
    names: set[str] = set()
    for type_, values in columns_of(table, _is_looked_at, columns):
        if type_.kind == "struct":
            names |= {"null-struct"} if None in values else set()
        elif wanted := {name: test for name, test in _TESTS[type_.kind].items() if name not in names}:
            once = distinct(values)
            names |= {name for name, test in wanted.items() if test(type_, once)}
    numbers = [
        number for number, column in enumerate(table.columns) if columns is None or column.name in columns
    ]
    if any(None in block[number] for block in table.blocks() for number in numbers):
        names.add("null")
    features = [f"{format_}/value/{name}" for name in names]
    if table.num_rows > _16_BITS:
        features.append(many_rows(format_))
    return tuple(sorted(features))


def _is_looked_at(type_: Type) -> bool:
    return type_.kind in _TESTS or type_.kind == "struct"


def _has_nan(type_: Type, values: set[str]) -> bool:
    minus, plus = map(str, infinities(type_))  # hex digits have the order of the bits
    return any(plus < value < "8" or value > minus for value in values)


def _has_zero(type_: Type, values: set[str]) -> bool:
    return not values.isdisjoint(zeros(type_))


def _before(day: int) -> _Test:
    """Return a test for dates and timestamps before the beginning of a day."""

    def test(type_: Type, values: set[str]) -> bool:
        beginning = day * _PER_DAY.get(type_.unit or "", 1)
        return min(map(int, values), default=beginning) < beginning

    return test


def _has_end(_: Type, values: set[str]) -> bool:
    return not values.isdisjoint(_ENDS)


def _has_least(_: Type, values: set[str]) -> bool:
    return _NOT_A_TIME in values


def _has_zero_byte(_: Type, values: set[str]) -> bool:
    return any("\0" in value for value in values)


def _ends_in_zero(_: Type, values: set[str]) -> bool:
    return any(value.endswith("00") for value in values)


_TESTS: Mapping[str, Mapping[str, _Test]] = {
    "float": {"nan": _has_nan, "zero": _has_zero},
    "date": {"before-gregorian": _before(_GREGORIAN)},
    "timestamp": {
        "before-gregorian": _before(_GREGORIAN),
        "before-1900": _before(_OF_1900),
        "end-of-time": _has_end,
        "not-a-time": _has_least,
    },
    "bytes": {"zero-byte-at-end": _ends_in_zero},
    "string": {"zero-byte": _has_zero_byte},
}
