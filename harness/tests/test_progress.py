"""Progress lines: how long a stage takes, an estimate where there is ground for one, and the slow file."""

from __future__ import annotations

import io
import json
import os
import re
import time
from types import SimpleNamespace

import pytest
from rich.console import Console

from harness.children import ongoing
from harness.listings.text import line
from harness.runs import progress
from harness.runs.pipeline import spark
from harness.runs.progress import Bar, Lines, estimate
from harness.tests.pipelines import files, go, process


@pytest.fixture
def eager(monkeypatch):
    """Print a line at each chance, and take any request for a slow one."""
    monkeypatch.setattr(progress, "_EVERY_SECONDS", 0.0)
    monkeypatch.setattr(progress, "_SLOW_SECONDS", 0.0)


@pytest.mark.usefixtures("eager")
def test_a_line_has_the_elapsed_time_and_an_estimate(capsys, monkeypatch):
    """The rest is estimated once a tenth of the units is done; nothing is said of a stage that is done."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    lines = Lines()
    lines.advance(0)
    lines.stage("reading", 100)
    now[0] += 30
    lines.advance(9)
    now[0] += 10
    lines.advance(11)
    lines.advance(80)
    assert capsys.readouterr().err.splitlines() == [
        "reading: 100",
        "reading: 9 of 100 after 30 s",
        "reading: 20 of 100 after 40 s, about 3 min left",
    ]


@pytest.mark.parametrize(
    ("done", "total", "seconds", "text"),
    [
        (0, 10, 60.0, ""),
        (1, 10, 6.0, "about 54 s left"),
        (5, 10, 600.0, "about 10 min left"),
        (10, 10, 60.0, ""),
        (1, 11, 60.0, ""),
    ],
)
def test_estimates(done, total, seconds, text):
    """There is none before a tenth of the units is done, nor behind the last one."""
    assert estimate(done, total, seconds) == text


@pytest.mark.usefixtures("eager")
def test_a_file_that_takes_long_is_named(capsys):
    """Lines are printed while nothing advances, with the engine and the file that it is at work on."""
    wanted = re.compile(
        r"reading: 0 of 2 after \d+ s; duckdb@1.4 runs a query on /in/a and 1 more for \d+ s\n"
    )
    printed, deadline = "", time.monotonic() + 30
    with Lines() as lines, ongoing.listed("duckdb@1.4", "query", {"files": ["/in/a", "/in/b"]}):
        lines.stage("reading", 2)
        while not wanted.search(printed) and time.monotonic() < deadline:
            time.sleep(0.05)
            printed += capsys.readouterr().err
    assert wanted.search(printed)
    assert ongoing.longest() is None


def test_a_file_that_takes_no_time_is_not_named(monkeypatch):
    """A request is named once it has lasted some seconds."""
    with ongoing.listed("duckdb@1.4", "read", {"file": "/in/a"}):
        assert not progress.slow()
        monkeypatch.setattr(progress, "_SLOW_SECONDS", 0.0)
        assert progress.slow() == "duckdb@1.4 reads /in/a for 0 s"
        with ongoing.listed("other@1", "write", {}), ongoing.listed("other@1", "read", {"file": "/in/b"}):
            assert "/in/a" in progress.slow()
    assert not progress.slow()


def test_the_requests_of_a_run_are_listed(tmp_path, monkeypatch):
    """Each file that a run has an engine read is listed while it is read, with the engine's version."""
    seen = []
    monkeypatch.setattr(ongoing, "Ongoing", lambda *fields: seen.append(fields[:3]))
    go(tmp_path / "out", files(tmp_path / "in", ["a"]), process("Healthy"))
    assert ("fake@1", "read", str(tmp_path / "in" / "a")) in seen


@pytest.mark.usefixtures("eager")
def test_the_bar_names_it_too():
    """The line below the bars has the whole path of the slow file, and is gone when it is read."""
    bar = Bar()
    bar.stage("reading", 1)
    file = f"/in/{'folder/' * 20}name\x1b[31m.parquet"

    def displayed():
        out = io.StringIO()
        Console(file=out, width=80).print(bar._bars.get_renderable())
        return out.getvalue().splitlines()

    with ongoing.listed("duckdb@1.4", "read", {"file": file}):
        first, *rest = displayed()
    assert "0/1" in first
    assert "duckdb" not in first
    assert "".join(rest) == f"duckdb@1.4 reads {line(file, None)} for 0 s"
    assert len(displayed()) == 1


def test_a_worker_of_spark_publishes_what_takes_long(tmp_path, monkeypatch):
    """While a task lasts, its request can be seen by the process of the run; afterwards it is gone."""
    monkeypatch.setattr(ongoing, "_EVERY_SECONDS", 0.01)
    monkeypatch.setattr(ongoing, "_ELSEWHERE", [])
    seen = []

    def perform(*_):
        with ongoing.listed("duckdb@1.4", "read", {"file": "/in/a"}):
            deadline = time.monotonic() + 30
            while not seen and time.monotonic() < deadline:
                ongoing.collect(tmp_path)
                seen.extend(ongoing._ELSEWHERE)
        yield 1

    monkeypatch.setattr(spark, "perform", perform)
    context = SimpleNamespace(storage=SimpleNamespace(open=lambda _: None), parts=tmp_path)
    assert not spark._attempt(context, None, tmp_path / ".progress")
    assert seen[0][:4] == ("duckdb@1.4", "read", "/in/a", 1)
    ongoing.collect(tmp_path)
    assert ongoing._ELSEWHERE == []
    assert [file.name for file in tmp_path.iterdir()] == [".progress"]


def test_a_worker_that_is_gone_is_forgotten(tmp_path, monkeypatch):
    """What a process published that was killed is no request that takes long."""
    monkeypatch.setattr(ongoing, "_ELSEWHERE", [])
    file = tmp_path / f"{ongoing._PREFIX}1-1{ongoing._SUFFIX}"
    file.write_text(json.dumps(["duckdb@1.4", "read", "/in/a", 1, time.time() - 60]))
    ongoing.collect(tmp_path)
    assert progress.slow() == "duckdb@1.4 reads /in/a for 60 s"
    os.utime(file, (time.time() - 60, time.time() - 60))
    ongoing.collect(tmp_path)
    assert not progress.slow()


def test_a_file_that_a_power_cut_left_incomplete(tmp_path, monkeypatch):
    """What processes publish is for the display alone: an incomplete file of an earlier start is nothing."""
    monkeypatch.setattr(ongoing, "_ELSEWHERE", [])
    for number, text in enumerate(("", '["duckdb@1.4", "re', '["duckdb@1.4"]')):
        (tmp_path / f"{ongoing._PREFIX}{number}-1{ongoing._SUFFIX}").write_text(text)
    whole = tmp_path / f"{ongoing._PREFIX}9-1{ongoing._SUFFIX}"
    whole.write_text(json.dumps(["duckdb@1.4", "read", "/in/a", 1, time.time() - 60]))
    ongoing.collect(tmp_path)
    assert progress.slow() == "duckdb@1.4 reads /in/a for 60 s"


def test_what_other_processes_do_is_forgotten_with_their_stage(tmp_path, monkeypatch):
    """A worker of Spark that is killed at the end of a stage is not named in the next one."""
    monkeypatch.setattr(ongoing, "_ELSEWHERE", [])
    file = tmp_path / f"{ongoing._PREFIX}1-1{ongoing._SUFFIX}"
    file.write_text(json.dumps(["duckdb@1.4", "read", "/in/a", 1, time.time() - 60]))
    runner = spark.SparkRunner.__new__(spark.SparkRunner)
    seen = []

    def job(*_):
        deadline = time.monotonic() + 30
        while not ongoing._ELSEWHERE and time.monotonic() < deadline:
            time.sleep(0.01)
        seen.append(progress.slow())

    monkeypatch.setattr(runner, "_job", job)
    monkeypatch.setattr(spark, "_TICK_SECONDS", 0.01)
    runner.run(SimpleNamespace(parts=tmp_path), [None], lambda _: None)
    assert seen == ["duckdb@1.4 reads /in/a for 60 s"]
    assert not progress.slow()
