"""The campaign of kills and damage calls a trial silent that ends with other results, or without a reason."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from harness.tests.chaos import __main__ as chaos
from harness.tests.chaos.faults import NotStruck, _of_engines
from harness.tests.chaos.scenarios import Scenario

GOOD = "open('WORK/result', 'w').write('7')"


class Scripted(chaos.Trial):
    """A trial whose command is a line of Python."""

    def start(self, arguments, program=()):  # noqa: ARG002 - the interface
        """Start the line; those after it are options, which it does not have."""
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        return subprocess.Popen([sys.executable, "-c", arguments[0]], text=True, **streams)


def trial(tmp_path, line):
    """Return a trial of a command whose result is what it writes."""
    scenario = Scenario("scripted", (line,), lambda work: (work / "result").read_text())
    (tmp_path / "out").mkdir(parents=True)
    return Scripted(scenario, tmp_path / "work", chaos.Whole(), random.Random(1))


def ends(of):
    """Let the command end undisturbed."""
    return of.ended(of.start(of.line))


def test_equal_results(tmp_path):
    """A command that is not disturbed, or was killed before, has its results."""
    assert chaos.outcome(trial(tmp_path / "a", GOOD), ends, "7") == chaos.EQUAL
    assert chaos.outcome(trial(tmp_path / "b", GOOD), lambda _: None, "7") == chaos.EQUAL


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("open('WORK/result', 'w').write('8')", "other results"),
        ("raise KeyError(1)", "Traceback"),
        ("import sys; sys.exit(3)", "status 3"),
        ("import sys; sys.exit(1)", "result"),  # of a command that has none
        ("import sys; print('colconf: no', file=sys.stderr); sys.exit(2)", "colconf: no"),
    ],
)
def test_silent_ends(tmp_path, line, why):
    """Other results, a traceback, another status and a refusal that names nothing are no end of a trial."""
    with pytest.raises((AssertionError, FileNotFoundError), match=why):
        chaos.outcome(trial(tmp_path, line), ends, "7")


@pytest.mark.parametrize(("verdict", "end"), [("unstable", chaos.REPORTED), ("different", None)])
def test_a_killed_engine(tmp_path, monkeypatch, verdict, end):
    """A crash that the results report is an end; other results, or of other faults, are silent."""
    line = (
        "import pathlib; work = pathlib.Path('WORK'); is_new = not (work / 'before').exists()\n"
        "(work / 'out').mkdir(exist_ok=True); (work / 'before').touch()\n"
        f"finding = '{{\"verdict\": \"{verdict}\"}}' if is_new else ''\n"
        "(work / 'out' / 'findings.ndjson').write_text(finding)\n"
        "(work / 'result').write_text('8' if is_new else '7')"
    )
    monkeypatch.setattr(chaos, "OF_ENGINES", (ends,))
    if end:
        assert chaos.outcome(trial(tmp_path / "a", line), ends, "7") == end
        monkeypatch.setattr(chaos, "OF_ENGINES", ())
    with pytest.raises(AssertionError, match="other results"):
        chaos.outcome(trial(tmp_path / "b", line), ends, "7")


def test_a_refusal_by_name(tmp_path):
    """A line that names a file counts, if the command has its results once it begins anew."""
    line = (
        "import pathlib, sys; out = pathlib.Path('WORK/out'); seen = pathlib.Path('WORK/seen')\n"
        "if seen.exists(): open('WORK/result', 'w').write('7'); sys.exit(0)\n"
        "seen.touch(); print('colconf: WORK/part is damaged', file=sys.stderr); sys.exit(2)"
    )
    assert chaos.outcome(trial(tmp_path, line), ends, "7") == chaos.REFUSED


def test_counts(tmp_path, monkeypatch):
    """The table has each fault's trials by their ends; what was not struck is no success."""

    def spared(_):
        raise NotStruck

    scenario = Scenario("scripted", (GOOD,), lambda work: (work / "result").read_text(), ())
    monkeypatch.setattr(chaos, "SCENARIOS", {"scripted": scenario})
    monkeypatch.setattr(chaos, "OF_SCENARIO", {"scripted": (ends, spared)})
    monkeypatch.setattr(chaos, "Trial", Scripted)
    counts = chaos.campaign(chaos.turns([], []), 1, 0, tmp_path, least=2)
    assert {end for _, fault, end in counts if fault == "ends"} == {chaos.EQUAL}
    assert {end for _, fault, end in counts if fault == "spared"} == {chaos.SPARED}
    assert f"{sum(counts.values()):7}" in list(chaos.table(counts))[-1]
    chosen = chaos.campaign(chaos.turns(["scripted"], ["spared"]), 1, 0, tmp_path, least=2)
    assert set(chosen) == {("scripted", "spared", chaos.SPARED)}


def test_a_fault_has_more_chances(tmp_path, monkeypatch):
    """A trial whose fault does not strike at first is done again, in an empty folder."""
    trials = []

    def late(of):
        assert not list(of.work.iterdir())
        (of.work / "before").touch()
        trials.append(of)
        if len(trials) < 3:
            raise NotStruck
        return ends(of)

    monkeypatch.setattr(chaos, "Trial", Scripted)
    scenario = Scenario("scripted", (GOOD,), lambda work: (work / "result").read_text(), ())
    end, _ = chaos.tried(scenario, late, chaos.Whole("7"), tmp_path / "work", random.Random(1))
    assert (end, len(trials)) == (chaos.EQUAL, 3)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (["--engine", "pyarrow:pushdown=on"], ["pyarrow@26.0.1"]),
        (["--from", "duckdb@1.5.6", "--to", "duckdb@2.0.0"], ["duckdb@1.5.6", "duckdb@2.0.0"]),
        (["--engine", "spark"], []),
    ],
)
def test_the_cache_of_the_engines_that_are_asked(line, names):
    """What is damaged is of an engine that the command asks, in the version that it asks."""
    there = ["duckdb@1.5.6", "duckdb@2.0.0", "duckdb@10.0.0", "pyarrow@5.0.0", "pyarrow@26.0.1"]
    assert [folder.name for folder in _of_engines([Path(name) for name in there], line)] == names
