"""A history over runs: what is new, known, fixed, back, and what shows only now and then."""

import hashlib
import json
from dataclasses import replace

import pytest

from corpora.cases import Case, Expectation
from corpora.folders import digest_of
from corpora.table_reads import TableRead
from harness.commands.exit_status import exit_status
from harness.judging.details import RowDetail
from harness.judging.odds import Share
from harness.judging.results import Finding, Row, load_run, read_findings
from harness.runs.history import session
from harness.runs.history.confirm import remember
from harness.runs.history.records import About, Record, Seen, Smallest
from harness.runs.history.store import HistoryError, load, opened
from harness.runs.pipeline.context import Generate
from harness.runs.pipeline.request import Request
from harness.runs.pipeline.run import run
from harness.tests.pipelines import LIMITS, Quiet, files, process, pushing
from harness.tests.queried import QUERIES
from harness.tests.schemas import check

MODULE = "harness.tests.run_fakes"


def request(out, imported, *processes, **more):
    """Return the request of a run of fakes."""
    known = out.parent / "known"
    known.mkdir(parents=True, exist_ok=True)
    return Request(
        **{
            "out": out,
            "processes": processes,
            "limits": LIMITS,
            "imported": imported,
            "layouts": 2,
            "settings": {"files": out.name},
            "arguments": ["run"],
            "known": known,
            **more,
        }
    )


def night(tmp_path, number, imported, *processes, **more):
    """Run with the history of this test; answer the states by signature, and what run.json says."""
    made = request(tmp_path / f"run{number}", imported, *processes, **more)
    run(made, Quiet())
    found = remember(tmp_path / "history", made, Quiet())
    for line in (tmp_path / "history/history.ndjson").read_text().splitlines():
        check(json.loads(line), "history:1")
    return {finding.signature: finding.state for finding in found}, load_run(made.out).history


def named(cls, version="1"):
    """Return the process of a fake under the name `engine`."""
    return replace(process(cls, "engine"), version=version)


def test_new_known_fixed_regressed(tmp_path):
    """Four runs: a finding is new, then known, then fixed, then back; each is said once."""
    imported = files(tmp_path / "in", ["good", "bad"])
    broken, mended = named("Refuses"), named("Healthy")
    states, told = night(tmp_path, 1, imported, broken)
    ((signature, state),) = states.items()
    assert state == "new"
    assert told["new"] == 1
    assert (tmp_path / "run1" / "confirm" / "run.json").exists()
    states, told = night(tmp_path, 2, imported, broken)
    assert states == {signature: "known"}
    assert not (tmp_path / "run2" / "confirm").exists()
    states, told = night(tmp_path, 3, imported, mended)
    assert states == {}
    assert [one["signature"] for one in told["fixed_findings"]] == [signature]
    assert told["open"] == 0
    states, told = night(tmp_path, 4, imported, mended)
    assert told["fixed"] == 0
    states, told = night(tmp_path, 5, imported, broken)
    assert states == {signature: "regressed"}
    record = load(tmp_path / "history").records[signature]
    assert record.runs == 3
    assert record.smallest.case == "files/bad"


def test_only_what_is_new_or_back_is_unexpected(tmp_path):
    """A run fails for new findings; without a history for all."""
    imported = files(tmp_path / "in", ["bad"])
    for number, expected in ((1, True), (2, False)):
        made = request(tmp_path / f"run{number}", imported, named("Refuses"))
        run(made, Quiet())
        (found,) = remember(tmp_path / "history", made, Quiet())
        assert (exit_status(load_run(made.out)) == 1) == expected
        assert found.since == load(tmp_path / "history").records[found.signature].first.at


def test_what_is_not_seen_the_third_time_is_intermittent(tmp_path):
    """An engine that fails twice and not the third time fails the run, and says how often it did."""
    imported = files(tmp_path / "in", ["bad"])
    made = process("Sometimes", module=MODULE)
    states, told = night(tmp_path, 1, imported, made)
    assert list(states.values()) == ["intermittent"]
    assert (told["new"], told["flaky"], told["intermittent"]) == (0, 0, 1)
    (finding,) = read_findings(tmp_path / "run1")
    assert str(finding.share) == "2 of 3 reads"
    assert exit_status(load_run(tmp_path / "run1")) == 1
    states, told = night(tmp_path, 2, imported, made)
    assert states == {}
    assert (told["fixed"], told["open"]) == (0, 1)  # fine once is no proof
    (record,) = load(tmp_path / "history").records.values()
    assert str(record.share) == "2 of 4 reads"


@pytest.mark.parametrize("cls", ["CrashesOnce", "WrongOnce", "Moody"])
def test_what_shows_in_one_read_of_two_is_intermittent(tmp_path, cls):
    """A crash, wrong rows or a refusal that the second look does not show is a finding all the same."""
    imported = files(tmp_path / "in", ["bad"])
    states, _ = night(tmp_path, 1, imported, process(cls, module=MODULE))
    assert list(states.values()) == ["intermittent"]
    (finding,) = read_findings(tmp_path / "run1")
    assert (finding.verdict, str(finding.share)) == ("unstable", "1 of 2 reads")
    crashed = finding.difference["expected"] == "crashed"
    assert crashed == (cls == "CrashesOnce")
    assert exit_status(load_run(tmp_path / "run1")) == 1


def test_another_text_of_an_error_is_flaky(tmp_path):
    """An engine that refuses in one way and then in another has answered no wrong rows."""
    imported = files(tmp_path / "in", ["bad"])
    states, told = night(tmp_path, 1, imported, process("OtherErrorOnce", module=MODULE))
    assert list(states.values()) == ["flaky"]
    assert (told["new"], told["intermittent"]) == (0, 0)
    assert exit_status(load_run(tmp_path / "run1")) == 0


def test_an_intermittent_finding_stays_open_and_is_fixed_in_another_version_by_the_odds():
    """In its version for ever; in another after so many fine reads that they miss it in less than 1 %."""
    finding = Finding("s", "e", "1", "", "crashed", "c", 1, [], None, "")
    record = Record.of(finding, Seen("0", "0", "1"))
    record.saw(Seen("0", "0", "1"))
    record.wavered("1", "0", Share(2, 3))
    for number in range(1, 40):
        record.was_fine("1", str(number))
    assert record.so_far("1") == "open"
    assert record.share_in("1") == Share(2, 42)
    record.versions["1"].share = Share(2, 3)
    tries = Share(2, 3).tries
    for number in range(1, tries + 1):
        assert record.so_far("2") == "open"
        record = Record.from_json(json.loads(json.dumps(record.to_json())))
        record.was_fine("2", f"later{number}")
    assert (tries, record.so_far("2"), record.so_far("1")) == (5, "fixed", "open")
    record.saw(Seen("x", "x", "1"))
    assert record.state_in("1", "x") == "known"


def test_a_state_that_was_stored_without_counts_is_read():
    """Histories from before have no counts."""
    about = {"so_far": "", "session": "0", "said": "flaky"}
    assert About.from_json(about).to_json() == about


def test_a_problem_that_looks_otherwise_is_new_and_the_old_one_closed(tmp_path):
    """The same file fails in another way, in another version: the findings before say what they became."""
    imported = files(tmp_path / "in", ["bad"])
    ((before, _),) = night(tmp_path, 1, imported, named("Refuses"))[0].items()
    states, told = night(tmp_path, 2, imported, named("CannotClassify"))
    assert list(states.values()) == ["new"]
    assert told["fixed"] == 0  # the version is the same, and so is the verdict
    states, told = night(tmp_path, 3, imported, named("Aborts", "2"))
    ((after, state),) = states.items()
    assert state == "new"
    assert (before, after) in {(one["signature"], one["became"]) for one in told["fixed_findings"]}
    assert told["fixed"] == 2


def test_a_listed_failure_is_no_finding_and_back_when_it_is_listed_no_more(tmp_path):
    """An entry of corpora/known closes a finding; if it goes and the file fails, the finding is back."""
    imported = files(tmp_path / "in", ["bad"])
    night(tmp_path, 1, imported, named("Refuses"))
    known = tmp_path / "listed"
    known.mkdir()
    entry = '[[failure]]\ncase = "files/bad"\nverdict = "refused_valid"\nreason = "so it is"\n'
    (known / "engine.toml").write_text(entry)
    states, told = night(tmp_path, 2, imported, named("Refuses"), known=known)
    assert (states, told["fixed"], told["open"]) == ({}, 0, 0)
    assert list(night(tmp_path, 3, imported, named("Refuses"))[0].values()) == ["regressed"]


def test_cases_are_kept_with_their_meaning_and_swept(tmp_path):
    """The smallest file, its values and its query are there after the run's own are gone."""
    imported = files(tmp_path / "in", ["bad", "badder"])
    ((signature, _),) = night(tmp_path, 1, imported, named("Refuses"))[0].items()
    (tmp_path / "in" / "bad").unlink()
    with opened(tmp_path / "history") as history:
        case = history.case(history.records[signature])
        assert case.id == "files/bad"
        assert hashlib.sha256(case.file.read_bytes()).hexdigest() == case.sha256
        assert case.expectation.table == imported.cases[0].expectation.table
        history.records.clear()
        history.sweep()
    assert list((tmp_path / "history" / "cases").iterdir()) == []


def test_a_damaged_folder_is_kept_again(tmp_path):
    """What is left of a stored folder that has lost a file is replaced when the case is seen again."""
    folder = tmp_path / "table"
    for name in ("p=1/a.parquet", "p=2/b.parquet"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(name)
    seen = Seen("a", "1", "1")
    finding = Finding("s", "engine", "1", "", "different", "files/t", 1, [], None, "")
    record, expected = Record.of(finding, seen), Expectation.by_vote()
    case = Case("files/t", "parquet", folder, digest_of(folder), expected, read=TableRead(()))
    with opened(tmp_path / "history") as history:
        history.records["s"] = record
        history.keep(record, finding, case)
        stored = history.case(record).file
        (stored / "p=2/b.parquet").unlink()
        assert history.case(record) is None
        history.keep(record, finding, case)
        assert digest_of(history.case(record).file) == case.sha256


def test_a_finding_about_a_query_is_kept_with_it(tmp_path):
    """Of many queries of a generated file, the case that is kept has the one that the finding is about."""
    generate = Generate(3, 7, "harness.tests.pipelines:made")
    states, told = night(tmp_path, 1, None, pushing("LosesRows"), generate=generate)
    history = load(tmp_path / "history")
    assert set(states.values()) == {"new"}
    for signature in states:
        record = history.records[signature]
        (probe,) = history.case(record).probes
        assert str(probe.query) == record.smallest.probe
        assert probe.query in QUERIES
    assert history.next_seed == 8
    assert told["new"] == len(states)


@pytest.mark.parametrize(
    ("of_finding", "of_row", "is_about"),
    [
        ("wrote_other", "agree", False),
        ("wrote_other", "wrote_other", True),
        ("different", "agree", True),
    ],
)
def test_a_read_says_nothing_of_what_an_engine_wrote(of_finding, of_row, is_about):
    """A row of reading the file is held against no finding about its writer; a row about the writer is."""
    seen = Seen("a", "1", "1")
    smallest = Smallest("writers/a/b/0", "0" * 64, "parquet", "", None, 1)
    record = Record("a", "engine", of_finding, seen, seen, smallest=smallest)
    row = Row("writers/a/b/0", "0" * 64, "parquet", "engine", "1", "", "table", of_row, RowDetail(), 0.0, 0)
    assert session._is_about(record, row) is is_about


def test_versions_are_told_apart():
    """Fixed in one version, a finding is still there in those below, and back if it is seen above."""
    record = Record.of(_finding(), Seen("a", "1", "3.5.9"))
    record.saw(Seen("a", "1", "3.5.9"))
    assert record.state_in("3.5.9", "a") == "new"
    record.saw(Seen("b", "2", "4.0.0"))
    assert record.state_in("4.0.0", "b") == "known"
    record.was_fine("4.1.0", "c")
    assert record.state_in("4.1.0", "c") == "fixed"
    assert record.so_far("4.0.1") == "open"
    record.saw(Seen("d", "4", "4.2.0"))
    assert record.state_in("4.2.0", "d") == "regressed"
    record.saw(Seen("d", "4", "3.5.8"))
    assert record.state_in("3.5.8", "d") == "known"


def test_a_session_says_the_same_however_often_it_is_told():
    """What is new in the first run of a night stays new, and what was seen is not fixed, in either order."""
    record = Record.of(_finding(), Seen("a", "1", "1"))
    for _ in range(2):
        record.saw(Seen("a", "1", "1"))
        record.was_fine("1", "a")
        assert record.state_in("1", "a") == "new"
    record.was_fine("1", "b")
    record.saw(Seen("b", "2", "1"))
    assert record.state_in("1", "b") == "known"
    assert record.runs == 2


def _finding():
    return Finding("x | different | value", "x", "1", "", "different", "files/a", 1, [], None, "")


@pytest.mark.parametrize(
    "text", ['{"schema_version": 99}', "garbage", '{"schema_version": 1}', '{"no": 1}', "[]"]
)
def test_another_history_is_refused(tmp_path, text):
    """A file of another schema, or none of ours, is one line, and stays as it is."""
    (tmp_path / "history.ndjson").write_text(text + "\n")
    with pytest.raises(HistoryError, match="is not a history of colconf"), opened(tmp_path):
        pass
    assert (tmp_path / "history.ndjson").read_text() == text + "\n"


def test_a_history_reads_what_it_wrote(tmp_path):
    """What is saved is what is loaded."""
    imported = files(tmp_path / "in", ["bad"])
    night(tmp_path, 1, imported, named("Refuses"))
    history = load(tmp_path / "history")
    text = (tmp_path / "history" / "history.ndjson").read_text()
    history.save()
    assert (tmp_path / "history" / "history.ndjson").read_text() == text
    assert json.loads(text.splitlines()[0])["schema_version"] == 1
