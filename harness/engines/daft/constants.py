"""Constants of queries in Daft: literals of the types of the columns that they are compared with."""

from __future__ import annotations

from corpora.predicates import Computed
from corpora.tagged import Type, Value
from harness.engines.scripts.literals import python
from harness.engines.terms import integer_of, rescaled, time_of_day

_COUNTS = {"date": "int32", "time": "int64", "timestamp": "int64", "int96": "int64", "duration": "int64"}
_CASTS = {
    **{f"int{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    "string": "string",
    "float64": "float64",
}


def cast_target(test: Computed) -> tuple[str, str]:
    """Return the type of the result of a cast or of `year`, and the constant of that type."""
    type_ = test.type
    if type_.kind == "decimal":
        target = f"daft.DataType.decimal128({type_.precision}, {type_.scale})"
        return target, f"daft.lit(decimal.Decimal({python(type_, test.value)})).cast({target})"
    if type_.kind == "timestamp":
        target = f"daft.DataType.timestamp({type_.unit!a}, {ascii('UTC') if type_.utc else None})"
    elif type_.kind == "date":
        target = "daft.DataType.date()"
    else:
        target = f"daft.DataType.{_CASTS.get(str(test.argument), 'int32')}()"
        return target, f"daft.lit({python(type_, test.value)}).cast({target})"
    count = f"daft.lit({integer_of(type_, test.value)}).cast(daft.DataType.{_COUNTS[type_.kind]}())"
    return target, f"{count}.cast({target})"


def constant(type_: Type, value: Value, path: tuple[str, ...]) -> str:
    """Return a literal of the type that Daft reads the column as; counts of time are cast to it."""
    kind, target = type_.kind, f"type_of({path!a})"
    if value is None:
        return f"daft.lit(None).cast({target})"
    if kind == "decimal":
        return f"daft.lit(decimal.Decimal({python(type_, value)})).cast({target})"
    if kind == "time":
        count = f"moment({target}, {time_of_day(type_, value, 'ns')})"
    elif kind in _COUNTS and kind != "date":
        count = f"moment({target}, {rescaled(type_, value, 'ns')})"
    elif kind == "date":
        count = str(integer_of(type_, value))
    else:
        return f"daft.lit({python(type_, value)}).cast({target})"
    return f"daft.lit({count}).cast(daft.DataType.{_COUNTS[kind]}()).cast({target})"
