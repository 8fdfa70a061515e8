"""Constants of queries in Polars: literals of the types of the columns that they are compared with."""

from __future__ import annotations

from typing import Any

from corpora.constants import TEXT
from corpora.predicates import Computed
from corpora.tagged import Type, Value
from harness.engines.errors import Unsupported
from harness.engines.polars.versions import is_float, is_integer, text_type, unit
from harness.engines.scripts.literals import python
from harness.engines.terms import bytes_of, integer_of, nanos_of, rescaled, text_of, time_of_day

_TIMES = ("time", "timestamp", "int96", "duration")
_NUMBERS = ("int", "float", "decimal")  # where a column of bytes carries one, bytes have another order

_CASTS = {
    **{f"int{bits}": f"pl.Int{bits}" for bits in (8, 16, 32, 64)},
    "string": "(pl.String if hasattr(pl, 'String') else pl.Utf8)",
    "float64": "pl.Float64",
}


def check_constant(pl: Any, type_: Type, value: Value, dtype: Any) -> None:
    """Raise Unsupported for a constant that a column of this type has not."""
    kind = type_.kind
    if kind == "time" and dtype == pl.Time:
        time_of_day(type_, value, "ns")
    elif kind in ("timestamp", "int96", "duration") and dtype in (pl.Datetime, pl.Duration):
        rescaled(type_, value, unit(dtype))
    elif kind in TEXT and dtype == text_type(pl):
        text_of(value)
    elif not (
        kind == "bool"
        or (kind == "int" and is_integer(pl, dtype))
        or (kind == "float" and is_float(pl, dtype))
        or (kind == "decimal" and dtype == pl.Decimal)
        or (kind == "date" and dtype == pl.Date)
        or (kind not in _NUMBERS and dtype == pl.Binary)
    ):
        raise Unsupported(f"a constant of type {type_} for a column of type {dtype}")


def constant(type_: Type, value: Value, path: tuple[str, ...]) -> str:
    """Return the source of a literal of the type of the column that it is compared with."""
    kind, target = type_.kind, f"type_of({path!a})"
    if value is None:
        return f"pl.lit(None, dtype={target})"
    if kind == "bool":
        return f"pl.lit({python(type_, value)})"
    if kind == "date":
        return f"pl.lit({integer_of(type_, value)}, dtype=pl.Int32).cast(pl.Date)"
    if kind in _TIMES:
        return f"moment(pl, {nanos_of(type_, value)}, {target})"
    if kind == "decimal":
        return f"pl.lit(decimal.Decimal({python(type_, value)}), dtype={target})"
    if kind in ("int", "float"):
        return f"pl.lit({python(type_, value)}, dtype={target})"
    raw = f"{bytes_of(type_, value)!a}"
    if kind not in TEXT:
        return f"pl.lit({raw})"
    try:
        return f"pl.lit({raw} if {target} == pl.Binary else {text_of(value)!a})"
    except Unsupported:  # only columns of bytes are compared with it
        return f"pl.lit({raw})"


def cast_target(test: Computed) -> tuple[str, str]:
    """Return the type of the result of a cast or of `year`, and the constant of that type."""
    target, type_ = _CASTS.get(str(test.argument), "pl.Int32"), test.type
    if type_.kind == "decimal":
        target = f"pl.Decimal({type_.precision}, {type_.scale})"
        return target, f"pl.lit(decimal.Decimal({python(type_, test.value)}), dtype={target})"
    if type_.kind == "timestamp":
        target = f"pl.Datetime({type_.unit!a}, {ascii('UTC') if type_.utc else None})"
        return target, f"pl.lit({integer_of(type_, test.value)}, dtype=pl.Int64).cast({target})"
    if type_.kind == "date":
        return "pl.Date", f"pl.lit({integer_of(type_, test.value)}, dtype=pl.Int32).cast(pl.Date)"
    return target, f"pl.lit({python(type_, test.value)}, dtype={target})"
