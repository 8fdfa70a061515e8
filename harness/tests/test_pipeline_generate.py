"""Runs over generated files: queries are asked, and what an engine loses by pushdown is found."""

import json
import os
from pathlib import Path

import pytest

from corpora.queries import Aggregate, AggregateWhere, CountRows, TopRows
from harness.children.connection import Limits
from harness.commands.exit_status import exit_status, incomplete
from harness.judging.places import Config
from harness.judging.pushdown import apart, asks, off, reader
from harness.runs.pipeline.errors import PipelineError
from harness.tests.pipelines import Quiet, comparable, generated, made, pushing
from harness.tests.queried import BIG, QUERIES

HERE = "harness.tests.test_pipeline_generate"
FAKES = "harness.tests.queried"
PUSHED = "pushdown"
FILTERS = 3  # of QUERIES
KNOWN = """
[[failure]]
case = "generated/*"
verdict = "different"
reason = "it does"
signature = "{glob}"
"""


def verdicts(results, config=""):
    """Return verdict and probe of each case, of one configuration."""
    return [(row.verdict, row.detail.probe) for row in results.rows if row.config == config]


@pytest.mark.parametrize("heavy", [False, True])
def test_a_healthy_engine_has_no_findings(tmp_path, heavy):
    """Every file agrees under every configuration; all queries but that of a row group it lacks are asked."""
    results = generated(tmp_path / "out", 7, pushing("Queried", heavy=heavy))
    assert verdicts(results) == verdicts(results, "pushdown=off") == [("agree", None)] * 7
    assert results.findings == []
    asked = {row.detail.probes.queries for row in results.rows if not row.config}
    assert asked == {len(QUERIES) - 1}
    assert [row.case for row in results.rows[::2]] == [
        *(f"generated/7/0/{number}" for number in range(3)),
        *(f"generated/7/1/{number}" for number in range(3)),
        "generated/7/2/0",
    ]
    assert {row.detail.expectation.source for row in results.rows} == {"generator"}
    assert results.run.seeds == [7]


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize(
    ("cls", "path", "actual"),
    [
        ("LosesRows", "rows lost", "without 4, 5 (0 rows)"),
        ("GainsRows", "rows gained", "also 0, 1, 2, 3 (6 rows)"),
    ],
)
def test_rows_lost_by_pushdown(tmp_path, cls, path, actual, heavy):
    """What is right without pushdown only is a finding about pushdown, told by the simplest query."""
    results = generated(tmp_path / "out", 3, pushing(cls, module=FAKES, heavy=heavy))
    assert verdicts(results) == [("different", "number > 3")] * 3
    assert verdicts(results, "pushdown=off") == [("agree", None)] * 3
    (finding,) = results.findings
    assert finding.signature == f"{cls.lower()} | different | pushdown: {path} in int(32, signed) order"
    assert finding.count == 3
    difference = {"path": path, "expected": "rows 4, 5", "actual": actual, "kind": PUSHED}
    assert finding.difference == difference


def test_a_filter_of_another_meaning(tmp_path):
    """What is wrong alike without pushdown is no matter of pushdown: one finding for all configurations."""
    results = generated(tmp_path / "out", 3, pushing("OtherFilter", module=FAKES))
    assert verdicts(results) == verdicts(results, "pushdown=off") == [("different", "number > 3")] * 3
    (finding,) = results.findings
    assert finding.signature == "otherfilter | different | filter: rows gained in int(32, signed) order"
    assert (finding.count, finding.config) == (6, "")


def test_a_filter_that_is_refused(tmp_path):
    """A query that is refused only if pushed down is a finding about that configuration."""
    results = generated(tmp_path / "out", 3, pushing("RefusesFilters", module=FAKES))
    (finding,) = results.findings
    assert finding.signature == "refusesfilters | refused_valid | ValueError: <path>: no filter in filter"
    assert (finding.count, finding.verdict) == (3, "refused_valid")
    assert verdicts(results, "pushdown=off") == [("agree", None)] * 3


@pytest.mark.parametrize("heavy", [False, True])
def test_queries_that_are_lacked(tmp_path, heavy):
    """A query that an engine lacks is no problem, and a heavy engine is not asked it file by file."""
    results = generated(tmp_path / "out", 3, pushing("LacksFilters", module=FAKES, heavy=heavy))
    assert verdicts(results) == [("agree", None)] * 3
    assert [row.detail.probes.unsupported for row in results.rows if not row.config] == [3] * 3
    asked = (tmp_path / "out" / "notes").read_text().splitlines()
    filters = asked.count("filter")
    assert 3 <= filters < 6 if heavy else filters == 18
    assert asked.count("project") == (1 if heavy else 3)


@pytest.mark.parametrize("heavy", [False, True])
def test_a_crash_by_a_query_is_one_files_verdict(tmp_path, heavy):
    """A query that kills the engine costs the other files nothing, and is seen twice."""
    results = generated(tmp_path / "out", 3, pushing("DiesOfOne", module=FAKES, heavy=heavy))
    fine, died = ("agree", None), ("crashed", "NOT name IS NULL")
    assert verdicts(results) == verdicts(results, "pushdown=off") == [fine, died, fine]
    (finding,) = results.findings
    assert finding.signature == "diesofone | crashed | signal 6 in filter"


@pytest.mark.sweep(2)
@pytest.mark.parametrize("heavy", [False, True])
def test_a_file_that_hangs_is_asked_no_more(tmp_path, heavy):
    """Of one file and configuration one query may take the whole time limit, and be seen again; not each."""
    limits = Limits(start_seconds=20, seconds=1, sheet_file_seconds=0.1)
    one = pushing("HangsByFilters", module=FAKES, heavy=heavy)
    results = generated(tmp_path / "out", 3, one, limits=limits)
    fine, hung = ("agree", None), ("hung", "number > 3")
    assert verdicts(results) == [fine, hung, fine]
    assert verdicts(results, "pushdown=off") == [fine] * 3
    assert [row.detail.probes.queries for row in results.rows if not row.config] == [6, 1, 6]


def test_an_answer_that_is_right_the_second_time(tmp_path):
    """A wrong answer to a query that is right when asked again is unstable."""
    results = generated(tmp_path / "out", 1, pushing("MoodyAnswers", module=FAKES))
    assert verdicts(results) == [("unstable", "number > 3")]


def test_a_read_is_shared(tmp_path):
    """A file is read once for all values of pushdown; finer values take queries in turns."""
    values = ("on", "off", "index", "bloom")
    results = generated(tmp_path / "out", 3, pushing("Reads", *values, module=FAKES))
    assert len(results.rows) == 12
    notes = (tmp_path / "out" / "notes").read_text().splitlines()
    assert notes.count("read on") == sum(one.startswith("read") for one in notes) == 3
    asked = {value: {one for one in notes if one.startswith(f"{value} ")} for value in values}
    assert len(asked["on"]) == len(QUERIES) - 1
    assert len(asked["off"]) == FILTERS
    assert len(asked["index"]) + len(asked["bloom"]) == FILTERS
    generated(tmp_path / "all", 3, pushing("Reads", *values, module=FAKES), every_value=True)
    notes = (tmp_path / "all" / "notes").read_text().splitlines()
    assert sum(one.startswith("bloom") for one in notes) == 3 * FILTERS


def test_a_heavy_engine_is_asked_without_pushdown_where_it_is_wrong(tmp_path):
    """What it answers right is asked without pushdown in turns only; what it answers wrong, always."""
    values = ("on", "off", "index")
    results = generated(tmp_path / "out", 3, pushing("Reads", *values, module=FAKES, heavy=True))
    asked = {row.config: row.detail.probes.queries for row in results.rows}
    assert asked[""] == len(QUERIES) - 1
    assert asked["pushdown=off"] + asked["pushdown=index"] < FILTERS
    results = generated(tmp_path / "wrong", 3, pushing("LosesRows", *values, module=FAKES, heavy=True))
    asked = {row.config: row.detail.probes.queries for row in results.rows}
    assert asked["pushdown=off"] == FILTERS
    assert all(" | pushdown: rows lost" in one.signature for one in results.findings)


def test_a_wrong_read_is_one_finding(tmp_path):
    """Configurations that share a read share its problem; no probe is judged then."""
    results = generated(tmp_path / "out", 3, pushing("WrongRead", module=FAKES))
    assert verdicts(results) == verdicts(results, "pushdown=off") == [("different", None)] * 3
    (finding,) = results.findings
    assert finding.count == 6


def test_a_crash_goes_before_a_wrong_read(tmp_path):
    """A query that kills the engine is a finding also where the file was read wrong."""
    results = generated(tmp_path / "out", 3, pushing("WrongAndDead", module=FAKES))
    wrong, died = ("different", None), ("crashed", "NOT name IS NULL")
    assert verdicts(results) == [wrong, died, wrong]


def test_known_by_signature(tmp_path):
    """A failure of generated files is known by its signature; one of another is not."""
    for name, glob, findings in (("a", "*rows lost in*", 0), ("b", "*rows gained in*", 1)):
        (tmp_path / name / "known").mkdir(parents=True)
        (tmp_path / name / "known" / "losesrows.toml").write_text(KNOWN.format(glob=glob))
        results = generated(tmp_path / name / "out", 3, pushing("LosesRows"))
        assert len(results.findings) == findings


def test_a_known_failure_hides_no_other(tmp_path):
    """Where one query fails as is known, another one that nobody knows of is what the row is about."""
    results = generated(tmp_path / "before" / "out", 3, pushing("LosesAndGains", module=FAKES))
    assert verdicts(results) == [("different", "number > 3")] * 3
    (tmp_path / "known").mkdir()
    (tmp_path / "known" / "losesandgains.toml").write_text(KNOWN.format(glob="*rows lost in*"))
    results = generated(tmp_path / "out", 3, pushing("LosesAndGains", module=FAKES))
    assert verdicts(results) == [("different", "NOT name IS NULL")] * 3
    assert [one.count for one in results.findings] == [3]


def test_generated_files_stay(tmp_path):
    """Files and plans are kept below the seed, and are the same bytes in every run."""
    generated(tmp_path / "a", 4, pushing("Queried"))
    generated(tmp_path / "b", 4, pushing("Queried"))
    folder = tmp_path / "a" / "generated" / "7"
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))
    assert names[:2] == ["0/0.parquet", "0/0.plan.txt"]
    assert len(names) == 2 * 6
    assert (folder / "0" / "0.plan.txt").read_text("utf-8") == "FilePlan(é)\n"
    assert comparable_apart(tmp_path / "a") == comparable_apart(tmp_path / "b")
    other = generated(tmp_path / "c", 1, pushing("Queried"), seed=8)
    assert [row.case for row in other.rows] == ["generated/8/0/0"] * 2


def comparable_apart(out):
    """Return the results, without the folder that they lie in."""
    rows = comparable(out)
    for row in rows:
        row["detail"]["file"] = str(Path(row["detail"]["file"]).relative_to(out))
    return rows


class Stop(BaseException):
    """Ends a run from outside."""


class StopsLate(Quiet):
    """Ends the run in a stage."""

    def __init__(self, stage):
        super().__init__()
        self.at = stage

    def stage(self, name, total):
        """End it."""
        super().stage(name, total)
        if name.startswith(self.at):
            raise Stop


def counted(seed, start, stop, format_):
    """Generate sheets, noting which."""
    for sheet in made(seed, start, stop, format_):
        with Path(os.environ["COLCONF_TEST_NOTES"]).open("a") as notes:
            notes.write(f"{sheet.number} ")
        yield sheet


def test_a_run_is_continued(tmp_path, monkeypatch):
    """Sheets that are there are not generated again, answers that are there not asked again."""
    notes = tmp_path / "sheets"
    monkeypatch.setenv("COLCONF_TEST_NOTES", str(notes))
    out = tmp_path / "out"
    generator = f"{HERE}:counted"
    with pytest.raises(Stop):
        generated(out, 30, pushing("Reads", module=FAKES), generator=generator, progress=StopsLate("judging"))
    assert json.loads((out / "run.json").read_text())["finished"] is None
    (out / "parts" / "generate" / "000" / "000009.ndjson").unlink()
    asked = (out / "notes").read_text()
    results = generated(out, 30, pushing("Reads", module=FAKES), generator=generator)
    assert sorted(map(int, notes.read_text().split())) == sorted([*range(10), 9])
    assert (out / "notes").read_text() == asked
    assert len(results.rows) == 60
    assert not (out / "parts").exists()


def test_configurations_that_differ_in_pushdown():
    """They share a read; the one without pushdown is the one to compare with; others stay apart."""
    configs = [
        Config("", {PUSHED: "on", "x": "1"}),
        Config("x=2", {PUSHED: "on", "x": "2"}),
        Config("pushdown=off", {PUSHED: "off", "x": "1"}),
        Config("pushdown=index,x=2", {PUSHED: "index", "x": "2"}),
        Config("pushdown=bloom,x=2", {PUSHED: "bloom", "x": "2"}),
    ]
    assert [reader(configs, number) for number in range(5)] == [0, 1, 0, 1, 1]
    assert [off(configs, number) for number in range(5)] == [2, None, None, None, None]
    assert [apart(config) for config in configs] == ["", "x=2", "", "x=2", "x=2"]
    assert reader([Config("", {})], 0) == 0


def test_who_is_asked_what():
    """The first value is asked all; of the others filters and aggregates are, some of them in turns."""
    values = ("on", "off", "index", "bloom", "aggregate")

    def asked(query, salt, *, heavy=False, everything=False):
        one = pushing("Queried", *values, heavy=heavy)
        return [values[at] for at in range(5) if asks(one, at, query, salt, everything=everything)]

    for salt in "abcdefgh":
        assert asked(QUERIES[-1], salt) == asked(QUERIES[-1], salt, everything=True) == ["on"]
        assert asked(Aggregate(("number",)), salt, heavy=True) == ["on", "off", "aggregate"]
        assert asked(CountRows(), salt, heavy=True) == ["on", "off", "aggregate"]
        for query in (CountRows(BIG.predicate), AggregateWhere(("number",), BIG.predicate)):
            some, others = asked(query, salt)[2:]
            assert some in {"index", "bloom"}
            assert others == "aggregate"
        assert asked(TopRows(("number",), 2), salt)[:2] == ["on", "off"]
        assert asked(BIG, salt) in (["on", "off", "index"], ["on", "off", "bloom"])
        assert asked(BIG, salt, heavy=True) in (["on"], ["on", "off"], ["on", "index"], ["on", "bloom"])
        assert asked(BIG, salt, heavy=True, everything=True) == ["on", "off", "index", "bloom"]
    turns = [asked(BIG, f"{number}", heavy=True)[1:] for number in range(200)]
    assert all(30 < turns.count(turn) < 70 for turn in ([], ["off"], ["index"], ["bloom"]))
    behind = [asked(CountRows(BIG.predicate), f"{number}", heavy=True) for number in range(200)]
    assert 5 < sum("aggregate" in turn for turn in behind) < 30
    assert "aggregate" in asked(CountRows(BIG.predicate), "x", heavy=True, everything=True)


def test_sheets_are_asked_for_until_there_are_enough(tmp_path):
    """More files than the first guess of sheets gives are generated in a second go."""
    progress = Quiet()
    results = generated(tmp_path / "out", 20, pushing("Queried"), progress=progress)
    assert results.run.counts["cases"] == 20
    assert [stage for stage in progress.stages if stage[0].startswith("generating")] == [
        ("generating groups of files", 2),
        ("generating groups of files", 5),
    ]


def broken(*_):
    """Generate no sheet."""
    raise ValueError("no such\nvalue")


def broken_at_1(seed, start, stop, format):  # noqa: A002 - its name
    """Generate sheets, and fail at the second: if several are wanted, before the first is there."""
    if start <= 1 < stop:
        raise ValueError("no such\nvalue")
    yield from made(seed, start, stop, format)


def test_a_group_that_cannot_be_generated_is_left_out(tmp_path):
    """The others have as many files as were requested; the run names the group, and ends with status 2."""
    progress = Quiet()
    request = {"generator": f"{HERE}:broken_at_1", "progress": progress}
    results = generated(tmp_path / "out", 9, pushing("Queried"), **request)
    assert {row.case.split("/")[2] for row in results.rows} == {"0", "2", "3"}
    assert results.run.counts["cases"] == 9
    text = "group 1 of seed 7, format parquet: ValueError: no such"
    assert results.run.not_generated == [text]
    assert f"a mistake of colconf: not generated: {text}" in progress.notes
    assert exit_status(results.run) == 2
    assert incomplete((), results.run) == f"colconf could not generate {text}; please report this"


def test_a_generator_that_always_fails_is_named(tmp_path):
    """A run without any files ends with the seed and the first group of files that cannot be generated."""
    with pytest.raises(PipelineError) as error:
        generated(tmp_path / "out", 9, pushing("Queried"), generator=f"{HERE}:broken")
    assert str(error.value) == (
        "colconf cannot generate group 0 of seed 7, format parquet: ValueError: no such; "
        "please report this, and take another seed"
    )
