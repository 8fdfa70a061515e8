"""Predicates as data, and their meaning: SQL's three-valued logic over tagged values.

A predicate looks at top-level columns and at fields of structs; a path is the tuple of their names. Constants
are tagged values that carry the tagged type of the column, so that an engine's adapter can build a literal
without a look at the file. Written as JSON:

| `op`                            | further members                 | is TRUE where                        |
|---------------------------------|---------------------------------|--------------------------------------|
| `=`, `!=`, `<`, `<=`, `>`, `>=` | `path`, `type`, `value`         | the column's value compares so       |
| `in`                            | `path`, `type`, `values`        | it equals one of the values          |
| `is null`                       | `path`                          | it is null, or a struct around it   |
| `starts with`                   | `path`, `prefix`                | the text's bytes begin with prefix's |
| `not`                           | `of`: predicate                 | that is FALSE                        |
| `and`, `or`                     | `of`: two or more predicates    | as SQL says                          |

A null compares to nothing: the answer is UNKNOWN (None), which NOT leaves as it is. How two values
compare is said in `corpora/constants.py`. Standard library only, Python 3.9.
"""

from __future__ import annotations

import json
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Union

from corpora.constants import FAMILIES, TEXT, QueryError, check_constant, comparable, order_key, show
from corpora.tagged import STRING, TaggedError, Type, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpora.tagged import Field, Table

OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
MAX_DEPTH = 32

Truth = Union[bool, None]

_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Compare:
    """The column's value against a constant."""

    path: tuple[str, ...]
    op: str
    type: Type
    value: Value

    def __post_init__(self) -> None:
        check_path(self.path)
        if self.op not in OPERATORS:
            raise QueryError(f"operator {self.op!r:.40} is not one of {', '.join(OPERATORS)}")
        check_constant(self.type, self.value)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"op": self.op, "path": list(self.path), "type": self.type.to_json(), "value": self.value}

    def __str__(self) -> str:
        return f"{show_path(self.path)} {self.op} {show(self.type, self.value)}"


@dataclass(frozen=True)
class In:
    """The column's value equals one of the constants."""

    op: ClassVar[str] = "in"
    path: tuple[str, ...]
    type: Type
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        check_path(self.path)
        if not isinstance(self.values, tuple) or not self.values:
            raise QueryError(f"the values of IN are {self.values!r:.80}, not one or more")
        for value in self.values:
            check_constant(self.type, value)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        body = {"path": list(self.path), "type": self.type.to_json(), "values": list(self.values)}
        return {"op": self.op, **body}

    def __str__(self) -> str:
        return f"{show_path(self.path)} IN ({', '.join(show(self.type, value) for value in self.values)})"


@dataclass(frozen=True)
class IsNull:
    """The column has no value, or a struct above it has none; the only test for columns of any type."""

    op: ClassVar[str] = "is null"
    path: tuple[str, ...]

    def __post_init__(self) -> None:
        check_path(self.path)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"op": self.op, "path": list(self.path)}

    def __str__(self) -> str:
        return f"{show_path(self.path)} IS NULL"


@dataclass(frozen=True)
class StartsWith:
    """The text of a column of type `string`, `json` or `enum` begins with `prefix` (tagged text)."""

    op: ClassVar[str] = "starts with"
    path: tuple[str, ...]
    prefix: str

    def __post_init__(self) -> None:
        check_path(self.path)
        check_constant(STRING, self.prefix)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"op": self.op, "path": list(self.path), "prefix": self.prefix}

    def __str__(self) -> str:
        return f"{show_path(self.path)} STARTS WITH {show(STRING, self.prefix)}"


@dataclass(frozen=True)
class Not:
    """TRUE where the predicate is FALSE; UNKNOWN stays UNKNOWN."""

    op: ClassVar[str] = "not"
    of: Predicate

    def __post_init__(self) -> None:
        _check_predicates((self.of,))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"op": self.op, "of": self.of.to_json()}

    def __str__(self) -> str:
        return f"NOT ({self.of})" if isinstance(self.of, (And, Or)) else f"NOT {self.of}"


@dataclass(frozen=True)
class And:
    """TRUE where all are TRUE, FALSE where one is FALSE, else UNKNOWN."""

    op: ClassVar[str] = "and"
    of: tuple[Predicate, ...]

    def __post_init__(self) -> None:
        _check_many(self.op, self.of)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"op": self.op, "of": [one.to_json() for one in self.of]}

    def __str__(self) -> str:
        return " AND ".join(f"({one})" if isinstance(one, (And, Or)) else str(one) for one in self.of)


@dataclass(frozen=True)
class Or:
    """TRUE where one is TRUE, FALSE where all are FALSE, else UNKNOWN."""

    op: ClassVar[str] = "or"
    of: tuple[Predicate, ...]

    def __post_init__(self) -> None:
        _check_many(self.op, self.of)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"op": self.op, "of": [one.to_json() for one in self.of]}

    def __str__(self) -> str:
        return " OR ".join(f"({one})" if isinstance(one, (And, Or)) else str(one) for one in self.of)


Predicate = Union[Compare, In, IsNull, StartsWith, Not, And, Or]
_PREDICATES = (Compare, In, IsNull, StartsWith, Not, And, Or)


def from_json(data: Any, depth: int = 0) -> Predicate:
    """Read the JSON form of a predicate; raises QueryError for anything else."""
    op = data.get("op") if isinstance(data, dict) else None
    if depth > MAX_DEPTH:
        raise QueryError(f"a predicate is nested deeper than {MAX_DEPTH}")
    if op == "not":
        return Not(from_json(members("not", data, ("op", "of"))["of"], depth + 1))
    if op in ("and", "or"):
        of = members(str(op), data, ("op", "of"))["of"]
        if not isinstance(of, list):
            raise QueryError(f"{op} of {of!r:.80}, not a list")
        return (And if op == "and" else Or)(tuple(from_json(one, depth + 1) for one in of))
    if op == "is null":
        return IsNull(path_from_json(members("is null", data, ("op", "path"))["path"]))
    if op == "starts with":
        data = members("starts with", data, ("op", "path", "prefix"))
        return StartsWith(path_from_json(data["path"]), data["prefix"])
    if op not in (*OPERATORS, "in"):
        raise QueryError(f"not a predicate: {data!r:.80}")
    data = members(str(op), data, ("op", "path", "type", "values" if op == "in" else "value"))
    try:
        type_ = Type.from_json(data["type"])
    except TaggedError as error:
        raise QueryError(f"the type of a constant: {error}") from error
    path = path_from_json(data["path"])
    if op != "in":
        return Compare(path, str(op), type_, data["value"])
    if not isinstance(data["values"], list):
        raise QueryError(f"the values of IN are {data['values']!r:.80}, not a list")
    return In(path, type_, tuple(data["values"]))


def leaves(predicate: Predicate) -> Iterator[Union[Compare, In, IsNull, StartsWith]]:  # noqa: UP007 - 3.9
    """Yield the tests of a predicate that look at a column, from left to right."""
    if isinstance(predicate, Not):
        yield from leaves(predicate.of)
    elif isinstance(predicate, (And, Or)):
        for one in predicate.of:
            yield from leaves(one)
    else:
        yield predicate


def evaluate(predicate: Predicate, table: Table, float_order: str) -> list[int]:
    """Return the ordinals, from 0 and rising, of the rows for which the predicate is TRUE.

    Raises QueryError for a path that the table does not have, or has twice, and for a value that cannot be
    compared: of such a type, of another type than the constant, or known by its digest alone.
    """
    rows: list[int] = []
    first = 0
    for block in table.blocks():
        truth = _truth(predicate, table.columns, block, float_order)
        rows += [first + at for at, known in enumerate(truth) if known]
        first += len(truth)
    return rows


def _truth(predicate: Predicate, fields: tuple[Field, ...], block: list[Any], order: str) -> list[Truth]:
    if isinstance(predicate, Not):
        return [None if one is None else not one for one in _truth(predicate.of, fields, block, order)]
    if isinstance(predicate, (And, Or)):
        decides = isinstance(predicate, Or)  # the value of one that settles the whole
        columns = [_truth(one, fields, block, order) for one in predicate.of]
        return [
            decides if decides in row else (None if None in row else not decides) for row in zip(*columns)
        ]
    type_, values = resolve(predicate.path, fields, block)
    if isinstance(predicate, IsNull):
        return [value is None for value in values]
    if isinstance(predicate, StartsWith):
        if type_.kind not in TEXT:
            raise QueryError(f"{show_path(predicate.path)} is of type {type_}, not text")
        prefix = order_key(STRING, predicate.prefix, order)
        return [
            None if value is None else order_key(type_, value, order).startswith(prefix) for value in values
        ]
    _check_same(predicate.path, type_, predicate.type)
    keys = [None if value is None else order_key(type_, value, order) for value in values]
    if isinstance(predicate, In):
        wanted = [order_key(predicate.type, value, order) for value in predicate.values]
        return [None if key is None else any(key == one for one in wanted) for key in keys]
    constant, test = order_key(predicate.type, predicate.value, order), _TESTS[predicate.op]
    return [None if key is None else test(key, constant) for key in keys]


def resolve(path: tuple[str, ...], fields: tuple[Field, ...], block: list[Any]) -> tuple[Type, list[Value]]:
    """Return the type and the values of a column, or of a field of structs, of one block of a table."""
    at = find(path[0], fields)
    type_, values = fields[at].type, block[at]
    for name in path[1:]:
        if type_.kind != "struct":
            raise QueryError(f"{show_path(path)} goes into a {type_.kind}")
        at = find(name, type_.children)
        type_ = type_.children[at].type
        values = [None if value is None else value[at] for value in values]
    return type_, values


def find(name: str, fields: tuple[Field, ...]) -> int:
    """Return the index of the only field of that name; raises QueryError."""
    found = [at for at, one in enumerate(fields) if one.name == name]
    if len(found) != 1:
        raise QueryError(f"{len(found)} columns are named {name!r:.80}")
    return found[0]


def _check_same(path: tuple[str, ...], column: Type, constant: Type) -> None:
    """Raise QueryError unless a column and a constant are of one kind; widths and units may differ."""
    if not comparable(column):
        raise QueryError(f"{show_path(path)} is of type {column}, which cannot be compared")
    if FAMILIES.get(column.kind, column.kind) != FAMILIES.get(constant.kind, constant.kind):
        raise QueryError(f"{show_path(path)} is of type {column}, not {constant}")


def check_path(path: Any) -> None:
    """Raise QueryError unless `path` is one or more names."""
    if not isinstance(path, tuple) or not path or not all(isinstance(name, str) for name in path):
        raise QueryError(f"path is {path!r:.80}, not names")


def path_from_json(data: Any) -> tuple[str, ...]:
    """Return a path; raises QueryError."""
    if not isinstance(data, list):
        raise QueryError(f"path is {data!r:.80}, not a list")
    return tuple(data)


def members(what: str, data: dict[str, Any], wanted: tuple[str, ...]) -> dict[str, Any]:
    """Return `data` if these are its members; raises QueryError."""
    if set(data) != set(wanted):
        raise QueryError(f"{what} has members {sorted(map(str, data))!r:.120}, not {sorted(wanted)}")
    return data


def _check_predicates(found: tuple[Any, ...]) -> None:
    for one in found:
        if not isinstance(one, _PREDICATES):
            raise QueryError(f"{one!r:.80} is not a predicate")


def _check_many(op: str, of: Any) -> None:
    if not isinstance(of, tuple) or len(of) < 2:
        raise QueryError(f"{op} of {of!r:.80}, not two or more")
    _check_predicates(of)


def show_path(path: tuple[str, ...]) -> str:
    """Return a path for people: dotted, names that would confuse in quotes."""
    return ".".join(name if name.isidentifier() else json.dumps(name) for name in path)
