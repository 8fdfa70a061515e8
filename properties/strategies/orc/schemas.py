"""Schemas: mostly flat, and of every nested form that is legal.

The first column is always `row`, an INT without nulls with the ordinal of its row, so that a lost row can be
identified. A root that is not a struct has no such column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from properties.strategies.chances import choice, one_in
from properties.strategies.orc import kinds
from reference_impl.orc.schema import Type, TypeKind

MAX_DEPTH = 3
NAMES = ("a", "b", "c", "d", "e", "f", "g", "h")
# Names in families that readers take wrongly for different reasons, each family alike often.
ODD_NAMES = (
    ("a b", "a,b", "a.b", "`", "^a$", "*"),
    ("ü", "列", "😀"),
    ("_1", "1", "_col1", "x" * 130),
    ("select", "key", "Ab", "A", "ROW"),  # two in another case than another column's
    ("a:b", "<a>", "struct<"),
    ("", "a ", " a", "\t", "a\n"),
)


@dataclass(frozen=True)
class Shape:
    """A type and the types below it; `type` has no subtypes yet, but the field names of a struct."""

    type: Type
    children: tuple[Shape, ...] = ()

    @property
    def kind(self) -> TypeKind:
        """Return the kind of the type."""
        assert self.type.kind is not None
        return self.type.kind

    def walk(self) -> Iterator[Shape]:
        """Yield this type and all types below it, in preorder."""
        yield self
        for child in self.children:
            yield from child.walk()


ROW = Shape(Type(kind=TypeKind.INT))


@st.composite
def fields(draw: st.DrawFn) -> Shape:
    """Return the type of a top-level field."""
    return _shape(draw, choice(draw, [*[0] * 9, 1, 2, MAX_DEPTH]))


def leaf_or_list(draw: st.DrawFn) -> Shape:
    """Draw a column, or a list of them."""
    leaf = Shape(kinds.kind(draw))
    return Shape(Type(kind=TypeKind.LIST), (leaf,)) if one_in(draw, 4) else leaf


def struct(top_fields: Sequence[Shape], *, odd: Sequence[str] = (), twice: bool = False) -> Shape:
    """Return the root of these fields behind `row`.

    Fields are named by their place; `odd` are names of the first. `twice`: the second field has the name of
    the first.
    """
    names = [*odd, *NAMES][: len(top_fields)]
    if twice and len(names) > 1:
        names[1] = names[0]
    return Shape(Type(kind=TypeKind.STRUCT, field_names=("row", *names)), (ROW, *top_fields))


def flattened(root: Shape) -> tuple[Type, ...]:
    """Return the types in preorder, the order of a footer."""
    out: list[Type] = []

    def add(shape: Shape) -> int:
        number = len(out)
        out.append(shape.type)
        out[number] = replace(shape.type, subtypes=tuple(add(child) for child in shape.children))
        return number

    add(root)
    return tuple(out)


def _shape(draw: st.DrawFn, depth: int) -> Shape:
    """Return a type, nested at most `depth` deep."""
    return choice(draw, _FORMS)(draw, depth) if depth else Shape(kinds.kind(draw))


def _inner(draw: st.DrawFn, depth: int) -> Shape:
    return _shape(draw, choice(draw, [0, 0, depth - 1]))


def _struct(draw: st.DrawFn, depth: int) -> Shape:
    """Return a struct, which may have no fields; one in a dozen has a field with an odd name."""
    names = list(NAMES[: choice(draw, [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 0])])
    if names and one_in(draw, 12):
        names[-1] = choice(draw, choice(draw, ODD_NAMES))
    fields = tuple(_inner(draw, depth) for _ in names)
    return Shape(Type(kind=TypeKind.STRUCT, field_names=tuple(names)), fields)


def _list(draw: st.DrawFn, depth: int) -> Shape:
    return Shape(Type(kind=TypeKind.LIST), (_inner(draw, depth),))


def _map(draw: st.DrawFn, depth: int) -> Shape:
    return Shape(Type(kind=TypeKind.MAP), (key(draw), _inner(draw, depth)))


def key(draw: st.DrawFn, *, rare: bool = False) -> Shape:
    """Return the type of a map's keys, which may have children; `rare`: each primitive type alike often."""
    if not one_in(draw, 16):
        return Shape(kinds.key(draw, rare=rare))
    below = tuple(Shape(kinds.key(draw, rare=rare)) for _ in range(choice(draw, (1, 2))))
    kind = choice(draw, (TypeKind.STRUCT, TypeKind.STRUCT, TypeKind.LIST, TypeKind.UNION))
    if kind is TypeKind.STRUCT:
        return Shape(Type(kind=kind, field_names=NAMES[: len(below)]), below)
    return Shape(Type(kind=kind), below if kind is TypeKind.UNION else below[:1])


def union(draw: st.DrawFn, depth: int) -> Shape:
    """Return a union of a few types; `wide_unions.py` has those of many."""
    count = choice(draw, [2, 1, 3, 2, 1, 3, 2, 5])
    return Shape(Type(kind=TypeKind.UNION), tuple(_inner(draw, depth) for _ in range(count)))


_FORMS: tuple[Callable[[st.DrawFn, int], Shape], ...] = (_struct, _list, _struct, _list, _map, _map, union)
