"""Columns of rare legal forms: four sheets in five get some of them, few sheets would have them by chance.

If these columns were drawn like all others, some would be in less than one of a thousand files, which a run
of minutes does not reach. An equal share for each form is enough: one that breaks a reader does so in any
file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from properties.strategies import kinds, layouts, rare_values, rare_variants, schemas, variations
from properties.strategies.chances import choice, one_in
from properties.strategies.contents import Content
from properties.strategies.domains import Domain
from properties.strategies.patterns import Pattern
from properties.strategies.schemas import HERE, OPTIONAL, REQUIRED, Elements
from reference_impl.parquet.plan import Bloom, Column, Dictionary, Page, Sides
from reference_impl.parquet.schema import Encoding, Type
from reference_impl.parquet.tree import Node


@dataclass(frozen=True)
class Form:
    """A form of a column: its field, the values of its leaf, and a change of each of its layouts.

    Without `values` and `layout` these are as of any column. `content`: the contents of a field that is no
    leaf. `columns`: how many a sheet has of the form, each drawn anew.
    """

    field: Callable[[st.DrawFn], Elements]
    values: Callable[[st.DrawFn, Domain], Pattern] | None = None
    layout: Callable[[st.DrawFn, Column, Node], Column] | None = None
    columns: tuple[int, ...] = (1,)
    content: Callable[[st.DrawFn, Node], Content] | None = None


def _leaf(options: list[kinds.LeafKind]) -> Callable[[st.DrawFn], Elements]:
    def field(draw: st.DrawFn) -> Elements:
        return schemas.leaf(HERE, choice(draw, (OPTIONAL, REQUIRED)), choice(draw, options))

    return field


def _any_leaf(draw: st.DrawFn) -> Elements:
    return schemas.leaf(HERE, choice(draw, (OPTIONAL, REQUIRED)), draw(kinds.kinds()))


def _bounded(draw: st.DrawFn, column: Column, node: Node) -> Column:
    """Return a layout with bounds of the chunk: both, as today's writers name them."""
    statistics = column.statistics or layouts.statistics_of(draw, node)
    statistics = replace(statistics, modern=True, sides=Sides.BOTH)
    if node.physical is not None and node.physical.type == Type.BYTE_ARRAY:
        statistics = replace(statistics, truncate=choice(draw, (64, 16, 1, 2, 5, 63)))
    return replace(column, statistics=statistics)


def _falling_back(draw: st.DrawFn, column: Column, node: Node) -> Column:
    """Return a layout whose dictionary is given up behind some pages, as if it had become too large."""
    version, entries = choice(draw, (1, 2)), choice(draw, layouts.ENTRIES[2:])
    indexed = Page(entries, Encoding.RLE_DICTIONARY, version)
    rest = Page(choice(draw, (None, entries)), choice(draw, layouts.encodings(node)), version)
    pages = (*[indexed] * choice(draw, (1, 2, 3)), rest)
    return replace(column, pages=pages, dictionary=Dictionary())


def _only_bloom(draw: st.DrawFn, column: Column, _node: Node) -> Column:
    """Return a layout with a Bloom filter, with or without a dictionary, and no statistics."""
    pages, dictionary = (Page(),), None
    if one_in(draw, 2):
        pages, dictionary = (Page(None, Encoding.RLE_DICTIONARY),), Dictionary()
    bloom = Bloom(choice(draw, (1, 4, 32)), draw(st.booleans()))
    return replace(column, pages=pages, dictionary=dictionary, statistics=None, index=None, bloom=bloom)


def _deep(draw: st.DrawFn) -> Elements:
    """Return structs within structs, whose leaves queries name."""
    return variations.with_odd_field(draw, schemas.structs(draw, HERE, choice(draw, (2, 3))))


_FLOATS = _leaf(kinds.FLOATS)
_CODED = [kind for kind in (*kinds.PLAIN, *kinds.STRINGS, *kinds.DATES) if kind.type != Type.BOOLEAN]
FORMS = (
    *[Form(lambda draw: schemas.map_of(draw, HERE, 1, rare=True), columns=(3, 4, 5))] * 5,
    *[Form(_FLOATS, rare_values.zeros, _bounded)] * 2,
    *[Form(_FLOATS, rare_values.beside_nan, _bounded)] * 2,
    Form(_FLOATS, rare_values.only_nan),
    *[Form(_leaf(kinds.STRINGS), rare_values.cut_text, _bounded)] * 2,
    Form(_leaf([kinds.LeafKind(Type.BYTE_ARRAY)]), rare_values.cut_bytes, _bounded),
    Form(_any_leaf, rare_values.constant),
    *[Form(_leaf(_CODED), rare_values.ordered, _bounded)] * 2,
    Form(_leaf(_CODED), layout=_falling_back),
    Form(_leaf(_CODED), layout=_only_bloom),
    *[Form(_deep)] * 2,
    Form(_leaf(kinds.MILLISECONDS), rare_values.far_moments),
    Form(rare_variants.field, content=rare_variants.content),
)
