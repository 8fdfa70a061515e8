"""Bloom filters of every type, of one block and of many, with queries of existing and missing values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from corpora.build.kinds import KINDS, ORDERED, ColumnKind
from corpora.build.recipe import OPTIONAL, Recipe, column_plan, leaf
from reference_impl.parquet.plan import Bloom, Column, Dictionary, Page, Statistics
from reference_impl.parquet.schema import Encoding, Type

_SPEC = "BloomFilter.md"
_UNORDERED = ("int96", "interval")
_SIZES = {"int32": (1, 2, 3, 7, 32, 200), "string": (1, 2, 3, 32, 100)}


def recipes() -> Iterator[Recipe]:
    """Yield kinds × sizes, with and without lengths, with statistics and dictionaries."""
    for kind in (*ORDERED, *(kind for kind in KINDS if kind.name in _UNORDERED)):
        if kind.type == Type.BOOLEAN:
            continue  # a filter of two values excludes nothing
        for blocks in _SIZES.get(kind.name, (1,)):
            yield _recipe(kind, f"blocks-{blocks}", Column(bloom=Bloom(blocks)))
        if kind.name in _SIZES:
            yield _recipe(kind, "no-length", Column(bloom=Bloom(1, length=False)))
            both = Column(bloom=Bloom(2), statistics=Statistics())
            yield _recipe(kind, "with-statistics", both)
            by_index = Column((Page(4, Encoding.RLE_DICTIONARY),), dictionary=Dictionary(), bloom=Bloom(1))
            yield _recipe(kind, "with-dictionary", by_index)


def _recipe(kind: ColumnKind, name: str, layout: Column) -> Recipe:
    """Return three row groups: half of the values, the other half, and nothing but nulls."""
    values = kind.values
    groups = [[*values[::2], None], list(values[1::2]), [None, None]]
    field = leaf("x", repetition=OPTIONAL, **kind.fields)
    plan = column_plan(field, chain(*groups), layout, row_groups=tuple(map(len, groups)))
    return Recipe(f"bloom/{kind.name}/{name}", plan, _SPEC, probed=("x",))
