"""Queries that a user writes: all engines run them on the user's files, and they are judged."""

import json
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpora.answers import answer
from corpora.build.reading import open_file
from corpora.build.sql.binding import bind
from corpora.build.sql.parser import parse
from corpora.build.tagged_columns import tagged_table
from corpora.cases import Expectation, Probe
from corpora.queries import Compare, CountRows, Filter
from corpora.tagged import integer
from harness.commands import run_request
from harness.commands.own_queries import statements_of, with_queries
from harness.commands.run import run
from harness.judging.places import Config
from harness.judging.results import load
from harness.problem import Problem
from harness.tests.derived_fakes import PUSHED
from harness.tests.fakes import Queried
from harness.tests.pipelines import files, go, process, pushing
from harness.tests.queried import BIG
from harness.tests.schemas import check

ABOVE = Filter(Compare(("number",), ">=", integer(32), "5"))
OWN = (ABOVE, CountRows(ABOVE.predicate))


def reference():
    """Return the process of a reference that derives four queries."""
    return process("Derives", "reference", "harness.tests.derived_fakes")


def own(tmp_path, *names, queries=OWN, expectation=None, together=False):
    """Return files with queries of the user."""
    expectation = expectation or Expectation.by_vote()
    imported = files(tmp_path / "in", names, expectation, together=together)
    cases = tuple(replace(case, probes=tuple(map(Probe, queries))) for case in imported.cases)
    return replace(imported, cases=cases)


def queries_of(results, engine):
    """Return how many queries each configuration of an engine was asked."""
    return {row.config: row.detail.probes.queries for row in results.rows if row.engine == engine}


def test_a_wrong_result_is_a_finding(tmp_path):
    """A reader that loses rows of a user's query by pushdown is found, without derived queries."""
    out = tmp_path / "out"
    results = go(out, own(tmp_path, "a"), reference(), pushing("LosesRows"), process("Queried"), given=OWN)
    (finding,) = results.findings
    assert (finding.engine, finding.verdict, finding.probe) == ("losesrows", "different", str(ABOVE))
    assert finding.difference["kind"] == "pushdown"
    assert queries_of(results, "losesrows") == {"": 2, "pushdown=off": 2}
    (line,) = (out / "cases.ndjson").read_text().splitlines()
    assert json.loads(line)["case"]["probes"][0] == Probe(ABOVE).to_json()
    assert not (tmp_path / "derived").exists()


def test_beside_derived_queries(tmp_path):
    """Derived queries follow those of the user; one that is both is run once."""
    imported = own(tmp_path, "a", queries=(*OWN, BIG))
    results = go(tmp_path / "out", imported, reference(), pushing("LosesRows"), given=(*OWN, BIG), queries=8)
    assert queries_of(results, "losesrows") == {"": 6, "pushdown=off": 6}
    assert [finding.probe for finding in results.findings] == [str(ABOVE)]


def test_every_configuration_is_asked(tmp_path):
    """Queries of the user are no sample: heavy engines and all configurations get each of them."""
    configs = tuple(
        Config(text, {PUSHED: pushed, "mode": mode})
        for text, pushed, mode in (("", "on", "x"), ("pushdown=off", "off", "x"), ("mode=y", "on", "y"))
    )
    imported = own(tmp_path, "a")
    light = go(
        tmp_path / "light", imported, reference(), process("Queried", configs=configs), given=OWN, queries=8
    )
    assert queries_of(light, "queried") == {"": 6, "pushdown=off": 6, "mode=y": 3}
    heavy = go(
        tmp_path / "heavy", imported, reference(), pushing("Queried", heavy=True), given=OWN, queries=8
    )
    assert queries_of(heavy, "queried") == {"": 3, "pushdown=off": 2}


def test_files_with_a_case(tmp_path):
    """A file whose table is recorded is asked the user's queries alone, unless derived ones are wanted."""
    expectation = Expectation.accept(Queried.found, "generator")
    imported = own(tmp_path, "a", expectation=expectation)
    results = go(tmp_path / "out", imported, reference(), pushing("LosesRows"), given=OWN, queries=8)
    assert queries_of(results, "losesrows") == {"": 2, "pushdown=off": 2}
    assert [finding.probe for finding in results.findings] == [str(ABOVE)]
    both = go(
        tmp_path / "both",
        imported,
        reference(),
        process("Queried"),
        given=OWN,
        queries=8,
        queries_of_cases=True,
    )
    assert queries_of(both, "queried") == {"": 6}


def test_layouts_of_one_table(tmp_path):
    """Of files with one table, derived queries are run on every other one, and the user's on each."""
    expectation = Expectation.accept(Queried.found, "generator")
    imported = own(tmp_path, "a", "b", expectation=expectation, together=True)
    more = {"given": OWN, "queries": 8, "queries_of_cases": True}
    results = go(tmp_path / "out", imported, reference(), process("Queried"), **more)
    queries = [row.detail.probes.queries for row in results.rows if row.engine == "queried"]
    assert queries == [2 + 2, 2 + 2]


def test_a_run_without_a_reference(tmp_path):
    """Without a reference nothing is derived, and the user's queries are still run in each configuration."""
    queries = tuple(Filter(Compare(("number",), ">=", integer(32), str(number))) for number in range(1, 6))
    imported = own(tmp_path, "a", queries=queries, expectation=Expectation.accept(Queried.found, "generator"))
    results = go(tmp_path / "out", imported, pushing("Queried", heavy=True), given=queries, queries=8)
    assert queries_of(results, "queried") == {"": 5, "pushdown=off": 5}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in a folder with two files, one of which has no column `n`; return it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    table = pa.table(
        {"day": pa.array([0, 1, None, 3], pa.date32()), "n": pa.array([1, 2, 3, None], pa.int64())}
    )
    pq.write_table(table, "data/both.parquet")
    pq.write_table(table.drop(["n"]), "data/other.parquet")
    return tmp_path


def test_the_command(folder, colconf):
    """A query is run on the files that have its columns; the others are counted."""
    (folder / "own.sql").write_text("SELECT COUNT(*) -- all\nWHERE day > '1970-01-01';\nWHERE n > 1")
    common = ("--engine", "reference", "--no-spark", "--queries", "none", "--report", "none", "--out", "out")
    own_files = ("--query", "WHERE n IS NULL", "--query-file", "own.sql")
    status, out, err = colconf("run", "--files", "data", *own_files, *common)
    assert status == 0, err
    missing = "not run on 1 of 2 cases: no column n (files/other.parquet)"
    assert f"query WHERE n IS NULL: {missing}\nquery WHERE n > 1: {missing}\n" in err
    assert "your queries not run 2 times, where they do not fit the columns" in out
    results = load(folder / "out")
    texts = ["WHERE n IS NULL", "SELECT COUNT(*) WHERE day > '1970-01-01'", "WHERE n > 1"]
    assert results.run.settings["query"] == texts
    assert results.run.counts["queries_left_out"] == 2
    check(json.loads((folder / "out/run.json").read_text()), "results:3", "run")
    assert [row.detail.probes.queries for row in results.rows if not row.config] == [3, 1]
    assert "was finished" in colconf("run", "--resume", "out")[2]


def test_a_file_of_queries_for_the_number_of_derived_ones(colconf):
    """Who confuses `--queries` with `--query-file` reads of it."""
    status, _, err = colconf("run", "--files", "data", "--queries", "own.sql")
    assert status == 2
    assert "'own.sql' is not a number of queries, none or all; --query takes SQL, and --query-file" in err


@pytest.mark.usefixtures("folder")
def test_a_constant_that_a_type_lacks(colconf):
    """A line says which comparison is asked in its place, of a run and of a replay."""
    query = ("--query", "WHERE n > 1.5 ORDER BY day LIMIT 3", "--engine", "reference")
    status, _, err = colconf("run", "--files", "data/both.parquet", *query, "--no-spark", "--out", "out")
    note = "n > 1.5 is asked as n >= 2, since n is of type int(64, signed) (files/both.parquet)"
    line = f"query WHERE n > 1.5 ORDER BY day LIMIT 3: {note}\n"
    assert (status, line in err) == (0, True)
    assert note.partition(" (")[0] in colconf("replay", "data/both.parquet", *query)[2]


def test_a_query_of_files_in_other_parts(folder, colconf):
    """A query that fits no file of a part (`--shard`) does not end its run: it may fit those of another."""
    for number in range(4):
        (folder / f"data/other-{number}.parquet").write_bytes((folder / "data/other.parquet").read_bytes())
    run_of = ("run", "--files", "data", "--query", "WHERE n > 1", "--engine", "reference", "--no-spark")
    ran = [colconf(*run_of, "--queries", "none", "--shard", f"{part}/2", "--out", part) for part in (1, 2)]
    assert [status for status, *_ in ran] == [0, 0]
    assert all("query WHERE n > 1: not run on" in err for *_, err in ran)
    counts = [load(folder / part).run.counts["queries_left_out"] for part in ("1", "2")]
    assert sum(counts) == 5
    counts = [
        sum(row.detail.probes.queries for row in load(folder / part).rows if not row.config) for part in "12"
    ]
    assert sorted(counts) == [0, 1]


def test_a_resumed_run_has_its_queries(folder, colconf, monkeypatch):
    """A run that is continued has the queries of the run, also those of a file that is gone."""
    (folder / "own.sql").write_text("WHERE n > 1;")
    seen = []

    def interrupted(request, _):
        seen.append(request)
        raise KeyboardInterrupt

    monkeypatch.setattr("harness.commands.run.run_pipeline", interrupted)
    common = ("--engine", "reference", "--no-spark", "--out", "out")
    colconf("run", "--files", "data", "--query-file", "own.sql", *common)
    (request,) = seen
    (folder / "own.sql").unlink()
    record = run_request.RunRecord(
        id="1", started="", arguments=[], settings=request.settings, unavailable=[], seeds=[], colconf=""
    )
    options = run.make_context("run", ["--resume", "out"]).params
    taken = run_request.resume.options(folder / "out", record, options)
    assert run_request.request_of(taken, record).given == request.given != ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--query", "WHERE n >"), "--query: character 10: a constant is expected here, not the end"),
        (("--query", "WHERE\nn = x"), "--query: line 2, character 5: a constant is expected here, not x"),
        (("--query", ""), "--query: no query"),
        (("--query", "WHERE m = 1"),
         "query WHERE m = 1: fits none of 2 cases: no column m (files/both.parquet and 1 more)"),
        (("--query", "WHERE n = 'a'"),
         "query WHERE n = 'a': fits none of 2 cases: n is of type int(64, signed), which has no value 'a'"),
        (("--query-file", "gone.sql"), "--query-file gone.sql: No such file or directory"),
        (("--query-file", "data/both.parquet"), "--query-file data/both.parquet: not UTF-8 text, at byte"),
        (("--query-file", "/dev/zero"), "--query-file /dev/zero: more than 4 MiB"),
        (("--query", 'WHERE "a\nb" = 1'),
         'query WHERE "a\\nb" = 1: fits none of 2 cases: no column a\\nb (files'),
        (("--query", "WHERE m IN (1" + ", 1" * 500 + ")"), "query WHERE m IN (1, 1, 1, 1, 1, 1, 1"),
        (("--query-file", "two.sql"),
         "--query-file two.sql: line 2, character 1: the end is expected here, not WHERE"),
    ],
)  # fmt: skip
def test_bad_queries(folder, colconf, arguments, message):
    """A query that cannot be read, or fits no file, ends both commands before any engine runs."""
    (folder / "two.sql").write_text("WHERE n = 1\nWHERE n = 2;\n")
    engines = ("--engine", "reference", "--no-spark", "--out", "out")
    status, _, err = colconf("run", "--files", "data", *engines, *arguments)
    assert (status, len(err.strip().splitlines())) == (2, 1)
    assert f"colconf: {message}" in err
    assert len(err) < 500
    assert not (folder / "out").exists()


def test_each_query_that_fits_no_file_is_named(folder, colconf):
    """Of several queries, those that fit no file have a line each, so that all can be mended at once."""
    (folder / "own.sql").write_text("WHERE m = 1;\nWHERE n = 1;\nWHERE n = 'a';\n")
    given = ("--files", "data", "--query-file", "own.sql", "--engine", "reference", "--no-spark")
    status, _, err = colconf("run", *given, "--out", "out")
    assert status == 2
    assert [line.partition(": fits none")[0] for line in err.splitlines()] == [
        "query WHERE m = 1",
        "query WHERE n = 'a'",
        "colconf: 2 of 3 queries fit no file or table",
    ]


def test_a_file_from_another_editor(tmp_path):
    """A file of queries may begin with a byte order mark, and have the line ends of Windows."""
    file = tmp_path / "own.sql"
    file.write_bytes(b"\xef\xbb\xbfWHERE n = 1\r\n  AND n < 2; -- one\r\nSELECT COUNT(*);\r\n")
    statements = statements_of({"query": (), "query_file": (str(file),)})
    assert [each.text for each in statements] == ["WHERE n = 1 AND n < 2", "SELECT COUNT(*)"]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--generate", "3"),
        ("--write-generated", "3"),
        ("--case", "parquet/alp/*"),
        ("--profile", "sample"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_queries_are_of_the_user_s_files(colconf, arguments):
    """Without files and tables of the user, queries are refused."""
    query = ("run", "--query", "WHERE n = 1")
    status, _, err = colconf(*query, "--engine", "reference", *arguments)
    assert (status, err) == (2, "colconf: --query and --query-file require --files or --tables\n")
    assert "leave out --query" in colconf(*query, "--time-budget", "1m")[2]


def test_cases_that_are_not_asked(tmp_path):
    """A case that breaks a rule keeps its queries; a file that the reference cannot open is left out."""
    refused = files(tmp_path / "in", ["a"], Expectation.refuse(clause="a clause")).cases
    damaged = files(tmp_path / "in", ["b"], Expectation.by_vote()).cases
    pq.write_table(pa.table({"n": [1]}), tmp_path / "in" / "c")
    sound = files(tmp_path / "more", ["c"], Expectation.by_vote()).cases
    sound = (replace(sound[0], file=tmp_path / "in" / "c"),)
    queried = with_queries(parse("WHERE n = 1"), (*refused, *damaged, *sound))
    assert [len(case.probes) for case in queried.cases] == [0, 0, 1]
    assert queried.left_out == 2
    assert [note.partition("cases: ")[2] for note in queried.notes] == [
        "only the queries of the recorded case are run (files/a)",
        "the reference cannot open the file (files/b)",
    ]
    with pytest.raises(Problem, match="fits none of 2 cases"):
        with_queries(parse("WHERE n = 1"), (*refused, *damaged))


QUERIES = (
    "SELECT n FROM t WHERE day = DATE '1970-01-02' OR n BETWEEN 1 AND 1",
    "SELECT n FROM t WHERE n NOT IN (1, 7) AND day IS NOT NULL",
    "SELECT n FROM t WHERE NOT (n <> 2 AND day < '1970-01-04')",
    "SELECT n FROM t WHERE day IS DISTINCT FROM DATE '1970-01-01' AND YEAR(day) >= 1970",
    "SELECT n FROM t WHERE n IN (3, NULL) OR 2 > n",
    "SELECT COUNT(*) FROM t WHERE price > 1.5 AND name LIKE '_b%'",
    "SELECT COUNT(*) FROM t WHERE moment >= TIMESTAMP '1970-01-01 00:00:01.5' AND LOWER(name) <> 'xb'",
    "SELECT COUNT(*) FROM t WHERE CAST(moment AS DATE) = DATE '1970-01-01' AND yes",
    "SELECT n FROM t WHERE n > 1 LIMIT 1 OFFSET 1",
    "SELECT n FROM t ORDER BY n DESC NULLS FIRST LIMIT 2",
    "SELECT n FROM t WHERE n > 1 ORDER BY n LIMIT 1",
    "SELECT n FROM t WHERE day IS NOT NULL ORDER BY n DESC NULLS FIRST LIMIT 2 OFFSET 1",
    "SELECT n FROM t WHERE NOT (n > 1.5 AND price < 1.509)",
    "SELECT n FROM t WHERE NOT n = 2.5 OR price > 1000.001",
    "SELECT n FROM t WHERE n NOT IN (1, 2.5) AND n < 1e15",
    "SELECT n FROM t WHERE price IN (1.505, 1.51) OR NOT price < 99999",
    "SELECT n FROM t WHERE day < TIMESTAMP '1970-01-02 00:00:01' AND n IS DISTINCT FROM 0.5",
    "SELECT n FROM t WHERE day <= TIMESTAMP '1970-01-01 23:59:59' OR YEAR(day) > 1970.5",
)


@pytest.mark.parametrize("text", QUERIES)
def test_the_meaning_of_sql(tmp_path, text):
    """The rows of a query are those that another engine returns for the same text."""
    duckdb = pytest.importorskip("duckdb")
    table = pa.table(
        {
            "day": pa.array([0, 1, None, 3], pa.date32()),
            "n": pa.array([1, 2, 3, None], pa.int64()),
            "price": pa.array(["1.50", "1.51", None, "-2.00"]).cast(pa.decimal128(5, 2)),
            "name": ["ab", "Xb", "abc", None],
            "moment": pa.array([1_500_000, 1_499_999, 86_400_000_000, None], pa.timestamp("us")),
            "yes": [True, False, True, None],
        }
    )
    path = tmp_path / "a.parquet"
    pq.write_table(table, path)
    own = tagged_table(open_file(str(path), "parquet").read())
    result = answer(bind(*parse(text), own.columns).query, own, "ieee")
    rows = duckdb.execute(text.replace("FROM t", f"FROM '{path}'")).fetchall()
    assert result.column(0) == [None if value is None else str(value) for (value,) in rows]
