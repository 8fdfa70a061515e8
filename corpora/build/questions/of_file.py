"""Queries of more than one column: two tests joined, projections, row groups and batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from corpora.build.questions.columns import ColumnFacts
from corpora.cases import Probe
from corpora.predicates import And, Compare, Not, Or
from corpora.queries import Batches, Filter, Project, RowGroup
from corpora.tagged import Field

_BATCHES = (3, 1000)
_MOST_ROWS = 16_384  # of a row group that is asked for: its rows stand in the probe
_MOST_PAIRS = 4


def probes(columns: Sequence[ColumnFacts], fields: Sequence[Field], groups: Sequence[int]) -> Iterator[Probe]:
    """Yield the probes of a file with these columns, top-level fields, and numbers of rows of row groups."""
    yield from map(Probe, _pairs(columns))
    names = [field.name for field in fields]
    if len(set(names)) == len(names) > 1:
        yield Probe(Project((names[-1],)))
        yield Probe(Project(tuple(reversed(names[:2]))))
    ends = list(accumulate(groups, initial=0))
    if len(groups) > 1 and groups[-1] <= _MOST_ROWS:
        yield Probe(RowGroup(len(groups) - 1), tuple(range(ends[-2], ends[-1])))
    if groups and groups[0] <= _MOST_ROWS:
        yield Probe(RowGroup(0), tuple(range(groups[0])))
    yield from (Probe(Batches(rows)) for rows in _BATCHES)


def _pairs(columns: Sequence[ColumnFacts]) -> Iterator[Filter]:
    """Yield AND and OR of a column with narrow pages and one with wide pages, if there are two columns.

    Rows that one column's pages exclude stand in the middle of the other column's pages.
    """
    tested = sorted(
        (column for column in columns if column.values),
        key=lambda column: (-len(column.page_bounds), -len(column.bounds)),
    )
    pairs = min(_MOST_PAIRS, len(tested) // 2)
    for narrow, wide in zip(tested[:pairs], tested[::-1][:pairs], strict=True):
        first = Compare(narrow.path, ">=", narrow.type, narrow.values[len(narrow.values) // 2])
        second = Compare(wide.path, "<=", wide.type, wide.values[len(wide.values) // 2])
        yield Filter(And((first, second)))
        yield Filter(Or((Compare(narrow.path, "=", narrow.type, narrow.values[-1]), Not(second))))
        yield Filter(And((first, second)), (wide.path[0],))
