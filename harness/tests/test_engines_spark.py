from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from corpora.answers import answer
from corpora.build import expected, variants
from corpora.build.recipe import OPTIONAL, leaf, schema
from corpora.own_cases import CHECKED_IN as CORPORA
from corpora.predicates import Computed
from corpora.queries import (
    Aggregate,
    AggregateWhere,
    AntiJoin,
    Compare,
    CountRows,
    CountValues,
    Distinct,
    Extract,
    Filter,
    FilterHeld,
    In,
    IsNull,
    Not,
    Or,
    RowGroup,
    SchemaOf,
    SemiJoin,
    StartsWith,
    ToJson,
)
from corpora.tables import WRITER_TABLES
from corpora.tagged import BYTES, STRING, Table, decimal, integer
from harness.children.outcomes import OutcomeKind
from harness.children.worker import open_engine
from harness.engines.reference.adapter import Reference
from harness.engines.registry import ENGINES
from harness.engines.spark.write_options import OPTIONS, split
from harness.engines.writer_options import CHOSEN
from harness.judging.compare import compare
from harness.tests import query_files
from reference_impl.errors import Unsupported
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import Type as Physical
from reference_impl.parquet.writer import write
from reference_impl.variant.json_text import parse_json
from reference_impl.variant.shredding import V1, Leaf, Level

pytestmark = pytest.mark.spark
TABLES = {one.name: one.table for one in WRITER_TABLES}
UNSUPPORTED = {"float16", "nanoseconds", "times", "times-ns"}
NOT_WRITTEN = UNSUPPORTED | {"unsigned", "milliseconds"}
UNDOCUMENTED = {"null-type": ("null-as-any",)}  # INT32 for an UNKNOWN stored in one
ENTRY = ENGINES["spark"]
PUSHDOWN = ENTRY.switches["pushdown"]
SHREDDED = Level(V1, fields=(("a", Level(V1, True, Leaf("int32"))),))
NAMES = ["plain.parquet", "_hidden", ".dot.parquet", "a b", "x=1", "per%20cent", "h#sh", "*", "[a]", "{b,c}"]
NAMES += ["é漢", "q?", "co:lon", "a+b", "quo'te", 'dou"ble', "back\\slash"]


@pytest.fixture(scope="module")
def folder():
    """Write each table with pyarrow, once; answer their folder."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    from harness.engines.arrow.build import to_arrow

    with tempfile.TemporaryDirectory() as path:
        for name, table in TABLES.items():
            parquet.write_table(to_arrow(table), f"{path}/{name}.parquet", row_group_size=7_000)
        yield Path(path)


def test_description(spark):
    """Spark names its version and its Java."""
    described = spark.describe()
    assert described["name"] == "spark"
    assert described["runtime"].startswith("Java ")


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", TABLES)
def test_reads_exactly(spark, folder, name):
    """Spark reads what pyarrow wrote, vectorized or not, but for the equivalences it claims."""
    for vectorized in ("on", "off"):
        outcome = spark.read(folder / f"{name}.parquet", "parquet", {"vectorized": vectorized})
        if name in UNSUPPORTED:
            assert outcome.kind is OutcomeKind.UNSUPPORTED, outcome.detail
            continue
        assert outcome.kind is OutcomeKind.TABLE, outcome.detail
        claimed = [*spark.describe()["equivalences"], *UNDOCUMENTED.get(name, ())]
        result = compare(TABLES[name], outcome.table, claimed)
        assert result.equal, result.difference


@pytest.mark.sweep(12)
@pytest.mark.parametrize("name", TABLES)
def test_writes_what_it_is_given(spark, folder, name):
    """What Spark writes, the reference reads back exactly; tables with types it has not are unsupported."""
    file = folder / f"written-{name}"
    options = {"codec": "ZSTD", "page_version": 2, "dictionary": False, "row_group_rows": 5_000}
    outcome = spark.write(file, "parquet", {}, TABLES[name], options)
    if name in NOT_WRITTEN:
        assert outcome.kind is OutcomeKind.UNSUPPORTED, outcome.detail
        return
    assert outcome.kind is OutcomeKind.TABLE, outcome.detail
    reference = open_engine("harness.engines.reference.adapter:Reference")
    result = compare(TABLES[name], reference.read(str(file), "parquet", {}), ())
    assert result.equal, result.difference


COLUMN_KEYS = {"parquet.encryption.column.keys": {"by_column": {"b": "kc1"}}}


@pytest.mark.parametrize(
    "more",
    [{}, {"parquet.encryption.plaintext.footer": "true", "parquet.encryption.algorithm": "AES_GCM_CTR_V1"}],
)
def test_encrypts(spark, folder, more):
    """Spark encrypts a column by drawn options; the reference reads the file with their keys alone."""
    table = Table.of([("a", integer(32)), ("b", STRING)], [["1", "2"], ["x", None]])
    chosen, file = {**COLUMN_KEYS, **more}, str(folder / f"encrypted-{len(more)}.parquet")
    spark.write(file, "parquet", {}, table, {CHOSEN: chosen})
    reference = Reference()
    reference.enter(OPTIONS["parquet"].keys(chosen))
    assert compare(table, reference.read(file, "parquet", {}), ()).equal
    with pytest.raises(Unsupported):
        Reference().read(file, "parquet", {})
    unkeyed = spark.read(file, "parquet", {})  # the session has forgotten the keys
    assert unkeyed.kind is not OutcomeKind.TABLE, unkeyed.detail


def test_layout_options(spark, folder):
    """Codec, page version, dictionary and rows per row group reach the writer."""
    from pyarrow import parquet

    for codec, dictionary in (("SNAPPY", True), ("UNCOMPRESSED", False)):
        options = {"codec": codec, "page_version": 1, "dictionary": dictionary, "row_group_rows": 400}
        outcome = spark.write(folder / "laid out", "parquet", {}, TABLES["runs"], options)
        assert outcome.kind is OutcomeKind.TABLE, outcome.detail
        metadata = parquet.read_metadata(folder / "laid out")
        word = metadata.row_group(0).column(4)
        assert (word.compression, word.has_dictionary_page) == (codec, dictionary)
        assert metadata.num_row_groups == 3


def test_sheet_of_odd_names(spark, tmp_path):
    """A sheet's rows come back to their files, in order, whatever the names; no rows are an empty table."""
    from pyarrow import parquet

    from harness.engines.arrow.build import to_arrow

    (tmp_path / "year=2024").mkdir()
    files = [tmp_path / "year=2024" / name for name in NAMES]
    columns = [[str(row) for row in range(count * 7)] for count in range(len(files))]
    tables = [Table.of([("n", integer(64))], [column]) for column in columns]
    for file, table in zip(files, tables, strict=True):
        parquet.write_table(to_arrow(table), file, row_group_size=5)
    answers = spark.read_many(files, "parquet", {})
    assert isinstance(answers, list), answers
    for table, found in zip(tables, answers, strict=True):
        assert compare(table, found.table, ()).equal


def test_sheet_with_a_bad_file(spark, folder, tmp_path):
    """A sheet in which one file cannot be read fails as a whole, and says so."""
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"PAR1 nothing of the kind PAR1")
    outcome = spark.read_many([folder / "runs.parquet", bad], "parquet", {})
    assert not isinstance(outcome, list)
    assert outcome.kind is OutcomeKind.REFUSED


def test_sheet_columns_of_its_own(spark, tmp_path):
    """Files that have a column with the name that a sheet needs are read one by one."""
    from pyarrow import parquet, table

    for name in ("a", "b"):
        parquet.write_table(table({"_metadata": [name]}), tmp_path / name)
    answers = spark.read_many([tmp_path / "b", tmp_path / "a"], "parquet", {})
    assert [one.table.column(0) for one in answers] == [["b"], ["a"]]


@pytest.mark.parametrize("garbage", [b"", b"PAR1", b"PAR1\xff\xff\xff\x7fPAR1"])
def test_refuses_garbage(spark, tmp_path, garbage):
    """Garbage is refused in a short message with the root's class, and the file's own name."""
    file = tmp_path / "_some garbage"
    file.write_bytes(garbage)
    outcome = spark.read(file, "parquet", {})
    assert outcome.kind is OutcomeKind.REFUSED
    assert "java." in outcome.detail.error_class or "org.apache." in outcome.detail.error_class
    assert str(file) in outcome.detail.message or not garbage
    assert "\n" not in outcome.detail.message
    assert "colconf-spark" not in outcome.detail.message


def test_no_java(tmp_path):
    """Without Java the adapter says in one line what is missing and how to mend it."""
    code = "from harness.engines.spark.adapter import Spark\nSpark()"
    env = {**os.environ, "JAVA_HOME": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", code], env=env, check=False, capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert "Spark needs Java" in last
    assert "install Java" in last


@pytest.mark.parametrize("column", ["text", "huge", "instant"])
def test_queries(spark, tmp_path, some_of, column):
    """Spark answers queries of two files in one, as the oracle does, with pushdown and without."""
    table = query_files.table_of(column)
    files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for file in files:
        query_files.write(file, table)
    described = spark.describe()
    asked = [one for one in query_files.queries(column) if one.kind in described["queries"]]
    listed = ((f"{column} {query}", (at, query)) for at, query in enumerate(asked))
    for at, query in some_of(listed, 24):
        for config in (
            {},
            {"pushdown": "off", "vectorized": "off"},
            {"pushdown": PUSHDOWN[at % len(PUSHDOWN)]},
        ):
            outcomes = spark.query(files, "parquet", config, query)
            assert isinstance(outcomes, list), (str(query), outcomes)
            for outcome in outcomes:
                right = answer(query, table, "nan-greatest")
                claimed = described["equivalences"]
                result = query_files.compared(query, right, outcome.table, "nan-greatest", claimed, table)
                assert result.equal, (str(query), config, result.difference)


def test_joins_by_a_runtime_bloom_filter(spark, tmp_path):
    """The way has the filter in its plan, and answers as the others do; it is one of semi-joins alone."""
    table, file = query_files.table_of("text"), tmp_path / "x.parquet"
    query_files.write(file, table)
    type_, values = query_files.COLUMNS["text"]
    for kind, verdict in ((SemiJoin, OutcomeKind.TABLE), (AntiJoin, OutcomeKind.UNSUPPORTED)):
        query = kind(("text",), type_, (*values[:2], None))
        outcome = spark.query([str(file)], "parquet", {"way": "runtime-bloom"}, query)
        if verdict is OutcomeKind.UNSUPPORTED:
            assert outcome.kind is verdict
        else:
            right = answer(query, table, "nan-greatest")
            assert query_files.compared(query, right, outcome[0].table, "nan-greatest", ()).equal


def test_each_pushdown_is_one_means(spark, tmp_path):
    """Statistics that lie lose rows exactly where the means that believes them is on."""
    for lies in ("footer", "index"):
        file = tmp_path / f"{lies}.parquet"
        query_files.lie(file, footer=lies == "footer", index=lies == "index")
        believes = {"on", "statistics" if lies == "footer" else "index"}
        for pushdown in PUSHDOWN[:-1]:
            (outcome,) = spark.query([file], "parquet", {"pushdown": pushdown}, query_files.LIE)
            assert outcome.table.column(0) == ([] if pushdown in believes else ["2001"]), (lies, pushdown)
    query_files.lie(tmp_path / "x", footer=True, index=False)
    for pushdown, greatest in (("on", "2003"), ("off", "2003"), ("aggregate", "3003")):
        (outcome,) = spark.query([tmp_path / "x"], "parquet", {"pushdown": pushdown}, Aggregate(("a",)))
        assert outcome.table.column(3) == [greatest], pushdown


@pytest.mark.parametrize("other", ["b", "_metadata"])
def test_aggregates_of_several_files(spark, tmp_path, other):
    """Each file has its own counts and extremes, one without rows behind a filter too, in every way."""
    number, files, tables = integer(32), [], []
    for at in range(3):
        values = [[str(10 * at + row), None][row == 2] for row in range(5)]
        tables.append(Table.of([("a", number), (other, STRING)], [values, list("xyzzy")]))
        files.append(tmp_path / f"{at}.parquet")
        query_files.write(files[-1], tables[-1])
    behind = AggregateWhere((other,), Compare(("a",), ">=", number, "13"))
    queries = [behind, CountValues(("a",)), CountRows(behind.predicate), Distinct(("a",))]
    configs = [{"pushdown": "on"}, {"pushdown": "aggregate"}, {"way": "v2"}]
    if other != "b":
        queries, configs = queries[:1], configs[:1]
    for query in queries:
        for config in configs:
            outcomes = spark.query(files, "parquet", config, query)
            assert isinstance(outcomes, list), (str(query), config, outcomes)
            for table, outcome in zip(tables, outcomes, strict=True):
                right = answer(query, table, "nan-greatest")
                result = query_files.compared(query, right, outcome.table, "nan-greatest", (), table)
                assert result.equal, (str(query), config, result.difference)


def test_each_file_has_its_own_schema(spark, tmp_path):
    """Files that are read one by one are read with the schema of each, also when others were read before."""
    tables = [Table.of([("a", integer(32))], [["1"]]), Table.of([("a", STRING)], [["one"]])]
    files = [tmp_path / f"{number}.parquet" for number in range(2)]
    for file, table in zip(files, tables, strict=True):
        query_files.write(file, table)
    for _ in range(2):
        outcomes = spark.read_many(files, "parquet", {"way": "view"})
        assert [outcome.table for outcome in outcomes] == tables


def test_queries_of_a_file_that_has_changed(spark, tmp_path):
    """A query is of the file as it is: its schema is remembered, but not under another file's name."""
    file = tmp_path / "x.parquet"
    for type_, value in ((integer(32), "1"), (STRING, "one"), (integer(32), "7")):
        table = Table.of([("a", type_)], [[value]])
        query_files.write(file, table)
        for query in (Not(IsNull(("a",))), Compare(("a",), "=", type_, value)):
            (outcome,) = spark.query([file], "parquet", {}, Filter(query))
            assert outcome.table == table


HELD = ("held",)
OF_VARIANTS = [
    *(Extract(("x",), steps) for steps in (("a",), ("b", 0), ("b", 2))),
    FilterHeld(("x",), ("a",), integer(64), Compare(HELD, ">", integer(64), "3")),
    FilterHeld(("x",), ("a",), integer(32), In(HELD, integer(32), ("1", "7")), ("row",)),
    FilterHeld(("x",), ("a",), decimal(38, 2), Not(Compare(HELD, "=", decimal(38, 2), "100")), ("x",)),
    FilterHeld(("x",), ("b", 1), STRING, Or((StartsWith(HELD, "x"), IsNull(HELD)))),
    FilterHeld(("x",), ("b", 1), STRING, Computed(HELD, "lower", None, "=", STRING, "x")),
    FilterHeld(("x",), ("a",), integer(64), Computed(HELD, "add", "2", ">", integer(64), "4")),
    FilterHeld(("x",), ("a",), integer(64), Computed(HELD, "cast", "string", "=", STRING, "2")),
    ToJson(("x",)),
    SchemaOf(("x",)),
]


@pytest.mark.heavy
@pytest.mark.parametrize("level", [Level(), SHREDDED], ids=["whole", "shredded"])
def test_queries_of_variants(spark, tmp_path, level):
    """What Variants hold is answered of whole Variants and by a scan of their columns, as is JSON.

    The second row group has a number that its column, and the column's statistics, do not hold.
    """
    values = ('{"a":1,"b":[null,"x"]}', '{"a":2,"b":{}}', '{"a":3}', '{"a":5000000000}', "{}")
    rows = [{"x": variants.row(level, parse_json(text)), "row": at} for at, text in enumerate(values)]
    elements = schema(variants.elements("x", OPTIONAL, level), leaf("row", Physical.INT32))
    plan = FilePlan(elements, (*rows, {"x": None, "row": 5}), row_groups=(2, 4))
    (tmp_path / "a.parquet").write_bytes(write(plan))
    claimed = spark.describe()["equivalences"]
    for query in OF_VARIANTS:
        for pushdown in ("on", "off") if level == SHREDDED else ("on",):
            outcome = spark.query([tmp_path / "a.parquet"], "parquet", {"pushdown": pushdown}, query)[0]
            result = compare(answer(query, expected.table(plan), "ieee"), outcome.table, claimed)
            assert result.equal, (str(query), pushdown, result.difference)


def test_constants_that_cannot_be_said(spark, folder):
    """A query that Spark cannot be asked is unsupported, one of a column that is not there too."""
    for query in (
        RowGroup(0),
        Extract(("number",), (0,)),
        ToJson(("number",)),
        FilterHeld(("number",), (0,), BYTES, IsNull(HELD)),
        Filter(Compare(("no such column",), "=", integer(32), "1")),
    ):
        outcome = spark.query([folder / "runs.parquet"], "parquet", {}, query)
        assert outcome.kind is OutcomeKind.UNSUPPORTED, outcome.detail


@pytest.mark.heavy
def test_death_of_the_jvm(spark, folder):
    """If the JVM dies the child dies, which is a crash; the next request gets a new one."""
    spark.describe()
    (java,) = [one for one in psutil.Process().children(recursive=True) if is_new_java(one, spark)]
    os.kill(java.pid, signal.SIGKILL)
    psutil.wait_procs([java], 0.5)  # a zombie until its parent looks
    outcome = spark.read(folder / "runs.parquet", "parquet", {})
    assert outcome.kind is OutcomeKind.CRASHED, outcome.detail
    assert "the JVM is gone" in outcome.detail.stderr
    assert spark.read(folder / "runs.parquet", "parquet", {}).kind is OutcomeKind.TABLE


_ROUND_TRIPS = """
import sys
from harness.engines.spark.adapter import Spark
from py4j.clientserver import ClientServerConnection
engine, commands, errors = Spark(), [], []
send = ClientServerConnection.send_command
def counted(connection, command):
    commands.append(command)
    return send(connection, command)
ClientServerConnection.send_command = counted
for _ in range(2):
    commands.clear()
    for name in sys.argv[1:]:
        try:
            engine.read(name, "parquet", {})
        except Exception as error:
            errors.append(f"{type(error).__module__}.{type(error).__name__}")
unknown = [command for command in commands if command.split()[:2] == ["r", "u"]]
print(len(unknown), "exceptionString" in str(commands), *errors)
"""


@pytest.mark.heavy
def test_names_are_looked_up_once(folder, tmp_path):
    """A second read asks nothing about names in the JVM, and a refusal not for the text of its stack."""
    (bad := tmp_path / "bad.parquet").write_bytes(b"PAR1 nothing of the kind PAR1")
    command = [sys.executable, "-c", _ROUND_TRIPS, str(folder / "runs.parquet"), str(bad)]
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    unknown, stacks, *errors = output.split()[-4:]
    assert (unknown, stacks) == ("0", "False")
    assert errors == ["java.lang.RuntimeException"] * 2


_ORIGINS = """
import sys
from harness.engines.spark.adapter import Spark
engine = Spark()
for name in sys.argv[1:]:
    engine.read(name, name.rpartition(".")[2], {})
configuration = engine.session.sparkContext._jsc.hadoopConfiguration()
print(configuration.size(), len(configuration.getPropertySources("fs.defaultFS") or ()))
"""


@pytest.mark.heavy
def test_tasks_carry_no_origins_of_properties(folder):
    """Hadoop's properties of files stay, and the names of files they come from are not sent with tasks."""
    command = [sys.executable, "-c", _ORIGINS, str(folder / "runs.parquet")]
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    properties, origins = map(int, output.split()[-2:])
    assert properties > 200
    assert origins == 0


def is_new_java(process, connection):
    """Return whether a process is the JVM of the connection's child."""
    child = connection._child._process.pid
    return "java" in process.name() and child in [one.pid for one in process.parents()]


def test_constants_for_wall_clocks_are_those_of_the_zone(spark):
    """Of a column of wall clocks a filter finds the rows with its constant, whatever the session's zone."""
    file = CORPORA / "parquet" / "statistics" / "timestamp-micros-local" / "pages.parquet"
    whole = Reference().read(file, "parquet", {})
    values = [value for value in whole.column(0) if value is not None][:3]
    for value in values:
        query = Filter(Compare(("x",), "=", whole.columns[0].type, value))
        for zone in ("utc", "los_angeles"):
            (outcome,) = spark.query([file], "parquet", {"zone": zone}, query)
            assert outcome.table.column(0) == [value], zone


def test_filters_of_many_row_groups_are_small():
    """With a limit of the rows of a row group, a Bloom filter has 1 KiB unless its size is drawn."""
    bloom, limit = {"parquet.bloom.filter.enabled": "true"}, {"parquet.block.row.count.limit": "1"}
    size = "parquet.bloom.filter.max.bytes"
    assert split({**bloom, **limit})[0][size] == "1024"
    assert split({**bloom, **limit, size: "32"})[0][size] == "32"
    assert size not in split(bloom)[0]
    assert size not in split(limit)[0]
