"""Changes of drawn fields that keep their meaning: odd names, and another order of columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from properties.strategies.chances import choice, one_in
from properties.strategies.schemas import NAMES, ODD_NAMES, Elements

if TYPE_CHECKING:
    from hypothesis import strategies as st


def with_odd_field(draw: st.DrawFn, field: Elements) -> Elements:
    """Return a top-level field, which one time in three has a field with an odd name in one of its structs.

    `fields` draws none, since the schemas of `tables` are checked in.
    """
    places = [at for at in _outside_variants(field) if field[at].name in NAMES]
    if not places or not one_in(draw, 3):
        return field
    at = choice(draw, places)
    name = choice(draw, choice(draw, ODD_NAMES))
    return [*field[:at], replace(field[at], name=name), *field[at + 1 :]]


def with_turned_variants(draw: st.DrawFn, field: Elements) -> Elements:
    """Return a top-level field; some Variants have their columns in another order.

    VariantShredding.md, "Value Shredding": the columns "must be accessed by name, not by position".
    """
    turned: Elements = []
    at = 0
    while at < len(field):
        stop = _end(field, at)
        logical = field[at].logicalType
        if logical is None or logical.VARIANT is None:
            turned.append(field[at])
            at += 1
            continue
        children = []
        first = at + 1
        while first < stop:
            children.append(field[first : _end(field, first)])
            first += len(children[-1])
        by = choice(draw, (0, 0, 0, 1, 2))
        children = [children[(place + by) % len(children)] for place in range(len(children))]
        turned += [field[at], *(element for child in children for element in child)]
        at = stop
    return turned


def _end(elements: Elements, at: int) -> int:
    """Return the place behind an element and all below it."""
    left = 1
    while left:
        left += (elements[at].num_children or 0) - 1
        at += 1
    return at


def _outside_variants(field: Elements) -> Iterator[int]:
    """Yield the places of the elements that are not below a Variant, whose columns have fixed names."""
    below = 0  # elements of a Variant that are still to come
    for at, element in enumerate(field):
        is_below, logical = below > 0, element.logicalType
        if is_below or (logical is not None and logical.VARIANT is not None):
            below += (element.num_children or 0) - is_below
        if not is_below:
            yield at
