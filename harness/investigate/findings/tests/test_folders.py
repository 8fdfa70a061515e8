"""Exported findings: their folders are complete, work without colconf, and can be judged again."""

import json
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from corpora.cases import Expectation, dump, load
from corpora.own_cases import CHECKED_IN as CORPORA
from harness.children.connection import Limits
from harness.engines.registry import ENGINES
from harness.environments.availability import status
from harness.investigate.findings import collect, folders, heading
from harness.investigate.findings.rejudge import CannotAsk
from harness.investigate.findings.replay import named, replay
from harness.judging.results import Finding
from harness.tests.schemas import check

FINDINGS = ("pyorc-no-counts", "polars-int96-after-2262", "datafusion-null-count-absent")
LIMITS = Limits(seconds=60)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", FINDINGS)
def test_a_known_finding_as_a_folder(tmp_path, name):
    """The script shows the finding without our modules, and the folder is judged again by its signature."""
    engine = name.partition("-")[0]
    if not status(ENGINES[engine]).available:
        pytest.skip(f"{engine} is not here")
    found = collect.of_known(name, None, LIMITS)
    folder, why = folders.write(found, tmp_path)
    assert not why
    assert found.clause in (folder / "issue.md").read_text("utf-8")
    assert load(folder / "case.json").sha256 == found.case.sha256
    told = json.loads((folder / "said.json").read_text("utf-8"))
    check(told, "finding:1", "said")
    assert {row["engine"] for row in told["said"]} == {engine}
    assert str(tmp_path) not in json.dumps(told)
    command = [sys.executable, "-I", str(folder / heading.NAME)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "colconf" not in (folder / heading.NAME).read_text("utf-8").partition("Seen")[2]
    shows, _, shown = replay(named(str(folder), (), "parquet", tmp_path), LIMITS)
    assert shows
    assert {one.signature for one in shown} == {found.finding.signature}


def test_a_script_says_that_a_bug_is_gone(tmp_path):
    """If the engine returns the expected values, the script exits with status 0."""
    if not status(ENGINES["polars"]).available:
        pytest.skip("polars is not here")
    found = collect.of_known("polars-int96-after-2262", None, LIMITS)
    folder, _ = folders.write(found, tmp_path)
    script = folder / heading.NAME
    text = script.read_text("utf-8")
    first = text.index("EXPECTED_NAMES")
    mended = text[:first] + "EXPECTED_NAMES, _, EXPECTED = ask()\n" + text[text.index("\n]", first) + 2 :]
    script.write_text(mended, "utf-8")
    done = subprocess.run([sys.executable, "-I", str(script)], capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_issue_names_other_queries_that_fail():
    """Whoever mends the finding learns which other queries of the file the engine fails, if any."""
    if not status(ENGINES["polars"]).available:
        pytest.skip("polars is not here")
    kept = collect.of_known("polars-int96-after-2262", None, LIMITS)
    assert "fail, too" not in folders.issue(kept, b"", has_script=True)
    finding = replace(kept.finding, others=2, other_queries=["a < 1"])
    text = folders.issue(replace(kept, finding=finding), b"", has_script=True)
    assert "\n2 other queries of the file fail, too: a &#60; 1; and 1 more.\n" in text


def test_an_issue_names_the_features_of_the_columns():
    """Whoever mends the finding learns what is in the columns that it is about, where that is known."""
    if not status(ENGINES["polars"]).available:
        pytest.skip("polars is not here")
    kept = collect.of_known("polars-int96-after-2262", None, LIMITS)
    finding = replace(kept.finding, column_features=["parquet/type/int96", "parquet/value/null"])
    text = folders.issue(replace(kept, finding=finding), b"", has_script=True)
    assert "\nFeatures of the columns that it is about: `parquet/type/int96`, `parquet/value/null`.\n" in text
    finding = replace(finding, column_features=[])
    assert "Features of" not in folders.issue(replace(kept, finding=finding), b"", has_script=True)


def test_a_generated_file_is_made_again(tmp_path):
    """`replay` makes the file of a seed again, and the reference shows no finding."""
    again = named("generated/7/0/0", ("reference",), "parquet", tmp_path)
    shows, results, _ = replay(again, LIMITS)
    assert not shows
    assert {row.engine for row in results.rows} == {"reference"}


@pytest.mark.parametrize("text", ["no-such-finding", "generated/1/2", "generated/7/0/100000", "../x"])
def test_what_is_not_there_is_one_line(tmp_path, text):
    """A name that means nothing is refused in a line."""
    with pytest.raises(CannotAsk, match=r"\A[^\n]*\Z"):
        named(text, (), "parquet", tmp_path)


def test_a_finding_that_was_minimized(tmp_path):
    """The folder of `colconf minimize` is exported as it is, as long as its finding shows."""
    if not status(ENGINES["polars"]).available:
        pytest.skip("polars is not here")
    known = load(CORPORA / "parquet/findings/int96-after-2262.json")
    dump(known, tmp_path / "minimal.json")
    told = {
        "signature": "polars | different | value in int96",
        "engine": "polars",
        "config": "",
        "finding": "polars-int96-after-2262",
        "limits": {"seconds": 60, "memory_bytes": 1 << 32},
    }
    (tmp_path / "minimize.json").write_text(json.dumps(told))
    assert collect.is_minimized(tmp_path)
    found = collect.of_minimized(tmp_path, LIMITS)
    folder, why = folders.write(found, tmp_path / "out")
    assert not why
    assert folder.name.startswith("polars-int96-after-2262")
    assert found.clause in (folder / "issue.md").read_text("utf-8")
    (tmp_path / "minimize.json").write_text(json.dumps({**told, "signature": "polars | crashed | signal 6"}))
    with pytest.raises(collect.NotThere, match="no longer shows: different"):
        collect.of_minimized(tmp_path, LIMITS)


def test_a_finding_of_a_vote_is_judged_again(tmp_path):
    """A folder that more engines decided about shows with its engine alone, and cites no rule of the file."""
    if not status(ENGINES["polars"]).available:
        pytest.skip("polars is not here")
    decided = collect.of_known("polars-int96-after-2262", None, LIMITS)
    row = decided.row
    recorded = row.detail.expectation
    voted = recorded._replace(source="vote", rule="PQ-CHUNK-016", clause="parquet.thrift")
    rows = [row.with_detail(expectation=voted)]
    case = replace(decided.case, expectation=Expectation.by_vote())
    evidence = replace(decided, case=case, rows=rows, entry=None)
    assert evidence.clause == evidence.finding.clause
    folder, _ = folders.write(evidence, tmp_path)
    again = named(str(folder), (), "parquet", tmp_path)
    assert again.is_decided
    assert replay(again, LIMITS)[0]
    assert not replay(replace(again, is_decided=False), LIMITS)[0]  # two lineages are not there to blame it


def test_a_finding_about_the_reference_has_a_heading():
    """The reference has no packages; its script is run with colconf itself."""
    assert heading.run_with("reference", "0.1.0") == [
        f"uv run --no-project --with reference==0.1.0 python {heading.NAME}"
    ]


def test_the_issue_names_the_rules_that_the_file_breaks():
    """Whoever reads the issue sees that the file is not valid, and why; a SHOULD is none of these rules."""
    found = collect.of_known("pyorc-no-counts", None, LIMITS)
    row = found.row
    expectation = row.detail.expectation._replace(breach="ORC-FILE-011 ORC-FILE-015")
    broken = replace(row, detail=replace(row.detail, expectation=expectation))
    found = replace(found, rows=[broken if each is row else each for each in found.rows])
    text = folders.issue(found, b"", has_script=False)
    assert "\n* `ORC-FILE-011`: numberOfRows of the file is the sum of those of its stripes." in text
    assert "ORC-FILE-015" not in text
    assert "not valid" not in folders.issue(replace(found, rows=[row]), b"", has_script=False)


def test_a_reader_that_refuses_the_file_is_not_named_as_right():
    """Of wrong values, readers of the right ones are; of a broken file, those that refuse it."""
    found = collect.of_known("pyorc-no-counts", None, LIMITS)
    row = next(row for row in found.rows if row.verdict != "agree")
    others = [
        replace(row, engine="a", verdict="agree"),
        replace(row, engine="b", verdict="refused_as_expected"),
    ]
    text = folders.issue(replace(found, rows=[*found.rows, *others]), b"", has_script=False)
    assert "As expected with: a " in text
    assert "b " not in text.partition("As expected with: ")[2]
    read = replace(found, finding=replace(found.finding, verdict="accepted_invalid"), rows=others)
    assert "As expected with: b " in folders.issue(read, b"", has_script=False)


def test_an_engine_that_was_lost_while_it_wrote_has_no_file(monkeypatch, tmp_path):
    """What it left is no file of the finding: whoever reads it sees another problem, or none."""
    kept = Finding(
        "pyarrow | crashed | signal 6", "pyarrow", "1", "", "crashed", "writers/a", 1, [], None, ""
    )
    row = SimpleNamespace(
        case="writers/a",
        engine="pyarrow",
        version="1",
        verdict="crashed",
        detail=SimpleNamespace(phase="write"),
    )
    run = SimpleNamespace(settings={})
    results = SimpleNamespace(run=run, findings=[kept], rows=[row])
    monkeypatch.setattr(collect, "load", lambda _: results)
    monkeypatch.setattr(collect.finding_cases, "read", lambda _: [])
    monkeypatch.setattr(collect, "_imported", lambda _: load(next((CORPORA / "parquet").rglob("*.json"))))
    (text,) = collect.of_run(tmp_path)
    assert text.startswith("pyarrow | crashed | signal 6: the engine was lost while it wrote")
    row.detail.phase = "read"
    (evidence,) = collect.of_run(tmp_path)
    assert evidence.finding == kept


def test_the_command_pins_every_package(monkeypatch):
    """An old pyarrow does not start with numpy 2: the command names the numpy of the environment, too."""
    held = SimpleNamespace(
        python="3.11.9", packages={"numpy": "1.26.2", "duckdb": "0.9.2", "pyarrow": "14.0.1"}
    )
    launch = SimpleNamespace(apart=True)
    monkeypatch.setattr(heading, "status_of", lambda _: SimpleNamespace(launch=launch))
    monkeypatch.setattr(heading.store, "find", lambda *_: held)
    (command,) = heading.run_with("duckdb", "0.9.2", "x.py")
    pins = "--with duckdb==0.9.2 --with pyarrow==14.0.1 --with numpy==1.26.2"
    assert command == f"uv run --no-project --python 3.11 {pins} python x.py"


def test_words_about_a_run(monkeypatch, tmp_path):
    """An unknown signature is told those that are there, and `replay` of a run how to get its folders."""
    kept = Finding("pyarrow | crashed | 6", "pyarrow", "1", "", "crashed", "a", 1, [], None, "")
    results = SimpleNamespace(run=SimpleNamespace(settings={}), findings=[kept], rows=[])
    monkeypatch.setattr(collect, "load", lambda _: results)
    with pytest.raises(collect.NotThere, match=r"begins with 'duckdb'; there are: pyarrow \| crashed \| 6"):
        list(collect.of_run(tmp_path, "duckdb"))
    (tmp_path / "results.ndjson").write_text("")
    for text in (str(tmp_path), f"{tmp_path}:duckdb | different"):
        with pytest.raises(CannotAsk, match="is a run: replay takes the folders that"):
            named(text, (), "parquet", tmp_path)
