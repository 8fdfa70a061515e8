"""The output and the exit status of `colconf fuzz`."""

import json
from importlib.util import find_spec

import pytest

from harness import cli
from harness.commands import fuzz as command
from harness.commands import fuzz_summary
from harness.investigate.fuzz.tests.test_driver import until
from harness.listings.text import line as visible
from harness.tests.hostile_names import SHORT
from harness.tests.schemas import printed
from properties.fuzz import targets

PLANTED = "harness.investigate.fuzz.tests.targets.crash"
needs_atheris = pytest.mark.skipif(find_spec("atheris") is None, reason="atheris is not installed")


@pytest.fixture(autouse=True)
def _installed(monkeypatch):
    monkeypatch.setitem(cli.colconf.commands, "fuzz", command.fuzz)


def test_list(capsys):
    """The targets are listed, each with what it reads, for people and machines."""
    assert cli.main(["fuzz", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == targets.names()
    assert cli.main(["fuzz", "list", "--json"]) == 0
    assert [one["target"] for one in printed("fuzz list", capsys.readouterr().out)] == targets.names()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "there is no target 'nonsense'"),
        (["--time-budget", "3s"], "name targets of"),
        (["--all", "tagged"], "name targets of"),
        (["tagged", "--time-budget", "soon"], "is not a duration"),
        (["merge", "--out", "nowhere"], "nowhere: no corpus"),
        (["--engine", "nobody"], "nobody"),
        (["--engine", "reference"], "the reference is not an engine to fuzz"),
        (["--engine", "fastparquet", "--format", "orc"], "does not read orc"),
        (["tagged", "--engine", "fastparquet"], "excludes targets"),
        (["tagged", "--format", "orc"], "require --engine"),
    ],
)
def test_mistakes(arguments, said, capsys):
    """A mistake is one line, and status 2."""
    assert cli.main(["fuzz", *arguments]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


def test_without_atheris(monkeypatch, capsys):
    """Without atheris there is one line that says what mends it, and status 2."""
    monkeypatch.setattr(command, "find_spec", lambda _: None)
    assert cli.main(["fuzz", "--all"]) == 2
    assert capsys.readouterr().err == "colconf: fuzzing needs atheris: pip install 'colconf[fuzz]'\n"


@pytest.mark.heavy
@needs_atheris
def test_status(tmp_path, capsys):
    """Status 1 with crashes, which are listed with their files; 0 without; progress is on standard error."""
    arguments = ["--time-budget", "1s", "--jobs", "1", "--out", str(tmp_path / "out")]
    statuses = []
    until(lambda: statuses.append(cli.main(["fuzz", PLANTED, *arguments])), lambda: statuses[-1] == 1)
    told = capsys.readouterr()
    assert f"IndexError in {PLANTED}.check" in told.out
    assert "round 1 of 1" in told.err
    rows = []

    def again():
        assert cli.main(["fuzz", "tagged", *arguments, "--json"]) == 0
        rows.extend(printed("fuzz run", capsys.readouterr().out)["targets"])

    until(again, lambda: rows[-1]["corpus"] and rows[-1]["edges"])
    row = rows[-1]
    assert (row["target"], row["crashes"], row["failure"]) == ("tagged", [], None)
    assert row["executions"] > 0
    assert row["edges"] > 10
    assert row["corpus"] > 0


@needs_atheris
def test_a_target_that_cannot_be_run(tmp_path, capsys):
    """A target that cannot be imported is status 2, and the reason."""
    name = "harness.investigate.fuzz.tests.targets.broken"
    assert cli.main(["fuzz", name, "--time-budget", "3s", "--out", str(tmp_path)]) == 2
    assert "cannot be run: ImportError: planted" in capsys.readouterr().err


def test_engines(tmp_path, capsys, monkeypatch):
    """Engines are fuzzed: status 1 with findings, 0 without; the summary has files, verdicts, futures."""
    told = {"files": 3, "findings": [], "reference_lost": 0}
    monkeypatch.setattr(command.fuzz_engines, "fuzz", lambda _: (told, False))
    arguments = ["fuzz", "--engine", "fastparquet", "--out", str(tmp_path), "--json"]
    assert cli.main(arguments) == 0
    assert json.loads(capsys.readouterr().out) == told
    told["findings"] = [{"signature": "x"}]
    assert cli.main(arguments) == 1


def test_tables(capsys):
    """What is shown: engines with verdicts, grades of files from the future, findings, the median size."""
    finding = {"signature": "x | crashed | signal 11", "version": "1", "count": 2}
    engine = {"engine": "x@1", "files": 3, "files_per_second": 9.0, "verdicts": {"crashed": 2}, "known": 0}
    told = {
        "out": "out",
        "files": 3,
        "files_per_second": 1.5,
        "left_out": 0,
        "reference_lost": 1,
        "engines": [engine],
        "futures": {"x@1": {"parquet: codec": {"names the feature": 4}}},
        "findings": [finding],
        "closed": ["y | crashed | signal 6"],
        "not_asked": [{"engine": "x@1", "question": "date filter", "reason": "adapter: TypeError"}],
        "median_bytes": 210.0,
    }
    command.fuzz_engines.show(told)
    said = capsys.readouterr().out
    closed = "closed: y | crashed"
    found = "x | crashed | signal 11"
    barred = "x@1 was not asked date filter: adapter: TypeError"
    for part in ("x@1", barred, "crashed 2", "parquet: codec", found, closed, "median 210", "1 files"):
        assert part in said
    command.fuzz_engines.show({**told, "findings": [], "median_bytes": None, "reference_lost": 0})
    assert "0 findings\n" in capsys.readouterr().out


@pytest.mark.parametrize("name", SHORT.values(), ids=list(SHORT))
def test_hostile_tables(name, capsys):
    """Whatever findings and folders are called, the tables are visible text, and no markup of rich."""
    finding = {"signature": name, "version": name, "count": 2}
    engine = {"engine": "x@1", "files": 3, "files_per_second": 9.0, "verdicts": {}, "known": 0}
    summary = {"out": name, "files": 3, "files_per_second": 1.5, "left_out": 0, "reference_lost": 1}
    summary |= {"engines": [engine], "futures": {name: {"parquet: codec": {"names the feature": 4}}}}
    summary |= {"findings": 30 * [finding], "closed": [name], "median_bytes": 210.0, "not_asked": []}
    command.fuzz_engines.show(summary)
    shown = capsys.readouterr().out
    assert all(line.isprintable() for line in shown.split("\n"))
    assert f"more, in {visible(name, None)}/findings.ndjson" in shown
    crash = {"signature": name, "error": name, "digest": "0" * 64}
    target = {"target": "x", "executions": 1, "executions_per_second": 1, "edges": 1, "corpus": 1}
    targets_ = [{**target, "crashes": 30 * [crash], "closed": []}]
    fuzz_summary.show_summary(
        {"targets": targets_, "out": name.replace("\x00", "0"), "crashes": 30, "seconds": 1}
    )
    assert all(line.isprintable() for line in capsys.readouterr().out.split("\n"))
