"""Sheets of a file of more than 65,536 rows, whose layouts need that size.

A null behind 65,535 values, a dictionary whose indices have 17 bits or that is given up in the middle of a
chunk, more pages than a 16-bit number counts, and runs of values, nulls and empty lists that end at, before
and behind the sizes of readers' batches and blocks. All values come from patterns (`strategies/patterns`),
so that a file takes some seconds. Filters and slices are those of `strategies/depth`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from properties.strategies import contents, depth, layouts, schemas, values
from properties.strategies.chances import choice, one_in
from properties.strategies.contents import Content
from properties.strategies.patterns import Ordered, Pattern, Runs, Sprinkled
from properties.strategies.sheet import Sheet, several
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Index, Page, Statistics
from reference_impl.parquet.schema import Encoding, FieldRepetitionType, SchemaElement
from reference_impl.parquet.tree import Node, build

ROWS = (65_537, 66_000, 66_001, 69_633)
# Of batches, blocks, row index strides and 16-bit numbers.
_SIZES = (512, 1_024, 4_096, 8_192, 10_000, 65_535, 65_536)
_SHIFTS = (0, 0, 1, -1)
_BEHIND = 300_000  # more than a file has, also of elements
_OPTIONAL, _REPEATED = FieldRepetitionType.OPTIONAL, FieldRepetitionType.REPEATED


@st.composite
def sheets(draw: st.DrawFn) -> Sheet[SchemaElement, FilePlan]:
    """Return a sheet of one file of `row` and of one to three other columns."""
    rows = choice(draw, ROWS)
    schema = schemas.schema(several(draw, depth.column_fields(), 1, 3))
    root = build(list(schema))
    held = [draw(_contents(node)) for node in root.children[1:]]
    base = FilePlan(schema, contents.rows(root.children, held, rows, 3 * rows))
    page = size(draw)
    names = [node.name for node in root.children]
    plan = draw(_plan(base, list(root.leaves()), page))
    return Sheet(schema, (plan,), tuple(several(draw, depth.queries(len(base.rows), page, names), 5, 9)))


def size(draw: st.DrawFn) -> int:
    """Return a number at, before or behind the size of a batch, a block or a 16-bit number."""
    return choice(draw, _SIZES) + choice(draw, _SHIFTS)


def presence(draw: st.DrawFn) -> Runs:
    """Return where values are present: a null that comes late, nulls at a distance, or long runs of both."""
    way = choice(draw, ("late", "far", "runs", "few"))
    if way == "late":
        return Runs(((True, size(draw)), (False, choice(draw, (1, 1, 100))), (True, _BEHIND)))
    if way == "few":
        return choice(draw, depth.PRESENCES) or Runs(((True, 1),))
    nulls = 1 if way == "far" else size(draw)
    return Runs(((True, size(draw)), (False, nulls)))


def lengths(draw: st.DrawFn) -> Runs:
    """Return lengths of lists: runs of the same length, some of them long; few lists are large."""
    if one_in(draw, 2):
        return choice(draw, depth.LENGTHS)
    return Runs(((choice(draw, (1, 0)), size(draw)), (choice(draw, (0, 2, 1_025)), 1), (1, 3)))


def held(draw: st.DrawFn, ordered: Ordered) -> Pattern:
    """Return values that are all different, in long runs, or few, or of which one ends a run of others."""
    way = choice(draw, ("different", "runs", "other", "few"))
    if way == "different":
        return replace(ordered, wrap=_BEHIND, each=1)
    if way == "runs":
        return replace(ordered, each=size(draw))
    if way == "other":
        edge, period = draw(ordered.domain.edge), choice(draw, (_BEHIND, size(draw)))
        return Sprinkled(replace(ordered, each=size(draw)), ((edge, size(draw), period),))
    return ordered


@st.composite
def _contents(draw: st.DrawFn, node: Node) -> Content:
    content = Content(
        presence(draw) if node.repetition == _OPTIONAL else None,
        lengths(draw) if node.repetition == _REPEATED else None,
    )
    if node.physical is None:
        return replace(content, children=tuple(draw(_contents(child)) for child in node.children))
    domain = values.domain(node)
    step, scatter = choice(draw, (1, 7, -1)), choice(draw, (1, 1, 7, 1_009))
    ordered = Ordered(domain, choice(draw, domain.bases), step, 1, choice(draw, (300, 3_000)), scatter)
    return replace(content, values=held(draw, ordered))


@st.composite
def _plan(draw: st.DrawFn, base: FilePlan, leaves: Sequence[Node], page: int) -> FilePlan:
    """Return a file: `row` has bounds and an index, the other columns one of the layouts."""
    rows, version = len(base.rows), choice(draw, (1, 2))
    first = replace(
        depth.column_layout(draw, leaves[0], version, (page,)), index=Index(), statistics=Statistics()
    )
    columns = (first, *(_column(draw, leaf, version, page) for leaf in leaves[1:]))
    groups = choice(draw, (None, None, (65_536, rows - 65_536), (1, rows - 1)))
    return replace(base, columns=columns, row_groups=groups)


def _column(draw: st.DrawFn, leaf: Node, version: int, page: int) -> Column:
    """Return a layout: a page a value, pages of some size or one page, a dictionary that is given up."""
    way = choice(draw, ("each", "sizes", "sizes", "whole", "given-up"))
    if way == "given-up":
        indexed = Page(choice(draw, (page, size(draw))), Encoding.RLE_DICTIONARY, version)
        rest = Page(size(draw), choice(draw, layouts.encodings(leaf)), version)
        layout = Column((indexed, rest), dictionary=Dictionary())
    else:
        sizes = {"each": (1,), "sizes": (size(draw), size(draw)), "whole": (None,)}[way]
        layout = depth.column_layout(draw, leaf, version, sizes)
    return replace(layout, index=Index() if draw(st.booleans()) else None)
