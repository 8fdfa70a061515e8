"""The engines in Java: a JVM that speaks the protocol itself, one for all tests of an engine."""

import datetime as dt
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from corpora import known_failures
from corpora.answers import answer
from corpora.build.control import controls
from corpora.build.recipe import OPTIONAL, REQUIRED, group, leaf, schema
from corpora.queries import Compare, Filter, In, Not, RowGroup
from corpora.tagged import DATE, Table, integer
from harness.children.connection import Connection, Limits, worker_command
from harness.children.launch import Launch
from harness.children.outcomes import OutcomeKind
from harness.children.worker import open_engine
from harness.engines.jvm import program
from harness.engines.registry import ENGINES
from harness.environments.availability import status
from harness.judging.compare import compare
from harness.tests import query_files
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import Type as Physical
from reference_impl.parquet.writer import write

JAVA = {entry.name: entry for entry in ENGINES.values() if entry.module.endswith("_java.adapter")}
CORPORA = Path(__file__).parents[2] / "corpora"
FORMATS = {entry.formats[0]: name for name, entry in JAVA.items()}
PUSHDOWN = ENGINES["parquet_java"].switches["pushdown"]
ORDER = "nan-greatest-signed-zeros"
GARBAGE = (b"", b"PAR1", b"PAR1\xff\xff\xff\x7fPAR1", b"ORC" * 40, b"ORC\xff\xff\x03")


@pytest.fixture(scope="module")
def engines():
    """Return a connection to each engine, by format; without Java or PySpark, skip."""
    for entry in JAVA.values():
        if not status(entry).available:
            pytest.skip(status(entry).reason)
    opened = {}
    for format_, name in FORMATS.items():
        command = worker_command(JAVA[name])
        env = {**Launch(tuple(command)).environment(), "TZ": "Asia/Kolkata", "LC_ALL": "C"}
        opened[format_] = Connection(command, Limits(), env=env)
    yield opened
    for connection in opened.values():
        connection.close()


def files_of_control():
    """Return the names of the control files, by format."""
    return [(format_, name) for format_ in FORMATS for name in controls.features(format_)]


@pytest.fixture(scope="module")
def control(tmp_path_factory):
    """Return the control cases by format and name."""
    folder = tmp_path_factory.mktemp("control")
    return {
        (format_, controls.name(case)): case
        for format_ in FORMATS
        for case in controls.cases(format_, folder / format_)
    }


@pytest.mark.parametrize("name", JAVA)
def test_description(engines, name):
    """An engine names the version in PySpark's jars, and its Java."""
    description = engines[JAVA[name].formats[0]].describe()
    assert description["name"] == name
    assert description["version"] == program.version_of(JAVA[name].artifact) == status(JAVA[name]).version
    assert description["runtime"].startswith("Java ")


@pytest.mark.sweep(12)
@pytest.mark.parametrize(("format_", "name"), files_of_control(), ids=str)
def test_reads_and_filters_exactly(engines, control, format_, name):
    """Each control file is read exactly; filters return the right rows, whatever means skip rows."""
    case, connection = control[format_, name], engines[format_]
    table = case.expectation.table
    outcome = connection.read(case.file, format_, {})
    if outcome.kind is OutcomeKind.UNSUPPORTED:
        assert name == "codec-brotli", outcome.detail
        return
    assert outcome.kind is OutcomeKind.TABLE, outcome.detail
    assert compare(table, outcome.table, ()).difference is None
    answered = 0
    for probe in case.probes:
        for config in ({}, {"pushdown": "off"}):
            if probe.query.kind not in connection.describe()["queries"]:
                continue
            outcomes = connection.query([case.file], format_, config, probe.query)
            if not isinstance(outcomes, list):
                assert outcomes.kind is OutcomeKind.UNSUPPORTED, (str(probe.query), outcomes.detail)
                continue
            right = answer(probe.query, table, ORDER, probe.rows)
            assert compare(right, outcomes[0].table, ()).difference is None, str(probe.query)
            answered += isinstance(probe.query, Filter)
    assert answered or not any(isinstance(probe.query, Filter) for probe in case.probes)


@pytest.mark.parametrize("column", ["text", "huge", "price", "double"])
def test_queries(engines, tmp_path, column):
    """Queries of several pages and row groups, and of fields of structs, have the oracle's answers."""
    table, file = query_files.table_of(column), tmp_path / "x.parquet"
    query_files.write(file, table)
    connection = engines["parquet"]
    asked = [query for query in query_files.queries(column) if query.kind in {"filter", "project"}]
    kinds, answered, wrong = set(), [], []
    for at, query in enumerate([*asked, RowGroup(1)]):
        outcome = connection.query([file], "parquet", {"pushdown": PUSHDOWN[at % len(PUSHDOWN)]}, query)
        if not isinstance(outcome, list):
            assert outcome.kind is OutcomeKind.UNSUPPORTED, outcome.detail
            assert "FilterApi" in outcome.detail.message
            continue
        rows = range(10, 20) if isinstance(query, RowGroup) else None
        answered.append(query)
        if compare(answer(query, table, ORDER, rows), outcome[0].table, ()).difference is not None:
            wrong.append(query)
        kinds.add(query.kind)
    assert kinds == {"filter", "project", "row_group"}
    assert wrong == [query for query in answered if is_not_in(query) or is_in_with_null(query)]


def is_in_with_null(query):
    """Return whether a query is IN of values and NULL: the finding parquet-java-in-with-null."""
    return isinstance(query, Filter) and isinstance(query.predicate, In) and None in query.predicate.values


def is_not_in(query):
    """Return whether a query is NOT IN of several values: the finding parquet-java-not-in."""
    negated = query.predicate.of if isinstance(query, Filter) and isinstance(query.predicate, Not) else None
    return isinstance(negated, In) and len(negated.values) > 1


def test_constants_that_no_reader_can_state(engines, tmp_path):
    """Decimals in BYTE_ARRAY are not asked for equality, which is of bytes, nor dates in ten days of 1582."""
    file = CORPORA / "parquet/bloom/decimal-5-2/byte-array-with-more-bytes/blocks-1.parquet"
    reference = open_engine("harness.engines.reference.adapter:Reference").read(str(file), "parquet", {})
    name, type_ = reference.columns[0].name, reference.columns[0].type
    for test, kind in (("=", "unsupported"), ("!=", "unsupported"), ("<", "table"), (">=", "table")):
        query = Filter(Compare((name,), test, type_, "12"))
        assert kind_of(engines["parquet"].query([file], "parquet", {}, query)) == kind, test
    query = Filter(In((name,), type_, ("12", "13")))
    assert kind_of(engines["parquet"].query([file], "parquet", {}, query)) == "unsupported"
    pytest.importorskip("pyorc", reason="pyorc is not installed")
    days = [
        str(dt.date(1582, 10, day).toordinal() - dt.date(1970, 1, 1).toordinal()) for day in (4, 5, 14, 15)
    ]
    table, file = Table.of([("d", DATE)], [days]), tmp_path / "x.orc"
    open_engine("harness.engines.pyorc.adapter:Pyorc").write(str(file), "orc", {}, table, {})
    for day in days:
        answers = engines["orc"].query([file], "orc", {}, Filter(Compare(("d",), "=", DATE, day)))
        if day in days[1:3]:
            assert kind_of(answers) == "unsupported"
        else:
            assert answers[0].table.column(0) == [day]


def kind_of(answers):
    """Return the kind of the outcome of a query of one file."""
    return (answers[0] if isinstance(answers, list) else answers).kind


def test_each_pushdown_is_one_means(engines, tmp_path):
    """Statistics that lie lose rows exactly where the means that believes them is on."""
    for lies in ("footer", "index"):
        file = tmp_path / f"{lies}.parquet"
        query_files.lie(file, footer=lies == "footer", index=lies == "index")
        believes = {"on", "statistics" if lies == "footer" else "index"}
        for pushdown in PUSHDOWN:
            (outcome,) = engines["parquet"].query([file], "parquet", {"pushdown": pushdown}, query_files.LIE)
            assert outcome.table.column(0) == ([] if pushdown in believes else ["2001"]), (lies, pushdown)


@pytest.mark.parametrize("format_", FORMATS)
def test_refuses_garbage(engines, tmp_path, format_):
    """Garbage is refused under the class of the root's exception, with the file's own name."""
    file = tmp_path / os.fsdecode(b"some * garbage\xff{1,2}%20:#")
    starts = engines[format_].starts
    for garbage in GARBAGE:
        file.write_bytes(garbage)
        outcome = engines[format_].read(file, format_, {})
        if format_ == "orc" and not garbage:
            assert outcome.kind is OutcomeKind.TABLE  # of no rows: Hive leaves empty files
            continue
        assert outcome.kind is OutcomeKind.REFUSED, outcome.detail
        assert "." in outcome.detail.error_class
        assert "\n" not in outcome.detail.message
        assert outcome.detail.step == "open"
    assert engines[format_].starts == max(starts, 1)


def test_names_and_large_tables(engines, tmp_path):
    """A name of any bytes is opened, and a table too large for a line comes in a file."""
    rows = 200_000
    plan = FilePlan(schema(leaf("n", Physical.INT64, REQUIRED)), tuple({"n": n << 44} for n in range(rows)))
    file = tmp_path / os.fsdecode(b"a b\xff%20\xe9\x80#.parquet")
    file.write_bytes(write(plan))
    outcome = engines["parquet"].read(file, "parquet", {})
    assert outcome.kind is OutcomeKind.TABLE, outcome.detail
    expected = Table.of([("n", integer(64))], [[str(n << 44) for n in range(rows)]])
    assert outcome.table.spill
    assert compare(expected, outcome.table, ()).difference is None
    names = {outcome.kind for outcome in engines["parquet"].read_many([file, file], "parquet", {})}
    assert names == {OutcomeKind.TABLE}


def test_deep_structs(engines, tmp_path):
    """Structs nested 150 deep are answered."""
    field = leaf("x", Physical.INT32, OPTIONAL)
    value = 1
    for _ in range(150):
        field, value = group("s", OPTIONAL, field), {"s" if isinstance(value, dict) else "x": value}
    file = tmp_path / "deep.parquet"
    file.write_bytes(write(FilePlan(schema(field), ({"s": value},))))
    outcome = engines["parquet"].read(file, "parquet", {})
    assert outcome.kind is OutcomeKind.TABLE, outcome.detail
    reference = open_engine("harness.engines.reference.adapter:Reference").read(str(file), "parquet", {})
    assert compare(reference, outcome.table, ()).difference is None


@pytest.mark.parametrize("name", JAVA)
def test_no_java(tmp_path, name):
    """Without Java the engine says in one line what is missing and how to mend it, to every request."""
    command = worker_command(JAVA[name])
    env = {**Launch(tuple(command)).environment(), "JAVA_HOME": str(tmp_path)}
    request = '{"v":3,"id":1,"op":"describe"}\n'
    done = subprocess.run(command, env=env, check=False, capture_output=True, text=True, input=request)
    assert '"kind":"unsupported"' in done.stdout
    assert "install Java" in done.stdout


@pytest.mark.usefixtures("engines")
@pytest.mark.parametrize("name", JAVA)
def test_replies_to_whatever_comes(name):
    """Lines that are no requests, other versions and unknown ops have replies; the end of input ends all."""
    command = worker_command(JAVA[name])
    lines = ("{", "[]", '{"v":3,"id":"x","op":"read"}', '{"v":9,"id":4,"op":"describe"}')
    lines += ('{"v":3,"id":5,"op":"fly","new":[{"a":"\\u00e9"}]}', '{"v":3,"id":6,"op":"describe","x":1e3}')
    env = Launch(tuple(command)).environment()
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True, input=text)
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert [reply["id"] for reply in replies] == [-1, -1, -1, 4, 5, 6]
    kinds = [reply.get("error", {}).get("kind") for reply in replies]
    assert kinds == ["misspoke", "misspoke", "misspoke", "unsupported", "unsupported", None]
    assert {reply["v"] for reply in replies} == {3}


def test_sources_are_compiled_once(tmp_path):
    """Classes are stored under a digest of sources and jars; another process finds them there."""
    code = (
        "from harness.engines.jvm import program; print(program.command('orc_java', 'OrcEngine', '{}')[-4])"
    )
    env = {**os.environ, "COLCONF_CACHE": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[2])}
    written = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True
        )
        folder = Path(done.stdout.split(os.pathsep)[0])
        written.append([file.stat().st_mtime_ns for file in sorted(folder.rglob("*.class"))])
        assert list((tmp_path / "java").iterdir()) == [folder]
    assert written[0] == written[1]
    assert written[0]


def test_findings_that_are_the_libraries():
    """The page of engines lists just the findings of Spark whose smallest file a library fails likewise."""
    page = (Path(__file__).parents[2] / "docs" / "engines.md").read_text("utf-8")
    listed = set(re.findall(r"^\| \[(spark-[\w-]+)\]\S* \| `(\w+_java)` \| `(\S+)` \|$", page, re.MULTILINE))
    entries = known_failures.load()
    of_libraries = {(entry.case, entry.verdict): entry.engine for entry in entries if entry.engine in JAVA}
    found, shared = set(), set()
    for entry in entries:
        if entry.engine == "spark" and entry.finding and entry.finding not in found:
            library = of_libraries.get((entry.case, entry.verdict))
            found.add(entry.finding)
            shared |= {(entry.finding, library, entry.case)} if library else set()
    assert listed == shared
    assert len(listed) > 10
