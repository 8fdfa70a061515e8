"""Comparisons with constants that a column's type lacks, as equal comparisons with a value that it has.

SQL compares by value: `n > 10.5` of integers is `n >= 11`, and `n < 300` of 8 bits holds for each value. A
comparison that holds for each value, or for none, is still UNKNOWN for null. Whether its condition is TRUE
depends on that only below NOT, so that tests for null can stand for it; `is_negated`: it is below an odd
number of NOTs, where it matters whether it is FALSE, and elsewhere whether it is TRUE.
"""

from __future__ import annotations

from fractions import Fraction

from corpora.constants import range_of
from corpora.queries import And, IsNull, Not, Or, Predicate
from corpora.tagged import Type


def with_value(op: str, number: Fraction, type_: Type) -> tuple[str, str] | bool:
    """Return the operator and the value of an equal comparison, or the truth that it has for each value.

    `number` is a number of the units in which the type counts: of hundredths, for a scale of two.
    """
    least, greatest = range_of(type_)
    below = number.numerator // number.denominator
    if number.denominator == 1 and least <= below <= greatest:
        return op, str(below)
    if op in {"=", "!="}:
        return op == "!="
    if op in {"<", "<="}:
        return ("<=", str(below)) if least <= below < greatest else below >= greatest
    above = below + 1  # of a whole number out of range, too: no value is equal to it
    return (">=", str(above)) if least < above <= greatest else above <= least


def of_each_value(path: tuple[str, ...], *, truth: bool, is_negated: bool) -> Predicate:
    """Return the condition for a comparison that has the same truth for each value but null."""
    is_null = IsNull(path)
    if is_negated:
        return Or((is_null, Not(is_null))) if truth else is_null
    return Not(is_null) if truth else never(path)


def never(path: tuple[str, ...]) -> Predicate:
    """Return a condition that is FALSE for each row."""
    return And((IsNull(path), Not(IsNull(path))))
