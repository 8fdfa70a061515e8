"""Columns of Variants of many elements or fields, whose counts, offsets and ids of fields are wide.

"is_large is a 1-bit value that indicates how many bytes are used to encode the number of elements" or fields:
255 of them have a count of one byte, 256 one of four (VariantEncoding.md, "Value encoding").
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from corpora.build import variants as groups
from properties.strategies import variants
from properties.strategies.chances import choice
from properties.strategies.contents import Content
from properties.strategies.patterns import Runs
from properties.strategies.schemas import HERE, OPTIONAL, REQUIRED, Elements
from reference_impl.parquet.tree import Node
from reference_impl.variant.shredding import Level
from reference_impl.variant.values import NULL, Array, Value, object_of

_COUNTS = (256, 255, 257, 300, 700)
_OTHERS = 40  # values for each with many elements: a file of a thousand of these would be a large one
_PRESENT = Runs(((True, 1), (False, 2), (True, 1)))


def field(draw: st.DrawFn) -> Elements:
    """Return a column of Variants that are not shredded."""
    return list(groups.elements(HERE, choice(draw, (OPTIONAL, REQUIRED)), Level()))


def content(draw: st.DrawFn, node: Node) -> Content:
    """Return Variants of the column `node`, few of which are an array or an object of many values."""
    rows = (_row(draw, _many(draw)), *[_row(draw, NULL)] * _OTHERS)
    return Content(presence=_PRESENT if node.repetition == OPTIONAL else None, variants=rows)


def _row(draw: st.DrawFn, value: Value) -> dict[str, Any]:
    """Return a Variant by the columns of its group, in any form."""
    return groups.row(Level(), value, draw(variants.physical_forms()))


def _many(draw: st.DrawFn) -> Value:
    """Return an array or an object of many values, which repeat a few."""
    count = choice(draw, _COUNTS)
    some = draw(st.lists(variants.variants(leaves=2), min_size=1, max_size=3))
    values = [some[at % len(some)] for at in range(count)]
    if draw(st.booleans()):
        return Array(tuple(values))
    return object_of((f"{choice(draw, ('f', 'é'))}{at}", value) for at, value in enumerate(values))
