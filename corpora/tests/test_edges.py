"""The tests at the edges of a column: its extremes and their neighbours, NaN, zeros, nulls."""

from __future__ import annotations

import pytest

from corpora.build.edges import tests as edge_tests
from corpora.predicates import Compare, IsNull, Not, NullSafe, StartsWith
from corpora.tagged import STRING, Type, floating, integer

_X = ("x",)
_NAN, _ONE, _TWO = "7fc00000", "3f800000", "40000000"


def compared(type_: Type, values: tuple[str, ...]) -> set[tuple[str, str]]:
    """Return the operators and constants of the comparisons."""
    tests = edge_tests(_X, type_, values)
    assert len(set(tests)) == len(tests)
    return {(test.op, str(test.value)) for test in tests if isinstance(test, Compare)}


def test_extremes_and_their_neighbours_are_asked() -> None:
    """Both extremes are asked in each operator that selects them alone or just not, and both neighbours."""
    assert compared(integer(32), ("3", "7", "9")) == {
        *(("=", "3"), ("=", "9"), ("<=", "3"), (">=", "9"), ("<", "3"), (">", "9")),
        *(("=", "2"), ("=", "10"), ("<", "4"), (">", "8"), ("=", "7"), ("=", "4")),
        *(("!=", "3"), ("!=", "9")),
    }


def test_texts_are_asked_by_the_beginnings_of_their_extremes() -> None:
    """Prefixes are shorter than a bound that is cut, as long, and longer."""
    tests = edge_tests(_X, STRING, ("a" * 80, "b"))
    prefixes = {test.prefix for test in tests if isinstance(test, StartsWith)}
    assert prefixes == {"a", "a" * 16, "a" * 64, "b"}


def test_neighbours_that_the_type_lacks_are_left_out() -> None:
    """Below the least value of the type nothing is asked."""
    values = (str(-(1 << 63)), str((1 << 63) - 1))
    constants = {int(value) for _, value in compared(integer(64), values)}
    assert min(constants) == -(1 << 63)
    assert max(constants) == (1 << 63) - 1


def test_floats_are_asked_nan_and_both_zeros() -> None:
    """NaN is no extreme; NaN and both zeros are asked, also with null-safe equality."""
    tests = edge_tests(_X, floating(32), (_ONE, _TWO, _NAN))
    assert ("=", _TWO) in compared(floating(32), (_ONE, _TWO, _NAN))
    assert (">", _NAN) not in compared(floating(32), (_ONE, _TWO, _NAN))
    assert {("=", _NAN), ("!=", _NAN), ("=", "00000000"), ("=", "80000000")} <= compared(
        floating(32), (_ONE, _TWO, _NAN)
    )
    safe = {test.value for test in tests if isinstance(test, NullSafe)}
    assert safe == {_ONE, _TWO, _NAN, "00000000", "80000000", None}


@pytest.mark.parametrize("values", [(), ("a",), ("", "a", "\U0010ffff")])
def test_nulls_are_always_asked(values) -> None:
    """A column of any values, or of none, is asked for nulls in three ways."""
    tests = edge_tests(_X, STRING, values)
    assert {IsNull(_X), Not(IsNull(_X)), NullSafe(_X, STRING, None)} <= set(tests)
