"""In scripts and issues about files with hostile names, no name becomes code, a comment or Markdown."""

import hashlib
import io
import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from itertools import cycle

import pytest

from corpora.answers import answer
from corpora.cases import Case, Expectation, Probe, case_id
from corpora.queries import Filter, RowGroup
from corpora.tagged import Table, integer
from harness.engines.errors import Unsupported
from harness.engines.registry import ENGINES
from harness.engines.scripts.request import ScriptRequest
from harness.environments.availability import status
from harness.investigate.findings import folders, heading, repro, scripts
from harness.investigate.findings.broken_files import BrokenFile
from harness.investigate.findings.collect import Evidence
from harness.investigate.findings.expected import lines
from harness.investigate.upgrade.scripts import script as upgrade_script
from harness.investigate.upgrade.tests.test_baseline import line
from harness.judging.details import RecordedExpectation, RowDetail
from harness.judging.results import Finding, Row
from harness.tests.hostile_names import (
    CANARY,
    FILE_NAMES,
    NAMES,
    SHORT,
    WRITE,
    columns_of,
    queries_of,
    rows_of,
)
from harness.tests.source_text import check_source

WITH_SCRIPTS = [name for name in ENGINES if scripts.has(name)]
PLAIN = "c"


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Run the test in an empty folder, and check that no hostile name created a file there."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert not [path for path in tmp_path.iterdir() if path.name == CANARY]


def of_queries(engine, form, name, file, number):
    """Return the script of one query about a column of this name, None if the engine has no words for it."""
    query = queries_of(name)[number]
    asked = ScriptRequest(form, {"pushdown": "off"} if number % 2 else {}, query)
    try:
        return scripts.printing(engine, asked, file, [f"{file}: {query}", name, f"coding=utf-7 {name}"])
    except Unsupported:
        return None


def run(text):
    """Return the lines that a script prints, run in this process; none if its engine raises an exception."""
    space = {"__file__": os.path.abspath("script.py"), "__name__": "__main__"}  # noqa: PTH100 - as Python does
    with redirect_stdout(io.StringIO()) as printed, suppress(Exception):
        exec(compile(text.encode("ascii"), "script.py", "exec"), space)
        return printed.getvalue().splitlines()
    return []


def lines_of(name, query):
    """Return the lines that a script prints of the right answer, the last of all that it prints."""
    columns = [(column, integer(64)) for column in columns_of(name)]
    values = [
        [None if cell is None else str(cell) for cell in column]
        for column in zip(*rows_of(name), strict=True)
    ]
    table = Table.of(columns, values)
    if query is not None:
        table = answer(query, table, "ieee", range(4) if isinstance(query, RowGroup) else None)
    return list(lines(table, query))


def check_scripts(elsewhere, engine, keys, chosen):
    """Check scripts of an engine: queries for each of the names, as `chosen` says, run where it is light.

    Return the names and queries whose scripts print nothing, because the engine raises an exception.
    """
    here = engine != "spark" and status(ENGINES[engine]).available
    form = ENGINES[engine].formats[0]
    silent = []
    for number, (key, name) in enumerate(NAMES.items()):
        if key not in keys:
            continue
        file = f"{FILE_NAMES.get(key, 'x')}.{form}"
        if here:
            (elsewhere / file).write_bytes(WRITE[form](name))
        for query in chosen(number):
            text = of_queries(engine, form, name, file, query)
            if text is None:
                continue
            check_source(text, of_queries(engine, form, PLAIN, "file", query))
            if here and key != "nul":  # at which Polars panics
                printed = run(text)
                right = lines_of(name, queries_of(name)[query])
                assert not printed or printed[-len(right) :] == right, (key, query)
                silent += [] if printed else [(key, query)]
    return silent


@pytest.mark.filterwarnings("ignore")  # libraries of engines warn of each other
@pytest.mark.parametrize("engine", WITH_SCRIPTS)
def test_names_are_literals(elsewhere, engine, some_of):
    """Whatever a column is called, a script differs in literals only, and prints the right answer.

    Except for fastparquet, whose adapter cannot compare a nullable column of integers either.
    """
    keys = some_of(((f"{engine} {key}", key) for key in NAMES), 16)
    silent = check_scripts(elsewhere, engine, keys, lambda number: (0, 1 + number % 8))
    compared = [(key, 2) for number, key in enumerate(NAMES) if number % 8 == 1 and key in {*keys} - {"nul"}]
    assert silent == (compared if engine == "fastparquet" else [])


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("engine", WITH_SCRIPTS)
def test_names_are_literals_in_every_query(elsewhere, engine):
    """For every kind of query, hostile names change only literals of the script."""
    check_scripts(elsewhere, engine, NAMES, lambda _: range(9))


def test_a_coding_and_an_escape(elsewhere):
    """A file name that declares a source encoding cannot turn a column name into a line of code."""
    column = NAMES["unicode-escape"]
    head = ["files/x coding=raw_unicode_escape .parquet", f"Query: {column}"]
    (elsewhere / "f.parquet").write_bytes(WRITE["parquet"](column))
    (elsewhere / "repro.py").write_text(
        scripts.printing("pyarrow", ScriptRequest("parquet"), "f.parquet", head), "ascii"
    )
    done = subprocess.run([sys.executable, "-I", "repro.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert head[0] in done.stdout
    assert column in done.stdout


VERDICTS = ("different", "refused_valid", "accepted_invalid", "crashed", "hung", "amplified", "unstable")


def found(folder, verdict, name, engine="pyarrow"):
    """Return a finding in which every text is a name."""
    data = WRITE["parquet"](name)
    file = folder / "file.parquet"
    file.write_bytes(data)
    table = Table.of([(name, integer(64))], [["0", "1"]])
    meaning = replace(Expectation.accept(table, "spec"), clause=name)
    query = Filter(queries_of(name)[2].predicate)
    case = Case(case_id("files", name), "parquet", file, hashlib.sha256(data).hexdigest(), meaning)
    case = replace(case, probes=(Probe(query, ()),) if verdict == "different" else ())
    difference = {"path": name, "expected": name, "actual": name, "kind": "value"}
    given = (difference, "") if verdict == "different" else (None, f"{name}\n{name}")
    finding = Finding(f"{engine} | {verdict} | {name}", engine, "1", "", verdict, case.id, 1, [], *given)
    detail = RowDetail(str(file), RecordedExpectation(clause=name))
    row = Row(case.id, "parquet", "0" * 64, engine, "1", "", "table", verdict, detail, 0.1, 0)
    return Evidence("x", finding, case, next(iter(case.probes), None), [row])


@pytest.mark.sweep(8)
@pytest.mark.parametrize("verdict", VERDICTS)
def test_findings_are_literals(elsewhere, verdict):
    """Whatever engines replied, hostile names change only literals of the script of a finding."""
    plain, _ = repro.script(found(elsewhere, verdict, PLAIN), "file.parquet")
    for name in SHORT.values():
        text, long = repro.script(found(elsewhere, verdict, name), "file.parquet")
        assert long is None
        check_source(text, plain)


def test_an_engine_that_has_no_script_that_reads_has_one_that_writes(elsewhere):
    """A finding about a file that chDB wrote has a script, though none reads with it."""
    assert not scripts.has("chdb")
    finding = found(elsewhere, "wrote_invalid", PLAIN, "chdb")
    broken_file = BrokenFile(Table.of([("x", integer(64))], [["0"]]), {}, "PQ-SIZE-002", "a place")
    text, _ = repro.script(replace(finding, broken_file=broken_file), "file.parquet")
    assert "INSERT INTO FUNCTION file({target}, Parquet)" in text
    assert "os.remove(ARROW)" in text


@pytest.mark.heavy
def test_scripts_that_write_are_literals(elsewhere):
    """Hostile names change only literals of a script that has an engine write an invalid file."""
    engines = ("pyarrow", "duckdb", "polars", "datafusion", "fastparquet", "chdb")

    def text_of(engine, name):
        table = Table.of([(name, integer(64))], [["0", "1"]])
        finding = found(elsewhere, "wrote_invalid", name, engine)
        made = BrokenFile(table, {"indexed": True} if engine == "pyarrow" else {}, "PQ-LOGICAL-010", name)
        return repro.script(replace(finding, broken_file=made), "file.parquet")[0]

    plain = {engine: text_of(engine, PLAIN) for engine in engines}
    for engine, name in zip(cycle(engines), SHORT.values(), strict=False):
        check_source(text_of(engine, name), plain[engine])


@pytest.mark.sweep(2)
@pytest.mark.parametrize("form", ["parquet", "orc"])
@pytest.mark.parametrize("other", [False, True])
def test_scripts_of_the_gate_are_literals(form, other):
    """Hostile names change only literals of the scripts of an upgrade, for read and written files."""

    def text_of(name):
        query = queries_of(name)[2]
        more = {"other": "old"} if other else {}
        at = line(
            "spark | value | x",
            format=form,
            path=name,
            old=name,
            new=name,
            query=query.to_json(),
            probe=name,
            **more,
        )
        engines = [{"name": "spark", "version": version} for version in ("4.0.0", "4.1.0")]
        return upgrade_script(
            {"configs": [], "class": "value", **at, "file": name}, f"{name}.{form}", engines
        )

    for name in SHORT.values():
        check_source(text_of(name), text_of(PLAIN))


_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")  # CommonMark, 6.1: the same number of backticks


def outside(text):
    """Return what of Markdown is in no code block and in no code span."""
    left, fence = [], ""
    for one in text.split("\n"):
        ticks = re.match("`{3,}(?=$)", one)
        if fence:
            fence = "" if ticks and len(ticks[0]) >= len(fence) else fence
        elif ticks:
            fence = ticks[0]
        else:
            left.append(_SPAN.sub("", one))
    assert not fence
    return "\n".join(left)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("verdict", ["different", "refused_valid", "crashed"])
def test_issues_are_what_they_are_whatever_a_name_is(elsewhere, verdict):
    """In an issue, names stay within visible code, and commands are quoted for a shell."""
    plain = outside(folders.issue(found(elsewhere, verdict, PLAIN), b"", has_script=True))
    for name in SHORT.values():
        text = folders.issue(found(elsewhere, verdict, name), b"", has_script=True)
        assert not [one for one in text if not one.isprintable() and one != "\n"]
        ours = outside(text).split("\n")
        assert ours[1:] == plain.split("\n")[1:], name
        assert not set(ours[0]) & set("`*_[]<>|@$~\\")
    with_version = replace(found(elsewhere, verdict, PLAIN).finding, version="1; touch x")
    (command,) = heading.run_with(with_version.engine, with_version.version)
    assert "pyarrow==1; touch x" in shlex.split(command)
