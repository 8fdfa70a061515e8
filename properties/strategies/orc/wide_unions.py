"""Unions of many types: a few types again and again, since each type is drawn with all its layouts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from hypothesis import strategies as st

from properties.strategies.chances import choice
from properties.strategies.orc import kinds
from properties.strategies.orc.contents import Content
from properties.strategies.orc.schemas import Shape
from properties.strategies.patterns import runs
from properties.strategies.sheet import Bundle
from reference_impl.orc.plan import Column
from reference_impl.orc.schema import Type, TypeKind

T = TypeVar("T")

_FEW = 3
# ORCv1.md, Union Columns: a tag is a byte. These need five bits, a byte without a sign, all values of a byte.
_MANY = (17, 130, 130, 256)


def few(draw: st.DrawFn) -> Shape:
    """Return a union of a few types, without types below them."""
    return Shape(Type(kind=TypeKind.UNION), tuple(Shape(kinds.kind(draw)) for _ in range(_FEW)))


def widened(draw: st.DrawFn, bundle: Bundle[Shape, Content, Column]) -> Bundle[Shape, Content, Column]:
    """Return a union of many types, each of which has a type, contents and layouts of a union of a few."""
    count = choice(draw, _MANY)

    def repeated(items: Sequence[T]) -> tuple[T, ...]:
        return tuple(items[at % _FEW] for at in range(count))

    def content(narrow: Content) -> Content:
        tags = draw(runs(st.integers(0, count - 1), st.sampled_from((1, 2, 3))))
        return replace(narrow, tags=tags, children=repeated(narrow.children))

    return Bundle(
        replace(bundle.field, children=repeated(bundle.field.children)),
        [content(narrow) for narrow in bundle.contents],
        [(layout[0], *repeated(layout[1:])) for layout in bundle.layouts],
    )
