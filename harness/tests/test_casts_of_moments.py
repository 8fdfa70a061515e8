"""Filters of dates and timestamps through a cast, and of booleans as conditions: texts and answers."""

from __future__ import annotations

import pytest

from corpora.answers import answer
from corpora.build.questions import of_column
from corpora.build.questions.columns import columns_of
from corpora.constants import QueryError
from corpora.predicates import Computed, Not
from corpora.queries import Filter
from corpora.tagged import BOOL, DATE, Table, integer, timestamp
from harness.children.worker import open_engine
from harness.engines.chdb import query as chdb
from harness.engines.daft import query as daft
from harness.engines.databend import query as databend
from harness.engines.datafusion import sql as datafusion
from harness.engines.duckdb import query as duckdb
from harness.engines.errors import Unsupported
from harness.engines.hyper import query as hyper
from harness.engines.polars import query as polars
from harness.engines.registry import ENGINES
from harness.engines.scripts.literals import joined
from harness.engines.spark import query as spark
from harness.judging import query_subjects
from harness.judging.traits import Traits
from harness.tests.query_files import compared

UTC, LOCAL = timestamp("us", utc=True), timestamp("us", utc=False)
TEXTS = {
    "chdb": lambda test: chdb.sql(Filter(test), "t"),
    "daft": lambda test: joined(test, daft._test, untrue=""),
    "databend": lambda test: databend.sql(Filter(test), "t"),
    "datafusion": lambda test: datafusion.statement(test)[0],
    "duckdb": lambda test: duckdb.statement(Filter(test)).text,
    "hyper": lambda test: hyper.sql(Filter(test), "t"),
    "polars": polars.condition,
    "spark": lambda test: spark.condition(test).text,
}


def equality(function, argument, type_, value):
    """Return an equality of a function of the column x."""
    return Computed(("x",), function, argument, "=", type_, value)


OF_MICROSECONDS = {
    "chdb": "CAST(`x`, 'Nullable(DateTime64(6, \\'UTC\\'))')",
    "daft": ".cast(daft.DataType.timestamp('us', None))",
    "databend": 'CAST("x" AS TIMESTAMP)',
    "datafusion": "arrow_cast(\"x\", 'Timestamp(Microsecond, None)')",
    "duckdb": 'CAST("x" AS TIMESTAMP)',
    "hyper": 'CAST("x" AS timestamp)',
    "polars": ".cast(pl.Datetime('us', None))",
    "spark": "CAST(`x` AS timestamp_ntz)",
}
OF_NANOSECONDS = {
    "chdb": "DateTime64(9",
    "daft": "timestamp('ns', None)",
    "datafusion": "Timestamp(Nanosecond, None)",
    "duckdb": "TIMESTAMP_NS",
    "polars": "pl.Datetime('ns', None)",
}
OF_UTC = {
    "daft": "timestamp('us', 'UTC')",
    "datafusion": 'Timestamp(Microsecond, Some("UTC"))',
    "duckdb": "TIMESTAMP WITH TIME ZONE",
    "hyper": "timestamptz",
    "polars": "pl.Datetime('us', 'UTC')",
    "spark": "AS timestamp)",
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_type_of_a_cast(name):
    """A cast names the engine's type of the unit, and of instants that of UTC; what has none is not asked."""
    text = TEXTS[name]
    assert OF_MICROSECONDS[name] in text(equality("cast", "timestamp(us)", LOCAL, "0"))
    assert "date" in text(equality("cast", "date", DATE, "0")).lower()
    if name in OF_UTC:
        assert OF_UTC[name] in text(equality("cast", "timestamp(us)", UTC, "0"))
    nanoseconds = equality("cast", "timestamp(ns)", timestamp("ns", utc=False), "0")
    if name in OF_NANOSECONDS:
        assert OF_NANOSECONDS[name] in text(nanoseconds)
    else:
        with pytest.raises(Unsupported):
            text(nanoseconds)


def test_instants_of_nanoseconds_in_duckdb():
    """DuckDB has no instants of nanoseconds, so they are not asked for."""
    with pytest.raises(Unsupported, match="microseconds"):
        TEXTS["duckdb"](equality("cast", "timestamp(ns)", timestamp("ns", utc=True), "0"))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_other_functions_of_moments(name, unit):
    """The unit of a timestamp decides about casts alone: it is truncated, and has a year, in every unit."""
    text = TEXTS[name]
    truncated = equality("date_trunc", "day", timestamp(unit, utc=False), "0")
    assert ("truncate" if name == "polars" else "date_trunc") in text(truncated)
    assert "year" in text(equality("year", None, integer(32), "1970")).lower()


@pytest.mark.parametrize("name", TEXTS)
def test_a_boolean_is_a_condition(name):
    """The condition is the column, without a comparison."""
    test = Computed(("x",), "itself", None, "=", BOOL, value=True)
    text = TEXTS[name](test)
    assert "x" in text
    assert not set("=<>") & set(text.partition("WHERE")[2] or text)


MOMENTS = Table.of(
    [
        ("row", integer(32)),
        ("flag", BOOL),
        ("day", DATE),
        *(
            (f"{unit} {utc}", timestamp(unit, utc=utc))
            for unit in ("ms", "us", "ns")
            for utc in (False, True)
        ),
    ],
    [
        ["0", "1", "2", "3"],
        [True, None, False, True],
        ["-1", "0", None, "19000"],
        *[["-1", "0", None, "1500"] for _ in range(6)],
    ],
)


def queries():
    """Return the filters through casts, and of booleans, that are derived, and their opposites."""
    derived = [query for column in columns_of(MOMENTS) for query in of_column.queries(column)]
    tests = [query.predicate for query in derived if isinstance(query, Filter)]
    chosen = [
        test
        for test in tests
        if isinstance(test, Computed) and test.function in {"cast", "itself"} and test.path != ("row",)
    ]
    assert Not(next(test for test in chosen if test.function == "itself")) in tests
    return [Filter(test) for one in chosen for test in (one, Not(one))]


def test_days_are_compared_by_each_order():
    """A timestamp's day equals the middle one, is before it, or is not."""
    days = [query.predicate for query in queries() if isinstance(query.predicate, Computed)]
    tests = {(test.path[0], test.test) for test in days if test.argument == "date"}
    assert tests == {(field.name, op) for field in MOMENTS.columns[3:] for op in ("=", "<", ">=")}


def test_subjects_of_casts():
    """A cast to a day is another subject than one to a finer timestamp, and than one of numbers."""
    tests = [equality("cast", "date", DATE, "0"), equality("cast", "timestamp(us)", UTC, "0")]
    file = Table.of([("x", timestamp("ms", utc=True))], [["0"]])
    subjects = [query_subjects.about(Filter(test), file) for test in tests]
    assert subjects == ["timestamp(ms, utc) cast to date", "timestamp(ms, utc) cast to timestamp"]
    number = Filter(equality("cast", "int64", integer(64), "0"))
    assert query_subjects.about(number, Table.of([("x", integer(32))], [["0"]])) == "int(32, signed) cast"


def is_known(name, test):
    """Return whether a cast is a known failure of an engine."""
    if name == "duckdb":  # a nanosecond before 1970 is rounded toward zero
        return test.path[0].startswith("ns") and test.type == DATE
    # datafusion-moment-between-units; datafusion-day-of-moments
    return name == "datafusion" and (test.type.kind == "timestamp" or test.argument == "date")


def engine(name):
    """Return an engine; skip the test if it is not installed."""
    entry = ENGINES[name]
    for package in entry.packages:
        pytest.importorskip(package, reason=f"{package} is not installed")
    return open_engine(f"{entry.module}:{entry.class_name}")


@pytest.mark.parametrize(
    ("name", "least"), [("reference", 60), ("pyarrow", 60), ("polars", 60), ("duckdb", 40), ("datafusion", 2)]
)
def test_answers(tmp_path, name, least):
    """A filter through a cast has the rows of the oracle, below NOT as well, if the engine has the types."""
    file = str(tmp_path / "moments.parquet")
    engine("pyarrow").write(file, "parquet", {}, MOMENTS, {})
    opened, count = engine(name), 0
    for query in queries():
        test = query.predicate.of if isinstance(query.predicate, Not) else query.predicate
        if is_known(name, test):
            continue
        try:
            (table,) = opened.query([file], "parquet", {}, query)
        except Unsupported:
            continue
        count += 1
        right = answer(query, MOMENTS, Traits(float_order=opened.float_order).order(query))
        assert compared(query, right, table, "ieee", opened.equivalences).difference is None, str(query)
    assert count >= least


def test_a_boolean_below_not():
    """NOT of a null is not TRUE: neither the column nor its opposite has its row."""
    itself = Computed(("flag",), "itself", None, "=", BOOL, value=True)
    assert str(Not(itself)) == "NOT flag"
    rows = [answer(Filter(test), MOMENTS, "ieee").column(0) for test in (itself, Not(itself))]
    assert rows == [["0", "3"], ["2"]]


def test_a_condition_is_of_booleans():
    """A column of another type is no condition."""
    with pytest.raises(QueryError, match="itself of a column"):
        answer(Filter(Computed(("row",), "itself", None, "=", BOOL, value=True)), MOMENTS, "ieee")
