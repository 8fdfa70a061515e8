"""Engines that need no Java answer queries, with pushdown and without, as the oracle does."""

from __future__ import annotations

import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from corpora import own_cases
from corpora.answers import answer
from corpora.build import expected, variants
from corpora.build.recipe import OPTIONAL, leaf, schema
from corpora.cases import load
from corpora.constants import FLOAT_ORDERS
from corpora.predicates import OPERATORS, And, Computed, Or
from corpora.queries import (
    KINDS,
    Aggregate,
    AggregateWhere,
    AntiJoin,
    Compare,
    Distinct,
    Filter,
    FilterHeld,
    Groups,
    In,
    IsNull,
    Join,
    Not,
    NullSafe,
    SemiJoin,
    Slice,
    StartsWith,
    Top,
    TopRows,
    leaves,
)
from corpora.tagged import BOOL, BYTES, STRING, Table, floating, integer, timestamp
from harness.children.worker import open_engine
from harness.engines.arrow.build import to_arrow
from harness.engines.duckdb.lists import in_one_thread, in_way
from harness.engines.duckdb.query import statement
from harness.engines.duckdb.ways import QUERIES
from harness.engines.errors import Unsupported
from harness.engines.pyarrow.query import condition
from harness.engines.registry import ENGINES, QUERY_SWITCHES
from harness.judging.traits import Traits
from harness.tests.query_files import COLUMNS, LIE, compared, lie, queries, rows_of, table_of, write
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import Type as Physical
from reference_impl.parquet.writer import write as write_plan
from reference_impl.variant.json_text import parse_json
from reference_impl.variant.shredding import Level

if TYPE_CHECKING:
    from harness.engines.base import Engine

# fastparquet leaves closing its files to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
LOCAL = ("reference", "pyarrow", "duckdb", "polars", "datafusion")
CONFIGS = [
    (name, {"pushdown": how, **({"api": api} if api else {})})
    for name in LOCAL
    for how in ENGINES[name].switches["pushdown"]
    for api in ENGINES[name].switches.get("api", ("",))
]
_opened: dict[str, Engine] = {}


def engine(name):
    """Return an engine, opened once; skip the test if it is not installed."""
    if name not in _opened:
        entry = ENGINES[name]
        for package in entry.packages:
            pytest.importorskip(package, reason=f"{package} is not installed")
        _opened[name] = open_engine(f"{entry.module}:{entry.class_name}")
    return _opened[name]


@pytest.fixture(scope="module")
def files():
    """Write the table of each column, once; answer the paths."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{name}.parquet" for name in COLUMNS}
        for name, path in paths.items():
            write(path, table_of(name))
        yield paths


def order_of(opened, query):
    """Return the float order that an engine's answer to a query obeys."""
    return Traits(float_order=opened.float_order, aggregate_order=opened.aggregate_order).order(query)


def difference(opened, table, file, config, query):
    """Return how an engine's answer differs from the oracle's, None if it does not."""
    order = order_of(opened, query)
    (found,) = opened.query([str(file)], "parquet", config, query)
    right = answer(query, table, order, rows_of(query))
    any_rows = table if isinstance(query, TopRows) or not opened.file_order else None
    return compared(query, right, found, order, opened.equivalences, any_rows).difference


def lacking(query, config):
    """Return whether pyarrow lacks a query: null-safe equality, joins of structs, of one file."""
    if isinstance(query, Join):
        flat = query.columns is not None and len(query.path) == 1
        return config["api"] != "dataset" or not flat or getattr(query, "not_in", False)
    return isinstance(query, Filter) and any(isinstance(test, NullSafe) for test in leaves(query.predicate))


def lacking_of_polars(query):
    """Return whether polars lacks a query: a join of rows not in a list, LIKE of a single character."""
    tests = leaves(query.predicate) if isinstance(query, Filter) else ()
    patterns = [test.argument for test in tests if isinstance(test, Computed) and test.function == "like"]
    return getattr(query, "not_in", False) or any("_" in pattern for pattern in patterns)


UNSWITCHED = ("carquet", "daft", "hyper")  # no option of theirs switches pushdown off


@pytest.mark.parametrize("name", ENGINES)
def test_the_switch(name):
    """An engine with queries is asked with pushdown by default, and without if it has a switch for it."""
    entry = ENGINES[name]
    if "pushdown" not in entry.switches:  # it has nothing to be asked with
        adapter = getattr(import_module(entry.module), entry.class_name)
        assert adapter.queries == () or name in UNSWITCHED
        return
    assert entry.switches["pushdown"][:2] == ("on", "off")
    assert {"pushdown"} == QUERY_SWITCHES
    opened = engine(name) if name != "spark" else None
    if opened:
        assert set(opened.queries) <= set(KINDS)
        assert {opened.float_order, opened.aggregate_order} <= set(FLOAT_ORDERS)


@pytest.mark.sweep(36, each="name")
@pytest.mark.parametrize(("name", "config"), CONFIGS, ids=str)
@pytest.mark.parametrize("column", COLUMNS)
def test_answers_as_the_oracle(files, name, config, column):
    """Every engine, in every configuration, answers each kind of query that it has."""
    opened = engine(name)
    for query in queries(column):
        if (
            query.kind in opened.queries
            and not (name == "polars" and lacking_of_polars(query))
            and not (name == "pyarrow" and lacking(query, config))
        ):
            assert difference(opened, table_of(column), files[column], config, query) is None, str(query)
        else:
            with pytest.raises(Unsupported):
                opened.query([str(files[column])], "parquet", config, query)


@pytest.mark.parametrize("pushdown", ["on", "off"])
@pytest.mark.parametrize("column", ["text", "double", "wall"])
def test_fastparquet(tmp_path, pushdown, column):
    """The reader of pandas answers the tests it has of flat columns without nulls; it has no others."""
    opened, full = engine("fastparquet"), table_of(column, nested=False)
    kept = [row for row, value in enumerate(full.column(1)) if value is not None]
    columns = [(one.name, one.type) for one in full.columns]
    table = Table.of(columns, [[full.column(at)[row] for row in kept] for at in (0, 1)])
    write(tmp_path / "x.parquet", table)
    answered = 0
    for query in queries(column, nested=False):
        try:
            found = difference(opened, table, tmp_path / "x.parquet", {"pushdown": pushdown}, query)
        except Unsupported:
            continue
        answered += 1
        predicate = getattr(query, "predicate", None)
        is_not_in = isinstance(predicate, Not) and isinstance(predicate.of, In)
        if not (is_not_in and pushdown == "on"):  # a known failure: a bound is in the list
            assert found is None, str(query)
    assert answered >= 7


@pytest.mark.parametrize("pushdown", ["on", "off"])
def test_fastparquet_is_asked_for_floats_that_are_unequal(tmp_path, pushdown):
    """A null among floats is NaN to pandas, which is unequal to every number."""
    double, numbers = floating(64), (1.0, None, 5.0)
    plan = FilePlan(schema(leaf("d", Physical.DOUBLE, OPTIONAL)), tuple({"d": each} for each in numbers))
    (tmp_path / "x.parquet").write_bytes(write_plan(plan))
    five = "4014000000000000"
    for test in (Compare(("d",), "!=", double, five), Not(In(("d",), double, ("7ff0000000000000", five)))):
        found = engine("fastparquet").query_one(
            str(tmp_path / "x.parquet"), "parquet", {"pushdown": pushdown}, Filter(test)
        )
        if isinstance(test, Compare) or pushdown == "off":  # of `not in`, the greatest value is in the list
            assert found.column(0) == ["3ff0000000000000", "7ff8000000000000"]


@pytest.mark.parametrize("pushdown", ["on", "off"])
def test_fastparquet_is_asked_for_not(tmp_path, pushdown):
    """NOT is moved down to the tests: their opposites, and `not in`, of columns that can have no null."""
    columns = [("a", integer(32)), ("b", integer(32))]
    values = [["1", "2", "3", "4"], ["5", None, "7", "8"]]
    table = Table.of(columns, values)
    rows = tuple({"a": int(a), "b": b and int(b)} for a, b in zip(*values, strict=True))
    fields = leaf("a", Physical.INT32), leaf("b", Physical.INT32, OPTIONAL)
    plan = FilePlan(schema(*fields), rows)
    (tmp_path / "x.parquet").write_bytes(write_plan(plan))
    low, first = Compare(("a",), "<", integer(32), "3"), In(("a",), integer(32), ("2", "9"))
    for test in (Not(low), Not(first), Not(And((low, first))), Not(Or((low, Not(first))))):
        asked, config = Filter(test, ("a",)), {"pushdown": pushdown}
        assert difference(engine("fastparquet"), table, tmp_path / "x.parquet", config, asked) is None, test
    for test in (Not(Compare(("b",), "=", integer(32), "7")), Not(In(("b",), integer(32), ("7",)))):
        with pytest.raises(Unsupported, match="null"):
            engine("fastparquet").query_one(str(tmp_path / "x.parquet"), "parquet", {}, Filter(test))


@pytest.mark.parametrize(
    ("name", "config"), [*CONFIGS, *(("fastparquet", {"pushdown": how}) for how in ("on", "off"))]
)
def test_off_skips_nothing(tmp_path, name, config):
    """Statistics that lie lose rows where they are believed, so that pushdown is seen to be on, or off."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    opened = engine(name)
    lie(tmp_path / "x.parquet", footer=True, index=True)
    (found,) = opened.query([str(tmp_path / "x.parquet")], "parquet", config, LIE)
    believes = config["pushdown"] in ("on", "late", "statistics", "index")
    assert found.column(0) == ([] if believes else ["2001"])


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", ["pyarrow", "duckdb", "polars", "datafusion"])
def test_float_orders(tmp_path, name):
    """Without pushdown, NaN of both signs and both zeros compare as the engine is said to compare them."""
    opened = engine(name)
    values = ["7fc00000", "ffc00000", "80000000", "00000000", "3f800000", None]
    table = Table.of([("a", floating(32))], [values])
    write(tmp_path / "x.parquet", table)
    asked = [Filter(Compare(("a",), op, floating(32), one)) for op in OPERATORS for one in values[:-1]]
    asked += [Filter(In(("a",), floating(32), tuple(values[at : at + 2]))) for at in range(4)]
    if name != "pyarrow":
        asked += [Filter(NullSafe(("a",), floating(32), one)) for one in values]
    asked += [Filter(Not(one.predicate)) for one in asked]
    if "aggregate" in opened.queries:
        asked += [AggregateWhere(("a",), one.predicate) for one in asked[:3]]
        asked += [Aggregate(("a",)), Distinct(("a",)), Groups(("a",)), Top(("a",), 5), Top(("a",), 3, True)]
        asked += [kind(("a",), floating(32), (one,)) for one in values[:-1] for kind in (SemiJoin, AntiJoin)]
    for query in asked:
        found = difference(opened, table, tmp_path / "x.parquet", {"pushdown": "off"}, query)
        assert found is None, f"{query}: {found}"


@pytest.mark.parametrize("kind", [SemiJoin, AntiJoin])
def test_pyarrow_joins_by_floats_of_one_form(tmp_path, kind):
    """A float that is no zero and no NaN is joined by; no page says what the others are equal to."""
    double = floating(64)
    one, nan, zero = "3ff0000000000000", "7ff8000000000000", "0000000000000000"
    table = Table.of([("a", double)], [[one, nan, zero, None]])
    write(tmp_path / "x.parquet", table)
    asked = kind(("a",), double, (one,))
    assert difference(engine("pyarrow"), table, tmp_path / "x.parquet", {"api": "dataset"}, asked) is None
    for unclear in (nan, zero):
        with pytest.raises(Unsupported, match="no page says"):
            engine("pyarrow").query_one(
                str(tmp_path / "x.parquet"),
                "parquet",
                {"api": "dataset"},
                kind(("a",), double, (one, unclear)),
            )


@pytest.mark.parametrize("name", LOCAL)
def test_odd_names(tmp_path, name):
    """Names of columns that are quoted, dotted, or in capitals are asked for as they are."""
    names = ["A b", 'quo"te', "dot.ted", "Ü", "back`tick", "per%cent"]
    table = Table.of([(one, integer(32)) for one in names], [["1", None]] * len(names))
    write(tmp_path / "x.parquet", table)
    for one in names:
        query = Filter(IsNull((one,)), (one,))
        assert difference(engine(name), table, tmp_path / "x.parquet", {}, query) is None, one


@pytest.mark.parametrize("name", ["pyarrow", "duckdb", "polars", "datafusion"])
def test_constants_that_cannot_be_said(tmp_path, name):
    """A constant that is no value of the engine's type of the column is Unsupported, never another value."""
    types = {"s": STRING, "t": timestamp("ms", utc=False), "y": BYTES}
    table = Table.of(list(types.items()), [["a"], ["5"], ["00"]])
    write(tmp_path / "x.parquet", table)
    asked = [
        Compare(("s",), "=", STRING, "\udcff"),
        Compare(("t",), "=", timestamp("ns", utc=False), "5000001"),
    ]
    asked += [Compare(("s", "x"), "=", STRING, "a"), Compare(("z",), "=", STRING, "a")]
    for test in asked:
        with pytest.raises(Unsupported):
            engine(name).query([str(tmp_path / "x.parquet")], "parquet", {}, Filter(test))


@pytest.mark.parametrize("api", ["table", "dataset"])
def test_in_with_null_below_not(tmp_path, api):
    """`isin` of pyarrow says FALSE of a null, where SQL says UNKNOWN: at any depth the rows are SQL's."""
    table = Table.of([("a", STRING), ("b", integer(32))], [["x", None, "y", None], ["1", "1", None, None]])
    write(tmp_path / "x.parquet", table)
    text, number = In(("a",), STRING, ("x", "z")), In(("b",), integer(32), ("1", "3"))
    for test in (
        Not(text),
        Not(Not(text)),
        Not(And((text, number))),
        Not(Or((text, number))),
        Not(Or((Not(text), number))),
        Or((Not(And((text, Not(number)))), number)),
        Not(StartsWith(("a",), "x")),
    ):
        config = {"api": api}
        assert difference(engine("pyarrow"), table, tmp_path / "x.parquet", config, Filter(test)) is None


def test_pyarrow_is_asked_by_isin():
    """Below NOT, too, and of floats: Arrow simplifies `isin` by statistics in a way of its own."""
    one, zero, nan = "3f800000", "00000000", "7fc00000"
    asked = Not(In(("a",), floating(32), (one, "40000000")))
    assert ".isin(" in condition(asked)
    assert ".is_null()" in condition(asked)
    assert condition(asked.of).count("is_null") == 0
    for unclear in (zero, nan):
        assert ".isin(" not in condition(Not(In(("a",), floating(32), (one, unclear))))


def test_duckdb_is_asked_for_a_list_plainly():
    """A filter by a list has no ORDER BY, so that DuckDB's joins are seen; a slice behind one has."""
    test = In(("a",), integer(32), ("1", "2"))
    asked = statement(Filter(test)).text
    assert asked == 'SELECT * FROM {source} WHERE ("a" IN ($p0::{t0}, $p1::{t0}))'
    assert "ORDER BY" in statement(Slice(0, 2, test)).text
    assert in_one_thread(QUERIES["many-threads"], Filter(test)).settings == (("threads", "1"),)
    assert in_one_thread(QUERIES["many-threads"], Filter(IsNull(("a",)))) == QUERIES["many-threads"]


def test_duckdb_is_asked_null_safe_queries_in_two():
    """Of a null-safe filter the first rows are asked for apart; of sorted and distinct rows they are not."""
    test = NullSafe(("VALUES",), integer(32), None)
    sql = statement(Filter(test)).text
    assert "OFFSET 3" in in_way(QUERIES["in-two"], Filter(test), sql)
    numbered = Slice(0, 2, In(("a",), STRING, ("1", "2")))
    joins = (join(("a",), STRING, ("1",)) for join in (SemiJoin, AntiJoin))
    for query in (Distinct(("a",)), Groups(("a",)), Top(("a",), 3), numbered, *joins):
        with pytest.raises(Unsupported):
            in_way(QUERIES["in-two"], query, statement(query).text)


def test_duckdb_is_asked_for_times_of_utc():
    """A time of day in UTC, which DuckDB has with a time zone, is compared with constants."""
    case = load(own_cases.folder() / "parquet/statistics/time-micros-utc/both.json")
    filters = [probe.query for probe in case.probes if isinstance(probe.query, Filter)]
    comparisons = [query for query in filters if isinstance(query.predicate, Compare)]
    tests = [query for query in comparisons if 0 <= int(query.predicate.value) < 86_400_000_000]
    assert len(tests) > 5
    for query in tests:
        assert difference(engine("duckdb"), case.expectation.table, case.file, {}, query) is None, str(query)


def test_arrow_tables_of_tests():
    """The columns of these tests are what Arrow can say, so that the writer changes none of them."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    assert all(to_arrow(table_of(name)).num_rows == table_of(name).num_rows for name in COLUMNS)


@pytest.mark.parametrize("utc", [False, True])
@pytest.mark.parametrize("unit", ["us", "ns"])
@pytest.mark.parametrize("sign", [1, -1])
def test_duckdb_is_asked_for_infinity(tmp_path, sign, unit, utc):
    """The outermost counts of a unit are DuckDB's infinities, with which a column can be compared."""
    most = str(sign * (2**63 - 1))
    moments = timestamp(unit, utc=utc)
    table = Table.of([("t", moments)], [["0", most]])
    write(tmp_path / "x.parquet", table)
    query = Filter(Compare(("t",), "=", moments, most))
    assert difference(engine("duckdb"), table, tmp_path / "x.parquet", {}, query) is None


@pytest.mark.parametrize(
    ("steps", "type_", "test"),
    [
        (("a",), integer(64), Computed(("held",), "add", "2", ">", integer(64), "3")),
        (("a",), integer(64), Computed(("held",), "cast", "string", "=", STRING, "2")),
        (("b",), STRING, Computed(("held",), "lower", None, "=", STRING, "x")),
        (("b",), STRING, Computed(("held",), "like", "X%", "=", BOOL, True)),
        (("b",), STRING, Computed(("held",), "prefix", "1", "=", STRING, "y")),
    ],
)
def test_duckdb_is_asked_for_functions_of_what_variants_hold(tmp_path, steps, type_, test):
    """A function of what a Variant holds is asked as one of a column, with the pushdown of the column."""
    plan = FilePlan(
        schema(variants.elements("x", OPTIONAL, Level())),
        tuple(
            {"x": variants.row(Level(), parse_json(text))}
            for text in ('{"a":1,"b":"X"}', '{"a":2}', '{"b":"y"}')
        ),
    )
    file = tmp_path / "x.parquet"
    file.write_bytes(write_plan(plan))
    query = FilterHeld(("x",), steps, type_, test)
    assert difference(engine("duckdb"), expected.table(plan), file, {}, query) is None
    assert len(answer(query, expected.table(plan), "ieee").column(0)) == 1


def test_fastparquet_s_time_zones(tmp_path):
    """A column that pandas has in a time zone, as fastparquet writes it, is compared with moments of one."""
    pytest.importorskip("fastparquet", reason="fastparquet is not installed")
    micros, file = timestamp("us", utc=True), str(tmp_path / "x.parquet")
    table = Table.of([("t", micros)], [["0", "1"]])
    fastparquet = engine("fastparquet")
    fastparquet.write(file, "parquet", {}, table, {})
    for test in (Compare(("t",), "=", micros, "1"), In(("t",), micros, ("1", "5"))):
        answered = fastparquet.query_one(file, "parquet", {"pushdown": "off"}, Filter(test))
        assert answered.column(0) == ["1"]
