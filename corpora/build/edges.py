"""The tests at the edges of a column, where a reader that skips rows by statistics loses them first.

For each column: the least and the greatest value, both neighbours of each, all values but these, a value
that is there and one between the extremes that is not, NaN, both zeros, the texts that begin as the extremes,
null-safe equality, and the tests for null.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpora.build.questions import constants
from corpora.build.questions.columns import is_constant
from corpora.constants import TEXT
from corpora.predicates import Compare, IsNull, Not, NullSafe, Predicate, StartsWith
from corpora.tagged import Type, Value

Path = tuple[str, ...]
_PREFIXES = (1, 16, 64)  # characters: fewer than bounds that are cut have bytes, and as many


def tests(path: Path, type_: Type, values: Sequence[Value]) -> list[Predicate]:
    """Return the tests at the edges of a column of a comparable type, each once.

    `values` are distinct values of the column in its order, nulls excepted; a NaN may stand anywhere.
    """
    return list(dict.fromkeys(_tests(path, type_, values)))


def _tests(path: Path, type_: Type, values: Sequence[Value]) -> Iterator[Predicate]:
    def compare(op: str, value: Value) -> Iterator[Predicate]:
        if value is not None and is_constant(type_, value):
            yield Compare(path, op, type_, value)

    ordered = [value for value in values if not constants.is_nan(type_, value)]
    if ordered:
        low, middle, high = ordered[0], ordered[len(ordered) // 2], ordered[-1]
        for op, value in (("=", low), ("=", high), ("<=", low), (">=", high), ("<", low), (">", high)):
            yield from compare(op, value)
        for value in (low, high):  # where both bounds are one value, NaN and nulls may stand beside it
            yield from compare("!=", value)
        for op, value in (("=", constants.below(type_, low)), ("=", constants.above(type_, high))):
            yield from compare(op, value)
        yield from compare("<", constants.above(type_, low))
        yield from compare(">", constants.below(type_, high))
        yield from compare("=", middle)
        yield from compare("=", constants.between(type_, low, high, values))
        for value in (low, high):
            if is_constant(type_, value):
                yield NullSafe(path, type_, value)
        if type_.kind in TEXT:
            yield from (StartsWith(path, str(value)[:end]) for value in (low, high) for end in _PREFIXES)
    if type_.kind == "float":
        yield from _of_floats(path, type_)
    yield NullSafe(path, type_, None)
    yield IsNull(path)
    yield Not(IsNull(path))


def _of_floats(path: Path, type_: Type) -> Iterator[Predicate]:
    """Yield tests with NaN, which bounds leave out, and with both zeros, which bounds may exchange."""
    nan = constants.nan(type_)
    yield from (Compare(path, op, type_, nan) for op in ("=", "!=", "<"))
    yield NullSafe(path, type_, nan)
    for zero in constants.zeros(type_):
        yield from (Compare(path, op, type_, zero) for op in ("=", "<", ">"))
        yield NullSafe(path, type_, zero)
