"""Columns of legal forms that few sheets would have by chance, as in Parquet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from properties.strategies import rare_values
from properties.strategies.chances import choice
from properties.strategies.domains import Domain
from properties.strategies.orc import kinds, wide_unions
from properties.strategies.orc.contents import Content
from properties.strategies.orc.schemas import NAMES, Shape, key, union
from properties.strategies.patterns import Pattern
from properties.strategies.sheet import Bundle
from reference_impl.orc.plan import Bloom, Column, Index, Statistics
from reference_impl.orc.schema import Type, TypeKind

K = TypeKind


@dataclass(frozen=True)
class Form:
    """A form of a column: its type, the values of a primitive type, and a change of each of its layouts.

    Without `values` and `layout` these are as of any column. `change` makes another column of one that was
    drawn. `columns`: how many a sheet has of the form, each drawn anew.
    """

    shape: Callable[[st.DrawFn], Shape]
    values: Callable[[st.DrawFn, Domain], Pattern] | None = None
    layout: Callable[[st.DrawFn, Column], Column] | None = None
    change: Callable[[st.DrawFn, Bundle[Shape, Content, Column]], Bundle[Shape, Content, Column]] | None = (
        None
    )
    columns: tuple[int, ...] = (1,)


def _leaf(*options: TypeKind) -> Callable[[st.DrawFn], Shape]:
    def shape(draw: st.DrawFn) -> Shape:
        return Shape(kinds.with_parameters(draw, Type(kind=choice(draw, options))))

    return shape


def _any_leaf(draw: st.DrawFn) -> Shape:
    return Shape(kinds.kind(draw))


def _map(draw: st.DrawFn) -> Shape:
    """Return a map with keys of each type alike often."""
    return Shape(Type(kind=K.MAP), (key(draw, rare=True), Shape(kinds.kind(draw))))


def _long(draw: st.DrawFn) -> Shape:
    """Return texts with a maximum length of more than a byte, or of the most."""
    kind = choice(draw, (K.VARCHAR, K.VARCHAR, K.CHAR))
    length = choice(draw, (256, 300, 65_535, 65_535)) if kind is K.VARCHAR else 255
    return Shape(Type(kind=kind, maximum_length=length))


def _deep(draw: st.DrawFn) -> Shape:
    """Return structs within structs, whose fields queries name."""
    shape = Shape(kinds.kind(draw))
    for _ in range(choice(draw, (2, 3))):
        names = NAMES[: choice(draw, (1, 2))]
        others = [Shape(kinds.kind(draw)) for _ in names[1:]]
        shape = Shape(Type(kind=K.STRUCT, field_names=names), (*others, shape))
    return shape


def _bounded(draw: st.DrawFn, column: Column) -> Column:
    """Return a layout with bounds of row groups, of the stripe and of the file."""

    def form() -> Statistics:
        return Statistics(inward=draw(st.booleans()), has_null=draw(st.booleans()), sum=draw(st.booleans()))

    return replace(column, index=replace(column.index or Index(), statistics=form()), statistics=form())


def _cut(draw: st.DrawFn, column: Column) -> Column:
    """Return a layout whose bounds of texts are cut."""
    statistics = Statistics(truncate=choice(draw, (1024, 64, 16, 1, 2, 5)))
    return replace(
        column, index=replace(column.index or Index(), statistics=statistics), statistics=statistics
    )


def _only_bloom(draw: st.DrawFn, column: Column) -> Column:
    """Return a layout with a Bloom filter, and no statistics."""
    return replace(column, index=Index(None), statistics=None, bloom=Bloom(choice(draw, (1, 4, 32))))


_FLOATS = _leaf(K.DOUBLE, K.FLOAT)
# Half of them are doubles: what a reader loses next to a bound of doubles, where the neighbour of a value is
# another one than `value + 1`, no other type shows.
_ORDERED = _leaf(K.DOUBLE, K.DOUBLE, K.DOUBLE, K.DOUBLE, K.LONG, K.DECIMAL, K.DATE, K.TIMESTAMP)
FORMS = (
    *[Form(_map, columns=(3, 4, 5))] * 5,
    *[Form(_FLOATS, rare_values.zeros, _bounded)] * 2,
    *[Form(_FLOATS, rare_values.beside_nan, _bounded)] * 2,
    Form(_FLOATS, rare_values.only_nan),
    *[Form(_leaf(K.STRING), rare_values.cut_text, _cut)] * 2,
    Form(_long),
    Form(lambda draw: union(draw, 1)),
    Form(wide_unions.few, change=wide_unions.widened),
    Form(_any_leaf, rare_values.constant),
    *[Form(_ORDERED, rare_values.ordered, _bounded)] * 3,
    Form(_leaf(K.STRING, K.INT, K.LONG, K.DOUBLE, K.DECIMAL, K.DATE, K.TIMESTAMP), layout=_only_bloom),
    *[Form(_deep)] * 2,
    Form(_leaf(K.TIMESTAMP)),
)
