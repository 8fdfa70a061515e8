"""Files in which an engine reads some columns wrong: the answers to queries of the other columns.

One wrong column, which may be a known failure, must not hide the rows that a query of another one loses. The
wrong columns are left out of the file, of the query and of the answers to it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from corpora.cases import Probe
from corpora.predicates import leaves
from corpora.queries import (
    Batches,
    Fields,
    Filter,
    FilterHeld,
    Join,
    Project,
    Query,
    RowGroup,
    Slice,
    TopRows,
    predicate_of,
)
from corpora.query_base import OfColumn
from corpora.tagged import Table
from harness.judging.verdicts import Judgement, Verdict

_OF_COLUMNS = (Filter, FilterHeld, Join, Project, Slice, TopRows)  # they name columns, or return all
_RIGHT = frozenset({Verdict.AGREE.value, Verdict.EQUIVALENT.value})


def wrong_columns(judgement: Judgement, file: Table | None) -> frozenset[str] | None:
    """Return the names of the columns that were read wrong; None if no column is known to be right.

    `judgement` is that on the whole file, `file` the expected table: one that is too large for
    memory is not taken apart.
    """
    if judgement.verdict is Verdict.AMPLIFIED:
        return frozenset() if judgement.cost and judgement.cost.verdict in _RIGHT else None
    if judgement.verdict is not Verdict.DIFFERENT or judgement.difference is None:
        return None
    if file is None or file.spill is not None:
        return None
    numbers = [each.path.column for each in (judgement.difference, *judgement.others)]
    if None in numbers:  # the number of rows differs, or the names of columns
        return None
    return frozenset(file.columns[number].name for number in numbers if number is not None)


def probe_without(probe: Probe, wrong: Collection[str], file: Table) -> Probe | None:
    """Return a probe whose query returns none of the `wrong` columns of a file.

    None where its rows depend on one of them, or where it returns no other.
    """
    query = probe.query
    if not wrong:
        return probe
    if tested_columns(query) & frozenset(wrong):
        return None
    if not has_columns(query):
        return probe
    if not isinstance(query, _OF_COLUMNS) or query.columns is None:
        return probe if any(column.name not in wrong for column in file.columns) else None
    remaining = tuple(name for name in query.columns if name not in wrong)
    if query.columns and not remaining:
        return None
    return replace(probe, query=replace(query, columns=remaining))


def table_without(table: Table, wrong: Collection[str]) -> Table:
    """Return a table without the `wrong` columns."""
    remaining = [at for at, column in enumerate(table.columns) if column.name not in wrong]
    if len(remaining) == len(table.columns):
        return table
    columns = [(table.columns[at].name, table.columns[at].type) for at in remaining]
    return Table.of(columns, [table.column(at) for at in remaining], table.num_rows)


def answer_without(query: Query, table: Table, wrong: Collection[str]) -> Table:
    """Return the answer to a query without the `wrong` columns of the file."""
    return table_without(table, wrong) if wrong and has_columns(query) else table


def has_columns(query: Query) -> bool:
    """Return whether the answer to a query has columns of the file."""
    return isinstance(query, (RowGroup, Batches, *_OF_COLUMNS))


def tested_columns(query: Query) -> frozenset[str]:
    """Return the columns that determine which rows a result has, or the values computed from them."""
    predicate = predicate_of(query)
    paths = [] if predicate is None else [test.path for test in leaves(predicate)]
    if isinstance(query, OfColumn):
        paths.append(query.path)
    if isinstance(query, Fields):
        paths += query.paths
    return frozenset(path[0] for path in paths)
