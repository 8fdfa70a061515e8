"""Variants, the physical forms they may be written in, and shredding schemas."""

from __future__ import annotations

from hypothesis import strategies as st

from reference_impl.variant import forms
from reference_impl.variant.values import (
    BY_KIND,
    COUNTS,
    DECIMALS,
    MAX_SCALE,
    NULL,
    TYPES,
    Array,
    Object,
    Primitive,
    Value,
    object_of,
)

KINDS = tuple(type_.kind for type_ in TYPES)
_TEXT = st.characters(codec="utf-8")
_WIDTHS = st.integers(1, 4)
_ORDERS = st.integers(0, 5040)  # all permutations of up to seven
# Names that objects have again and again, two of them in another order by UTF-16 than by UTF-8.
NAMES = ("a", "b", "A", "", "ab", "é", "\ufffd", "\U00010000", "value", "typed_value")


def names() -> st.SearchStrategy[str]:
    """Names of fields."""
    return st.sampled_from(NAMES) | st.text(_TEXT, max_size=4)


def primitives(*kinds: str) -> st.SearchStrategy[Primitive]:
    """Values that hold no others, of any kind or of those that are named."""
    return st.sampled_from(kinds or KINDS).flatmap(_of_kind)


def _of_kind(kind: str) -> st.SearchStrategy[Primitive]:
    type_ = BY_KIND[kind]
    if kind == "null":
        return st.just(NULL)
    if kind == "boolean":
        return st.booleans().map(lambda value: Primitive(kind, value))
    if kind == "string":
        # 63 and 64 bytes are the longest short string and the shortest long one.
        edges = st.sampled_from(("", "x" * 63, "x" * 64, "é" * 32))
        return (st.text(_TEXT, max_size=8) | edges).map(lambda text: Primitive(kind, text))
    if kind == "binary":
        return st.binary(max_size=8).map(lambda raw: Primitive(kind, raw))
    if kind == "uuid":
        return st.binary(min_size=16, max_size=16).map(lambda raw: Primitive(kind, raw))
    if kind in DECIMALS:
        most = 10**type_.digits - 1
        scales = st.integers(0, MAX_SCALE)
        return st.builds(Primitive, st.just(kind), _numbers(-most, most), scales)
    bits = 8 * type_.width
    least = -(1 << bits - 1) if kind in COUNTS else 0
    return _numbers(least, least + (1 << bits) - 1).map(lambda number: Primitive(kind, number))


def _numbers(least: int, most: int) -> st.SearchStrategy[int]:
    """Numbers in a range, small ones and the ends of it more often than chance has it."""
    small = st.integers(max(least, -300), min(most, 300))
    return small | st.integers(least, most) | st.sampled_from((least, most))


def variants(*, leaves: int = 8) -> st.SearchStrategy[Value]:
    """Values of any kind, nested, of about `leaves` primitives at most."""
    return st.recursive(
        primitives(),
        lambda inner: st.lists(inner, max_size=4).map(lambda items: Array(tuple(items))) | objects(inner),
        max_leaves=leaves,
    )


def objects(values: st.SearchStrategy[Value], *, most: int = 4) -> st.SearchStrategy[Object]:
    """Objects of these values."""
    return st.dictionaries(names(), values, max_size=most).map(lambda fields: object_of(fields.items()))


def metadata_forms() -> st.SearchStrategy[forms.Names]:
    """Forms of metadata: sorted or in any order, names doubled and unused, offsets wider than needed."""
    return st.builds(
        forms.Names,
        is_sorted=st.booleans(),
        order=_ORDERS,
        doubled=st.booleans(),
        unused=st.lists(names(), max_size=2, unique=True).map(tuple),
        width=_WIDTHS,
        reserved=st.booleans(),
    )


def node_forms() -> st.SearchStrategy[forms.Node]:
    """Forms of one value: widths, the order of what it holds, reserved bits."""
    return st.builds(
        forms.Node,
        offset_width=_WIDTHS,
        id_width=_WIDTHS,
        large=st.booleans(),
        order=_ORDERS,
        copy=st.integers(0, 1),
        long=st.booleans(),
        reserved=st.booleans(),
    )


def physical_forms() -> st.SearchStrategy[forms.Form]:
    """Forms that any Variant may be written in."""
    nodes = st.lists(node_forms(), min_size=1, max_size=3).map(tuple)
    return st.builds(forms.Form, metadata_forms(), nodes)
