"""Fake engines with planted bugs: the reference, and something wrong around it."""

from __future__ import annotations

import ctypes
import time
from typing import Any

import numpy as np

from corpora.answers import take
from corpora.build.tagged_columns import convert, tagged_table
from corpora.queries import Aggregate, Filter, Not, Query, evaluate
from corpora.tagged import Table, Type, Value
from harness.engines.reference.adapter import Reference
from harness.investigate.selftest.planting import reached
from reference_impl.byte_arrays import ByteArrays
from reference_impl.columns import LeafColumn
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.orders import Order, key, order_of
from reference_impl.parquet.schema import Type as Physical
from reference_impl.parquet.statistics_structs import Statistics
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Values

_NAN = {16: "7e00", 32: "7fc00000", 64: "7ff8000000000000"}
_INFINITE = ("7c00", "fc00", "7f800000", "ff800000", "7ff0000000000000", "fff0000000000000")
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
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


class ThroughDoubles(Reading):
    """Loses digits of integers."""

    def change(self, type_: Type, value: Value) -> Value:
        """Change a value."""
        return str(int(float(value))) if type_.kind == "int" and isinstance(value, str) else value


class NullsAreNaN(Reading):
    """Takes null for NaN."""

    def change(self, type_: Type, value: Value) -> Value:
        """Change a value."""
        return _NAN[type_.bits or 64] if type_.kind == "float" and value is None else value


class InfinityIsNaN(Reading):
    """Takes infinities for NaN."""

    def change(self, type_: Type, value: Value) -> Value:
        """Change a value."""
        return _NAN[type_.bits or 64] if type_.kind == "float" and value in _INFINITE else value


class EmptyIsNull(Reading):
    """Takes the empty string for null."""

    def change(self, type_: Type, value: Value) -> Value:
        """Change a value."""
        return None if type_.kind == "string" and not value else value


class ThroughDatetime(Reading):
    """Knows the years 1 to 9999."""

    def change(self, type_: Type, value: Value) -> Value:
        """Change a value."""
        if type_.kind != "timestamp" or not isinstance(value, str):
            return value
        return value if _YEARS[0] <= int(value) // _PER_SECOND[type_.unit or "s"] < _YEARS[1] else None


class Latin1(Reading):
    """Takes bytes for characters."""

    def change(self, type_: Type, value: Value) -> Value:
        """Change a value."""
        if type_.kind != "string" or not isinstance(value, str):
            return value
        return value.encode("utf-8", "surrogateescape").decode("latin-1")


class WrongQueries(Reference):
    """Falsifies some queries."""

    def query_one(
        self,
        file: str,
        format: str,  # noqa: A002 - interface
        config: dict[str, str],
        query: Query,
    ) -> Table:
        """Return a query."""
        right = super().query_one(file, format, config, query)
        answer = self.wrong(ParquetFile.open(file), query, right)
        if answer is None:
            return right
        reached()
        return answer

    def wrong(self, file: ParquetFile, query: Query, right: Table) -> Table | None:
        """Return something else, None for what is right."""
        raise NotImplementedError

    def whole(self, file: ParquetFile) -> Table:
        """Return all of a file."""
        return tagged_table(file.read())


class AggregatesBounds(WrongQueries):
    """Takes bounds for values."""

    def wrong(self, file: ParquetFile, query: Query, right: Table) -> Table | None:
        """Return something else, None for what is right."""
        known = _statistics(file, query)
        if known is None:
            return None
        leaf, statistics = known
        column_orders = file.metadata.column_orders
        order = order_of(leaf, column_orders[leaf.index] if column_orders else None)
        lows = [bounds.min_value for bounds in statistics if bounds.min_value is not None]
        highs = [bounds.max_value for bounds in statistics if bounds.max_value is not None]
        if order is Order.UNDEFINED or len(lows) < len(statistics) or len(highs) < len(statistics):
            return None
        low, high = min(lows, key=lambda raw: key(order, raw)), max(highs, key=lambda raw: key(order, raw))
        return _replaced(right, [None, None, _value_of(leaf, low), _value_of(leaf, high)])


class CountsByStatistics(WrongQueries):
    """Takes an absent null_count for 0."""

    def wrong(self, file: ParquetFile, query: Query, right: Table) -> Table | None:
        """Return something else, None for what is right."""
        known = _statistics(file, query)
        if known is None:
            return None
        nulls = sum(chunk.null_count or 0 for chunk in known[1])
        return _replaced(right, [None, [str(file.metadata.num_rows - nulls)], None, None])


class TwoValued(WrongQueries):
    """Knows no third value."""

    def wrong(self, file: ParquetFile, query: Query, right: Table) -> Table | None:  # noqa: ARG002 - interface
        """Return something else, None for what is right."""
        if not isinstance(query, Filter) or not isinstance(query.predicate, Not):
            return None
        table = self.whole(file)
        out = set(evaluate(query.predicate.of, table, self.float_order))
        return take(table, [row for row in range(table.num_rows) if row not in out], query.columns)


class FiltersProjected(WrongQueries):
    """Lets rows pass by a column that it does not see."""

    def wrong(self, file: ParquetFile, query: Query, right: Table) -> Table | None:  # noqa: ARG002 - interface
        """Return something else, None for what is right."""
        if not isinstance(query, Filter) or query.columns is None:
            return None
        path = getattr(query.predicate, "path", None)
        if path is None or path[0] in query.columns:
            return None
        table = self.whole(file)
        return take(table, range(table.num_rows), query.columns)


class OutOfOrder(WrongQueries):
    """Returns rows last first."""

    def wrong(self, file: ParquetFile, query: Query, right: Table) -> Table | None:  # noqa: ARG002 - interface
        """Return something else, None for what is right."""
        if not isinstance(query, Filter) or right.num_rows < _BATCH:
            return None
        return _replaced(right, [right.column(at)[::-1] for at in range(len(right.columns))])


def _statistics(file: ParquetFile, query: Query) -> tuple[Node, list[Statistics]] | None:
    """Return the column of an aggregate and its statistics, if there is a row and no row group lacks them."""
    leaf = next((node for node in file.leaves if node.path == getattr(query, "path", None)), None)
    if not isinstance(query, Aggregate) or leaf is None or not file.metadata.num_rows:
        return None
    statistics = [
        file.column_metadata(at, leaf.index).statistics for at in range(len(file.metadata.row_groups))
    ]
    present = [each for each in statistics if each is not None]
    return (leaf, present) if len(present) == len(statistics) else None


def _replaced(table: Table, columns: list[list[Value] | None]) -> Table:
    values = [table.column(at) if new is None else new for at, new in enumerate(columns)]
    return Table.of([(field.name, field.type) for field in table.columns], values, table.num_rows)


def _value_of(leaf: Node, raw: bytes) -> list[Value]:
    assert leaf.physical is not None
    values: Values
    if leaf.physical.type == Physical.BYTE_ARRAY:
        values = ByteArrays.of([raw])
    elif leaf.physical.type == Physical.BOOLEAN:
        values = np.array([raw[:1] == b"\1"])
    elif leaf.physical.dtype is not None:
        values = np.frombuffer(raw, leaf.physical.dtype)
    else:
        values = np.frombuffer(raw, np.uint8).reshape(1, -1)
    return convert(LeafColumn(leaf.name, 1, None, values, leaf))[1]
