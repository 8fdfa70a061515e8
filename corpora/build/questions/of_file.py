"""Queries of more than one column: two tests joined, counts, projections, row groups, batches, slices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, zip_longest

from corpora.build.questions.columns import ColumnFacts
from corpora.build.questions.of_values import TOP
from corpora.cases import Probe
from corpora.predicates import And, Compare, IsNull, Not, Or, Predicate
from corpora.queries import (
    AggregateWhere,
    Batches,
    CountRows,
    Fields,
    Filter,
    Project,
    RowGroup,
    Slice,
    TopWhere,
)
from corpora.tagged import Field

_BATCHES = (3, 1000)  # beside those that end with a page
_MOST_ROWS = 16_384  # of a row group, whose ordinals stand in the probe one by one
_MOST_PAIRS = 4
_SLICE = 5  # rows, from two before the end of a part
_READERS = (1_024, 2_048, 4_096, 8_192)  # rows of a batch of a reader


def probes(columns: Sequence[ColumnFacts], fields: Sequence[Field], groups: Sequence[int]) -> Iterator[Probe]:
    """Yield the probes of a file with these columns, top-level fields, and numbers of rows of row groups."""
    ends = list(accumulate(groups, initial=0))
    turns = (
        _pairs(columns),
        _first_rows(columns),
        _slices(columns, ends),
        _counts(columns),
        _fields(columns, fields),
        _extremes(columns),
    )
    for turn in zip_longest(*turns):
        yield from (Probe(query) for query in turn if query is not None)
    names = [field.name for field in fields]
    if len(set(names)) == len(names) > 1:
        yield Probe(Project((names[-1],)))
        yield Probe(Project(tuple(reversed(names[:2]))))
    if len(groups) > 1:
        yield Probe(RowGroup(len(groups) - 1), _ordinals(ends[-2], ends[-1]))
    if groups:
        yield Probe(RowGroup(0), _ordinals(0, groups[0]))
    yield from (Probe(Batches(rows)) for rows in dict.fromkeys((*_page_ends(columns), *_BATCHES)))


def _page_ends(columns: Sequence[ColumnFacts]) -> list[int]:
    """Return sizes of batches of which the first ends where a page ends: the shortest and the longest."""
    ends = sorted({next(iter(filter(None, column.page_starts)), 0) for column in columns} - {0})
    return [*ends[:1], *ends[1:][-1:]]


def _ordinals(first: int, end: int) -> tuple[int, ...] | range:
    """Return the ordinals of a row group; many are not listed in the probe."""
    return tuple(range(first, end)) if end - first <= _MOST_ROWS else range(first, end)


def _counts(columns: Sequence[ColumnFacts]) -> Iterator[CountRows]:
    """Yield counts of all rows, and of those of filters of the columns with most bounds.

    A reader may take the first from the footer, and need no column; of the others one that is not sent.
    """
    yield CountRows()
    tested = sorted((column for column in columns if column.values), key=lambda each: -len(each.bounds))
    for column in tested[:_MOST_PAIRS]:
        middle = column.values[len(column.values) // 2]
        yield CountRows(Compare(column.path, ">=", column.type, middle))
        yield CountRows(Not(Compare(column.path, "=", column.type, column.values[0])))
    for column in columns[:_MOST_PAIRS]:
        yield CountRows(IsNull(column.path))


def _extremes(columns: Sequence[ColumnFacts]) -> Iterator[Filter | AggregateWhere]:
    """Yield extremes behind filters of the column itself and of the one before it, and these filters.

    A reader may take extremes from the statistics of row groups of which the filter selects all rows, or
    seems to. The filters are queries, too, so that a wrong filter is one failure.
    """
    tested = [column for column in columns if column.values]
    for number, column in enumerate(tested[:_MOST_PAIRS]):
        before = tested[number - 1]
        low, middle = column.values[0], before.values[len(before.values) // 2]
        tests: tuple[Predicate, ...] = (
            Not(Compare(column.path, "=", column.type, low)),
            Compare(before.path, ">=", before.type, middle),
        )
        for test in dict.fromkeys(tests):
            yield Filter(test)
            yield AggregateWhere(column.path, test)


def _first_rows(columns: Sequence[ColumnFacts]) -> Iterator[TopWhere]:
    """Yield the first rows in the order of a column, behind a filter of the column before it and of itself.

    A reader that skips rows by the last one that is kept so far loses some if it counts rows that the filter
    drops, or forgets those that an offset passes over. The columns with most bounds come first.
    """
    tested = sorted((column for column in columns if column.values), key=lambda each: -len(each.bounds))
    for number, column in enumerate(tested[:_MOST_PAIRS]):
        before = tested[number - 1]
        middle = before.values[len(before.values) // 2]
        where = Compare(before.path, ">=", before.type, middle)
        yield TopWhere(column.path, TOP, descending=number % 2 == 0, predicate=where)
        own = Not(Compare(column.path, "=", column.type, column.values[0]))
        yield TopWhere(
            column.path,
            TOP,
            descending=number % 2 == 1,
            nulls_first=True,
            columns=(before.path[0],),
            predicate=own,
            offset=1,
        )


def _fields(columns: Sequence[ColumnFacts], fields: Sequence[Field]) -> Iterator[Fields]:
    """Yield fields of structs: the first and last leaf of each, of some rows, and of several structs.

    A reader may decode the other fields as well; if it does not, it may lose which structs are null. Each
    field alone is a query of its column (`of_column.py`).
    """
    names = [field.name for field in fields]
    structs = [field for field in fields if field.type.kind == "struct" and names.count(field.name) == 1]
    inner = [paths for paths in (list(_leaves(field, ())) for field in structs) if paths]
    tested = next((column for column in columns if column.values), None)
    for paths in inner[:_MOST_PAIRS]:
        yield Fields(tuple(dict.fromkeys((paths[-1], paths[0]))), _first_half(tested))
        yield Fields((paths[0],), Not(IsNull(paths[-1])))
    if len(inner) > 1:
        yield Fields(tuple(dict.fromkeys((inner[1][0], inner[0][-1], inner[-1][0][:1]))))


def _first_half(column: ColumnFacts | None) -> Predicate | None:
    if column is None:
        return None
    return Compare(column.path, "<=", column.type, column.values[len(column.values) // 2])


def _leaves(field: Field, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of a column's fields that are no structs, and have a name of their own."""
    path = (*above, field.name)
    if field.type.kind != "struct":
        yield path
        return
    names = [child.name for child in field.type.children]
    for child in field.type.children:
        if names.count(child.name) == 1:
            yield from _leaves(child, path)


def _slices(columns: Sequence[ColumnFacts], ends: Sequence[int]) -> Iterator[Slice]:
    """Yield limits with offsets beside the ends of row groups or stripes, of pages, and of readers' batches.

    Slices of filters and of all rows take turns; the last ones end behind the last row.
    """
    rows, inner = ends[-1], ends[1:-1]
    pages = [row for column in columns for row in column.page_starts]
    parts = [end for end in (*inner[-1:], *inner[:1], *pages[-1:], *pages[:1]) if 0 < end < rows]
    parts += [size for size in _READERS if size < rows]
    starts = list(dict.fromkeys(max(0, end - 2) for end in (*parts, rows // 2)))
    filters = list(_of_slices(columns))
    for number, start in enumerate(starts):
        if number < len(filters):
            yield Slice(max(1, start // 2 - 1), _SLICE, *filters[number])
        yield Slice(start, _SLICE)
    for predicate, names in filters:
        yield Slice(1, 1, predicate, names)
    yield Slice(max(0, rows - 1), _SLICE)
    yield Slice(rows, _SLICE)


def _of_slices(columns: Sequence[ColumnFacts]) -> Iterator[tuple[Predicate, tuple[str, ...] | None]]:
    """Yield filters of slices, of fields of structs before others, with the columns of the result.

    A reader that is asked for few columns may first choose the rows, and read these columns afterwards.
    """
    tested = sorted((column for column in columns if column.values), key=lambda each: -len(each.path))
    for first, other in zip(tested[:_MOST_PAIRS], tested[::-1], strict=False):
        middle = first.values[len(first.values) // 2]
        yield Compare(first.path, ">=", first.type, middle), (other.path[0],)
        yield Not(Compare(first.path, "=", first.type, first.values[0])), None


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
