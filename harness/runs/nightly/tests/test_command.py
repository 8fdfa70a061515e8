"""`colconf run --time-budget` and `--history`: what they take, and what they refuse."""

import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from corpora.cases import Case, Expectation, dump
from corpora.features import many_rows
from corpora.tagged import Table, integer
from harness.commands import night
from harness.commands import run as command
from harness.runs.history.records import Record, Seen, Smallest
from harness.runs.nightly.rounds import CORPORA, GENERATE, LARGE, PARTITION, REPLAY, WRITING, Round

QUIET = ("--no-spark", "--report", "none")


def invoke(*arguments, **more):
    """Run the command in this process."""
    return CliRunner().invoke(command.run, arguments, **more)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("2h", 7200), ("90m", 5400), ("1h30m", 5400), ("45", 45), ("1.5h", 5400), ("10s", 10)],
)
def test_lengths_of_time(text, seconds):
    """They are written as people write them."""
    assert night.Duration().convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["", "0", "-1h", "two hours", "1.2.3h", "1m1h"])
def test_what_is_no_length_of_time(text):
    """It is refused in one line."""
    result = invoke("--time-budget", text, *QUIET)
    assert result.exit_code == 2
    assert "is not a duration such as 2h, 90m or 1h30m" in result.stderr


@pytest.mark.parametrize("option", [("--files", "x"), ("--generate", "3"), ("--seed", "3")])
def test_a_night_chooses_its_files_itself(tmp_path, monkeypatch, option):
    """Files and seeds are not for the user to give."""
    monkeypatch.chdir(tmp_path)
    result = invoke("--time-budget", "1h", *option, *QUIET)
    assert result.exit_code == 2
    assert f"leave out {option[0]}" in result.stderr


@pytest.mark.heavy
def test_a_history_decides_the_status(tmp_path, monkeypatch):
    """The first run with a finding ends with 1, the second with 0; the variable does the same."""
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"a": [1, 2, None]}), "a.parquet")
    file = tmp_path / "a.parquet"
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    table = Table.of([("a", integer(64))], [["1", "2", "3"]])  # which it does not hold
    dump(Case("mine/a", "parquet", file, digest, Expectation.accept(table, "spec")), tmp_path / "a.json")
    asked = ("--files", "a.parquet", "--engine", "reference", "--engine", "pyarrow", *QUIET)
    first = invoke(*asked, "--history", "h", "--out", "one")
    found = json.loads((tmp_path / "one" / "run.json").read_text())["history"]
    assert first.exit_code == 1, first.output
    assert found["new"] == 2
    second = invoke(*asked, "--out", "two", env={"COLCONF_HISTORY": "h"})
    assert second.exit_code == 0, second.output
    assert f"0 new, 0 regressed, 0 intermittent, 0 flaky, {found['new']} known" in second.stdout
    (tmp_path / "h" / "history.ndjson").write_text("no history\n")
    third = invoke(*asked, "--history", "h", "--out", "three")
    assert third.exit_code == 2


def case(name, features):
    """Return a case of a file that is not there."""
    return Case(name, "parquet", Path("a.parquet"), "0" * 64, Expectation.by_vote(), features=features)


def test_rounds_ask_what_findings_are_about():
    """A replay takes the switches that failed, all values of pushdown only where they disagree."""
    limits = {"time_limit": None, "memory_limit": None, "known": None, "jobs": None}
    options = {"engine": ("pyarrow",), "profile": "nightly", **limits}
    sources = night.Installed(options, ["parquet", "orc"], None)
    assert sources.formats == ["parquet"]
    (version,) = sources.versions["pyarrow"]

    def configs(signature, config):
        seen = Seen("a", "1", version)
        smallest = Smallest("files/a", "0" * 64, "parquet", config, None, 1)
        record = Record(signature, "pyarrow", "different", seen, seen, smallest=smallest)
        request = sources.request(Round("s", 1, REPLAY, "parquet", "e"), (), (record,))
        return [one.text for one in request.processes[0].configs]

    assert configs("pyarrow | different | value", "") == [""]
    assert configs("pyarrow | different | value", "api=dataset") == ["api=dataset"]
    assert configs("pyarrow | different | pushdown: rows lost", "") == ["", "pushdown=off"]
    generated = sources.request(Round("s", 1, GENERATE, "parquet", "e", files=9, seed=5), (), ())
    assert (generated.generate.files, generated.generate.seed) == (9, 5)
    assert generated.limits.seconds == 30
    assert [sources.writes(kind, "parquet") for kind in WRITING] == [True, True]
    for kind in WRITING:
        written = sources.request(Round("s", 1, kind, "parquet", "e", files=9, seed=5), (), ())
        assert (written.write.tables, written.write.seed, written.generate) == (9, 5, None)
        assert written.write.partitioned is (kind == PARTITION)
        assert ("--partitioned" in written.arguments) is (kind == PARTITION)
        assert written.queries > 0
    large = sources.request(Round("s", 1, LARGE, "parquet", "e", files=2, seed=5), (), ())
    assert (large.generate.files, large.generate.seed, large.limits.seconds) == (2, 5, 120)
    assert [one.text for one in large.processes[0].configs] == [
        one.text for one in generated.processes[0].configs
    ]
    replay, small = Round("s", 1, REPLAY, "parquet", "e"), case("files/a", ())
    for cases, seconds in (([small], 30), ([small, case("files/b", (many_rows("parquet"),))], 120)):
        assert sources.request(replay, cases, ()).limits.seconds == seconds
    corpora = sources.request(Round("s", 1, CORPORA, "parquet", "e", files=9), (), ())
    assert corpora.imported.cases == ()
    assert corpora.limits.seconds == 120


def test_a_night_needs_an_engine_to_look_at():
    """The reference alone is nothing to test."""
    options = {"engine": ("reference",), "profile": "nightly", "time_limit": None, "memory_limit": None}
    with pytest.raises(Exception, match="no engine other than the reference"):
        night.Installed(options, ["parquet"], None)
