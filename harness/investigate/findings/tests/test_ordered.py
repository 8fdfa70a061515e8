"""Findings that depend on what was read before: script and replay ask the sequence of the folder."""

import json
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from corpora.build.control import controls
from harness.children.connection import Limits
from harness.engines.naming import parse
from harness.investigate import suspects
from harness.investigate.findings import folders, heading, ordered
from harness.investigate.findings.collect import Evidence
from harness.investigate.findings.replay import named, replay
from harness.judging.details import RowDetail
from harness.judging.order import Order
from harness.judging.results import Finding, Row
from harness.tests.foreign_manifests import forget, manifest
from harness.tests.pipelines import process
from harness.tests.schemas import check

FAKES = "harness.investigate.findings.tests.order_fakes"
LIMITS = Limits(start_seconds=60, seconds=20)


@pytest.fixture
def evidence(tmp_path):
    """Return the evidence of an answer of pyarrow that differs after another file."""
    cases = {controls.name(case): case for case in controls.cases("parquet", tmp_path / "files")}
    case = replace(cases["int32"], probes=())
    request = {"op": "read", "file": str(cases["date"].file), "format": "parquet", "config": {}}
    detail = RowDetail(order=Order("table", "refused", (request,), 7, repeated=True), finding=True)
    row = Row(case.id, case.sha256, "parquet", "pyarrow", "1", "", "table", "unstable", detail, 0.1, 0)
    difference = {"path": "outcome", "expected": "table", "actual": "refused", "kind": "order"}
    finding = Finding(
        "pyarrow | unstable | order", "pyarrow", "1", "", "unstable", case.id, 1, [], difference, ""
    )
    return Evidence("x", finding, case, None, [row])


def shown(folder):
    """Return the exit status and the output of the script of a folder."""
    done = subprocess.run(
        [sys.executable, str(folder / heading.NAME)], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


def test_the_script_reads_the_sequence_in_one_process(evidence, tmp_path):
    """The folder holds the files that were read before; only if these change the answer, the bug shows."""
    folder, why = folders.write(evidence, tmp_path / "out")
    assert not why
    assert (folder / "before-1.parquet").is_file()
    check(json.loads((folder / "order.json").read_text()), "finding:1", "order")
    status, output = shown(folder)
    assert (status, "the bug does not show" in output) == (0, True)
    module = folder / "before_1.py"
    module.write_text(
        module.read_text() + "\n\ndef ask():\n    sys.modules['__main__'].ask = lambda: 'spoilt'\n"
    )
    status, output = shown(folder)
    assert (status, "after before_1.py:\n  'spoilt'" in output) == (1, True)


def test_an_engine_that_is_named_has_its_script(evidence, tmp_path):
    """`findings export --engine pyarrow` writes the script of a sequence, as it does without the option."""
    folder, why = folders.write(evidence, tmp_path / "out", "pyarrow")
    assert not why
    assert (folder / "before_1.py").is_file()


@pytest.mark.parametrize("is_registered", [True, False])
@pytest.mark.parametrize("is_named", [True, False])
def test_a_reader_of_a_manifest_has_no_script_of_a_sequence(
    evidence, tmp_path, monkeypatch, is_registered, is_named
):
    """No script asks such a reader for a sequence, or starts its program; the folder has what replay asks."""
    forget(monkeypatch)
    if is_registered:
        parse(str(manifest(tmp_path)))
    rows = [replace(row, engine="my_reader") for row in evidence.rows]
    evidence = replace(evidence, finding=replace(evidence.finding, engine="my_reader"), rows=rows)
    folder, why = folders.write(evidence, tmp_path / "out", "my_reader" * is_named)
    assert why
    assert not list(folder.glob("*.py"))
    assert (folder / "order.json").is_file()


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("fake", "shows"), [("SpoiltByDates", True), ("Sound", False)])
def test_replay_asks_the_sequence(evidence, tmp_path, monkeypatch, fake, shows):
    """A fresh process reads the file alone, another one reads it after the sequence."""
    folder, _ = folders.write(evidence, tmp_path / "out")
    engine = process(fake, "pyarrow", FAKES)
    monkeypatch.setattr(ordered, "select", lambda *_, **__: SimpleNamespace(processes=(engine,)))
    again = named(str(folder), (), "parquet", tmp_path)
    assert again.order.sequence[0]["file"] == str(folder / "before-1.parquet")
    found, results, findings = replay(again, LIMITS)
    assert found is shows
    assert [finding.signature for finding in findings] == ["pyarrow | unstable | order"] * shows
    assert all(row.detail.difference["actual"].endswith("after before-1.parquet") for row in results.rows)


def test_a_file_that_is_gone_leaves_no_script(evidence, tmp_path):
    """Without the files of the sequence there is no script, and the reason is said."""
    (tmp_path / "files").rename(tmp_path / "elsewhere")
    moved = tmp_path / "elsewhere" / evidence.case.file.relative_to(tmp_path / "files")
    evidence = replace(evidence, case=replace(evidence.case, file=moved))
    folder, why = folders.write(evidence, tmp_path / "out")
    assert "is gone" in why
    assert not (folder / heading.NAME).exists()


def test_one_file_does_not_show_it(evidence, tmp_path, monkeypatch):
    """Minimize and bisect, which ask for one file, say where the sequence is asked."""
    results = SimpleNamespace(findings=[evidence.finding], rows=evidence.rows)
    monkeypatch.setattr(suspects, "load_results", lambda _: results)
    with pytest.raises(suspects.SuspectError, match="colconf replay"):
        suspects.named(f"{tmp_path}:{evidence.finding.signature}", "pyarrow", tmp_path)
