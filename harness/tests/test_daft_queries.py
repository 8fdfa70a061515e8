"""Queries of Daft: the source that the adapter evaluates, and columns and constants that do not fit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from corpora.predicates import And, Compare, Computed, In, IsNull, Not, NullSafe, Predicate, StartsWith
from corpora.queries import (
    Aggregate,
    AntiJoin,
    Distinct,
    Filter,
    Groups,
    Project,
    Query,
    SemiJoin,
    Slice,
    Top,
    TopWhere,
)
from corpora.tagged import BOOL, DATE, STRING, decimal, floating, integer, timestamp
from harness.engines.daft.query import ask, source
from harness.engines.errors import Unsupported

INT = integer(32)
X, AT = ("x",), "type_of(('x',))"
ONE = f"daft.lit(1).cast({AT})"
MATCH = "right_on=daft.col('colconf_match')"
SMALL = f"daft.from_pydict({{'': [None]}}).select({ONE}.alias('colconf_match'))"


@pytest.mark.parametrize(
    ("predicate", "text"),
    [
        (Compare(X, "=", INT, "1"), f"daft.col('x') == {ONE}"),
        (IsNull(("s", "y")), "daft.col('s').get('y').is_null()"),
        (NullSafe(X, INT, None), f"daft.col('x').eq_null_safe(daft.lit(None).cast({AT}))"),
        (
            In(X, STRING, ("a", "b")),
            f"daft.col('x').is_in([daft.lit('a').cast({AT}), daft.lit('b').cast({AT})])",
        ),
        (StartsWith(X, "é"), "daft.col('x').startswith('\\xe9')"),
        (Compare(X, ">", DATE, "-1"), f"daft.col('x') > daft.lit(-1).cast(daft.DataType.int32()).cast({AT})"),
        (
            Compare(X, "<", timestamp("ms", utc=True), "5"),
            f"daft.col('x') < daft.lit(moment({AT}, 5000000)).cast(daft.DataType.int64()).cast({AT})",
        ),
        (
            Compare(X, "!=", decimal(9, 2), "-5"),
            f"daft.col('x') != daft.lit(decimal.Decimal('-0.05')).cast({AT})",
        ),
        (
            Computed(X, "year", None, "=", INT, "7"),
            "daft.col('x').year() == daft.lit(7).cast(daft.DataType.int32())",
        ),
        (Computed(X, "add", "3", "=", INT, "1"), f"(daft.col('x') + daft.lit(3).cast({AT})) == {ONE}"),
        (Computed(X, "like", "a%", "=", BOOL, True), "daft.col('x').like('a%')"),
    ],
    ids=str,
)
def test_predicates(predicate: Predicate, text: str) -> None:
    """Each test is an expression, and each constant a literal in the type of its column."""
    assert source(Filter(predicate)) == f"frame.where(({text}))"


@pytest.mark.parametrize(
    ("query", "text"),
    [
        (Project(("b", "a")), "frame.select(daft.col('b'), daft.col('a'))"),
        (Slice(2, 3), "frame.offset(2).limit(3)"),
        (
            Slice(0, 1, IsNull(X), ("y",)),
            "frame.where((daft.col('x').is_null())).offset(0).limit(1).select(daft.col('y'))",
        ),
        (Distinct(X), "frame.select(daft.col('x').alias('value')).distinct()"),
        (
            Top(X, 4, descending=True, nulls_first=True),
            "frame.select(daft.col('x').alias('value')).sort('value', desc=True, nulls_first=True).limit(4)",
        ),
        (
            TopWhere(X, 4, True, True, ("y",), IsNull(("y",)), 2),
            (
                "frame.where((daft.col('y').is_null())).sort(daft.col('x'), desc=True, nulls_first=True)"
                ".offset(2).limit(4).select(daft.col('y'))"
            ),
        ),
        (SemiJoin(X, INT, ("1",)), f"frame.join({SMALL}, left_on=daft.col('x'), {MATCH}, how='semi')"),
        (AntiJoin(X, INT, ("1",)), f"frame.join({SMALL}, left_on=daft.col('x'), {MATCH}, how='anti')"),
    ],
    ids=str,
)
def test_kinds(query: Query, text: str) -> None:
    """Each kind of query is a frame of Daft."""
    assert source(query) == text


def test_conditions_and_counts() -> None:
    """Tests are joined by Daft's operators, and counts are 64-bit integers with a sign."""
    both = Filter(And((Not(IsNull(X)), IsNull(("y",)))))
    assert "~" in source(both)
    assert " & " in source(both)
    for query in (Groups(X), Aggregate(X)):
        assert "daft.col('rows').cast(daft.DataType.int64())" in source(query)


@pytest.mark.parametrize(
    "query",
    [
        AntiJoin(X, INT, ("1",), not_in=True),
        Filter(IsNull(("*",))),
        Filter(IsNull(X), ()),
        Filter(Computed(X, "date_trunc", "month", "=", timestamp("us", utc=True), "0")),
    ],
    ids=str,
)
def test_what_daft_has_no_expression_of(query: Query) -> None:
    """What cannot be said is unsupported, and no other query is asked."""
    with pytest.raises(Unsupported):
        source(query)


class _Type:
    """A type of Daft that is nothing but 32-bit integers."""

    def __getattr__(self, name: str) -> Any:
        return lambda: name in {"is_integer", "is_int32"}


@pytest.mark.parametrize(
    "query",
    [
        Filter(Compare(X, "=", STRING, "1")),
        SemiJoin(X, floating(64), ("3ff0000000000000",)),
        Filter(StartsWith(X, "a")),
        Filter(Computed(X, "lower", None, "=", STRING, "a")),
        Filter(IsNull(("x", "y"))),
        Project(("y",)),
        Distinct(("y",)),
    ],
    ids=str,
)
def test_what_does_not_fit_the_columns(query: Query) -> None:
    """A constant of another type than its column, and a column that is not there, are not asked for."""
    frame = SimpleNamespace(schema=lambda: [SimpleNamespace(name="x", dtype=_Type())])
    with pytest.raises(Unsupported):
        ask(None, frame, query)
