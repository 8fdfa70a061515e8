"""Sheets of any format: a schema, plans of files, and queries of each file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from hypothesis import strategies as st

from corpora.build import edges
from corpora.queries import AggregateWhere, CountRows, Filter, Query, RowGroup
from corpora.tagged import Table
from properties.strategies import predicates
from properties.strategies.chances import choice, one_in
from properties.strategies.constants import Target

T = TypeVar("T")
Element = TypeVar("Element")
Plan = TypeVar("Plan")
Field = TypeVar("Field")
Content = TypeVar("Content")
Layout = TypeVar("Layout")
MAX_FILES = 8
SIZES = (None, None, 1, 2, 8, 10, 20, 33, 64, 100, 128, 1024)  # rows of a row group or stripe
MAX_COLUMNS = 6  # beside `row`
_MIN_QUERIES, _MAX_QUERIES = 3, 8
_EDGES = 8
_COUNTED = 4
_EXTREMES = 2
_ODD = (1, 1, 2, 3)  # columns with odd names
_RARE = (0, 1, 1, 2, 3)  # rare forms of a sheet


@dataclass(frozen=True)
class Sheet(Generic[Element, Plan]):
    """Files that share a schema, and queries of each file."""

    schema: tuple[Element, ...]
    plans: tuple[Plan, ...]
    queries: tuple[Query, ...] = ()


@dataclass(frozen=True)
class Bundle(Generic[Field, Content, Layout]):
    """A top-level field, with contents and layouts that files take in turn; a layout is of all columns."""

    field: Field
    contents: Sequence[Content]
    layouts: Sequence[Sequence[Layout]]

    def content(self, turn: int) -> Content:
        """Return the content of a turn."""
        return self.contents[turn % len(self.contents)]

    def by_column(self) -> list[Sequence[Layout]]:
        """Return the layouts of each leaf or type."""
        return list(zip(*self.layouts, strict=True))


def several(draw: st.DrawFn, each: st.SearchStrategy[T], least: int, most: int) -> list[T]:
    """Draw a list of large elements.

    When Hypothesis shrinks `st.lists`, it deletes a few choices at a time, so it never deletes an element of
    many choices. It does delete a whole draw when a number is lowered by one.
    """
    return [draw(each) for _ in range(draw(st.integers(least, most)))]


def cut(
    size: int | None, empty: int | None, rows: int, most: int, *, reverse: bool
) -> tuple[int, ...] | None:
    """Return the sizes of row groups or stripes: equal but for the last or the first; perhaps some empty.

    `most`: the largest number of parts, not counting the `empty` ones: one to three in a row, with the place
    that the number chooses, and perhaps one at each end. Without rows, the empty ones are all. None: one part
    has all rows, and without rows there is none.
    """
    if rows == 0 and empty is not None:
        return (0,) * (1 + empty % 3)
    if size is None or rows == 0:
        return None
    size = max(size, -(-rows // most))
    sizes = [min(size, rows - at) for at in range(0, rows, size)]
    if reverse:
        sizes.reverse()
    if empty is not None:
        first, more = empty % (len(sizes) + 1), empty // (len(sizes) + 1)
        sizes[first:first] = [0] * (1 + more % 3)
        if more % 2:  # at both ends as well
            sizes = [0, *sizes, 0]
    return tuple(sizes)


def rare_columns(draw: st.DrawFn, each: st.SearchStrategy[list[T]]) -> list[T]:
    """Draw the columns of some rare forms; each form has one or several."""
    drawn = [column for _ in range(choice(draw, _RARE)) for column in draw(each)]
    return drawn[:MAX_COLUMNS]


def odd_names(draw: st.DrawFn, families: Sequence[Sequence[str]]) -> list[str]:
    """Return in one sheet of four names for its first columns, each of another family."""
    if not one_in(draw, 4):
        return []
    first, count = draw(st.integers(0, len(families) - 1)), choice(draw, _ODD)
    return [choice(draw, families[(first + at) % len(families)]) for at in range(count)]


@st.composite
def queries(draw: st.DrawFn, tables: Sequence[Table], groups: int, rare: Collection[str] = ()) -> list[Query]:
    """Return queries of files that hold `tables`, each in `groups` row groups or more.

    One sheet in `_EDGES` asks all tests at the edges of one column, since a sample of them misses the value
    that a reader loses; the others ask queries of all columns. Half of the columns named `rare`, of forms in
    which readers lose values, are asked all tests at their edges as well.
    """
    targets = predicates.targets(tables)
    at_edges: list[Query] = []
    for name in rare:
        inside = [target for target in targets if target.path[0] == name]
        if inside and one_in(draw, 2):
            at_edges += _at_edges(choice(draw, inside))
    if targets[1:] and not at_edges and one_in(draw, _EDGES):
        return _at_edges(choice(draw, targets[1:]))
    count = draw(st.integers(_MIN_QUERIES, _MAX_QUERIES))
    drawn = [
        RowGroup(draw(st.integers(0, groups - 1)))
        if groups and one_in(draw, 20)
        else draw(predicates.queries(tables, targets))
        for _ in range(count)
    ]
    # If a filter is wrong, it is one failure with the extremes of its rows.
    filters = [Filter(query.predicate) for query in drawn if isinstance(query, AggregateWhere)]
    return [*drawn, *filters, *at_edges]


def _at_edges(target: Target) -> list[Query]:
    """Return filters at the edges of a column; every `_COUNTED`-th and tests for null are counts as well.

    The first of those are also put before the extremes of the column.
    """
    tests = edges.tests(target.path, target.type, target.values)
    counted = dict.fromkeys([*tests[::_COUNTED], *tests[-2:]])
    extremes = [AggregateWhere(target.path, test) for test in [*counted][:_EXTREMES]]
    return [*map(Filter, tests), *map(CountRows, counted), *extremes]
