"""Sheets of a file of more than 65,536 rows, whose layouts need that size, as in Parquet.

In ORC these are positions behind 65,535 values, row groups of 65,536 rows, dictionaries of more than 65,536
values, and runs of the encodings that end at, before and behind such numbers.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from properties.strategies import depth, large
from properties.strategies.chances import choice, one_in
from properties.strategies.orc import contents, files, layouts, schemas, values
from properties.strategies.orc.contents import Content
from properties.strategies.orc.schemas import Shape
from properties.strategies.patterns import Ordered
from properties.strategies.sheet import Sheet, several
from reference_impl.orc.plan import BLOCK_SIZE, FilePlan, Index, Statistics
from reference_impl.orc.schema import Type, TypeKind

_STRIDES = (10_000, 10_000, 8_192, 1_024, 65_536, 65_535)


@st.composite
def sheets(draw: st.DrawFn) -> Sheet[Type, FilePlan]:
    """Return a sheet of one file of `row` and of one to three other columns."""
    shapes = [schemas.leaf_or_list(draw) for _ in range(choice(draw, (1, 2, 3)))]
    root = schemas.struct(shapes)
    rows = choice(draw, large.ROWS)
    held = contents.rows(shapes, [_content(draw, shape) for shape in shapes], rows, 3 * rows)
    stride = choice(draw, _STRIDES)
    choices = replace(
        draw(files.files()),
        plain=False,
        size=choice(draw, (None, 65_536, large.size(draw))),
        stride=stride,
        block_size=choice(draw, (BLOCK_SIZE, 65_536)),
    )
    options = [[draw(layouts.columns(shape))] for shape in root.walk()]
    options[1] = [replace(options[1][0], index=Index(), statistics=Statistics())]
    plan = files.plan(FilePlan(schemas.flattened(root), held), choices, root, options)
    queries = several(draw, depth.queries(len(held), stride, root.type.field_names), 5, 9)
    return Sheet(plan.types, (plan,), tuple(queries))


def _content(draw: st.DrawFn, shape: Shape) -> Content:
    if shape.kind is TypeKind.LIST:
        return Content(
            large.presence(draw), large.lengths(draw), children=(_content(draw, shape.children[0]),)
        )
    domain = values.domain(shape.type, wide=one_in(draw, 3))
    step, scatter = choice(draw, (1, 7, -1)), choice(draw, (1, 1, 7, 1_009))
    ordered = Ordered(domain, choice(draw, domain.bases), step, 1, choice(draw, (300, 3_000)), scatter)
    return Content(large.presence(draw), values=large.held(draw, ordered))
