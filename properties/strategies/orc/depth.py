"""Sheets of files of thousands of rows, in which filters skip row groups at depth, as in Parquet.

A reader that skips row groups has to begin in the middle of the chunks, runs and bytes of each stream, at the
positions that the row index has of it; and filters select ranges of rows that begin at, before and behind
multiples of the row index stride, and of the sizes of batches.

"Each ROW_INDEX stream records positions … so that the reader can seek" (ORCv1.md, Row Group Index).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from properties.strategies import depth
from properties.strategies.chances import choice, one_in
from properties.strategies.orc import contents, files, layouts, schemas, values
from properties.strategies.orc.contents import Content
from properties.strategies.orc.schemas import Shape
from properties.strategies.patterns import Ordered
from properties.strategies.sheet import Sheet, several
from reference_impl.orc.plan import BLOCK_SIZE, Column, FilePlan, Index, Order, Statistics
from reference_impl.orc.schema import CompressionKind, Type, TypeKind

_K = CompressionKind
_STRIDES = (1_000, 100, 128, 250, 500, 1_024, 4_096)
_CODECS = (_K.NONE, _K.ZLIB, _K.SNAPPY, _K.ZSTD, _K.LZ4)
_BLOCKS = (BLOCK_SIZE, 65_536, 16_384, 4_096, 1_000)


@st.composite
def sheets(draw: st.DrawFn, min_files: int = 2, max_files: int = depth.MAX_FILES) -> Sheet[Type, FilePlan]:
    """Return a sheet of `min_files` to `max_files` files of `row` and of one to three other columns."""
    rows = choice(draw, depth.ROWS)
    shapes = [schemas.leaf_or_list(draw) for _ in range(choice(draw, (1, 2, 3)))]
    root = schemas.struct(shapes)
    held = contents.rows(shapes, [_content(draw, shape) for shape in shapes], rows, 3 * rows)
    base = FilePlan(schemas.flattened(root), held)
    stride = choice(draw, _STRIDES)
    plans = tuple(several(draw, _plans(base, root, stride), min_files, max_files))
    names = root.type.field_names
    return Sheet(base.types, plans, tuple(several(draw, depth.queries(len(held), stride, names), 5, 9)))


def _content(draw: st.DrawFn, shape: Shape) -> Content:
    """Return patterns in which rows that are near each other differ, and nulls and empty lists are few."""
    presence = choice(draw, depth.PRESENCES)
    if shape.kind is TypeKind.LIST:
        lengths, below = choice(draw, depth.LENGTHS), _content(draw, shape.children[0])
        return Content(presence, lengths, children=(below,))
    domain = values.domain(shape.type, wide=False)
    step, each = choice(draw, (1, 7, -1)), choice(draw, (1, 1, 3, 40))
    wrap, scatter = choice(draw, (100_000, 300, 3_000)), choice(draw, (1, 1, 7, 1_009))
    ordered = Ordered(domain, choice(draw, domain.bases), step, each, wrap, scatter)
    return Content(presence, values=ordered)


@st.composite
def _plans(draw: st.DrawFn, base: FilePlan, root: Shape, stride: int) -> FilePlan:
    """Return a file with an index of each column, and with bounds of `row`."""
    rows = len(base.rows)
    choices = files.FileChoices(
        size=rows // 2 + 77 if one_in(draw, 4) else None,
        stride=stride,
        compression=choice(draw, _CODECS),
        block_size=choice(draw, _BLOCKS),
        chunks=layouts.chunks(draw) if one_in(draw, 4) else files.FileChoices.chunks,
        order=choice(draw, (Order.COLUMNS, *Order)),
    )
    options: list[Sequence[Column]] = [[_indexed(draw(layouts.columns(shape)))] for shape in root.walk()]
    options[1] = [replace(options[1][0], index=Index(), statistics=Statistics())]
    return files.plan(base, choices, root, options)


def _indexed(column: Column) -> Column:
    return replace(column, index=column.index or Index())
