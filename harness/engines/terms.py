"""From predicates to what an engine calls an expression: what the adapters share.

Constants become an engine's literals without a detour through `datetime`, decimal text of other digits, or
floats of another width: a query must ask for exactly the value that it names. Standard library only (plus
the engine), Python 3.9.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from decimal import Decimal
from typing import Any

from corpora import constants
from corpora.predicates import (
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
    Test,
    unhandled,
)
from corpora.tagged import NANOSECONDS, Type, Value
from harness.engines.errors import Unsupported

IS_NOT_TRUE = "({} IS NOT TRUE)"
_DAY = 86_400_000_000_000
bytes_of = constants.bytes_of
float_of = constants.float_of


def combine(
    predicate: Predicate,
    leaf: Callable[[Test, bool], Any],
    *,
    invert: Callable[[Any], Any] = operator.invert,
    untrue: Callable[[Any], Any] = operator.invert,
    both: Callable[[Any, Any], Any] = operator.and_,
    either: Callable[[Any, Any], Any] = operator.or_,
    plain: bool = True,
) -> Any:
    """Return an engine's expression for a predicate, made of its expressions for the leaves.

    `leaf` is given a test and whether it stands below an even number of NOTs: there FALSE and UNKNOWN are the
    same to a filter, and to the nearest IS NOT TRUE above.
    """
    rest: dict[str, Any] = {"invert": invert, "untrue": untrue, "both": both, "either": either}
    if isinstance(predicate, Not):
        return invert(combine(predicate.of, leaf, plain=not plain, **rest))
    if isinstance(predicate, NotTrue):
        return untrue(combine(predicate.of, leaf, **rest))
    if not isinstance(predicate, (And, Or)):
        return leaf(predicate, plain)
    join = both if isinstance(predicate, And) else either
    result, *others = [combine(part, leaf, plain=plain, **rest) for part in predicate.of]
    for other in others:
        result = join(result, other)
    return result


def where(predicate: Predicate, leaf: Callable[[Test], str], untrue: str = IS_NOT_TRUE) -> str:
    """Return the text of a predicate in SQL; `untrue` is its form of IS NOT TRUE, with {} for the part."""
    return str(
        combine(
            predicate,
            lambda test, _: leaf(test),
            invert=lambda part: f"(NOT {part})",
            untrue=lambda part: untrue.replace("{}", part),
            both=lambda left, other: f"({left} AND {other})",
            either=lambda left, other: f"({left} OR {other})",
        )
    )


def constants_of(test: Test) -> list[tuple[Type, Value]]:
    """Return the constants that a test compares a column with, nulls excepted."""
    if isinstance(test, (Compare, Computed)):
        return [(test.type, test.value)]
    if isinstance(test, In):
        return [(test.type, value) for value in test.values if value is not None]
    if isinstance(test, NullSafe):
        return [] if test.value is None else [(test.type, test.value)]
    if isinstance(test, (IsNull, StartsWith)):
        return []
    raise unhandled(test)


def check_unknown(test: In, *, plain: bool) -> None:
    """Raise Unsupported for NULL in a list below NOT, for an engine whose IN is FALSE where SQL's is UNKNOWN.

    `plain`: the test stands below an even number of NOTs; there a filter leaves out both.
    """
    if None in test.values and not plain:
        raise Unsupported("IN of a list with NULL is TRUE or FALSE here, and never UNKNOWN")


def only(name: str, names: Iterable[str], *, fold: bool = False) -> str:
    """Return `name` if exactly one column has it, for an engine that folds case: nor one like it."""
    same = [column for column in names if column == name or (fold and column.lower() == name.lower())]
    if same != [name]:
        raise Unsupported(
            f"columns {same} have the same name {name!r:.80}: the engine cannot select one of them"
        )
    return name


def each_once(names: Collection[str], *, fold: bool = False) -> None:
    """Raise Unsupported as `only` does if it would for any of `names`, in time linear in their number."""
    folded = Counter(name.lower() if fold else name for name in names)
    for name in names:
        if folded[name.lower() if fold else name] > 1:
            only(name, names, fold=fold)


def integer_of(type_: Type, value: Value) -> int:
    """Return the count or the integer that a constant is."""
    if type_.kind not in ("int", "date", "time", "timestamp", "duration", "int96"):
        raise Unsupported(f"a constant of type {type_} is no integer")
    return int(str(value))


def nanos_of(type_: Type, value: Value) -> int:
    """Return a count of time in nanoseconds, whatever bits that takes."""
    return integer_of(type_, value) * NANOSECONDS["ns" if type_.kind == "int96" else str(type_.unit)]


def rescaled(type_: Type, value: Value, unit: str) -> int:
    """Return a count of another unit; raises Unsupported if it is no whole number, or not one of 64 bits."""
    count, rest = divmod(nanos_of(type_, value), NANOSECONDS[unit])
    if rest or not -(1 << 63) <= count < 1 << 63:
        raise Unsupported(f"{value} {type_.unit} is no count of {unit} in 64 bits")
    return count


def time_of_day(type_: Type, value: Value, unit: str) -> int:
    """Return the count of units since midnight; raises Unsupported for one that no day has."""
    count = rescaled(type_, value, unit)
    if not 0 <= count * NANOSECONDS[unit] < _DAY:
        raise Unsupported(f"{value} {type_.unit} is no time of a day")
    return count


def decimal_text(type_: Type, value: Value) -> str:
    """Return all digits of a decimal constant, such as `-0.05`."""
    return f"{_decimal(type_, value):f}"


def _decimal(type_: Type, value: Value) -> Decimal:
    unscaled = int(str(value))
    return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -(type_.scale or 0)))


def text_of(value: Value) -> str:
    """Return the text of a constant; raises Unsupported if its bytes are not UTF-8."""
    text = str(value)
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise Unsupported(f"the constant {text!r:.80} is not UTF-8")
    return text


def arrow_type(pa: Any, schema: Any, path: tuple[str, ...]) -> Any:
    """Return the Arrow type at a path of a schema; raises Unsupported where there is none, or two."""
    type_ = schema.field(only(path[0], schema.names)).type
    for name in path[1:]:
        if not pa.types.is_struct(type_):
            raise Unsupported(f"{name!r:.80} is in a {type_}, not in a struct")
        type_ = type_[only(name, [field.name for field in type_])].type
    return type_
