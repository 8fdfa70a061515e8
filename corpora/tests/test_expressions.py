"""Functions of columns: their results, and where they are not the same to all engines."""

from __future__ import annotations

import pytest

from corpora import tagged
from corpora.constants import QueryError, UndefinedError
from corpora.evaluation import evaluate
from corpora.expressions import apply, check, result_type
from corpora.predicates import Computed, Not
from corpora.tagged import BOOL, DATE, STRING, Table, decimal, floating, integer, timestamp

BYTE, INT, LONG = integer(8), integer(32), integer(64)
MICROS = timestamp("us", utc=False)
MOMENT = "1600000000000001"  # 2020-09-13 12:26:40.000001


@pytest.mark.parametrize(
    ("function", "argument", "type_", "value", "result"),
    [
        ("cast", "int64", INT, "-5", "-5"),
        ("cast", "string", INT, "-5", "-5"),
        ("cast", "float64", floating(32), "3dcccccd", "3fb99999a0000000"),
        ("cast", "float64", floating(16), "8000", "8000000000000000"),
        ("cast", "decimal(38, 4)", decimal(5, 2), "-123", "-12300"),
        ("cast", "decimal(38, 38)", decimal(1, 1), "5", f"5{'0' * 37}"),
        ("itself", None, BOOL, False, False),
        ("cast", "date", timestamp("us", utc=True), "-1", "-1"),
        ("cast", "date", timestamp("ns", utc=False), "86400000000000", "1"),
        ("cast", "timestamp(us)", DATE, "-2", "-172800000000"),
        ("cast", "timestamp(us)", timestamp("ms", utc=True), "-3", "-3000"),
        ("cast", "timestamp(ns)", timestamp("us", utc=False), "9223372036854775", "9223372036854775000"),
        ("add", "-1", BYTE, "-127", "-128"),
        ("year", None, DATE, "-1", "1969"),
        ("year", None, MICROS, "-1", "1969"),
        ("year", None, timestamp("ns", utc=True), f"{MOMENT}000", "2020"),
        ("date_trunc", "year", MICROS, MOMENT, "1577836800000000"),
        ("date_trunc", "month", MICROS, MOMENT, "1598918400000000"),
        ("date_trunc", "day", timestamp("ms", utc=True), "-1", "-86400000"),
        ("date_trunc", "hour", MICROS, MOMENT, "1599998400000000"),
        ("lower", None, STRING, "aB", "ab"),
        ("prefix", "2", STRING, "éà!", "éà"),
        ("like", "a%_", STRING, "a\nb", True),
        ("like", "a.%", STRING, "abc", False),
        ("like", "%", STRING, None, None),
    ],
)
def test_results(function, argument, type_, value, result):
    """Each function has the result that the manuals of engines give; that of null is null."""
    check(function, argument)
    assert apply(function, argument, type_, value) == result


@pytest.mark.parametrize(
    ("function", "argument", "type_", "value"),
    [
        ("cast", "int8", INT, "128"),
        ("cast", "string", floating(32), "00000000"),
        ("cast", "decimal(38, 1)", decimal(5, 2), "1"),
        ("cast", "decimal(38, 36)", decimal(5, 2), "1"),
        ("cast", "decimal(38, 2)", INT, "1"),
        ("cast", "date", timestamp("ms", utc=True), "253402300800000"),
        ("cast", "timestamp(us)", DATE, "2932897"),
        ("cast", "timestamp(ns)", DATE, "1"),
        ("cast", "timestamp(us)", timestamp("ns", utc=True), "1000"),
        ("cast", "timestamp(ns)", timestamp("us", utc=False), "9223372036854776"),
        ("cast", "date", DATE, "1"),
        ("add", "1", BYTE, "127"),
        ("add", "-1", integer(8, signed=False), "5"),
        ("year", None, DATE, "2932897"),
        ("year", None, DATE, "-719163"),
        ("year", None, timestamp("ns", utc=False), str((1 << 63) - 1)),
        ("lower", None, STRING, "É"),
        ("prefix", "1", STRING, "\udcff"),
        ("lower", None, STRING, {"sha256": "0", "bytes": 9}),
    ],
)
def test_what_engines_differ_about(function, argument, type_, value):
    """A result that engines do not agree on is not defined."""
    with pytest.raises(QueryError):
        apply(function, argument, type_, value)


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        ("upper", None),
        ("year", "1"),
        ("cast", "int128"),
        ("cast", "decimal(38, 39)"),
        ("cast", "decimal(9, 2)"),
        ("add", "01"),
        ("add", 1),
        ("date_trunc", "week"),
        ("prefix", "-1"),
        ("like", "a\\%"),
        ("like", None),
    ],
)
def test_arguments(function, argument):
    """A function takes its own arguments alone."""
    with pytest.raises(QueryError):
        check(function, argument)


def test_result_types():
    """The result has the type that engines compare it as; a function has columns of its own."""
    assert result_type("cast", "int64", INT) == LONG
    assert result_type("cast", "timestamp(ns)", timestamp("us", utc=True)) == timestamp("ns", utc=True)
    assert result_type("add", "1", BYTE) == BYTE
    assert result_type("like", "%", STRING) == BOOL
    with pytest.raises(QueryError):
        result_type("lower", None, tagged.BYTES)


def test_predicates_of_functions():
    """A comparison of a function is UNKNOWN for null, and FALSE or TRUE else."""
    table = Table.of([("x", STRING)], [["ab", None, "b"]])
    test = Computed(("x",), "prefix", "1", "=", STRING, "a")
    assert evaluate(test, table, "ieee") == [0]
    assert evaluate(Not(test), table, "ieee") == [2]
    with pytest.raises(QueryError):
        Computed(("x",), "like", "a%", "=", BOOL, value=False)


@pytest.mark.parametrize(
    ("function", "type_", "value"),
    [("year", DATE, "2932897"), ("lower", STRING, "É"), ("lower", STRING, "\udcff")],
)
def test_a_value_without_a_result_is_no_invalid_query(function, type_, value):
    """The query is right, and a function of the value is not defined: the error is one of its own."""
    predicate = Computed(("x",), function, None, "=", result_type(function, None, type_), "7")
    with pytest.raises(UndefinedError):
        evaluate(predicate, Table.of([("x", type_)], [[value]]), "ieee")
    with pytest.raises(QueryError) as wrong:
        evaluate(predicate, Table.of([("x", BYTE)], [["1"]]), "ieee")
    assert not isinstance(wrong.value, UndefinedError)
