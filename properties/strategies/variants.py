"""Variants, their physical forms, and shredding schemas."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from reference_impl.variant import forms
from reference_impl.variant.shredding import LAYOUTS, V1, Leaf, Level
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
_DRAFTED = 16  # the last type id of the draft
_WIDTHS = st.integers(1, 4)
_ORDERS = st.integers(0, 5040)  # all permutations of up to seven
# Names that many objects share; two of them sort otherwise by UTF-16 than by UTF-8.
NAMES = ("a", "b", "A", "", "ab", "é", "\ufffd", "\U00010000", "value", "typed_value")


@cache
def names() -> st.SearchStrategy[str]:
    """Return names of fields."""
    return st.sampled_from(NAMES) | st.text(_TEXT, max_size=4)


_DAY = 86_400_000_000  # µs: a time is one of a day


@cache
def primitives(*kinds: str) -> st.SearchStrategy[Primitive]:
    """Return primitive values of these kinds, or of all."""
    return (st.sampled_from(kinds) if kinds else _kinds()).flatmap(_of_kind)


def _kinds() -> st.SearchStrategy[str]:
    """Return kinds, more often those of the draft: many readers know no others and refuse a file with one."""
    return st.sampled_from(KINDS) | st.sampled_from([kind for kind in KINDS if BY_KIND[kind].id <= _DRAFTED])


@cache
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
    if kind == "time":
        return _numbers(0, _DAY - 1).map(lambda number: Primitive(kind, number))
    bits = 8 * type_.width
    least = -(1 << bits - 1) if kind in COUNTS else 0
    return _numbers(least, least + (1 << bits) - 1).map(lambda number: Primitive(kind, number))


def _numbers(least: int, most: int) -> st.SearchStrategy[int]:
    """Return numbers in a range; small numbers and the ends of the range are more frequent."""
    small = st.integers(max(least, -300), min(most, 300))
    return small | st.integers(least, most) | st.sampled_from((least, most))


@cache
def variants(*, leaves: int = 8) -> st.SearchStrategy[Value]:
    """Return values of any kind, nested, of about `leaves` primitives at most."""
    return st.recursive(
        primitives(),
        lambda inner: st.lists(inner, max_size=4).map(lambda items: Array(tuple(items))) | objects(inner),
        max_leaves=leaves,
    )


def objects(values: st.SearchStrategy[Value]) -> st.SearchStrategy[Object]:
    """Return objects of these values."""
    return st.dictionaries(names(), values, max_size=4).map(lambda fields: object_of(fields.items()))


def metadata_forms() -> st.SearchStrategy[forms.Names]:
    """Return forms of metadata: sorted or in any order, names doubled and unused, wide offsets."""
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
    """Return forms of one value: widths, the order of its elements, reserved bits."""
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
    """Return physical forms of Variants."""
    nodes = st.lists(node_forms(), min_size=1, max_size=3).map(tuple)
    return st.builds(forms.Form, metadata_forms(), nodes)


@cache
def shreddings(*layouts: str, leaves: int = 6) -> st.SearchStrategy[Level]:
    """Return shredding schemas of these layouts, or of all, with residuals and without."""
    return st.sampled_from(layouts or LAYOUTS).flatmap(
        lambda layout: st.recursive(
            _leaf_levels(layout), lambda inner: _nested_levels(layout, inner), max_leaves=leaves
        )
    )


def _leaf_levels(layout: str) -> st.SearchStrategy[Level]:
    with_leaf = st.builds(Level, st.just(layout), st.booleans(), _leaves())
    return with_leaf | st.just(Level(layout))


def _leaves() -> st.SearchStrategy[Leaf]:
    """Return types of `typed_value`: all kinds, decimals with any legal precision and scale."""

    def of(kind: str) -> st.SearchStrategy[Leaf]:
        if kind not in DECIMALS:
            return st.just(Leaf(kind))
        precisions = st.integers(1, BY_KIND[kind].digits)
        return precisions.flatmap(
            lambda most: st.builds(Leaf, st.just(kind), st.just(most), st.integers(0, most))
        )

    return _kinds().filter(lambda kind: kind != "null").flatmap(of)


def _nested_levels(layout: str, inner: st.SearchStrategy[Level]) -> st.SearchStrategy[Level]:
    """Return levels with an object or an array; in the draft, also with both and with a leaf."""
    fields = st.dictionaries(names(), inner, min_size=1, max_size=3)
    objects_ = fields.map(lambda pairs: tuple(pairs.items()))
    layout_, residual = st.just(layout), st.booleans()
    object_ = st.builds(Level, layout_, residual, fields=objects_)
    array = st.builds(Level, layout_, residual, element=inner)
    if layout == V1:
        return object_ | array
    return object_ | array | st.builds(Level, layout_, residual, _leaves(), objects_, inner)


def shreddable(level: Level) -> st.SearchStrategy[Value]:
    """Return values that a level can hold: those of its typed columns and, with a residual, any other."""
    fits: list[st.SearchStrategy[Value]] = []
    if level.layout != V1:
        fits.append(st.just(NULL))  # stands for itself in the draft
    if level.leaf is not None:
        fits.append(_fitting(level.leaf))
    if level.fields is not None:
        fits.append(_fitting_objects(level))
    if level.element is not None:
        fits.append(st.lists(shreddable(level.element), max_size=3).map(lambda items: Array(tuple(items))))
    if level.residual:
        fits.append(_whole(level.fields is None, level.element is None))
    return st.one_of(fits)


@cache
def _whole(objects_: bool, arrays: bool) -> st.SearchStrategy[Value]:
    """Return values for a residual; with objects and arrays only if the level does not shred these."""
    held = (Object,) * (not objects_) + (Array,) * (not arrays)
    return variants(leaves=4).filter(lambda value: not isinstance(value, held))


def _fitting(leaf: Leaf) -> st.SearchStrategy[Value]:
    if leaf.kind not in DECIMALS:
        return primitives(leaf.kind)
    most = 10**leaf.precision - 1
    return _numbers(-most, most).map(lambda number: Primitive(leaf.kind, number, leaf.scale))


def _fitting_objects(level: Level) -> st.SearchStrategy[Value]:
    """Return objects of some of the shredded fields and, if there is a residual, of other fields."""
    assert level.fields is not None
    shredded_names = {name for name, _ in level.fields}
    shredded = st.fixed_dictionaries({}, optional={name: shreddable(inner) for name, inner in level.fields})
    rest = st.dictionaries(
        names().filter(lambda name: name not in shredded_names), variants(leaves=2), max_size=2
    )
    both = st.tuples(shredded, rest if level.residual else st.just({}))
    return both.map(lambda parts: object_of([*parts[0].items(), *parts[1].items()]))
