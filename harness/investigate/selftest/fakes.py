"""Fake engines with planted bugs: the reference, and something wrong around it."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from typing import Any

from corpora.answers import take
from corpora.tagged import PER_SECOND, Table, Type, Value
from harness.engines.reference.adapter import Reference
from harness.investigate.selftest.planting import reached
from reference_impl.parquet.file import ParquetFile

_NAN = {16: "7e00", 32: "7fc00000", 64: "7ff8000000000000"}
_INFINITE = ("7c00", "fc00", "7f800000", "ff800000", "7ff0000000000000", "fff0000000000000")
_YEARS = -62_135_596_800, 253_402_300_800  # seconds from 1970 to the years 1 and 10000
_PIECE = 1 << 24
_MANY = 4
_BATCH = 10


class Reading(Reference):
    """Reads, and changes what it read."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002 - interface
        """Read a whole file."""
        table = super().read(file, format, config)
        self.look(ParquetFile.open(file), table)
        columns = [self.column(field.type, table.column(at)) for at, field in enumerate(table.columns)]
        return Table.of([(field.name, field.type) for field in table.columns], columns, table.num_rows)

    def look(self, file: ParquetFile, table: Table) -> None:
        """See what is read."""

    def column(self, type_: Type, values: list[Value]) -> list[Value]:
        """Change a column."""
        return [self._value(type_, value) for value in values]

    def change(self, type_: Type, value: Value) -> Value:  # noqa: ARG002 - for others to use
        """Change a value; what is in it was changed before."""
        return value

    def _value(self, type_: Type, value: Value) -> Value:
        if isinstance(value, list):
            value = self._nested(type_, value)
        changed = self.change(type_, value)
        if changed != value:
            reached()
        return changed

    def _nested(self, type_: Type, value: list[Any]) -> Value:
        types = [child.type for child in type_.children]
        if type_.kind == "list":
            return [self._value(types[0], element) for element in value]
        if type_.kind == "map":
            return [[self._value(types[0], pair[0]), self._value(types[1], pair[1])] for pair in value]
        if type_.kind == "struct":
            return [self._value(of, element) for of, element in zip(types, value, strict=True)]
        return value


def _changing(change: Callable[[Type, Value], Value]) -> type[Reading]:
    """Return an engine that changes values."""
    return type("Changing", (Reading,), {"change": lambda _, type_, value: change(type_, value)})


class Crashes(Reading):
    """Ends with a file without rows."""

    def look(self, file: ParquetFile, table: Table) -> None:  # noqa: ARG002 - interface
        """See what is read."""
        if not table.num_rows:
            reached()
            ctypes.string_at(0)


class Hangs(Reading):
    """Waits with a column of nulls."""

    def column(self, type_: Type, values: list[Value]) -> list[Value]:  # noqa: ARG002 - interface
        """Change a column."""
        if values and not any(value is not None for value in values):
            reached()
            time.sleep(3600)
        return values


class Allocates(Reading):
    """Takes memory with many row groups."""

    def look(self, file: ParquetFile, table: Table) -> None:  # noqa: ARG002 - interface
        """See what is read."""
        blocks = []
        while len(file.metadata.row_groups) >= _MANY:
            reached()
            blocks.append(b"x" * _PIECE)
            time.sleep(0.005)


class Wavers(Reading):
    """Reads otherwise the next time."""

    times = 0

    def look(self, file: ParquetFile, table: Table) -> None:  # noqa: ARG002 - interface
        """See what is read."""
        self.times += 1

    def change(self, type_: Type, value: Value) -> Value:
        """Change a value."""
        return "1" if type_.kind == "int" and value == "0" and self.times % 2 else value


class LosesLastOfBatch(Reading):
    """Loses the row that is left over."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002 - interface
        """Read a whole file."""
        table = super().read(file, format, config)
        if table.num_rows % _BATCH != 1:
            return table
        reached()
        return take(table, range(table.num_rows - 1))


@_changing
def through_doubles(type_: Type, value: Value) -> Value:
    """Lose digits of integers."""
    return str(int(float(value))) if type_.kind == "int" and isinstance(value, str) else value


@_changing
def nulls_are_nan(type_: Type, value: Value) -> Value:
    """Take null for NaN."""
    return _NAN[type_.bits or 64] if type_.kind == "float" and value is None else value


@_changing
def infinity_is_nan(type_: Type, value: Value) -> Value:
    """Take infinities for NaN."""
    return _NAN[type_.bits or 64] if type_.kind == "float" and value in _INFINITE else value


@_changing
def empty_is_null(type_: Type, value: Value) -> Value:
    """Take the empty string for null."""
    return None if type_.kind == "string" and not value else value


@_changing
def through_datetime(type_: Type, value: Value) -> Value:
    """Know the years 1 to 9999."""
    if type_.kind != "timestamp" or not isinstance(value, str):
        return value
    return value if _YEARS[0] <= int(value) // PER_SECOND[type_.unit or "s"] < _YEARS[1] else None


@_changing
def latin1(type_: Type, value: Value) -> Value:
    """Take bytes for characters."""
    if type_.kind != "string" or not isinstance(value, str):
        return value
    return value.encode("utf-8", "surrogateescape").decode("latin-1")
