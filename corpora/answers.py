"""The correct results of queries (`corpora.queries`), computed from the table that a file contains.

Standard library only, Python 3.9.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence

from corpora import predicates
from corpora.aggregates import aggregated, order_of_extremes
from corpora.blocks import Blocks, regrouped
from corpora.column_answers import first_rows, merged, of_column, rows_of_join
from corpora.constants import QueryError
from corpora.counts import counted
from corpora.evaluation import evaluate, find
from corpora.field_queries import Fields, fields_of
from corpora.queries import (
    EXTRACTED,
    Aggregate,
    Batches,
    CountRows,
    Distinct,
    Extract,
    Filter,
    FilterHeld,
    Groups,
    Join,
    Project,
    Query,
    RowGroup,
    SchemaOf,
    Slice,
    Sorted,
    ToJson,
    Top,
    TopRows,
)
from corpora.slices import rows_of_slice
from corpora.tagged import STRING, Table, Type, Value
from corpora.tagged_text import block_text
from corpora.variant_answers import casts, extracted, schemas

UNORDERED = (Join, Distinct, Groups)  # queries whose rows have no order
_ZEROS = {"8000": "0000", "80000000": "0" * 8, "8000000000000000": "0" * 16}


def answer(query: Query, table: Table, float_order: str, rows: Sequence[int] | None = None) -> Table:
    """Return the correct result of a query on a file that contains `table`.

    `rows` are the ordinals of the result if they are known; for a RowGroup they must be. Raises QueryError
    for a query that does not fit the table.
    """
    rows_taken = selection(query, table, float_order, rows)
    if rows_taken is not None:
        return take(table, *rows_taken)
    if isinstance(query, Aggregate):
        return settled(query, aggregated(query, table, float_order, rows), float_order)
    if isinstance(query, CountRows):
        return counted(query, table, float_order)
    if isinstance(query, TopRows):
        return in_order(table, first_rows(query, table, float_order).right, query.columns)
    if isinstance(query, Fields):
        return fields_of(query, table, float_order, rows)
    if isinstance(query, (Distinct, Groups, Top)):
        return settled(query, of_column(query, table, float_order), float_order)
    if isinstance(query, SchemaOf):
        return Table.of([(EXTRACTED, STRING)], [schemas(table, query.path)])
    if isinstance(query, (Extract, ToJson)):
        steps = query.steps if isinstance(query, Extract) else ()
        return Table.of([(EXTRACTED, Type("variant"))], [extracted(table, query.path, steps)])
    assert isinstance(query, Batches)
    return table


def selection(
    query: Query, table: Table, float_order: str, rows: Sequence[int] | None = None
) -> tuple[Sequence[int], Sequence[str] | None] | None:
    """Return the ordinals and columns that a query takes of a table; None if it computes others.

    For `rows`, and what is raised, see `answer`.
    """
    if isinstance(query, (Filter, FilterHeld, Join, Slice)):
        return rows_of(query, table, float_order) if rows is None else rows, query.columns
    if isinstance(query, Project):
        return range(table.num_rows), query.columns
    if isinstance(query, RowGroup):
        if rows is None:
            raise QueryError(f"which rows are in row group {query.number} is not known")
        return rows, None
    if isinstance(query, (Aggregate, CountRows, Fields, Distinct, Groups, Sorted, Extract, ToJson, Batches)):
        return None
    raise predicates.unhandled(query)


def rows_of(query: Filter | FilterHeld | Join | Slice, table: Table, float_order: str) -> list[int]:
    """Return the ordinals of the rows of a filter, join or slice; raises QueryError as `answer`."""
    if isinstance(query, Slice):
        return rows_of_slice(query, table, float_order)
    if isinstance(query, Join):
        return rows_of_join(query, table, float_order)
    if isinstance(query, FilterHeld):
        table = Table.of([(EXTRACTED, query.type)], [casts(table, query.path, query.steps, query.type)])
    return evaluate(query.predicate, table, float_order)


def take(table: Table, rows: Iterable[int], columns: Iterable[str] | None = None) -> Table:
    """Return a table of some rows (rising ordinals) and of some columns."""
    if not table.columns:
        rows = list(rows)
        if rows and rows[-1] >= table.num_rows:
            raise QueryError(f"row {rows[-1]} of a table of {table.num_rows}")
        return Table.of([], [], len(rows))
    wanted = places_of(table, columns)
    values: list[list[Value]] = [[] for _ in wanted]
    count = 0
    for part, length in taken(table, rows, wanted):
        count += length
        for at, column in enumerate(part):
            values[at] += column
    return Table.of([(table.columns[at].name, table.columns[at].type) for at in wanted], values, count)


def places_of(table: Table, columns: Iterable[str] | None) -> list[int]:
    """Return the places of columns by their names, None for all; raises QueryError."""
    if columns is None:
        return list(range(len(table.columns)))
    return [find(name, table.columns) for name in columns]


def taken(
    table: Table, rows: Iterable[int], wanted: Sequence[int]
) -> Iterator[tuple[list[list[Value]], int]]:
    """Yield some rows of a table with columns, block by block: their values, and how many they are.

    `rows` are rising ordinals, `wanted` the places of columns. Raises QueryError for a row that is not there.
    """
    ordinals = iter(rows)
    row, first = next(ordinals, None), 0
    for block in table.blocks():
        end = first + len(block[0])
        here = []
        while row is not None and row < end:
            here.append(row - first)
            row = next(ordinals, None)
        yield [[block[at][place] for place in here] for at in wanted], len(here)
        first = end
    if row is not None:
        raise QueryError(f"row {row} of a table of {table.num_rows}")


def in_order(table: Table, rows: Sequence[int], columns: Iterable[str] | None) -> Table:
    """Return a table of some rows in the order of `rows`, distinct ordinals, and of some columns."""
    taken_rows = take(table, sorted(rows), columns)
    place = {row: at for at, row in enumerate(sorted(rows))}
    cells = taken_rows.all_columns()
    named = [(field.name, field.type) for field in taken_rows.columns]
    return Table.of(named, [[column[place[row]] for row in rows] for column in cells], len(rows))


def take_spilled(
    table: Table, rows: Iterable[int], columns: Iterable[str] | None, path: str | os.PathLike[str]
) -> Table:
    """Return what `take` does of a table with columns, in bounded memory: blocks are written to `path`."""
    wanted, count = places_of(table, columns), 0
    with open(path, "w", encoding="utf-8") as out:  # noqa: PTH123 - 3.9 child, plain path
        for block in regrouped(part for part, _ in taken(table, rows, wanted)):
            count += len(block[0])
            out.write(block_text(block) + "\n")
    return Table(tuple(table.columns[at] for at in wanted), count, spill=str(path))


def take_anew(table: Table, rows: Sequence[int], columns: Iterable[str] | None) -> Table:
    """Return what `take` does of a table with columns; its blocks are taken whenever they are read."""
    wanted = places_of(table, columns)
    blocks = Blocks(len(rows), lambda: (part for part, _ in taken(table, rows, wanted)))
    return Table(tuple(table.columns[at] for at in wanted), len(rows), blocks)


def settled(query: Query, table: Table, float_order: str) -> Table:
    """Return the result of a query in the form that is compared.

    Where -0.0 equals 0.0, both are a correct minimum or maximum of a column that contains both; here 0.0
    replaces -0.0. For groups and sorted values see `corpora/column_answers.py`. Every other result is
    unchanged.
    """
    if isinstance(query, (Distinct, Groups, Top)):
        return arranged(query, merged(query, table, float_order))
    if not isinstance(query, Aggregate) or table.num_rows != 1:
        return table
    if order_of_extremes(float_order) == "total":
        return table
    values = table.all_columns()
    for at, column in enumerate(table.columns):
        if column.type.kind == "float":
            values[at] = [_ZEROS.get(str(value), value) for value in values[at]]
    return Table.of([(column.name, column.type) for column in table.columns], values, 1)


def arranged(query: Query, table: Table) -> Table:
    """Return the answer to a query with its rows sorted, by their text, where a query says no order."""
    if not isinstance(query, UNORDERED):
        return table
    columns = table.all_columns()
    order = sorted(range(table.num_rows), key=lambda row: json.dumps([column[row] for column in columns]))
    fields = [(field.name, field.type) for field in table.columns]
    return Table.of(fields, [[column[row] for row in order] for column in columns], table.num_rows)
