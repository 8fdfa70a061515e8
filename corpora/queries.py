"""Queries: other ways to read a file than reading all of it.

A query is data (`to_json`, `from_json`; `str` is one line for people), its result a tagged table:

| class        | `kind`              | further members        | result                                       |
|--------------|---------------------|------------------------|----------------------------------------------|
| `Filter`     | `filter`            | `predicate`, `columns` | rows where the predicate is TRUE, in order   |
| `Project`    | `project`           | `columns`              | these top-level columns, in this order       |
| `RowGroup`   | `row_group`         | `number` (from 0)      | the rows of that row group                   |
| `Batches`    | `batches`           | `rows` (from 1)        | all rows, read in batches of this size       |
| `Aggregate`  | `aggregate`         | `path`                 | one row, the columns of AGGREGATES           |
| `AggregateWhere` | `aggregate_where` | `path`, `predicate`  | the same of rows where the predicate is TRUE |
| `CountValues` | `count_values`     | `path`                 | one row, the first two columns of AGGREGATES |
| `Extract`    | `extract`           | `path`, `steps`        | a column EXTRACTED: values inside Variants   |
| `FilterHeld` | `filter_held`       | as above, `type`,      | rows where the predicate is TRUE for that    |
|              |                     | `predicate`, `columns` | column with its values cast to `type`        |
| `ToJson`     | `to_json`           | `path`                 | a column EXTRACTED: the Variants             |
| `SchemaOf`   | `schema_of_variant` | `path`                 | a column EXTRACTED: the Variants' schemas    |
| `SemiJoin`   | `semi_join`         | `path`, `type`,        | rows whose value is one of a small table's,  |
|              |                     | `values`, `columns`    | in any order                                 |
| `AntiJoin`   | `anti_join`         | as above, `not_in`     | rows whose value is none of a small table's, |
|              |                     |                        | in any order; with nulls as NOT IN has them, |
|              |                     |                        | or as NOT EXISTS                             |
| `Distinct`   | `distinct`          | `path`                 | a column VALUE, in any order                 |
| `Groups`     | `groups`            | `path`                 | columns VALUE and COUNT, in any order        |
| `Top`        | `top`               | `path`, `rows`,        | a column VALUE: the first rows in the order  |
|              |                     | `descending`,          | of its values                                |
|              |                     | `nulls_first`          |                                              |
| `TopRows`    | `top_rows`          | as above, `columns`    | the first rows in that order: of equal ones, |
|              |                     |                        | any                                          |
| `TopWhere`   | `top_where`         | as above, `predicate`, | the same behind `offset` rows, of those      |
|              |                     | `offset`               | where the predicate is TRUE                  |
| `CountRows`  | `count`             | `predicate`            | one row, a column COUNT: how many rows there |
|              |                     |                        | are, or for how many the predicate is TRUE   |
| `Slice`      | `slice`             | `offset`, `rows`,      | at most `rows` rows behind `offset` rows,    |
|              |                     | `predicate`, `columns` | of those where the predicate is TRUE         |
| `Fields`     | `fields`            | `paths`, `predicate`   | columns FIELD + number: fields of structs,   |
|              |                     |                        | of rows where the predicate is TRUE          |

`columns` of a filter, join or slice is None for all columns in the file's order; of a filter of a folder also
(), for no column but as many rows. A predicate may test columns that are not in the result; that of a slice,
count, query of fields or first rows may be None. A slice has the first rows in the order of the file, but of
engines that document no order any (`harness/judging/slices.py`). Values of a join may be null: equal to none.
`steps` are names of fields and numbers of elements, from 0, inside the Variants of a column. The result is
null where the steps lead nowhere; a Variant null stays a Variant null. Cast to a `type`, a Variant null, an
object and an array are null (`corpora/variant_types.py`, which also defines schemas). The result of `to_json`
is the Variants themselves: many JSON texts can represent a Variant, so the comparison decides about a text.

Standard library only, Python 3.9.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Union, get_args

from corpora import predicates
from corpora.aggregates import AGGREGATES, Aggregate, AggregateWhere, CountValues
from corpora.column_queries import (
    COUNT,
    VALUE,
    AntiJoin,
    Distinct,
    Groups,
    Join,
    SemiJoin,
    Sorted,
    Top,
    TopRows,
    TopWhere,
)
from corpora.constants import FLOAT_ORDERS, QueryError, comparable
from corpora.counts import CountRows
from corpora.evaluation import evaluate
from corpora.field_queries import FIELD, Fields
from corpora.predicates import (
    OPERATORS,
    PREDICATES,
    And,
    Compare,
    Computed,
    In,
    IsNull,
    Not,
    NotTrue,
    NullSafe,
    Or,
    Predicate,
    StartsWith,
    leaves,
)
from corpora.query_base import OfColumn, QueryBase, check_columns, check_count, show_columns
from corpora.slices import Slice
from corpora.tagged import TaggedError, Type
from corpora.variant_paths import Step, is_step

__all__ = ["AGGREGATES", "EXTRACTED", "KINDS", "OF_VARIANTS", "Aggregate", "AggregateWhere", "Batches"]
__all__ += ["COUNT", "VALUE", "AntiJoin", "CountRows", "Distinct", "Groups", "Join", "SemiJoin"]
__all__ += ["CountValues", "Extract", "Filter", "Sorted", "Top", "TopRows", "TopWhere"]
__all__ += ["FIELD", "Fields", "FilterHeld", "Project", "Query", "RowGroup", "SchemaOf", "Slice", "ToJson"]
__all__ += ["OPERATORS", "And", "Compare", "Computed", "In", "IsNull", "Not", "NotTrue", "NullSafe", "Or"]
__all__ += ["Predicate", "StartsWith", "evaluate", "from_json", "leaves", "predicate_of"]
__all__ += ["FLOAT_ORDERS", "QueryError", "comparable"]

OF_VARIANTS = ("extract", "filter_held", "to_json", "schema_of_variant")
ONE_ROW = ("aggregate", "aggregate_where", "count_values", "count")
OF_COLUMNS = ("semi_join", "anti_join", "distinct", "groups", "top", "top_rows", "top_where")
KINDS = ("filter", "project", "row_group", "batches", *ONE_ROW, "slice", "fields", *OF_COLUMNS, *OF_VARIANTS)
EXTRACTED = "held"


@dataclass(frozen=True)
class Filter(QueryBase):
    """The rows for which a predicate is TRUE."""

    kind: ClassVar[str] = "filter"
    predicate: Predicate
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.predicate, PREDICATES):
            raise QueryError(f"{self.predicate!r:.80} is not a predicate")
        if self.columns:
            check_columns(self.columns)

    def __str__(self) -> str:
        if self.columns is None:
            return str(self.predicate)
        return f"{show_columns(self.columns) or 'NO COLUMNS'} WHERE {self.predicate}"


@dataclass(frozen=True)
class Project(QueryBase):
    """Some of the columns."""

    kind: ClassVar[str] = "project"
    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        check_columns(self.columns)

    def __str__(self) -> str:
        return f"SELECT {show_columns(self.columns)}"


@dataclass(frozen=True)
class RowGroup(QueryBase):
    """One row group; a caller of `corpora.answers.answer` gives its rows, which a table does not contain."""

    kind: ClassVar[str] = "row_group"
    number: int

    def __post_init__(self) -> None:
        check_count("row group", self.number, 0)

    def __str__(self) -> str:
        return f"ROW GROUP {self.number}"


@dataclass(frozen=True)
class Batches(QueryBase):
    """All rows, read in batches of a given size."""

    kind: ClassVar[str] = "batches"
    rows: int

    def __post_init__(self) -> None:
        check_count("rows of a batch", self.rows, 1)

    def __str__(self) -> str:
        return f"BATCHES OF {self.rows}"


@dataclass(frozen=True)
class _OfHeld(OfColumn):
    """A query of the values under a path inside the Variants of a column or of a field of structs."""

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.steps, tuple) or not self.steps or not all(map(is_step, self.steps)):
            raise QueryError(f"steps are {self.steps!r:.80}, not a tuple of names and numbers")

    def __str__(self) -> str:
        return predicates.show_path(self.path) + "".join(f"[{json.dumps(step)}]" for step in self.steps)


class Extract(_OfHeld):
    """The values under a path inside the Variants of a column or of a field of structs."""

    kind: ClassVar[str] = "extract"


@dataclass(frozen=True)
class FilterHeld(_OfHeld):
    """The rows for which a predicate is TRUE for the values under a path inside the Variants of a column.

    The predicate tests one column, EXTRACTED of type `type`.
    """

    kind: ClassVar[str] = "filter_held"
    type: Type
    predicate: Predicate
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        Filter(self.predicate, self.columns)
        super().__post_init__()
        if not comparable(self.type) or any(test.path != (EXTRACTED,) for test in leaves(self.predicate)):
            raise QueryError(f"no predicate of {EXTRACTED} of type {self.type}: {self.predicate!s:.80}")

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**Filter(self.predicate, self.columns).to_json(), **super().to_json()}

    def __str__(self) -> str:
        held = f"{EXTRACTED} = {super().__str__()} AS {self.type}"
        return f"{Filter(self.predicate, self.columns)}, {held}"


@dataclass(frozen=True)
class ToJson(OfColumn):
    """The Variants of a column, or of a field of structs, as JSON."""

    kind: ClassVar[str] = "to_json"

    def __str__(self) -> str:
        return f"JSON OF {predicates.show_path(self.path)}"


@dataclass(frozen=True)
class SchemaOf(ToJson):
    """The schemas of the Variants of a column, or of a field of structs."""

    kind: ClassVar[str] = "schema_of_variant"

    def __str__(self) -> str:
        return f"SCHEMA OF {predicates.show_path(self.path)}"


Query = Union[
    Filter,
    Project,
    RowGroup,
    Batches,
    Aggregate,
    AggregateWhere,
    CountValues,
    CountRows,
    SemiJoin,
    AntiJoin,
    Distinct,
    Groups,
    Top,
    TopRows,
    TopWhere,
    Slice,
    Fields,
    Extract,
    FilterHeld,
    ToJson,
    SchemaOf,
]
_CLASSES: dict[str, Any] = {cls.kind: cls for cls in get_args(Query)}


def from_json(data: Any) -> Query:
    """Read the JSON form of any query; raises QueryError for anything else."""
    kind = data.get("kind") if isinstance(data, dict) else None
    if kind not in KINDS:
        raise QueryError(f"not a query: {data!r:.80}")
    names = [field.name for field in fields(_CLASSES[kind])]
    given = predicates.members(kind, data, ("kind", *names))
    query: Query = _CLASSES[kind](**{name: _member(name, given[name]) for name in names})
    return query


def predicate_of(query: Query) -> Predicate | None:
    """Return the predicate of a query that tests the columns of a file, None without one."""
    if isinstance(query, (AggregateWhere, CountRows, Fields, Filter, Slice, TopWhere)):
        return query.predicate
    return None


def _member(name: str, value: Any) -> Any:
    """Return a field of a query from its JSON form; raises QueryError."""
    if name == "predicate" and value is not None:  # that of a filter is checked by its class
        return predicates.from_json(value)
    if name == "type":
        try:
            return Type.from_json(value)
        except TaggedError as error:
            raise QueryError(f"the type of a query's constants: {error}") from error
    if name == "paths":
        return tuple(map(predicates.path_from_json, value)) if isinstance(value, list) else value
    is_list = name in ("path", "steps", "values") or (name == "columns" and value is not None)
    return predicates.path_from_json(value) if is_list else value
