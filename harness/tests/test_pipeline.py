"""A run, with engines that misbehave on purpose: each file's outcome is its own, and nothing is lost."""

import json
import os
import signal
import threading
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

from corpora.build.formats import FORMATS
from corpora.cases import Expectation
from corpora.importers import Imported, Skipped
from corpora.rules import Rule
from corpora.tagged import STRING, Table, integer
from harness.children.connection import Connection, Limits
from harness.judging import judge as judge_module
from harness.judging import verdicts as verdicts_of_outcomes
from harness.judging.oracle import Oracle
from harness.judging.places import Config
from harness.judging.records import known_to_hang
from harness.judging.results import STALE
from harness.judging.signature import normalised
from harness.runs.pipeline import stages, written
from harness.runs.pipeline.errors import PipelineError
from harness.tests.events import wait_for
from harness.tests.pipelines import LIMITS, Quiet, files, go, meaning, ours, process, verdicts
from reference_impl.parquet.validate import Violation

NAMES = ["a", "b", "bad", "c", "d"]
KNOWN = """
[[failure]]
case = "files/{glob}"
verdict = "refused_valid"
reason = "it cannot"
url = "https://example.org/1"
"""


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    ("cls", "outcome", "verdict"),
    [
        ("Refuses", "refused", "refused_valid"),
        ("Lacks", "unsupported", "unsupported"),
        ("Segfaults", "crashed", "crashed"),
        ("Exits", "crashed", "crashed"),
        ("Panics", "panicked", "panicked"),
        ("RunsOutOfMemory", "out_of_memory", "out_of_memory"),
        ("Limited", "limited", "skipped"),
        ("AnswersNoTable", "misspoke", "crashed"),
    ],
)
@pytest.mark.parametrize("heavy", [False, True])
def test_a_bad_file_costs_the_others_nothing(tmp_path, cls, outcome, verdict, heavy):
    """One file that an engine cannot read is found, alone or in a sheet; the others keep their answers."""
    imported = files(tmp_path / "in", NAMES, together=True)
    results = go(tmp_path / "out", imported, process(cls, heavy=heavy))
    assert verdicts(results) == {name: verdict if name == "bad" else "agree" for name in NAMES}
    (row,) = (row for row in results.rows if row.case == "files/bad")
    assert row.outcome == outcome
    assert row.detail.finding == (verdict not in {"unsupported", "skipped"})


@pytest.mark.sweep(2)
@pytest.mark.parametrize("heavy", [False, True])
def test_a_hang_is_one_files_verdict(tmp_path, heavy):
    """A hang ends with the time limit, costs the others nothing, and is seen twice."""
    limits = Limits(start_seconds=20, seconds=0.5, sheet_file_seconds=0.1)
    imported = files(tmp_path / "in", NAMES, together=True)
    results = go(tmp_path / "out", imported, process("Hangs", heavy=heavy), limits=limits)
    assert verdicts(results) == {name: "hung" if name == "bad" else "agree" for name in NAMES}


def test_the_second_look_at_a_hang_is_short(tmp_path, monkeypatch):
    """A small file that hung does not cost the whole time limit again."""
    seen = []
    expecting = Connection.expecting_hang

    @contextmanager
    def noted(self, seconds=None):
        before = self._seconds([])
        with expecting(self, seconds):
            inside = self._seconds([])
            yield
        seen.append((inside < before, self._seconds([]) == before))

    monkeypatch.setattr(Connection, "expecting_hang", noted)
    monkeypatch.setattr(Limits, "short_seconds", 0.4)
    limits = Limits(start_seconds=20, seconds=0.5)
    go(tmp_path / "out", files(tmp_path / "in", NAMES), process("Hangs"), process("Refuses"), limits=limits)
    assert seen == [(True, True)]


def test_large_answers_of_the_oracle_are_temporary_files_of_the_run(tmp_path, monkeypatch):
    """What judging writes lies where the files of a killed run are removed."""
    folders = []
    monkeypatch.setattr(judge_module, "Oracle", lambda scratch: folders.append(scratch) or Oracle(scratch))
    go(tmp_path / "out", files(tmp_path / "in", NAMES, together=True), process("Healthy"))
    (folder,) = folders
    assert any(parent.name.startswith("colconf-scratch-") for parent in (folder, *folder.parents))


@pytest.mark.heavy
def test_a_known_hang_is_short(tmp_path, monkeypatch):
    """A file that a known failure names as one that an engine hangs at has little time, in both looks."""
    monkeypatch.setattr(stages, "_KNOWN_HANG_SECONDS", 0.3)
    known = tmp_path / "known"
    known.mkdir()
    entry = '[[failure]]\ncase = "files/bad"\nverdict = "hung"\nreason = "a test"\nversions = "<2"\n'
    (known / "hangs.toml").write_text(entry)
    imported = files(tmp_path / "in", NAMES, together=True)
    limits = Limits(start_seconds=20, seconds=60)
    results = go(tmp_path / "out", imported, process("Hangs"), limits=limits, known=known)
    assert verdicts(results) == {name: "hung" if name == "bad" else "agree" for name in NAMES}
    (hung,) = [row for row in results.rows if row.verdict == "hung"]
    assert "no answer after 0.3 s" in hung.detail.message
    assert known_to_hang(known, "hangs", "1", "files/bad")
    assert not known_to_hang(known, "hangs", "2", "files/bad")
    assert not known_to_hang(known, "hangs", "1", "files/good")
    any_file = tmp_path / "any"
    any_file.mkdir()
    (any_file / "hangs.toml").write_text(entry.replace("files/bad", "*"))
    assert not known_to_hang(any_file, "hangs", "1", "files/bad")


def test_a_sheet_is_read_at_once(tmp_path):
    """A heavy engine is asked for a sheet as a whole; one that loses a table of it gets each file alone."""
    imported = files(tmp_path / "in", NAMES, together=True)
    results = go(
        tmp_path / "out", imported, ours("CountsCalls", heavy=True), process("LosesTable", heavy=True)
    )
    assert set(verdicts(results).values()) == {"agree"}
    assert (tmp_path / "calls").read_text() == "5 "


@pytest.mark.parametrize(("cls", "calls"), [("NotTogether", "5 2 3 2 "), ("DiesTogether", "5 ")])
def test_a_sheet_that_fails_is_split(tmp_path, cls, calls):
    """A sheet that fails is halved until the bad file is alone; one that cost a process is read singly."""
    imported = files(tmp_path / "in", NAMES, together=True)
    results = go(tmp_path / "out", imported, ours(cls, heavy=True))
    assert [row.detail.finding for row in results.rows] == [name == "bad" for name in NAMES]
    assert (tmp_path / "calls").read_text() == calls


def test_findings_are_deduplicated(tmp_path):
    """Rows that fail alike are one finding, which names the smallest file and how many there are."""
    imported = files(tmp_path / "in", ["aaa", "b", "cc"])
    (tmp_path / "in" / "b").write_text("")
    results = go(tmp_path / "out", imported, process("WrongValue"))
    (finding,) = results.findings
    assert (finding.case, finding.count, finding.verdict) == ("files/b", 3, "different")
    assert finding.difference["expected"] == '"7"'
    assert finding.signature == "wrongvalue | different | value in int(32, signed)"


def test_a_different_second_answer_is_unstable(tmp_path):
    """A problem that is not there when the file is read again is no refusal: the engine is unstable."""
    results = go(tmp_path / "out", files(tmp_path / "in", NAMES), ours("Moody"))
    assert verdicts(results)["bad"] == "unstable"
    assert [finding.verdict for finding in results.findings] == ["unstable"]
    (row,) = (row for row in results.rows if row.case == "files/bad")
    assert row.detail.difference == {
        "path": "outcome",
        "expected": "refused",
        "actual": "table",
        "kind": "outcome",
    }


def test_configurations_share_a_process(tmp_path):
    """Each configuration has its own line, with its text."""
    configs = (Config("", {"x": "1"}), Config("x=2", {"x": "2"}))
    results = go(tmp_path / "out", files(tmp_path / "in", ["a", "b"]), process("Healthy", configs=configs))
    assert [(row.case, row.config) for row in results.rows] == [
        ("files/a", ""),
        ("files/a", "x=2"),
        ("files/b", ""),
        ("files/b", "x=2"),
    ]


def test_files_without_a_meaning_are_voted_on(tmp_path):
    """The reference reads along, unreported, and the vote says who was in the minority."""
    imported = files(tmp_path / "in", ["a"], Expectation.by_vote())
    engines = (process("WrongValue"), process("Healthy"), process("Healthy", "reference", reported=False))
    results = go(tmp_path / "out", imported, *engines)
    assert [(row.engine, row.verdict) for row in results.rows] == [
        ("wrongvalue", "different"),
        ("healthy", "agree"),
    ]
    assert results.rows[0].detail.expectation.votes.startswith("table 2 (reference, healthy)")
    assert [one["name"] for one in results.run.engines] == ["wrongvalue", "healthy"]


def test_an_invalid_file_is_to_be_refused(tmp_path):
    """Answering values of a file that breaks a rule is a finding; refusing it is right."""
    refuse = Expectation.refuse(rule="PQ-FILE-001")
    imported = files(tmp_path / "in", ["bad"], refuse)
    results = go(tmp_path / "out", imported, process("Healthy"), process("Refuses"))
    assert verdicts(results, "healthy") == {"bad": "accepted_invalid"}
    assert verdicts(results, "refuses") == {"bad": "refused_as_expected"}
    assert [finding.signature for finding in results.findings] == ["healthy | accepted_invalid | PQ-FILE-001"]


def test_a_refusal_by_choice_is_counted(tmp_path):
    """Who refuses a file that may be read or refused is counted in `run.json`, the others are not."""
    choice = Expectation.either("both are right", table=meaning("bad-1"))
    imported = files(tmp_path / "in", ["bad-1"], choice)
    broken = files(tmp_path / "broken", ["bad-2"], Expectation.refuse(rule="PQ-FILE-001"))
    cases = Imported((*imported.cases, *broken.cases), ())
    results = go(tmp_path / "out", cases, process("Healthy"), process("Refuses"))
    by_choice = [(row.case, row.engine) for row in results.rows if row.is_by_choice]
    assert by_choice == [("files/bad-1", "refuses")]
    assert verdicts(results, "refuses") == dict.fromkeys(("bad-1", "bad-2"), "refused_as_expected")
    assert results.run.counts["refused_by_choice"] == 1


def test_known_failures_are_no_findings(tmp_path):
    """A failure that is listed is shown with its reason; only another one is a finding."""
    (tmp_path / "known").mkdir()
    (tmp_path / "known" / "refuses.toml").write_text(KNOWN.format(glob="bad-1"))
    imported = files(tmp_path / "in", ["a", "bad-1", "bad-2"])
    results = go(tmp_path / "out", imported, process("Refuses"))
    known = {row.case: row.detail.known for row in results.rows}
    assert known["files/bad-1"] == ("it cannot", "https://example.org/1")
    assert [(finding.case, finding.count) for finding in results.findings] == [("files/bad-2", 1)]
    assert results.run.counts["known"] == 1


def test_a_known_failure_that_is_gone_is_a_finding(tmp_path):
    """An entry in whose scope nothing fails any more is reported; one out of scope is not."""
    (tmp_path / "known").mkdir()
    (tmp_path / "known" / "healthy.toml").write_text(KNOWN.format(glob="a*") + KNOWN.format(glob="z*"))
    results = go(tmp_path / "out", files(tmp_path / "in", ["a"]), process("Healthy"))
    assert [(one.verdict, one.engine, one.case) for one in results.findings] == [
        (STALE, "healthy", "files/a*")
    ]


def test_skipped_files_have_lines(tmp_path):
    """A file that no engine was asked to read has a line for each engine, with the reason."""
    imported = files(tmp_path / "in", ["a"])
    skipped = Skipped("files/notes.txt", tmp_path / "notes.txt", "neither Parquet nor ORC")
    results = go(tmp_path / "out", Imported(imported.cases, (skipped,)), process("Healthy"))
    assert [row.case for row in results.rows] == ["files/a"]
    assert [(row.case, row.engine, row.detail.message) for row in results.skipped] == [
        ("files/notes.txt", "healthy", "neither Parquet nor ORC")
    ]


@pytest.mark.parametrize("cls", ["NotInstalled", "CrashesAtStart"])
def test_an_engine_that_does_not_start_is_named(tmp_path, cls):
    """The others run, and the run says which one did not, and why."""
    results = go(tmp_path / "out", files(tmp_path / "in", ["a"]), process(cls), process("Healthy"))
    assert [row.engine for row in results.rows] == ["healthy"]
    assert [one["engine"] for one in results.run.unavailable] == [f"{cls.lower()}@1"]


def test_a_run_in_which_nothing_runs_is_an_error(tmp_path):
    """If no engine starts there are no results."""
    with pytest.raises(PipelineError, match=r"no engine could be run: notinstalled@1: .*no_such_engine"):
        go(tmp_path / "out", files(tmp_path / "in", ["a"]), process("NotInstalled"))


@pytest.mark.heavy
def test_large_tables_are_spilled_and_removed(tmp_path):
    """Tables too large for a line are compared all the same; afterwards only the results are there."""
    large = Table.of([("n", STRING)], [[f"{number:050}" for number in range(200_000)]])
    imported = files(tmp_path / "in", ["a", "b"], Expectation.accept(large, "generator"))
    out = tmp_path / "out"
    results = go(out, imported, process("AnswersMuch"))
    assert verdicts(results) == {"a": "agree", "b": "agree"}
    assert sorted(path.name for path in out.iterdir()) == [
        "dataset",
        "findings.ndjson",
        "results.ndjson",
        "run.json",
    ]


def test_a_killed_engine_loses_nothing(tmp_path):
    """SIGKILL to an engine's process from outside: a new one goes on, and every file is judged."""
    imported = files(tmp_path / "in", [f"{'bad' * (number % 3 == 1)}{number:02}" for number in range(9)])
    notes = tmp_path / "hanging"
    notes.touch()

    def kill():
        for number in range(3):
            wait_for(lambda least=number: len(notes.read_text().splitlines()) > least)
            os.kill(int(notes.read_text().splitlines()[number]), signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    results = go(tmp_path / "out", imported, ours("HangsOnce"), limits=replace(LIMITS, seconds=600))
    killer.join()
    assert set(verdicts(results).values()) == {"agree"}
    assert len(results.rows) == 9


def test_the_dataset_has_what_the_lines_have(tmp_path):
    """Rows and findings are in the Parquet dataset too, a partition for each run."""
    out = tmp_path / "out"
    imported = files(tmp_path / "in", NAMES)
    first = go(out, imported, process("Refuses"))
    second = go(out, imported, process("Refuses"))
    ids = {first.run.id, second.run.id}
    assert len(ids) == 2
    for name, rows in (("outcomes", 5), ("verdicts", 5), ("findings", 1)):
        assert {folder.name for folder in (out / "dataset" / name).iterdir()} == {f"run={one}" for one in ids}
        assert pq.read_table(out / "dataset" / name).num_rows == 2 * rows
    stored = pq.ParquetFile(out / "dataset" / "verdicts" / f"run={first.run.id}" / "part-0.parquet")
    assert stored.read().to_pylist()[2]["verdict"] == "refused_valid"
    assert stored.schema_arrow.metadata[b"colconf.schema_version"] == b"3"


def examined(monkeypatch, validate):
    """Have the validator of Parquet return what `validate` returns for the bytes of a file."""
    report = replace(FORMATS["parquet"], examine=lambda data, *_: SimpleNamespace(violations=validate(data)))
    monkeypatch.setitem(FORMATS, "parquet", report)


def test_writers_matrix(tmp_path, monkeypatch):
    """Engines that write, write every table; every engine reads every file; what was written is expected."""
    examined(monkeypatch, lambda _: [])
    engines = (ours("JsonFile", writes=True), ours("WritesNoLists", writes=True), process("WrongValue"))
    progress = Quiet()
    results = go(tmp_path / "out", None, *engines, progress=progress)
    writes = [row for row in results.rows if row.detail.phase == "write"]
    assert {row.engine for row in writes} == {"writesnolists"}
    assert {row.verdict for row in writes} == {"unsupported"}
    reads = [row for row in results.rows if row.detail.phase != "write"]
    by_reader = {row.engine: {one.verdict for one in reads if one.engine == row.engine} for row in reads}
    assert by_reader == {"jsonfile": {"agree"}, "writesnolists": {"agree"}, "wrongvalue": {"different"}}
    read_by = [[row.case for row in reads if row.engine == name] for name in by_reader]
    assert read_by[0] == read_by[1] == read_by[2]
    assert "writers/jsonfile/lists/uncompressed-v1-dictionary" in read_by[0]
    assert "writers/writesnolists/lists/uncompressed-v1-dictionary" in {row.case for row in writes}
    assert {row.detail.expectation.source for row in reads} == {
        "writer:jsonfile@1",
        "writer:writesnolists@1",
    }
    assert (tmp_path / "out" / "written" / "jsonfile" / "many" / "uncompressed-v2-plain.parquet").is_file()
    assert progress.stages[0][0] == "writing"


@pytest.mark.heavy
def test_a_writer_that_breaks_rules(tmp_path, monkeypatch):
    """A broken MUST is a finding about the writer, beside what readers made of it; others are counted."""

    def validate(data):
        if b'"flag"' not in data:  # a column of the table `runs`
            return []
        return [
            Violation("PQ-PLAIN-001", 7, ("row_groups[0]", "column 'flag'"), "cut off"),
            Violation("PQ-PLAIN-001", 9, (), "again"),
            Violation("PQ-SOME-001", None, ("footer",), "unwise"),
        ]

    levels = {"PQ-SOME-001": Rule("PQ-SOME-001", "README.md", "SHOULD", "It should.")}
    examined(monkeypatch, validate)
    monkeypatch.setattr(written.rules, "load", lambda: levels)
    monkeypatch.setattr(written, "features_of_values", lambda _, name: (f"{name}/value/of-the-table",))
    results = go(tmp_path / "out", None, ours("JsonFile", writes=True), process("WrongValue"))
    rows = [row for row in results.rows if row.verdict == "wrote_invalid"]
    assert [row.case.rsplit("/", 1)[0] for row in rows] == ["writers/jsonfile/runs"] * 2
    assert rows[0].detail.message == "[PQ-PLAIN-001] row_groups[0].column 'flag', byte 7: cut off"
    assert rows[0].detail.expectation.rule == "PQ-PLAIN-001"
    assert "parquet/value/of-the-table" in rows[0].detail.features
    (finding,) = (one for one in results.findings if one.verdict == "wrote_invalid")
    assert (finding.signature, finding.count) == ("jsonfile | wrote_invalid | PQ-PLAIN-001", 2)
    assert results.run.rules_broken_by_writers == [
        {"engine": "jsonfile@1", "rule": "PQ-PLAIN-001", "level": "MUST", "files": 2},
        {"engine": "jsonfile@1", "rule": "PQ-SOME-001", "level": "SHOULD", "files": 2},
    ]
    read = {row.verdict for row in results.rows if row.case == rows[0].case and row.engine == "jsonfile"}
    assert read == {"agree", "wrote_invalid"}


def test_progress_adds_up(tmp_path):
    """The units of all stages are done when the run is."""
    progress = Quiet()
    engines = (process("Refuses"), process("Healthy", heavy=True))
    go(tmp_path / "out", files(tmp_path / "in", NAMES), *engines, progress=progress)
    assert progress.done == sum(total for _, total in progress.stages)
    assert dict(progress.stages)["reading again what failed"] == 1


def test_messages_are_normalised():
    """What differs from file to file has no part in a signature."""
    one = normalised("cannot read /data/x/a.parquet: byte 17 of 0xdeadbeef\nat line 3")
    assert one == normalised("cannot read /tmp/b.parquet: byte 4 of 0x12\n")
    assert normalised("failed | caused by: not read | caused by: no BOOLEAN\nat line 3") == "no BOOLEAN"
    assert one == "cannot read <path>: byte <n> of <hex>"


def test_hostile_names_and_messages(tmp_path):
    """Names and messages that are not text as UTF-8 has it reach results and dataset."""
    name = os.fsdecode(b"bad-\xff\xfe.parquet")
    file = Path(tmp_path / "in" / name)
    imported = files(
        tmp_path / "in", [name], Expectation.accept(Table.of([("n", integer(32))], [["1"]]), "spec")
    )
    results = go(tmp_path / "out", imported, process("TalksNonsense"), process("CannotSay"))
    assert [row.verdict for row in results.rows] == ["refused_valid"] * 2
    assert {json.dumps(row.detail.file) for row in results.rows} == {json.dumps(str(file))}
    assert pq.read_table(tmp_path / "out" / "dataset" / "outcomes").num_rows == 2


def test_meaning_of_fakes():
    """The tests' own idea of a healthy answer is a table of one row."""
    assert meaning("x").num_rows == 1


def test_a_contested_case_does_not_show_that_a_known_failure_is_gone(tmp_path):
    """Where the vote lets every answer pass, an entry about the case is not called stale."""
    (tmp_path / "known").mkdir()
    (tmp_path / "known" / "wrongvalue.toml").write_text(KNOWN.format(glob="a*"))
    imported = files(tmp_path / "in", ["a"], Expectation.by_vote())
    engines = (process("WrongValue"), process("Healthy", "reference", reported=False))
    results = go(tmp_path / "out", imported, *engines)
    assert [(row.verdict, row.detail.expectation.certainty) for row in results.rows] == [
        ("contested", "contested")
    ]
    assert results.findings == []
    assert results.run.counts["contested"] == 1


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("cls", "levels", "verdict", "level"),
    [
        ("Refuses", ["SHOULD", "SHOULD"], "refused_valid", "SHOULD"),
        ("Refuses", ["SHOULD", "MUST"], "refused_valid", "MUST"),
        ("Refuses", ["MAY", "SHOULD"], "refused_valid", "SHOULD"),
        ("Segfaults", ["SHOULD", "SHOULD"], "crashed", "MUST"),
        ("WrongValue", ["SHOULD", "SHOULD"], "different", "MUST"),
    ],
)
def test_the_level_of_a_finding(tmp_path, cls, levels, verdict, level):
    """A refusal is of the strictest level of its cases; wrong values and lost processes are MUSTs."""
    imported = files(tmp_path / "in", ["bad1", "bad2"])
    cases = [replace(case, level=of) for case, of in zip(imported.cases, levels, strict=True)]
    results = go(tmp_path / "out", Imported(tuple(cases), ()), process(cls))
    assert [row.detail.level for row in results.rows] == levels
    (finding,) = results.findings
    assert (finding.verdict, finding.level, finding.count) == (verdict, level, 2)
    should = results.run.counts["recommended"]
    assert should == (level != "MUST")


def test_a_cost_that_does_not_show_again_is_none(tmp_path, monkeypatch):
    """An answer that took CPU time once is judged by its values; memory is compared in a new process."""
    monkeypatch.setattr(verdicts_of_outcomes, "AMPLIFIED_BASE_SECONDS", 0.4)
    results = go(tmp_path / "out", files(tmp_path / "in", ["a", "bad"]), process("BurnsOnce"))
    assert verdicts(results) == {"a": "agree", "bad": "agree"}
    assert (results.findings, results.rows[-1].detail.cost) == ([], None)
    monkeypatch.setattr(verdicts_of_outcomes, "AMPLIFIED_BASE_BYTES", 1 << 25)
    results = go(tmp_path / "swells", files(tmp_path / "more", ["a", "bad"]), process("Swells"))
    assert verdicts(results) == {"a": "agree", "bad": "amplified"}


def test_time_out_of_proportion_is_found(tmp_path, monkeypatch):
    """An engine that burns CPU time on a small file is amplified, by name, whatever else the machine does."""
    monkeypatch.setattr(verdicts_of_outcomes, "AMPLIFIED_BASE_SECONDS", 0.4)
    results = go(tmp_path / "out", files(tmp_path / "in", ["a", "bad"]), process("Burns"))
    assert verdicts(results) == {"a": "agree", "bad": "amplified"}
    (finding,) = results.findings
    assert finding.signature == "burns | amplified | time"
    cost = results.rows[-1].detail.cost
    assert (cost.of, cost.bytes, cost.cells) == ("time", 3, 2)
    assert cost.used > cost.most
