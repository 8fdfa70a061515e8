"""Fakes that answer queries wrongly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from corpora.answers import answer, in_order, take
from corpora.build.tagged_columns import convert, tagged_table
from corpora.column_answers import first_rows
from corpora.constants import float_of
from corpora.evaluation import resolve
from corpora.queries import (
    Aggregate,
    AggregateWhere,
    Compare,
    Computed,
    CountValues,
    Fields,
    Filter,
    Not,
    Query,
    TopRows,
    TopWhere,
    evaluate,
)
from corpora.tagged import NANOSECONDS, Table, Type, Value
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

_ENOUGH, _FEW = 10, 2  # rows of an answer that is falsified


Wrong = Callable[[Reference, ParquetFile, Query, Table], Table | None]


def _answering(wrong: Wrong) -> type[Reference]:
    """Return an engine that answers a query by `wrong`, given the right answer; None is what is right."""

    class Answering(Reference):
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
            answer = wrong(self, ParquetFile.open(file), query, right)
            if answer is None:
                return right
            reached()
            return answer

    return Answering


@_answering
def aggregates_bounds(_engine: Reference, file: ParquetFile, query: Query, right: Table) -> Table | None:
    """Take bounds for values."""
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


@_answering
def counts_by_statistics(_engine: Reference, file: ParquetFile, query: Query, right: Table) -> Table | None:
    """Take an absent null_count for 0."""
    known = _statistics(file, query)
    if known is None:
        return None
    nulls = sum(chunk.null_count or 0 for chunk in known[1])
    return _replaced(right, [None, [str(file.metadata.num_rows - nulls)], None, None])


@_answering
def two_valued(engine: Reference, file: ParquetFile, query: Query, _right: Table) -> Table | None:
    """Know no third value."""
    if not isinstance(query, Filter) or not isinstance(query.predicate, Not):
        return None
    table = tagged_table(file.read())
    out = set(evaluate(query.predicate.of, table, engine.float_order))
    return take(table, [row for row in range(table.num_rows) if row not in out], query.columns)


@_answering
def filters_projected(_engine: Reference, file: ParquetFile, query: Query, _right: Table) -> Table | None:
    """Let rows pass by a column that it does not see."""
    if not isinstance(query, Filter) or query.columns is None:
        return None
    path = getattr(query.predicate, "path", None)
    if path is None or path[0] in query.columns:
        return None
    table = tagged_table(file.read())
    return take(table, range(table.num_rows), query.columns)


@_answering
def out_of_order(_engine: Reference, _file: ParquetFile, query: Query, right: Table) -> Table | None:
    """Return rows last first."""
    if not isinstance(query, Filter) or right.num_rows < _ENOUGH:
        return None
    return _replaced(right, [right.column(at)[::-1] for at in range(len(right.columns))])


@_answering
def extremes_of_all(engine: Reference, file: ParquetFile, query: Query, right: Table) -> Table | None:
    """Forget the filter of an aggregate, but for the number of rows."""
    if not isinstance(query, AggregateWhere):
        return None
    of_all = answer(Aggregate(query.path), tagged_table(file.read()), engine.aggregate_order)
    wrong = _replaced(right, [None, None, of_all.column(2), of_all.column(3)])
    return None if wrong == right or not int(str(right.column(0)[0])) else wrong


@_answering
def counts_first_leaves(engine: Reference, file: ParquetFile, query: Query, right: Table) -> Table | None:
    """Take the nulls of the first field of a struct for those of the struct."""
    if not isinstance(query, CountValues):
        return None
    column = answer(Fields((query.path,)), tagged_table(file.read()), engine.float_order)
    type_ = column.columns[0].type
    if type_.kind != "struct" or not type_.children:
        return None
    present = sum(isinstance(value, list) and value[0] is not None for value in column.column(0))
    wrong = _replaced(right, [None, [str(present)]])
    return None if wrong == right else wrong


@_answering
def compares_narrow(engine: Reference, file: ParquetFile, query: Query, right: Table) -> Table | None:
    """Compare a column without its cast, with as much of the constant as the column's type holds."""
    test = query.predicate if isinstance(query, Filter) else None
    if not isinstance(query, Filter) or not isinstance(test, Computed) or test.function != "cast":
        return None
    table = tagged_table(file.read())
    type_, _ = resolve(test.path, table.columns, [[] for _ in table.columns])
    if test.type.kind != type_.kind:
        return None
    compared = Compare(test.path, test.test, type_, _narrowed(type_, test))
    wrong = take(table, evaluate(compared, table, engine.float_order), query.columns)
    return None if wrong == right else wrong


def _narrowed(type_: Type, test: Computed) -> str:
    text, bits = str(test.value), type_.bits or 64
    if type_.kind == "float":
        return np.array([float_of(test.type, text)]).astype(f">f{bits // 8}").tobytes().hex()
    if type_.kind == "decimal":
        return str(int(text) // 10 ** ((test.type.scale or 0) - (type_.scale or 0)))
    if type_.kind == "timestamp":
        return str(int(text) // (NANOSECONDS[str(type_.unit)] // NANOSECONDS[str(test.type.unit)]))
    number = int(text) % (1 << bits)
    return str(number - (1 << bits) if type_.signed and number >> bits - 1 else number)


@_answering
def prunes_by_cut_moments(_engine: Reference, file: ParquetFile, query: Query, right: Table) -> Table | None:
    """Compare the bounds of a column of timestamps with a finer constant, cut to the column's unit."""
    test = query.predicate if isinstance(query, Filter) else None
    if not isinstance(test, Computed) or test.function != "cast" or test.type.kind != "timestamp":
        return None
    table = tagged_table(file.read())
    type_, values = resolve(test.path, table.columns, [table.column(at) for at in range(len(table.columns))])
    moments = [int(str(value)) for value in values if value is not None]
    if type_.kind != "timestamp" or not moments or not right.num_rows:
        return None
    least, greatest, constant = min(moments), max(moments), int(_narrowed(type_, test))
    is_excluded = {
        "<": least >= constant,
        "<=": least > constant,
        "=": not least <= constant <= greatest,
        "!=": least == greatest == constant,
        ">": greatest <= constant,
        ">=": greatest < constant,
    }[test.test]
    return take(right, [], None) if is_excluded else None


@_answering
def fetches_next(_engine: Reference, _file: ParquetFile, query: Query, right: Table) -> Table | None:
    """Fetch the columns beside the sorted one from the rows behind."""
    if not isinstance(query, TopRows) or right.num_rows < _FEW:
        return None
    columns: list[list[Value] | None] = []
    for at, field in enumerate(right.columns):
        values = right.column(at)
        columns.append(None if field.name == query.path[0] else [*values[1:], values[0]])
    wrong = _replaced(right, columns)
    return None if wrong == right else wrong


@_answering
def limits_first(engine: Reference, file: ParquetFile, query: Query, right: Table) -> Table | None:
    """Take the first rows in the order of a column, and filters them then."""
    if not isinstance(query, TopWhere) or query.predicate is None:
        return None
    table = tagged_table(file.read())
    first = first_rows(replace(query, predicate=None), table, engine.float_order).right
    passing = set(evaluate(query.predicate, table, engine.float_order))
    wrong = in_order(table, [row for row in first if row in passing], query.columns)
    return None if wrong.num_rows == right.num_rows else wrong


def _statistics(file: ParquetFile, query: Query) -> tuple[Node, list[Statistics]] | None:
    """Return the column of an aggregate of all rows and its statistics.

    None if there is no row, or a row group without statistics.
    """
    leaf = next((node for node in file.leaves if node.path == getattr(query, "path", None)), None)
    if type(query) is not Aggregate or leaf is None or not file.metadata.num_rows:
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
