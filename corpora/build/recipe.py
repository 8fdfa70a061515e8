"""Recipes, from which the cases of the corpus are built, and short notations for Parquet schemas."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from corpora.keys import Keys
from corpora.queries import Query
from reference_impl.orc.plan import FilePlan as OrcPlan
from reference_impl.orc.tamper import Tamper as OrcTamper
from reference_impl.parquet.plan import Column, FilePlan, Row
from reference_impl.parquet.schema import (
    ConvertedType,
    Empty,
    FieldRepetitionType,
    LogicalType,
    SchemaElement,
    Type,
)
from reference_impl.parquet.tamper import Tamper

REQUIRED, OPTIONAL, REPEATED = FieldRepetitionType
Elements = tuple[SchemaElement, ...]


@dataclass(frozen=True)
class Recipe:
    """A recipe of a case: its id without the format, its plan, and the clause that it tests.

    `format` is the format of the plan. `features` are features that the file itself does not show. `probed`
    is a column with queries at and around its extremes, of which each `every`th is used; `queries` are
    further queries. `lies` are queries with the rows that a reader returns if it skips by false statistics.
    `refuse` is the rule that `tamper` breaks; `either` is the reason why a reader may refuse the file, or
    need not. `meant` is false if the plan does not determine the values of the tampered file. `rows` are the
    rows of the file, where `tamper` has changed them. `keys` are the reader's keys of an encrypted file.
    """

    id: str
    plan: FilePlan | OrcPlan
    spec: str
    notes: str = ""
    level: str = "MUST"
    features: tuple[str, ...] = ()
    probed: tuple[str, ...] | None = None
    every: int = 1
    queries: tuple[Query, ...] = ()
    lies: tuple[tuple[Query, tuple[int, ...]], ...] = ()
    tamper: Tamper | OrcTamper | None = None
    refuse: str = ""
    either: str = ""
    rows: tuple[Any, ...] | None = None
    meant: bool = True
    format: str = "parquet"
    keys: Keys | None = None


RECIPE_FIELDS = {each.name for each in fields(Recipe)}


def column_recipe(
    name: str, spec: str, field: Elements, values: Iterable[Any], *columns: Column, **more: Any
) -> Recipe:
    """Return a recipe of a file with one field; `more` are fields of Recipe and of FilePlan."""
    of_recipe = {key: more.pop(key) for key in RECIPE_FIELDS & set(more)}
    return Recipe(name, column_plan(field, values, *columns, **more), spec, **of_recipe)


def schema(*children: Elements, name: str = "schema") -> Elements:
    """Return the flattened list of elements of a schema with these fields."""
    return (SchemaElement(name=name, num_children=len(children)), *_flat(children))


def column_plan(field: Elements, values: Iterable[Any], *columns: Column, **more: Any) -> FilePlan:
    """Return the plan of a file with one field and these values."""
    rows: tuple[Row, ...] = tuple({field[0].name: value} for value in values)
    return FilePlan(schema(field), rows, columns, **more)


def leaf(name: str, kind: Type, repetition: FieldRepetitionType | int = REQUIRED, **more: Any) -> Elements:
    """Return a column; `more` are further fields of its SchemaElement."""
    return (SchemaElement(name=name, type=kind, repetition_type=FieldRepetitionType(repetition), **more),)


def group(name: str, repetition: FieldRepetitionType | int, *children: Elements, **more: Any) -> Elements:
    """Return a group with these children."""
    return (
        SchemaElement(
            name=name, repetition_type=FieldRepetitionType(repetition), num_children=len(children), **more
        ),
        *_flat(children),
    )


def list_group(name: str, repetition: FieldRepetitionType | int, *children: Elements) -> Elements:
    """Return a group with both annotations of a LIST."""
    more = {"converted_type": ConvertedType.LIST, "logicalType": LogicalType(LIST=Empty())}
    return group(name, repetition, *children, **more)


def map_group(name: str, repetition: FieldRepetitionType | int, *children: Elements) -> Elements:
    """Return a group with both annotations of a MAP."""
    more = {"converted_type": ConvertedType.MAP, "logicalType": LogicalType(MAP=Empty())}
    return group(name, repetition, *children, **more)


def text(name: str, repetition: FieldRepetitionType | int = REQUIRED) -> Elements:
    """Return a column of strings."""
    string = LogicalType(STRING=Empty())
    return leaf(name, Type.BYTE_ARRAY, repetition, converted_type=ConvertedType.UTF8, logicalType=string)


def slug(name: str) -> str:
    """Return a name of an interface description as a segment of an id."""
    return name.lower().replace("_", "-")


def _flat(parts: Iterable[Elements]) -> Elements:
    return tuple(element for part in parts for element in part)
