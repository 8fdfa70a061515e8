"""IS NOT TRUE: each engine's form of it, and what is asked with it."""

from __future__ import annotations

import pytest

from corpora.build.questions import of_column
from corpora.build.questions.columns import ColumnFacts
from corpora.predicates import Compare, In, Not, NotTrue, has_not_true
from corpora.queries import And, CountRows, Filter, IsNull, Or
from corpora.tagged import STRING, integer
from harness.engines.chdb import query as chdb
from harness.engines.daft import query as daft
from harness.engines.databend import query as databend
from harness.engines.datafusion import sql as datafusion
from harness.engines.duckdb import query as duckdb
from harness.engines.errors import Unsupported
from harness.engines.fastparquet import query as fastparquet
from harness.engines.hyper import query as hyper
from harness.engines.polars import query as polars
from harness.engines.pyarrow import query as pyarrow
from harness.engines.pyorc import query as pyorc
from harness.engines.scripts.literals import pushed
from harness.engines.spark import query as spark

X, INT = ("x",), integer(32)
LESS = Compare(X, "<", INT, "3")
FORMS = {
    "chdb": (lambda test: chdb.sql(Filter(test), "t"), " IS DISTINCT FROM TRUE)"),
    "daft": (lambda test: daft.source(Filter(test)), ".fill_null(False)"),
    "databend": (lambda test: databend.sql(Filter(test), "t"), " IS DISTINCT FROM TRUE)"),
    "databend's counts": (lambda test: databend.sql(CountRows(test), "t"), " IS DISTINCT FROM TRUE)"),
    "datafusion": (lambda test: datafusion.statement(test)[0], " IS NOT TRUE)"),
    "duckdb": (lambda test: duckdb.statement(Filter(test)).text, " IS NOT TRUE)"),
    "hyper": (lambda test: hyper.sql(Filter(test), "t"), " IS NOT TRUE)"),
    "polars": (polars.condition, ".fill_null(False)"),
    "pyarrow": (pyarrow.condition, "pc.coalesce("),
    "spark": (lambda test: spark.condition(test).text, " IS NOT TRUE)"),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms(name):
    """Each engine says it in its own way, once for each time that a predicate has it."""
    text, form = FORMS[name]
    assert text(NotTrue(LESS)).count(form) == 1
    assert text(Not(And((NotTrue(Not(LESS)), Or((IsNull(X), NotTrue(LESS))))))).count(form) == 2
    assert form not in text(Not(LESS))


def test_datafusion_is_asked_in_sql():
    """DataFusion's expressions have no such test, so that the whole predicate is SQL."""
    assert datafusion.is_sql(NotTrue(LESS))
    assert datafusion.is_sql(Not(Or((LESS, NotTrue(LESS)))))
    assert not datafusion.is_sql(Not(LESS))


@pytest.mark.parametrize("source", [fastparquet.filters_source, pyorc.search_source])
def test_who_has_no_form(source):
    """Filters of fastparquet and search arguments of ORC C++ have none: the query is unsupported."""
    with pytest.raises(Unsupported, match="IS NOT TRUE"):
        source(Not(NotTrue(LESS)))


def test_python():
    """In Python, where a test of a null is false either way, a null is in what is not TRUE."""

    def leaf(_: object, negated: object) -> str:
        return f"value is not None and {'not ' * bool(negated)}(value < 3)"

    for test, rows in (
        (NotTrue(LESS), [None, 3]),
        (Not(NotTrue(LESS)), [2]),
        (NotTrue(Not(LESS)), [None, 2]),
    ):
        text = pushed(test, leaf)
        assert [value for value in (None, 2, 3) if eval(text, {"value": value})] == rows


def test_a_list_with_null_below_it():
    """FALSE and UNKNOWN are the same to it, so that an engine whose IN is never UNKNOWN is asked."""
    listed = In(X, INT, ("1", None))
    assert ", NULL)) IS DISTINCT FROM TRUE" in chdb.sql(Filter(NotTrue(listed)), "t")
    with pytest.raises(Unsupported, match="never UNKNOWN"):
        chdb.sql(Filter(NotTrue(Not(listed))), "t")


def test_where_it_is():
    """It is found in any place of a predicate."""
    assert has_not_true(Not(Or((LESS, And((LESS, NotTrue(LESS)))))))
    assert not has_not_true(Not(Or((LESS, IsNull(X)))))


@pytest.mark.parametrize(("type_", "values"), [(INT, ("1", "2", "3")), (STRING, ("a", "b", "c"))])
def test_derived_queries(type_, values):
    """A column is asked for the rows of which its bounds would say that a comparison is TRUE: its nulls."""
    queries = of_column.queries(ColumnFacts(X, type_, values))
    assert Filter(NotTrue(Compare(X, ">=", type_, values[0]))) in queries
    assert Filter(NotTrue(Compare(X, "<=", type_, values[-1]))) in queries
    assert Filter(Not(NotTrue(Compare(X, "<", type_, values[-1])))) in queries
