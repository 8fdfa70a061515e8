"""Conditions of Spark's SQL as text, with the columns whose types they name, and their constants."""

from __future__ import annotations

from corpora.constants import BINARY, TEXT
from corpora.predicates import (
    Compare,
    Computed,
    In,
    IsNull,
    NullSafe,
    StartsWith,
    Test,
    unhandled,
)
from corpora.tagged import Type, Value
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import dotted
from harness.engines.terms import (
    bytes_of,
    constants_of,
    decimal_text,
    float_of,
    integer_of,
    rescaled,
    text_of,
)

_CASTS = {
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "string": "string",
    "float64": "double",
    "date": "date",
}
_FLOATS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


class Builder:
    """Collects the columns whose types a condition names, and the values that depend on those."""

    def __init__(self) -> None:
        self.columns: list[tuple[str, ...]] = []
        self.values: dict[str, str] = {}

    def test(self, test: Test) -> str:
        """Return the text of a test."""
        column = dotted(test.path, "`").replace("{", "{{").replace("}", "}}")
        if isinstance(test, IsNull):
            return f"({column} IS NULL)"
        if isinstance(test, StartsWith):
            return f"startswith({column}, {text_literal(test.prefix)})"
        if test.path not in self.columns:
            self.columns.append(test.path)
        target = f"{{t{self.columns.index(test.path)}}}"
        if isinstance(test, Computed):
            return self.computed(test, column, target)
        constants = [self.constant(type_, value, target) for type_, value in constants_of(test)]
        if isinstance(test, Compare):
            return f"({column} {test.op} {constants[0]})"
        if isinstance(test, NullSafe):
            return f"({column} <=> {constants[0] if constants else f'CAST(NULL AS {target})'})"
        if isinstance(test, In):
            nulls = [f"CAST(NULL AS {target})"] * test.values.count(None)
            return f"({column} IN ({', '.join((*constants, *nulls))}))"
        raise unhandled(test)

    def computed(self, test: Computed, column: str, target: str) -> str:
        """Return a comparison of a function of a column, which is an expression of Spark's type `target`."""
        argument = str(test.argument)
        if test.function == "itself":
            return column
        if test.function == "like":
            return f"({column} LIKE {text_literal(argument)})"
        own = {"cast": _cast_type(test), "year": "int"}
        target = own.get(test.function, target)
        function = {
            "cast": f"CAST({column} AS {target})",
            "add": f"({column} + CAST('{argument}' AS {target}))",
            "year": f"year({column})",
            "date_trunc": f"date_trunc('{argument}', {column})",
            "lower": f"lower({column})",
            "prefix": f"substr({column}, 1, {argument})",
        }[test.function]
        return f"({function} {test.test} {self.constant(test.type, test.value, target)})"

    def constant(self, type_: Type, value: Value, target: str) -> str:
        """Return an expression of Spark's type `target` without a column; wall clocks are the session's."""
        kind = type_.kind
        if kind in ("int", "time"):
            return f"CAST('{integer_of(type_, value)}' AS {target})"
        if kind == "float":
            text = repr(float_of(type_, value))
            return f"CAST('{_FLOATS.get(text, text)}' AS {target})"
        if kind == "decimal":
            return f"CAST('{decimal_text(type_, value)}' AS {target})"
        if kind == "date":
            return f"date_from_unix_date({integer_of(type_, value)})"
        if kind == "timestamp" and type_.unit == "ns":
            return self._nanos(type_, value, target)
        if kind in ("timestamp", "int96"):
            micros = self._micros(type_, value, target)
            return f"CAST(timestamp_micros(CAST('{micros}' AS BIGINT)) AS {target})"
        if kind == "bool":
            return str(value is True)
        if kind in TEXT:
            return f"CAST(X'{bytes_of(type_, value).hex()}' AS {target})"
        if kind in BINARY:
            return f"X'{bytes_of(type_, value).hex()}'"
        raise Unsupported(f"a constant of type {type_}, which Spark has no literal for")

    def _nanos(self, type_: Type, value: Value, target: str) -> str:
        """Return a moment for a column of timestamps, or its count for one that is read as an integer."""
        count = integer_of(type_, value)
        whole, rest = divmod(count, 1000)
        if rest:
            return f"CAST('{count}' AS BIGINT)"  # which `check_constant` lets through for integers alone
        type_name = _name_of(target)
        micros = str(whole) if type_.utc is not False else f"moment({type_name}, {whole})"
        name = f"m{len(self.values)}"
        moment = f"'CAST(timestamp_micros(CAST({{}} AS BIGINT)) AS {{}})'.format({micros}, {type_name})"
        self.values[name] = f"\"CAST('{count}' AS BIGINT)\" if {type_name} == 'bigint' else {moment}"
        return f"{{{name}}}"

    def _micros(self, type_: Type, value: Value, target: str) -> str:
        count = rescaled(type_, value, "us")
        if type_.utc is not False:
            return str(count)
        name = f"m{len(self.values)}"
        self.values[name] = f"moment({_name_of(target)}, {count})"
        return f"{{{name}}}"


def _name_of(target: str) -> str:
    """Return the expression of the name of a type: a name of `Condition`, or a literal."""
    return target[1:-1] if target.startswith("{") else ascii(target)


def _cast_type(test: Computed) -> str:
    """Return Spark's name of the type of a cast; raises Unsupported for nanoseconds."""
    if test.function != "cast" or test.type.kind != "timestamp":
        return _CASTS.get(str(test.argument), str(test.argument))
    if test.type.unit != "us":
        raise Unsupported(f"Spark has no {test.argument}")
    return "timestamp" if test.type.utc else "timestamp_ntz"


def text_literal(value: Value) -> str:
    """Return a text as an expression of SQL, by its bytes."""
    return f"CAST(X'{text_of(value).encode('utf-8').hex()}' AS STRING)"
