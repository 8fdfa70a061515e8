"""A column of an ORC file: its values as in its streams, and the map to other values.

A value is an int (integers, days, seconds of a timestamp, unscaled decimals, the bits of a float) or bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from harness.investigate.anonymize import maps
from harness.investigate.anonymize.columns import DAY, TIMES
from reference_impl.errors import Unsupported
from reference_impl.orc.schema import StreamKind, Type, TypeKind
from reference_impl.orc.statistics import decimal_of
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.wire.table import Struct

INTEGERS = {TypeKind.BYTE: 8, TypeKind.SHORT: 16, TypeKind.INT: 32, TypeKind.LONG: 64}
FLOATS = {TypeKind.FLOAT: 32, TypeKind.DOUBLE: 64}
TEXTS = (TypeKind.STRING, TypeKind.CHAR, TypeKind.VARCHAR)
_DAYS = {TypeKind.DATE: 32}
MOMENTS = (TypeKind.TIMESTAMP, TypeKind.TIMESTAMP_INSTANT)
NESTED = (TypeKind.STRUCT, TypeKind.LIST, TypeKind.MAP, TypeKind.UNION)
BLOOMS = (StreamKind.BLOOM_FILTER, StreamKind.BLOOM_FILTER_UTF8)
_SCALE = 38  # of the keys of decimals in statistics
_WIDEST = 128
_MILLIS = 1000


@dataclass
class Column:
    """A column with values of its own: first collected in `values`, then mapped (`close`, `other`)."""

    type: Type
    path: tuple[str, ...]
    values: set[Any] = field(default_factory=set)
    _map: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.type.kind in (TypeKind.GEOMETRY, TypeKind.GEOGRAPHY):
            raise Unsupported(f"column {'.'.join(self.path)}: {self.type.kind.name} is not anonymized")

    @property
    def stays(self) -> bool:
        """Return whether the values stay: booleans, and columns without values of their own."""
        return self.type.kind is TypeKind.BOOLEAN or self.type.kind in NESTED or self.type.kind is None

    def other(self, value: Any) -> Any:
        """Return the new value for an old one."""
        return self._map[value]

    def close(self, random: Random) -> None:
        """Create the map of all collected values."""
        kind = self.type.kind
        if kind in FLOATS:
            self._map = maps.floats(self.values, FLOATS[kind], random)
        elif kind in TEXTS:
            self._map = maps.texts(self.values, random)
        elif kind is TypeKind.BINARY:
            self._map = maps.binaries(self.values, random)
        elif not self.stays and kind is not None:
            bits = _WIDEST if kind is TypeKind.DECIMAL else {**INTEGERS, **_DAYS}.get(kind, 64)
            self._map = maps.integers(self.values, bits, random, self._cuts())

    def _cuts(self) -> list[int]:
        """Return the numbers at which the meaning changes; see the columns of Parquet."""
        kind = self.type.kind
        if kind is TypeKind.DATE:
            return [seconds // DAY for seconds in TIMES]
        if kind in MOMENTS:
            return [*TIMES, 0, 1]
        if kind is TypeKind.DECIMAL:
            digits = 10 ** (self.type.precision or _SCALE)
            return [digits, 1 - digits]
        return [sign * (1 << bits) + more for bits in (7, 15, 31) for sign in (1, -1) for more in (0, 1)]

    def bounds(self, statistics: ColumnStatistics, act: Callable[[Any], Any]) -> ColumnStatistics:
        """Return statistics with `act` applied to each bound; sums stay. Raises Unsupported."""
        changes: dict[str, Any] = {}
        for name, how in _BOUNDS.items():
            typed = getattr(statistics, name)
            if isinstance(typed, Struct):
                given = {
                    bound: getattr(typed, bound)
                    for bound in _FIELDS
                    if getattr(typed, bound, None) is not None
                }
                changes[name] = replace(
                    typed, **{bound: how(self, value, act) for bound, value in given.items()}
                )
        return replace(statistics, **changes)

    def refused(self, what: str) -> Unsupported:
        """Return an error about the column."""
        return Unsupported(f"column {'.'.join(self.path)}: {what}")


def _number(_: Column, value: int, act: Callable[[Any], Any]) -> Any:
    return act(value)


def _real(column: Column, value: float, act: Callable[[Any], Any]) -> Any:
    if value != value:  # noqa: PLR0124 - NaN
        return value
    code, whole = ("<f", "<I") if column.type.kind is TypeKind.FLOAT else ("<d", "<Q")
    try:
        raw = struct.pack(code, value)
    except OverflowError:
        raise column.refused("a bound outside of FLOAT is not anonymized") from None
    (number,) = struct.unpack(code, struct.pack(whole, act(struct.unpack(whole, raw)[0])))
    return number


def _text(_: Column, value: str, act: Callable[[Any], Any]) -> Any:
    new_text: bytes = act(value.encode("utf-8", "surrogateescape"))
    return new_text.decode("utf-8", "surrogateescape")


def _decimal(column: Column, value: str, act: Callable[[Any], Any]) -> Any:
    key = decimal_of(value)
    scale = column.type.scale or 0
    if not isinstance(key, int) or key % 10 ** (_SCALE - scale):
        raise column.refused("a bound outside of the type is not anonymized")
    return plain(act(key // 10 ** (_SCALE - scale)), scale)


def plain(unscaled: int, scale: int) -> str:
    """Return a decimal in plain notation, without trailing zeros."""
    digits = f"{abs(unscaled):0{scale + 1}}"
    cut = len(digits) - scale
    text = f"{'-' if unscaled < 0 else ''}{digits[:cut]}.{digits[cut:]}"
    return text.rstrip("0").rstrip(".")


def _moment(_: Column, value: int, act: Callable[[Any], Any]) -> Any:
    seconds, millis = divmod(value, _MILLIS)
    return act(seconds) * _MILLIS + millis


_FIELDS = (
    *("minimum", "maximum", "lower_bound", "upper_bound"),
    *("minimum_utc", "maximum_utc"),
)
_BOUNDS: dict[str, Callable[[Column, Any, Callable[[Any], Any]], Any]] = {
    "int_statistics": _number,
    "double_statistics": _real,
    "string_statistics": _text,
    "decimal_statistics": _decimal,
    "date_statistics": _number,
    "timestamp_statistics": _moment,
}
