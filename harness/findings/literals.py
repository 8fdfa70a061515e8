"""Constants of queries as source text: of Python, of pyarrow, of SQL; and predicates made of tests as text.

A constant is exactly the value that the query names, as in the adapters (`harness/engines/terms.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpora.constants import TEXT
from corpora.predicates import And, Not, Or
from harness.engines.base import Unsupported
from harness.engines.terms import bytes_of, decimal_text, float_of, integer_of, rescaled, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from corpora.predicates import Predicate
    from corpora.tagged import Type, Value

_COUNTS = ("int", "date", "time", "timestamp", "duration", "int96")
_MOST_DIGITS = 38  # of Arrow's decimal128
_ARROW = {"bool": "pa.bool_()", "date": "pa.date32()", "int96": 'pa.timestamp("ns")', "null": "pa.null()"}


def python(type_: Type, value: Value) -> str:
    """Return a constant as an expression of Python: counts as integers, decimals as text of digits."""
    kind = type_.kind
    if kind in _COUNTS:
        return str(integer_of(type_, value))
    if kind == "float":
        return number(type_, value)
    if kind == "bool":
        return ascii(value)
    if kind == "decimal":
        return ascii(decimal_text(type_, value))
    if kind in TEXT:
        return ascii(text_of(value))
    return ascii(bytes_of(type_, value))


def number(type_: Type, value: Value) -> str:
    """Return a float as an expression of Python."""
    text = ascii(float_of(type_, value))
    return text if text.strip("-")[0].isdigit() else f"float({text!a})"


def nanos(type_: Type, value: Value) -> int:
    """Return a count of time in nanoseconds, days in nanoseconds of days."""
    return rescaled(type_, value, "ns")


def arrow(type_: Type, value: Value, target: str) -> str:
    """Return a constant as a scalar of pyarrow, cast to the type that the expression `target` names."""
    text = python(type_, value)
    if type_.kind == "decimal":
        text = f"decimal.Decimal({text})"
    if type_.kind == "int96":
        text = str(nanos(type_, value))
    return f"pa.scalar({text}, {arrow_type(type_)}).cast({target})"


def arrow_type(type_: Type) -> str:
    """Return the type of a constant as an expression of pyarrow."""
    kind = type_.kind
    if kind in _ARROW:
        return _ARROW[kind]
    if kind == "int":
        return f"pa.{'' if type_.signed else 'u'}int{type_.bits}()"
    if kind == "float":
        return f"pa.float{type_.bits}()"
    if kind == "decimal":
        width = 128 if (type_.precision or 0) <= _MOST_DIGITS else 256
        return f"pa.decimal{width}({type_.precision}, {type_.scale})"
    if kind == "time":
        return f'pa.time{32 if type_.unit in {"s", "ms"} else 64}("{type_.unit}")'
    if kind == "timestamp":
        return f'pa.timestamp("{type_.unit}", {ascii("UTC") if type_.utc else None})'
    if kind == "duration":
        return f'pa.duration("{type_.unit}")'
    return "pa.string()" if kind in TEXT else "pa.binary()"


def joined(
    predicate: Predicate,
    leaf: Callable[[Predicate, bool], str],
    *,
    words: tuple[str, str, str] = ("~", "&", "|"),
) -> str:
    """Return the text of a predicate; `leaf` is told whether an even number of NOT is above its test."""
    return _joined(predicate, leaf, words, plain=True)


def _joined(
    predicate: Predicate, leaf: Callable[[Predicate, bool], str], words: tuple[str, str, str], *, plain: bool
) -> str:
    if isinstance(predicate, Not):
        return f"({words[0]}{_joined(predicate.of, leaf, words, plain=not plain)})"
    if isinstance(predicate, (And, Or)):
        word = words[1] if isinstance(predicate, And) else words[2]
        return f"({f' {word} '.join(_joined(one, leaf, words, plain=plain) for one in predicate.of)})"
    return f"({leaf(predicate, plain)})"


def pushed(predicate: Predicate, leaf: Callable[[Predicate, bool], str], *, negated: bool = False) -> str:
    """Return the text of a predicate in Python, NOT moved down to the tests: `leaf` is told of it.

    By three-valued logic the rows are the same, as long as a test of a null is false either way.
    """
    if isinstance(predicate, Not):
        return pushed(predicate.of, leaf, negated=not negated)
    if isinstance(predicate, (And, Or)):
        word = " and " if isinstance(predicate, And) is not negated else " or "
        return f"({word.join(pushed(one, leaf, negated=negated) for one in predicate.of)})"
    return f"({leaf(predicate, negated)})"


def quoted(name: str, quote: str) -> str:
    """Return a name in the quotes of an SQL."""
    return quote + name.replace(quote, quote * 2) + quote


__all__ = ["Unsupported", "arrow", "arrow_type", "joined", "nanos", "number", "pushed", "python", "quoted"]
