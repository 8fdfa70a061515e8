"""Spark reads and writes ORC, a sheet of files in one query; each switch is one way to read."""

from __future__ import annotations

import pytest

from corpora.answers import answer
from corpora.orc_tables import ORC_TABLES
from corpora.own_cases import CHECKED_IN as CORPORA
from corpora.queries import Aggregate, Filter, IsNull, RowGroup
from corpora.tagged import STRING, Table, floating, integer, map_of, timestamp
from harness.children.outcomes import OutcomeKind
from harness.children.worker import open_engine
from harness.engines.reference.adapter import Reference
from harness.engines.registry import ENGINES
from harness.engines.spark.write_options import OPTIONS
from harness.engines.writer_options import CHOSEN
from harness.judging.compare import compare
from harness.tests.orc_files import LAYOUT, queries, table_of
from harness.tests.query_files import compared

pytestmark = pytest.mark.spark
ENTRY = ENGINES["spark"]
TABLES = {one.name: one.table for one in ORC_TABLES}
CONFIGS = [{}, {"vectorized": "off"}, {"nested": "off"}, {"orc": "hive"}]
OLD = {
    "dates",
    "far-dates",
    "timestamps",
    "milliseconds",
    "nanoseconds",
}  # have days before 1582, or instants
NUMBERS = Table.of([("n", integer(32))], [["1", "2"]])


@pytest.fixture(scope="module")
def pyorc():
    """Return the adapter of pyorc, which writes what Spark reads."""
    pytest.importorskip("pyorc", reason="pyorc is not installed")
    return open_engine("harness.engines.pyorc.adapter:Pyorc")


@pytest.fixture
def written(pyorc, tmp_path):
    """Return a function that writes two files of a column's table, and answers them."""

    def write(column):
        files = [tmp_path / "a.orc", tmp_path / "b.orc"]
        for file in files:
            pyorc.write(str(file), "orc", {}, table_of(column), LAYOUT)
        return files

    return write


def claimed(spark):
    """Return the equivalences that Spark claims."""
    return spark.describe()["equivalences"]


@pytest.mark.sweep(20)
@pytest.mark.parametrize("name", sorted(set(TABLES) - OLD))
def test_reads_exactly(spark, pyorc, tmp_path, name):
    """Spark reads what pyorc wrote, whichever of its readers does it."""
    file = tmp_path / "x.orc"
    pyorc.write(str(file), "orc", {}, TABLES[name], {"row_group_rows": 7_000})
    for config in CONFIGS:
        outcome = spark.read(file, "orc", config)
        assert outcome.kind is OutcomeKind.TABLE, outcome.detail
        result = compare(TABLES[name], outcome.table, claimed(spark))
        assert result.equal, (config, result.difference)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("name", sorted(set(TABLES) - OLD))
def test_writes_what_it_is_given(spark, tmp_path, name):
    """What Spark writes, the reference reads back exactly."""
    file, options = tmp_path / "x.orc", {"codec": "ZSTD", "dictionary": True, "indexed": True}
    outcome = spark.write(file, "orc", {}, TABLES[name], options)
    assert outcome.kind is OutcomeKind.TABLE, outcome.detail
    reference = open_engine("harness.engines.reference.adapter:Reference")
    result = compare(TABLES[name], reference.read(str(file), "orc", {}), ())
    assert result.equal, result.difference


def test_writes_under_drawn_options(spark, tmp_path):
    """A file of drawn options has the documented table: entries of maps in order, the last of a key."""
    pairs = map_of(floating(64), map_of(STRING, integer(32)))
    zero, negative, nan = "0" * 16, "8" + "0" * 15, "7ff8" + "0" * 12
    value = [["b", "1"], ["a", "2"], ["b", "3"]]
    table = Table.of(
        [("m", pairs), ("s", STRING)], [[[[nan, value], [zero, []], [negative, None]], None], ["x", "y"]]
    )
    chosen = {
        "orc.stripe.row.count": "1",
        "orc.bloom.filter.columns": {"columns": ["s"]},
        "compression": "zlib",
    }
    file = str(tmp_path / "drawn.orc")
    spark.write(file, "orc", {}, table, {CHOSEN: chosen})
    held = Reference().read(file, "orc", {})
    assert held.column(0) == [[[negative, None], [zero, []], [nan, [["a", "2"], ["b", "3"]]]], None]
    assert compare(OPTIONS["orc"].stored(table, chosen), held, ()).equal


def test_wall_clocks(spark, pyorc, tmp_path):
    """A wall clock keeps its microseconds, rounded down, in whichever zone the process lives; both ways."""
    local = timestamp("ns", utc=False)
    values = ["0", "1999", "-1000000001", "-86400000000001", "1600000000123456789", None]
    table = Table.of([("t", local)], [values])
    pyorc.write(str(tmp_path / "x.orc"), "orc", {}, table, {})
    for config in CONFIGS:
        found = spark.read(tmp_path / "x.orc", "orc", config).table
        assert found.columns[0].type == timestamp("us", utc=True)
        assert found.column(0) == ["0", "1", "-1000001", "-86400000001", "1600000000123456", None]
    whole = Table.of([("t", local)], [["0", "-2000001000", "1600000000123456000", None]])
    assert spark.write(tmp_path / "y.orc", "orc", {}, whole, {}).kind is OutcomeKind.TABLE
    assert compare(whole, pyorc.read(str(tmp_path / "y.orc"), "orc", {}), ()).equal
    for lacking in (table, Table.of([("t", timestamp("ns", utc=True))], [["0"]])):
        assert spark.write(tmp_path / "z.orc", "orc", {}, lacking, {}).kind is OutcomeKind.UNSUPPORTED


@pytest.mark.sweep(2)
@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_sheets(spark, pyorc, tmp_path, config):
    """A sheet's rows come back to their files, in order, whatever the names; no rows are an empty table."""
    files, tables = [], []
    for number, name in enumerate(["a.orc", "_hidden", "x=1", "*", "é q?", "[a]", "none.orc"]):
        rows = 0 if name == "none.orc" else 1_500 + number
        files.append(tmp_path / name)
        tables.append(
            Table.of([("n", integer(32))], [[str(7 * row % 1_000 + number) for row in range(rows)]])
        )
        pyorc.write(str(files[-1]), "orc", {}, tables[-1], {"row_group_rows": 400})
    answered = spark.read_many(files, "orc", config)
    assert isinstance(answered, list), answered
    for table, outcome in zip(tables, answered, strict=True):
        assert compare(table, outcome.table, ()).equal


@pytest.mark.sweep(32, each="pushdown")
@pytest.mark.parametrize("pushdown", ENTRY.values("pushdown", ["orc"]))
@pytest.mark.parametrize("column", ["flag", "wide", "double", "price", "day", "text", "raw"])
def test_answers_as_the_oracle(spark, written, some_of, pushdown, column):
    """Every kind of query is answered right, with pushdown and without, of a sheet too."""
    files, table = written(column), table_of(column)
    for query in some_of(((f"{pushdown} {column} {one}", one) for one in queries(column)), 12):
        outcome = spark.query(files, "orc", {"pushdown": pushdown}, query)
        if isinstance(query, RowGroup):
            assert outcome.kind is OutcomeKind.UNSUPPORTED
            continue
        order = "nan-greatest"
        expected = answer(query, table, order)
        for one in outcome:
            assert one.kind is OutcomeKind.TABLE, (str(query), one.detail)
            result = compared(query, expected, one.table, order, claimed(spark), table)
            assert result.equal, (str(query), result.difference)


def test_means_that_orc_has_not(spark, pyorc, tmp_path):
    """One means of pushdown alone, of Parquet's reader, is Unsupported."""
    pyorc.write(str(tmp_path / "x.orc"), "orc", {}, NUMBERS, {})
    outcome = spark.query([tmp_path / "x.orc"], "orc", {"pushdown": "index"}, Filter(IsNull(("n",))))
    assert outcome.kind is OutcomeKind.UNSUPPORTED
    outcome = spark.query([tmp_path / "x.orc"], "orc", {}, Aggregate(("n",)))
    assert outcome[0].table.column(3) == ["2"]


def test_what_spark_has_no_type_for(spark, pyorc, tmp_path):
    """A union is Unsupported, not refused; so are an instant and a geometry for the reader of Hive."""
    library = pyorc.pyorc
    instant = "struct<t:timestamp with local time zone>"
    for schema, config in (("struct<u:uniontype<int,string>>", {}), (instant, {"orc": "hive"})):
        with (tmp_path / "x.orc").open("wb") as out, library.Writer(out, schema):
            pass
        outcome = spark.read(tmp_path / "x.orc", "orc", config)
        assert outcome.kind is OutcomeKind.UNSUPPORTED, outcome.detail
    for kind in ("geometry", "geography"):
        outcome = spark.read(CORPORA / "orc" / kind / "crs" / "none.orc", "orc", {"orc": "hive"})
        assert outcome.kind is OutcomeKind.UNSUPPORTED, outcome.detail
