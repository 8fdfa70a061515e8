"""Features that the values of a table show, and neither the footer nor the pages of its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from corpora.build.questions.constants import is_nan, is_zero
from corpora.features import many_rows
from corpora.tagged import Table, Type, Value
from corpora.tagged_atoms import values_of

_GREGORIAN = -141_427  # days from 1970-01-01 to 1582-10-15
_OF_1900 = -25_567  # days from 1970-01-01 to 1900-01-01
_16_BITS = 1 << 16
_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def features_of_values(table: Table, format_: str) -> tuple[str, ...]:
    """Return the sorted features that the values of a table show, such as `parquet/value/nan`."""
    names: set[str] = set()
    for type_, value in values_of(table, lambda type_: type_.kind in _TESTS):
        for name, test in _TESTS[type_.kind].items():
            if name not in names and test(type_, value):
                names.add(name)
    if any(None in block[number] for block in table.blocks() for number in range(len(table.columns))):
        names.add("null")
    features = [f"{format_}/value/{name}" for name in names]
    if table.num_rows > _16_BITS:
        features.append(many_rows(format_))
    return tuple(sorted(features))


def _is_nan(type_: Type, value: Value) -> bool:
    return value is not None and is_nan(type_, value)


def _is_zero(type_: Type, value: Value) -> bool:
    return value is not None and is_zero(type_, value)


def _before(day: int) -> Callable[[Type, Value], bool]:
    """Return a test for dates and timestamps before the beginning of a day."""

    def test(type_: Type, value: Value) -> bool:
        return value is not None and int(str(value)) < day * _PER_DAY.get(type_.unit or "", 1)

    return test


def _is_null(_: Type, value: Value) -> bool:
    return value is None


def _ends_in_zero(_: Type, value: Value) -> bool:
    return isinstance(value, str) and value.endswith("00")


_TESTS: Mapping[str, Mapping[str, Callable[[Type, Value], bool]]] = {
    "float": {"nan": _is_nan, "zero": _is_zero},
    "date": {"before-gregorian": _before(_GREGORIAN)},
    "timestamp": {"before-gregorian": _before(_GREGORIAN), "before-1900": _before(_OF_1900)},
    "struct": {"null-struct": _is_null},
    "bytes": {"zero-byte-at-end": _ends_in_zero},
}
