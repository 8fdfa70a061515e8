"""A column of an ORC file: its values as in its streams, and the map to other values.

A value is an int (integers, days, seconds of a timestamp, unscaled decimals, the bits of a float) or bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from random import Random
from typing import Any

from harness.investigate.anonymize import maps
from harness.investigate.anonymize.columns import DAY, EPOCH, TIMES
from reference_impl.errors import Unsupported
from reference_impl.orc import types
from reference_impl.orc.schema import StreamKind, Type, TypeKind
from reference_impl.orc.statistics import decimal_of
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.wire.table import Struct

INTEGERS, TEXTS, MOMENTS = types.INTEGERS, types.STRINGS, types.TIMES
FLOATS = {TypeKind.FLOAT: 32, TypeKind.DOUBLE: 64}
_DAYS = {TypeKind.DATE: 32}
NESTED = (TypeKind.STRUCT, TypeKind.LIST, TypeKind.MAP, TypeKind.UNION)
BLOOMS = (StreamKind.BLOOM_FILTER, StreamKind.BLOOM_FILTER_UTF8)
_SCALE = 38  # of the keys of decimals in statistics
_WIDEST = 128
_MILLIS = 1000


@dataclass
class Column:
    """A column with values of its own: first collected in `values`, then mapped (`close_with`, `other`)."""

    type: Type
    path: tuple[str, ...]
    values: set[Any] = field(default_factory=set)
    mapping: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.type.kind in (TypeKind.GEOMETRY, TypeKind.GEOGRAPHY):
            raise Unsupported(f"column {'.'.join(self.path)}: {self.type.kind.name} is not anonymized")

    @property
    def stays(self) -> bool:
        """Return whether the values stay: booleans, and columns without values of their own."""
        return self.type.kind is TypeKind.BOOLEAN or self.type.kind in NESTED or self.type.kind is None

    @property
    def id(self) -> None:
        """Return that types of ORC have no ids."""

    @property
    def domain(self) -> tuple[Any, ...]:
        """Return what values must share to be mapped together: numbers of one scale, floats of one width."""
        kind = self.type.kind
        if kind in INTEGERS:
            return "number", 0
        if kind is TypeKind.DECIMAL:
            return "number", self.type.scale or 0
        if kind in TEXTS or kind is TypeKind.BINARY:
            return ("bytes",)
        if kind in MOMENTS:
            return ("moment",)
        return ("none",) if kind is None or self.stays else (kind.name,)

    def of_folder(self, text: str) -> Any:
        """Return the value of the column that the name of a folder says; raises ValueError."""
        if self.type.kind in TEXTS:
            return text.encode()
        if self.type.kind in INTEGERS:
            return int(text)
        if self.type.kind is TypeKind.DATE:
            return (date.fromisoformat(text) - EPOCH).days
        raise ValueError(text)

    def to_folder(self, value: Any) -> str:
        """Return the text in the name of a folder that says a value; for what `of_folder` returns."""
        if self.type.kind in TEXTS:
            return bytes(value).decode()
        return str(value) if self.type.kind in INTEGERS else (EPOCH + timedelta(value)).isoformat()

    def note(self, value: Any) -> None:
        """Add a value to the map."""
        self.values.add(value)

    def close_with(self, others: Sequence[Column], random: Random) -> None:
        """Create one map for this column and others of one domain: equal values become equal ones."""
        columns = (self, *others)
        values = set().union(*(column.values for column in columns))
        kinds = {column.type.kind for column in columns}
        if self.stays:
            return
        if self.type.kind in FLOATS:
            mapped: dict[Any, Any] = maps.floats(values, FLOATS[self.type.kind], random)
        elif self.domain == ("bytes",):
            mapped = (maps.binaries if TypeKind.BINARY in kinds else maps.texts)(values, random)
        else:
            cuts = [cut for each in columns for cut in (*each.cuts(), *maps.limits(each.bits))]
            mapped = maps.integers(values, max(each.bits for each in columns), random, cuts)
        for column in columns:
            column.mapping = mapped

    @property
    def bits(self) -> int:
        """Return the bits of the widest number."""
        kind = self.type.kind
        if kind is None or kind is TypeKind.DECIMAL:
            return _WIDEST
        return {**INTEGERS, **_DAYS}.get(kind, 64)

    def other(self, value: Any) -> Any:
        """Return the new value for an old one."""
        return self.mapping[value]

    def cuts(self) -> list[int]:
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
