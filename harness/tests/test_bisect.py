"""A search over releases: which began to fail, which failed last, and what is asked on the way."""

import json
import shutil
from dataclasses import replace
from types import SimpleNamespace

import pytest

from corpora.cases import CaseError, dump
from corpora.known_failures import read
from corpora.known_text import with_versions
from harness.children.connection import Limits
from harness.cli import main
from harness.commands import bisect as command
from harness.engines.registry import ENGINES
from harness.environments import releases
from harness.environments.problem import EnvironmentProblem
from harness.investigate import suspects
from harness.investigate.bisect import State, search
from harness.investigate.suspects import SuspectError, named
from harness.tests.schemas import printed

LETTERS = {"b": State.BAD, "g": State.GOOD, "s": State.SKIPPED}


def found(states, **more):
    """Search releases 0, 1, … of these states; answer what was found, and which were asked."""
    asked = []

    def ask(version):
        asked.append(version)
        return LETTERS[states[int(version)]]

    return search([str(at) for at in range(len(states))], ask, **more), asked


@pytest.mark.parametrize(
    ("states", "first_bad", "first_good", "versions"),
    [
        ("gggggggb", "7", None, ">=7"),
        ("gbbbbbbb", "1", None, ">=1"),
        ("gggbbbbb", "3", None, ">=3"),
        ("bbbbbggg", None, "5", "<5"),
        ("bg", None, "1", "<1"),
        ("bbbb", None, None, ""),
        ("gsssb", "4", None, ">=4"),
        ("sgggbbs", "4", None, ">=4"),
        ("ggsbb", "3", None, ">=3"),
        ("gsb", "2", None, ">=2"),
    ],
)
def test_search(states, first_bad, first_good, versions):
    """The boundary is found wherever it is, over releases that cannot be asked."""
    result, asked = found(states)
    assert (result.first_bad, result.first_good, result.versions) == (first_bad, first_good, versions)
    assert len(asked) == len(set(asked))


def test_few_are_asked():
    """Of 1,000 releases about ten are asked beside the ends."""
    _, asked = found("g" * 617 + "b" * 383)
    assert len(asked) <= 13


@pytest.mark.parametrize("cheap", [["2", "5", "8"], ["8"], ["0", "9"], []])
def test_cheap_releases_first(cheap):
    """What is installed narrows the search before anything else is; what is found is the same."""
    for turn in range(1, 10):
        result, asked = found("g" * turn + "b" * (10 - turn), cheap=cheap)
        assert result.first_bad == str(turn)
        between = asked[2:]
        kinds = [one in cheap for one in between]
        assert kinds == sorted(kinds, reverse=True)
    result, asked = found("gggssssbbb", cheap=["4", "5"])
    assert (result.first_bad, result.states["4"]) == ("7", State.SKIPPED)


def test_the_ends_are_asked_first():
    """Where the ends are alike, nothing between them is asked."""
    result, asked = found("gbbg")
    assert asked == ["0", "3"]
    with pytest.raises(ValueError, match="no tested release"):
        assert result.versions


def test_every_release():
    """With `every`, a failure that came and went is one range."""
    result, asked = found("ggbbg", every=True)
    assert len(asked) == 5
    assert (result.first_bad, result.first_good, result.versions) == ("2", "4", ">=2,<4")


@pytest.mark.parametrize("states", ["bgb", "gbgb"])
def test_no_single_range(states):
    """What fails, then does not, then fails is no range."""
    result, _ = found(states, every=True)
    with pytest.raises(ValueError, match="not one range"):
        assert result.versions


def test_nothing_can_be_asked():
    """Where no release can be asked, there is no answer, and no end either."""
    result, _ = found("sss")
    assert set(result.states.values()) == {State.SKIPPED}


def test_releases_between():
    """Both ends are included, in the order of versions; what is no stable release is not."""
    index = ["4.0.0rc1", "3.10.0", "3.9.0", "3.9.1.dev1", "2.0", "3.9", "4.1"]
    assert releases.between(index, "3.9", "4.1") == ["3.9", "3.10.0", "4.1"]


@pytest.mark.parametrize(("low", "high"), [("4", "3"), ("3", "3"), ("new", "4"), ("8", "9")])
def test_no_releases(low, high):
    """Ends in the wrong order, ends that are none, and an empty range are problems of one line."""
    with pytest.raises(EnvironmentProblem):
        releases.between(["3.0", "4.0"], low, high)


KNOWN = """# About this engine.

[[failure]]
case = "parquet/a"
versions = ">=2"
verdict = "different"
reason = "one"

# The one that is meant.
[[failure]]
case = "parquet/b"
config = { vectorized = "on" }
verdict = "different"
reason = "versions = no key"
finding = "e-b"
symptom = "wrong"
"""


def test_the_range_is_written_into_one_entry(tmp_path):
    """The entry that is meant gets the range; every other line stays as it is, also when it is set again."""
    file = tmp_path / "spark.toml"
    file.write_text(KNOWN, "utf-8")
    entry = read(file)[1]
    assert with_versions(entry, ">=3.4,<4", tmp_path) == file
    assert file.read_text("utf-8") == KNOWN.replace('"parquet/b"', '"parquet/b"\nversions = ">=3.4,<4"')
    with_versions(entry, "", tmp_path)
    assert file.read_text("utf-8") == KNOWN


def test_an_entry_that_is_gone(tmp_path):
    """Nothing is written where the entry is not there."""
    file = tmp_path / "spark.toml"
    file.write_text(KNOWN, "utf-8")
    entry = read(file)[1]
    file.write_text(KNOWN.replace('"parquet/b"', '"parquet/c"'), "utf-8")
    with pytest.raises(CaseError, match="no entry of parquet/b"):
        with_versions(entry, ">=3", tmp_path)


def test_a_finding_by_name(tmp_path):
    """A finding is found by its id, with its smallest checked-in file; its versions do not count."""
    suspect = named("pyarrow-short-bounds", "pyarrow", tmp_path)
    assert suspect.case.file.is_file()
    assert suspect.entry.versions == ""


@pytest.mark.parametrize(
    ("text", "engine", "said"),
    [
        (__file__, "pyarrow", "is a file that names no finding; name RUN:SIGNATURE"),
        ("no-such-finding", "pyarrow", "no finding is called"),
        ("out/nope:duckdb | different", "duckdb", "no folder of a run"),
        ("pyarrow-short-bounds", "spark", "is a finding of pyarrow"),
    ],
)
def test_no_such_finding(tmp_path, text, engine, said):
    """A name that is none, or another engine's, is an error that says so."""
    with pytest.raises(SuspectError, match=said):
        named(text, engine, tmp_path)


def test_a_signature_that_no_finding_has(tmp_path, monkeypatch):
    """The message names the findings that the run has of the engine."""
    findings = [
        SimpleNamespace(signature=f"{engine} | different | value", engine=engine)
        for engine in ("duckdb", "polars")
    ]
    monkeypatch.setattr(suspects, "load_results", lambda _: SimpleNamespace(findings=findings, rows=[]))
    with pytest.raises(SuspectError, match=r"its findings of duckdb: duckdb [|] different [|] value$"):
        named(f"{tmp_path}:duckdb | diferent", "duckdb", tmp_path)


def test_a_finding_about_a_written_file_has_another_command(tmp_path, monkeypatch):
    """No reading shows it: the message names what makes the smallest table."""
    values = {"engine": "duckdb", "verdict": "wrote_invalid"}
    finding = SimpleNamespace(signature="duckdb | wrote_invalid | PQ-X", **values)
    monkeypatch.setattr(suspects, "load_results", lambda _: SimpleNamespace(findings=[finding], rows=[]))
    with pytest.raises(SuspectError, match="is about what duckdb writes: `colconf findings export`"):
        named(f"{tmp_path}:duckdb | wrote", "duckdb", tmp_path)


def row_of(case, engine, verdict, **more):
    """Return a row of a case that a release was asked."""
    detail = {
        "signature": "",
        "features": (),
        "probe": None,
        "options": None,
        "origin": "",
        "column_features": (),
        **more,
    }
    fields = {"case": case, "engine": engine, "version": "1.0", "config": "", "verdict": verdict}
    return SimpleNamespace(**fields, detail=SimpleNamespace(**detail))


@pytest.mark.parametrize(
    ("verdicts", "wanted"),
    [
        (["different"], State.BAD),
        (["agree"], State.GOOD),
        (["unsupported"], State.GOOD),
        (["agree", "different"], State.BAD),
        (["crashed"], State.SKIPPED),
        (["hung"], State.SKIPPED),
        (["agree", "out_of_memory"], State.SKIPPED),
        ([], State.SKIPPED),
    ],
)
def test_a_release_that_gives_no_answer_is_not_good(tmp_path, monkeypatch, verdicts, wanted):
    """A release that hangs, dies or says nothing shows neither that it fails so nor that it does not."""
    suspect = named("pyarrow-short-bounds", "pyarrow", tmp_path)
    entry = replace(suspect.entry, verdict="different", also=(), signature="", config={})
    rows = [
        row_of(suspect.case.id, name, verdict)
        for name, verdict in [("reference", "agree"), *(("pyarrow", one) for one in verdicts)]
    ]
    monkeypatch.setattr(suspects, "rejudge", lambda *_, **__: SimpleNamespace(rows=rows, findings=[]))
    state, said = suspects.ask(replace(suspect, entry=entry), "pyarrow", "1.0", Limits())
    assert (state, said) == (wanted, ", ".join(sorted(verdicts)) or "no answer")


@pytest.mark.parametrize(("about", "wanted"), [("value in int(32)", State.BAD), ("rows", State.GOOD)])
def test_a_known_failure_with_a_subject_is_that_which_shows_so(tmp_path, monkeypatch, about, wanted):
    """An entry whose `subject` says how it shows is found in releases by that, and by nothing else."""
    suspect = named("pyarrow-short-bounds", "pyarrow", tmp_path)
    entry = replace(suspect.entry, verdict="different", signature="", subject=("value in *",), config={})
    row = row_of(suspect.case.id, "pyarrow", "different", signature=f"pyarrow | different | {about}")
    monkeypatch.setattr(suspects, "rejudge", lambda *_, **__: SimpleNamespace(rows=[row], findings=[]))
    assert suspects.ask(replace(suspect, entry=entry), "pyarrow", "1.0", Limits())[0] is wanted


@pytest.mark.parametrize(
    ("verdict", "origin", "wanted"),
    [
        ("unsupported", "", State.SKIPPED),
        ("refused_valid", "binding", State.SKIPPED),
        ("refused_valid", "", State.GOOD),
    ],
)
def test_a_release_that_cannot_be_asked_for_a_table(tmp_path, monkeypatch, verdict, origin, wanted):
    """That an adapter, a binding or a release knows no such tables says nothing of the failure."""
    suspect = named("datafusion-null-partition", "datafusion", tmp_path)
    row = row_of("c", "datafusion", verdict, origin=origin)
    monkeypatch.setattr(suspects, "rejudge", lambda *_, **__: SimpleNamespace(rows=[row], findings=[]))
    assert suspects.ask(suspect, "datafusion", "1.0", Limits()) == (wanted, verdict)


def finding_of(engine, version):
    """Return what a release answers that shows a finding."""
    row = row_of("c", engine, "different")
    row.version = version
    finding = SimpleNamespace(**vars(row), signature=f"{engine} | different | rows")
    return SimpleNamespace(rows=[row], findings=[finding])


def test_the_finding_of_a_case(tmp_path, monkeypatch):
    """The finding of a case is that of the first release that shows one; none is one line."""
    case = named("datafusion-null-partition", "datafusion", tmp_path).case
    row = SimpleNamespace(engine="datafusion", verdict="agree")
    replies = {
        "datafusion@2": SimpleNamespace(rows=[row], findings=[]),
        "datafusion@1": finding_of("datafusion", "1"),
    }
    monkeypatch.setattr(suspects, "rejudge", lambda _case, names, _limits, **_: replies[names[0]])
    suspect = suspects.of_case(case, "datafusion", ("2", "1"), Limits())
    assert (suspect.case, suspect.entry.signature) == (case, "datafusion | different | rows")
    with pytest.raises(SuspectError, match="no finding: datafusion@2 shows agree"):
        suspects.of_case(case, "datafusion", ("2",), Limits())


def test_a_folder_of_minimize(tmp_path):
    """A folder of the minimizer has a case and a finding of one engine; a damaged one is one line."""
    case = named("datafusion-null-partition", "datafusion", tmp_path).case
    shutil.copytree(case.file, tmp_path / "minimal")
    dump(replace(case, file=tmp_path / "minimal"), tmp_path / "minimal.json")
    record = {"engine": "fake@1", "signature": "fake | different", "verdict": "different", "config": "a=b"}
    (tmp_path / "minimize.json").write_text(json.dumps(record))
    suspect = named(str(tmp_path), "fake", tmp_path)
    assert suspect.case.read == case.read
    assert (suspect.entry.signature, suspect.entry.config) == ("fake | different", {"a": "b"})
    with pytest.raises(SuspectError, match="is about a finding of fake, not of polars"):
        named(str(tmp_path), "polars", tmp_path)
    (tmp_path / "minimize.json").write_text("{")
    with pytest.raises(SuspectError, match="not a folder of `colconf minimize`"):
        named(str(tmp_path), "fake", tmp_path)


def test_the_command_with_a_case(tmp_path, monkeypatch, capsys):
    """The command takes the JSON file of a case, and says which finding it looks for."""
    case = named("datafusion-null-partition", "datafusion", tmp_path).case
    dump(case, tmp_path / "case.json")
    monkeypatch.setattr(command, "every_version", lambda _: ["1.0", "2.0"])
    monkeypatch.setattr(command, "_install", lambda *_: "")
    monkeypatch.setattr(
        suspects, "rejudge", lambda _case, names, _limits, **_: finding_of("datafusion", names[0][-3:])
    )
    arguments = [str(tmp_path / "case.json"), "--engine", "datafusion", "--between", "1.0", "2.0"]
    assert main(["bisect", *arguments]) == 2  # the table is elsewhere
    assert "outside of the folder of the case" in capsys.readouterr().err
    arguments.append("--allow-outside")
    assert main(["bisect", *arguments]) == 0
    shown = capsys.readouterr()
    assert "no change between the ends: bad" in shown.out
    assert "fails in: all tested releases (1.0, 2.0)" in shown.out
    assert "datafusion | different | rows" in shown.err
    assert main(["bisect", *arguments, "--json"]) == 0
    result = printed("bisect", capsys.readouterr().out)
    assert [each["state"] for each in result["asked"]] == ["bad", "bad"]


def test_many_releases_that_fail_are_counted():
    """Of many releases the ends and the number are named; those that could not be tested are not."""
    states = {"1": State.SKIPPED, **dict.fromkeys("2345", State.BAD)}
    assert command._every(states) == "all 4 tested releases, 2 to 5"


def test_installed_releases(monkeypatch):
    """The version beside colconf is one that is installed; broken environments are none."""
    kept = [
        SimpleNamespace(name="pyarrow", version=one, broken=one == "3.0") for one in ("1.0", "3.0", "2.0")
    ]
    monkeypatch.setattr(releases.store, "environments", lambda: kept)
    for own, wanted in (("4.1", ["1.0", "2.0", "4.1"]), ("2.0.0", ["1.0", "2.0"]), ("", ["1.0", "2.0"])):
        monkeypatch.setattr(releases.availability, "status", lambda _, own=own: SimpleNamespace(version=own))
        assert releases.installed_of(ENGINES["pyarrow_orc"]) == wanted


def test_versions_that_are_carried(monkeypatch):
    """Of a library in another package's jars, versions are those that are known to be carried."""
    environments = [SimpleNamespace(name="spark", version=each, broken="") for each in ("3.5.9", "3.5.2")]
    monkeypatch.setattr(releases.store, "environments", lambda: environments)
    monkeypatch.setattr(releases.availability, "status", lambda _: SimpleNamespace(version="1.17.0"))
    monkeypatch.setattr(releases, "listed", list)
    library = ENGINES["parquet_java"]
    assert releases.installed_of(library) == ["1.13.1", "1.17.0"]
    assert releases.every_version(library) == list(library.carriers)
    assert releases.every_version(ENGINES["spark"]) == list("pyspark")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--versions", "x"], "'x' is not a range of versions such as >=4.0,<4.4"),
        (["--versions", ">=99"], "no release of pyorc is in >=99"),
        (["--known", "nosuch"], "nosuch"),
        (["--known", "."], "pyorc.toml: no such file of known failures"),
    ],
)
def test_known_bisect_refuses_before_it_reads_cases(tmp_path, monkeypatch, capsys, arguments, message):
    """A bad range, and a folder without known failures, are one line before any case is read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("harness.commands.known_bisect.written_cases", None)
    assert main(["known", "bisect", "--engine", "pyorc", "--installed", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
