"""Predicates as data, in SQL's three-valued logic over tagged values.

A predicate tests top-level columns and fields of structs; a path is the tuple of their names. Constants are
tagged values with the tagged type of the column, so that an engine's adapter can build a literal without
reading the file. As JSON:

| `op`                            | further members                 | is TRUE for rows where               |
|---------------------------------|---------------------------------|--------------------------------------|
| `=`, `!=`, `<`, `<=`, `>`, `>=` | `path`, `type`, `value`         | the comparison holds                 |
| `in`                            | `path`, `type`, `values`        | the column equals one of the values, |
|                                 |                                 | some of which may be null            |
| `is null`                       | `path`                          | the column or its struct is null     |
| `is not distinct from`          | `path`, `type`, `value`         | both are equal, or both are null     |
| `computed`                      | `path`, `function`, `argument`, | a function of the column compares so |
|                                 | `test`, `type`, `value`         | with the constant                    |
| `starts with`                   | `path`, `prefix`                | the text starts with the prefix      |
| `not`                           | `of`: predicate                 | the predicate is FALSE               |
| `is not true`                   | `of`: predicate                 | the predicate is FALSE or UNKNOWN    |
| `and`, `or`                     | `of`: two or more predicates    | all are TRUE; at least one is TRUE   |

A comparison with null is UNKNOWN (None), and NOT UNKNOWN is UNKNOWN; only `is null`, `is not true` and
`is not distinct from`, whose constant may be null, are never UNKNOWN. A list that has a null has it compared,
too: a value that equals none of the others is UNKNOWN to `in`. `corpora/constants.py` defines how two
values compare, `corpora/expressions.py` the functions, `corpora/evaluation.py` evaluates predicates. Standard
library only, Python 3.9.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NoReturn, Union

from corpora import expressions
from corpora.constants import QueryError, check_constant, comparable, show
from corpora.tagged import STRING, TaggedError, Type, Value

OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
MAX_DEPTH = 32


class _Predicate:
    """Base of the predicates, whose JSON form has the operator and the fields."""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return members_of(self, "op")


@dataclass(frozen=True)
class Compare(_Predicate):
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

    def __str__(self) -> str:
        return f"{show_path(self.path)} {self.op} {show(self.type, self.value)}"


@dataclass(frozen=True)
class In(_Predicate):
    """The column's value equals one of the constants, not all of which are null."""

    op: ClassVar[str] = "in"
    path: tuple[str, ...]
    type: Type
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        check_path(self.path)
        if not isinstance(self.values, tuple) or all(value is None for value in self.values):
            raise QueryError(f"the values of IN are {self.values!r:.80}, not one or more")
        for value in self.values:
            if value is not None:
                check_constant(self.type, value)

    def __str__(self) -> str:
        values = ("NULL" if value is None else show(self.type, value) for value in self.values)
        return f"{show_path(self.path)} IN ({', '.join(values)})"


@dataclass(frozen=True)
class IsNull(_Predicate):
    """The column, or a struct that contains it, is null; the only test for columns of any type."""

    op: ClassVar[str] = "is null"
    path: tuple[str, ...]

    def __post_init__(self) -> None:
        check_path(self.path)

    def __str__(self) -> str:
        return f"{show_path(self.path)} IS NULL"


@dataclass(frozen=True)
class NullSafe(_Predicate):
    """The column's value equals the constant, or both are null (SQL's IS NOT DISTINCT FROM)."""

    op: ClassVar[str] = "is not distinct from"
    path: tuple[str, ...]
    type: Type
    value: Value

    def __post_init__(self) -> None:
        check_path(self.path)
        if self.value is not None:
            check_constant(self.type, self.value)
        elif not comparable(self.type):
            raise QueryError(f"constants of type {self.type} cannot be compared")

    def __str__(self) -> str:
        constant = "NULL" if self.value is None else show(self.type, self.value)
        return f"{show_path(self.path)} IS NOT DISTINCT FROM {constant}"


@dataclass(frozen=True)
class Computed(_Predicate):
    """A function of the column's value (`corpora.expressions`) against a constant of the result's type."""

    op: ClassVar[str] = "computed"
    path: tuple[str, ...]
    function: str
    argument: str | None
    test: str
    type: Type
    value: Value

    def __post_init__(self) -> None:
        check_path(self.path)
        expressions.check(self.function, self.argument)
        is_condition = self.function in expressions.CONDITIONS
        if self.test not in OPERATORS or (is_condition and (self.test, self.value) != ("=", True)):
            raise QueryError(f"{self.function} is not compared by {self.test!r:.40} {self.value!r:.40}")
        check_constant(self.type, self.value)

    def __str__(self) -> str:
        if self.function == "itself":
            return show_path(self.path)
        argument = "" if self.argument is None else f", {json.dumps(self.argument)}"
        function = f"{self.function}({show_path(self.path)}{argument})"
        return (
            function if self.function == "like" else f"{function} {self.test} {show(self.type, self.value)}"
        )


@dataclass(frozen=True)
class StartsWith(_Predicate):
    """The text of a column of type `string`, `json` or `enum` begins with `prefix` (tagged text)."""

    op: ClassVar[str] = "starts with"
    path: tuple[str, ...]
    prefix: str

    def __post_init__(self) -> None:
        check_path(self.path)
        check_constant(STRING, self.prefix)

    def __str__(self) -> str:
        return f"{show_path(self.path)} STARTS WITH {show(STRING, self.prefix)}"


@dataclass(frozen=True)
class _OfOne(_Predicate):
    """A predicate about the truth of another."""

    op: ClassVar[str]
    of: Predicate

    def __post_init__(self) -> None:
        _check_predicates((self.of,))


class Not(_OfOne):
    """TRUE where the predicate is FALSE; UNKNOWN where the predicate is UNKNOWN."""

    op = "not"

    def __str__(self) -> str:
        return f"NOT ({self.of})" if isinstance(self.of, (And, Or)) else f"NOT {self.of}"


class NotTrue(_OfOne):
    """TRUE where the predicate is FALSE or UNKNOWN, else FALSE (SQL's IS NOT TRUE)."""

    op = "is not true"

    def __str__(self) -> str:
        return f"({self.of}) IS NOT TRUE"


@dataclass(frozen=True)
class _Junction(_Predicate):
    """Two or more predicates, joined by AND or OR."""

    op: ClassVar[str]
    of: tuple[Predicate, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.of, tuple) or len(self.of) < 2:
            raise QueryError(f"{self.op} of {self.of!r:.80}, not two or more")
        _check_predicates(self.of)

    def __str__(self) -> str:
        parts = (f"({part})" if isinstance(part, _Junction) else str(part) for part in self.of)
        return f" {self.op.upper()} ".join(parts)


class And(_Junction):
    """TRUE where all are TRUE, FALSE where one is FALSE, else UNKNOWN."""

    op = "and"


class Or(_Junction):
    """TRUE where one is TRUE, FALSE where all are FALSE, else UNKNOWN."""

    op = "or"


Test = Union[Compare, In, IsNull, NullSafe, Computed, StartsWith]
Predicate = Union[Test, Not, NotTrue, And, Or]
PREDICATES = (Compare, In, IsNull, NullSafe, Computed, StartsWith, Not, NotTrue, And, Or)


def unhandled(value: NoReturn) -> AssertionError:
    """Return the error of a dispatch that lacks a class: mypy refuses the call where one is left.

    As `typing.assert_never`, which Python has from 3.11.
    """
    return AssertionError(f"not handled: {value!r:.80}")


def from_json(data: Any, depth: int = 0) -> Predicate:
    """Read the JSON form of a predicate; raises QueryError for anything else."""
    op = data.get("op") if isinstance(data, dict) else None
    if depth > MAX_DEPTH:
        raise QueryError(f"a predicate is nested deeper than {MAX_DEPTH}")
    if op in ("not", NotTrue.op):
        part = from_json(members(str(op), data, ("op", "of"))["of"], depth + 1)
        return Not(part) if op == "not" else NotTrue(part)
    if op in ("and", "or"):
        of = members(str(op), data, ("op", "of"))["of"]
        if not isinstance(of, list):
            raise QueryError(f"{op} of {of!r:.80}, not a list")
        return (And if op == "and" else Or)(tuple(from_json(part, depth + 1) for part in of))
    if op == "is null":
        return IsNull(path_from_json(members("is null", data, ("op", "path"))["path"]))
    if op == "starts with":
        data = members("starts with", data, ("op", "path", "prefix"))
        return StartsWith(path_from_json(data["path"]), data["prefix"])
    if op not in (*OPERATORS, "in", NullSafe.op, Computed.op):
        raise QueryError(f"not a predicate: {data!r:.80}")
    more = ("function", "argument", "test") if op == Computed.op else ()
    data = members(str(op), data, ("op", "path", "type", "values" if op == "in" else "value", *more))
    try:
        type_ = Type.from_json(data["type"])
    except TaggedError as error:
        raise QueryError(f"the type of a constant: {error}") from error
    path = path_from_json(data["path"])
    if op == NullSafe.op:
        return NullSafe(path, type_, data["value"])
    if op == Computed.op:
        return Computed(path, data["function"], data["argument"], data["test"], type_, data["value"])
    if op != "in":
        return Compare(path, str(op), type_, data["value"])
    if not isinstance(data["values"], list):
        raise QueryError(f"the values of IN are {data['values']!r:.80}, not a list")
    return In(path, type_, tuple(data["values"]))


def leaves(predicate: Predicate) -> Iterator[Test]:
    """Yield the tests of columns in a predicate, from left to right."""
    if isinstance(predicate, (Not, NotTrue)):
        yield from leaves(predicate.of)
    elif isinstance(predicate, (And, Or)):
        for part in predicate.of:
            yield from leaves(part)
    else:
        yield predicate


def has_not_true(predicate: Predicate) -> bool:
    """Return whether a predicate has an IS NOT TRUE."""
    if isinstance(predicate, (And, Or)):
        return any(map(has_not_true, predicate.of))
    return isinstance(predicate, NotTrue) or (isinstance(predicate, Not) and has_not_true(predicate.of))


def check_path(path: Any) -> None:
    """Raise QueryError unless `path` is one or more names."""
    if not isinstance(path, tuple) or not path or not all(isinstance(name, str) for name in path):
        raise QueryError(f"path is {path!r:.80}, not a tuple of names")


def path_from_json(data: Any) -> tuple[str, ...]:
    """Return a path; raises QueryError."""
    if not isinstance(data, list):
        raise QueryError(f"path is {data!r:.80}, not a list")
    return tuple(data)


def members_of(item: Any, first: str) -> dict[str, Any]:
    """Return the members of the JSON form of a predicate or query: the operator or kind, then the fields."""
    names = [first, *(field.name for field in fields(item) if field.name != first)]
    return {name: _to_json(getattr(item, name)) for name in names}


def _to_json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_to_json(item) for item in value]
    return value.to_json() if hasattr(value, "to_json") else value


def members(what: str, data: dict[str, Any], wanted: tuple[str, ...]) -> dict[str, Any]:
    """Return `data` if these are its members; raises QueryError."""
    if set(data) != set(wanted):
        raise QueryError(f"{what} has members {sorted(map(str, data))!r:.120}, not {sorted(wanted)}")
    return data


def _check_predicates(parts: tuple[Any, ...]) -> None:
    for part in parts:
        if not isinstance(part, PREDICATES):
            raise QueryError(f"{part!r:.80} is not a predicate")


def show_path(path: tuple[str, ...]) -> str:
    """Return a path for people: dotted, with ambiguous names in quotes."""
    return ".".join(name if name.isidentifier() else json.dumps(name) for name in path)
