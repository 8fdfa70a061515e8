"""Short notations for types, plans and recipes of ORC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from corpora.build.recipe import RECIPE_FIELDS, Recipe
from reference_impl.orc.bloom import KINDS as BLOOM_KINDS
from reference_impl.orc.plan import Column, FilePlan, Row
from reference_impl.orc.schema import Type, TypeKind
from reference_impl.orc.statistics import TEXTS

Types = tuple[Type, ...]  # a type and the types below it, in preorder, with ids relative to the first


def leaf(kind: TypeKind, **more: Any) -> Types:
    """Return a type without children; `more` are further fields of its Type."""
    return (Type(kind=kind, **more),)


def nested(kind: TypeKind, *children: Types, **more: Any) -> Types:
    """Return a type with these children."""
    ids: list[int] = []
    below: list[Type] = []
    for child in children:
        first = len(below) + 1
        ids.append(first)
        below += [_moved(type_, first) for type_ in child]
    return (Type(kind=kind, subtypes=tuple(ids), **more), *below)


def struct_of(**fields: Types) -> Types:
    """Return a struct of named fields."""
    return nested(TypeKind.STRUCT, *fields.values(), field_names=tuple(fields))


def list_of(element: Types) -> Types:
    """Return a list."""
    return nested(TypeKind.LIST, element)


def map_of(key: Types, value: Types) -> Types:
    """Return a map."""
    return nested(TypeKind.MAP, key, value)


def union_of(*children: Types) -> Types:
    """Return a union."""
    return nested(TypeKind.UNION, *children)


INT, LONG, STRING = leaf(TypeKind.INT), leaf(TypeKind.LONG), leaf(TypeKind.STRING)


def plan(types: Types, rows: Sequence[Row], layout: Column | None = None, **more: Any) -> FilePlan:
    """Return the plan of a file whose columns all have one layout, as far as their types allow."""
    columns = tuple(_fitting(layout or Column(), type_.kind or TypeKind.STRUCT) for type_ in types)
    return FilePlan(types, tuple(rows), columns=columns, **more)


def column_plan(type_: Types, values: Sequence[Any], layout: Column | None = None, **more: Any) -> FilePlan:
    """Return the plan of a file of one column `x`."""
    return plan(struct_of(x=type_), [(value,) for value in values], layout, **more)


def versions(type_: Types, values: Sequence[Any], layout: Column | None = None, **more: Any) -> FilePlan:
    """Return the plan of a file with values twice: as `x`, and as `old` with integers in version 1."""
    layout = layout or Column()
    both = plan(struct_of(x=type_, old=type_), [(value, value) for value in values], layout, **more)
    old = plan(both.types, (), replace(layout, rle=1)).columns
    middle = len(type_) + 1
    return replace(both, columns=(*both.columns[:middle], *old[middle:]))


def recipe(name: str, plan_: FilePlan, spec: str, **more: Any) -> Recipe:
    """Return a recipe of an ORC file, with some of the many queries of a column."""
    return Recipe(name, plan_, spec, **{"format": "orc", "every": 4, **more})


def column_recipe(
    name: str, spec: str, type_: Types, values: Sequence[Any], layout: Column | None = None, **more: Any
) -> Recipe:
    """Return a recipe of a file of one column `x`; `more` are fields of Recipe and of FilePlan."""
    of_recipe = {key: more.pop(key) for key in RECIPE_FIELDS & set(more)}
    return recipe(name, column_plan(type_, values, layout, **more), spec, **of_recipe)


def _fitting(layout: Column, kind: TypeKind) -> Column:
    """Return a layout without the parts that a type cannot have."""
    if kind not in TEXTS:
        layout = replace(layout, dictionary=None)
    return layout if kind in BLOOM_KINDS else replace(layout, bloom=None)


def _moved(type_: Type, by: int) -> Type:
    return replace(type_, subtypes=tuple(number + by for number in type_.subtypes))
