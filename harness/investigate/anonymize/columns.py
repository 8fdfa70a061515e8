"""A column of a Parquet file: its values as PLAIN bytes, and the map to other values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random
from typing import Any

from corpora.tagged import PER_SECOND
from harness.investigate.anonymize import maps
from reference_impl.errors import Unsupported
from reference_impl.parquet.orders import is_text
from reference_impl.parquet.schema import Type
from reference_impl.parquet.tree import Node

DAY = 86_400
# Seconds since 1970 of the limits of types and calendars: 0001, 1582-10-15, 1677-09-21,
# 1883-11-18, 1900, 2262-04-12, 10000.
TIMES = (
    -62_135_596_800,
    -12_219_292_800,
    -9_223_372_036,
    -2_717_640_000,
    -2_208_988_800,
    9_223_372_037,
    253_402_300_800,
)
_JULIAN = 2_440_588  # the day 1970-01-01
EPOCH = date(1970, 1, 1)
_NUMBERS = ("number", "DATE", "TIME", "TIMESTAMP")  # domains whose values are numbers
_REFUSED = ("VARIANT", "GEOMETRY", "GEOGRAPHY")


@dataclass
class Column:
    """The values of a leaf, as PLAIN bytes: first collected (`note`), then mapped (`close_with`, `other`)."""

    node: Node
    values: set[bytes] = field(default_factory=set)
    odd: set[bytes] = field(default_factory=set)
    mapping: dict[bytes, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        logical = self.node.logical
        if logical is not None and logical.name in _REFUSED:
            raise Unsupported(f"column {'.'.join(self.node.path)}: {logical.name} is not anonymized")

    @property
    def path(self) -> tuple[str, ...]:
        """Return the names of the fields down to the leaf."""
        return self.node.path

    @property
    def id(self) -> int | None:
        """Return the field id of the leaf."""
        return self.node.element.field_id

    @property
    def domain(self) -> tuple[Any, ...]:
        """Return what values must share to be mapped together: numbers of one scale, moments of one unit."""
        physical, logical = self.node.physical, self.node.logical
        assert physical is not None
        name = logical.name if logical else ""
        kind = physical.type
        if name in {"DATE", "TIME", "TIMESTAMP"} and logical:
            return name, logical.unit
        if name == "DECIMAL" and logical:
            return "number", logical.scale
        if kind in (Type.INT32, Type.INT64):
            return "number", 0
        if kind in (Type.FLOAT, Type.DOUBLE, Type.BOOLEAN, Type.INT96) or name == "FLOAT16":
            return kind.name, name
        return ("bytes",)

    def note(self, raw: bytes) -> None:
        """Add a value, or a bound of statistics, to the map."""
        (self.values if self._fits(raw) else self.odd).add(raw)

    def of_folder(self, text: str) -> bytes:
        """Return the value of the column that the name of a folder says; raises ValueError."""
        physical = self.node.physical
        assert physical is not None
        match self.domain:
            case ("bytes",) if physical.type == Type.BYTE_ARRAY:
                return text.encode()
            case ("number", 0) if physical.type in (Type.INT32, Type.INT64):
                return self._stored(int(text), physical.width or 0)
            case ("DATE", _):
                return self._stored((date.fromisoformat(text) - EPOCH).days, physical.width or 0)
        raise ValueError(text)

    def _stored(self, number: int, width: int) -> bytes:
        return number.to_bytes(width, "little", signed=number < 0 or self._is_signed)

    def to_folder(self, raw: bytes) -> str:
        """Return the text in the name of a folder that says a value; for what `of_folder` returns."""
        if self.domain == ("bytes",):
            return raw.decode()
        number = int.from_bytes(raw, "little", signed=self._is_signed)
        return str(number) if self.domain[0] == "number" else (EPOCH + timedelta(number)).isoformat()

    @property
    def _is_signed(self) -> bool:
        logical = self.node.logical
        return logical is None or logical.name != "INTEGER" or bool(logical.signed)

    def _fits(self, raw: bytes) -> bool:
        physical = self.node.physical
        assert physical is not None
        if physical.type == Type.BYTE_ARRAY:
            return True
        return len(raw) == (1 if physical.type == Type.BOOLEAN else physical.width)

    def other(self, raw: bytes) -> bytes:
        """Return the new value for an old one."""
        return self.mapping[raw]

    def close_with(self, others: Sequence[Column], random: Random) -> None:
        """Create one map for this column and others of one domain: equal values become equal ones.

        Bounds whose length does not fit are mapped as bytes.
        """
        columns = (self, *others)
        odd = maps.binaries(frozenset[bytes]().union(*(column.odd for column in columns)), random)
        if self.domain[0] in _NUMBERS:
            placed = maps.integers(
                (number for column in columns for number in column.numbers().values()),
                max(column.bits for column in columns),
                random,
                [cut for column in columns for cut in (*column.cuts(), *maps.limits(column.bits))],
            )
            for column in columns:
                numbers = column.numbers().items()
                column.mapping = {**odd, **{raw: column.like(raw, placed[number]) for raw, number in numbers}}
            return
        for column in others:
            self.values |= column.values
        mapped = {**odd, **self._mapped(random)}
        for column in columns:
            column.mapping = mapped

    def numbers(self) -> dict[bytes, int]:
        """Return the numbers that the values of a column of numbers or moments are."""
        order, signed = ("big", True) if self._is_big else ("little", self._is_signed)
        return {raw: int.from_bytes(raw, order, signed=signed) for raw in self.values}  # type: ignore[arg-type]

    def like(self, raw: bytes, number: int) -> bytes:
        """Return a number as it is stored in the bytes of another one."""
        if self._is_big:
            return number.to_bytes(len(raw), "big", signed=True)
        return number.to_bytes(len(raw), "little", signed=self._is_signed)

    @property
    def _is_big(self) -> bool:
        """Return whether numbers are stored with the most significant byte first: decimals as bytes."""
        physical = self.node.physical
        assert physical is not None
        return physical.type not in (Type.INT32, Type.INT64)

    @property
    def bits(self) -> int:
        """Return the bits of the widest number."""
        return 8 * max((len(raw) for raw in self.values), default=1)

    def cuts(self) -> list[int]:
        """Return the numbers that others stay on their side of."""
        # Decimals as bytes need another byte at some numbers.
        sizes = range(1, self.bits // 8 + 1) if self._is_big else ()
        return [*self._cuts(), *(sign * (1 << 8 * size - 1) for size in sizes for sign in (1, -1))]

    def _mapped(self, random: Random) -> dict[bytes, bytes]:
        """Return the map of values that are no numbers of `numbers`."""
        physical, logical = self.node.physical, self.node.logical
        assert physical is not None
        kind = physical.type
        if kind == Type.BOOLEAN:
            return {raw: raw for raw in self.values}
        if kind in (Type.FLOAT, Type.DOUBLE) or (logical is not None and logical.name == "FLOAT16"):
            numbers = {raw: int.from_bytes(raw, "little") for raw in self.values}
            placed = maps.floats(numbers.values(), self.bits, random) if numbers else {}
            return {raw: placed[number].to_bytes(len(raw), "little") for raw, number in numbers.items()}
        if kind == Type.INT96:
            return self._timestamps(random)
        # Where all values are ASCII, they are mapped as text.
        is_ascii = all(value.isascii() for value in self.values)
        return (maps.texts if is_text(self.node) or is_ascii else maps.binaries)(self.values, random)

    def _cuts(self) -> list[int]:
        """Return the numbers at which the meaning changes: years, days, digits, widths of integers."""
        logical = self.node.logical
        name = logical.name if logical else ""
        each = PER_SECOND.get(logical.unit, 1) if logical else 1
        if name == "DATE":
            return [seconds // DAY for seconds in TIMES]
        if name == "TIMESTAMP":
            return [seconds * each for seconds in TIMES]
        if name == "TIME":
            return [DAY * each]
        if name == "DECIMAL" and logical:
            return [10**logical.precision, 1 - 10**logical.precision]
        widths = [
            sign * (1 << bits) + more
            for bits in (7, 8, 15, 16, 31, 32)
            for sign in (1, -1)
            for more in (0, 1)
        ]
        return [*widths, *(maps.limits(logical.bits) if logical and logical.bits else ())]

    def _timestamps(self, random: Random) -> dict[bytes, bytes]:
        """Return the map of INT96 values: of days within the calendar's cuts, and of nanoseconds of a day."""
        parts = {
            raw: (
                int.from_bytes(raw[8:], "little", signed=True),
                int.from_bytes(raw[:8], "little", signed=True),
            )
            for raw in self.values
        }
        cuts = [seconds // DAY + _JULIAN + more for seconds in TIMES for more in (0, 1)]
        days = maps.integers((day for day, _ in parts.values()), 32, random, [*cuts, _JULIAN, _JULIAN + 1])
        clocks = maps.integers((nanos for _, nanos in parts.values()), 64, random, [DAY * 10**9])
        return {
            raw: clocks[nanos].to_bytes(8, "little", signed=True)
            + days[day].to_bytes(4, "little", signed=True)
            for raw, (day, nanos) in parts.items()
        }
