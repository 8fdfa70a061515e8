"""Runs over generated files have tables among them, which a seed and a number make again."""

import pytest

from corpora.cases import CaseError, load
from corpora.features import TABLES as FEATURES
from corpora.folders import digest
from harness.children.connection import Limits
from harness.investigate import suspects
from harness.investigate.findings.rejudge import rejudge
from harness.runs.history.confirm import remember
from harness.runs.history.tests.test_history import request as request_of
from harness.runs.pipeline import damage, generated, ungenerated
from harness.runs.pipeline.context import TABLES, Context, Generate
from harness.runs.pipeline.generated import is_table
from harness.runs.pipeline.plan import Task
from harness.runs.pipeline.sheets import places_in, read_sheet
from harness.tests.pipelines import Quiet, comparable, go, pushing
from properties.focus import focused

FILES = 24
SOME = Generate(FILES, 7, "harness.tests.pipelines:made", tables=2)
FAKES = "harness.tests.table_fakes"


@pytest.fixture(scope="module", name="out")
def folder_of_a_run(tmp_path_factory):
    """Return the folder of a run of a reader that reads the first file of a table alone."""
    out = tmp_path_factory.mktemp("generated") / "out"
    go(out, None, pushing("FirstFileAndQueries", module=FAKES), generate=SOME)
    return out


def is_of_table(row):
    """Return whether a result is about a table."""
    return not row["case"].rpartition("/")[2].isdecimal()


def test_which_sheets_are_tables():
    """One in 21 sheets, of two formats in turns equally many; with a focus all or none are."""
    request = Generate(1, 7)
    numbers = [number for number in range(1000) if is_table(request, number, "parquet")]
    assert numbers == list(range(TABLES // 2, 1000, TABLES))
    even = sum(number % 2 == 0 for number in numbers)
    assert abs(len(numbers) - 2 * even) <= 1
    on_tables = request._replace(seed=focused(7, FEATURES["orc"]))
    assert all(is_table(on_tables, number, "orc") for number in range(50))
    elsewhere = request._replace(seed=focused(7, "parquet/codec/snappy"))
    assert not any(is_table(elsewhere, number, "parquet") for number in range(50))
    assert not any(is_table(request._replace(tables=0), number, "parquet") for number in range(50))


@pytest.mark.heavy
def test_tables_among_files(out, tmp_path):
    """Tables count as files, their mistakes are found beside files that are right, each time the same."""
    rows = comparable(out)
    configs = {row["config"] for row in rows}
    assert len(rows) == FILES * len(configs)
    verdicts = {kind: {row["verdict"] for row in rows if is_of_table(row) is kind} for kind in (False, True)}
    assert verdicts[False] == {"agree"}
    assert "different" in verdicts[True]
    go(tmp_path / "again", None, pushing("FirstFileAndQueries", module=FAKES), generate=SOME)
    again = comparable(tmp_path / "again")
    assert [(row["case"], row["verdict"]) for row in again] == [(row["case"], row["verdict"]) for row in rows]


def test_sheets_of_a_focus(tmp_path):
    """With the focus on tables a sheet has several tables with the same reads, which are asked together."""
    seed = focused(7, FEATURES["orc"])
    context = Context(tmp_path, (), Limits(), tmp_path, format="orc", generate=Generate(1, seed))
    context.parts.mkdir()
    (task,) = next(generated.tasks(context, context.generate._replace(files=100)))
    assert task.numbers == (0, 1)
    list(generated.make(context, task))
    (part,) = context.parts.rglob("*.ndjson")
    planned = [read_sheet(context, place) for place in places_in(context, part)]
    assert all(len({case.file for case in sheet.cases}) > 1 for sheet in planned)
    assert len(planned) > 1
    wanted = len(planned[0].cases) - 1  # the plan is written once: sheets behind a cut sheet are left out
    (cut,) = generated.places(context, Generate(wanted, seed))
    assert read_sheet(context, cut).cases == planned[0].cases[:wanted]
    case = planned[0].cases[-1]
    again = generated.case_of(Context(tmp_path / "again", (), Limits(), tmp_path), case.id, "orc")
    assert (again.sha256, again.read) == (case.sha256, case.read)


def test_a_table_that_was_not_generated_is_tried_again(tmp_path, monkeypatch):
    """A mistake is noted in the place of the table; a run that is continued forgets it."""
    seed = focused(7, FEATURES["orc"])
    context = Context(tmp_path, (), Limits(), tmp_path, format="orc", generate=Generate(1, seed))
    context.parts.mkdir()
    task = Task("generate", numbers=(0, 1))
    with monkeypatch.context() as patch:
        patch.setattr(generated, "_ALIKE", "many")
        assert sum(generated.make(context, task)) == 1
    (text,) = ungenerated.failures(context)
    assert text.startswith(f"group 0 of seed {seed}, format orc: TypeError: ")
    assert sum(generated.make(context, task)) == 1  # there is nothing left to do
    assert ungenerated.failures(context) == [text]
    ungenerated.forget(context)
    assert sum(generated.make(context, task)) == 1
    assert not ungenerated.failures(context)
    (part,) = context.parts.rglob("*.ndjson")
    assert places_in(context, part)


@pytest.mark.heavy
def test_a_finding_is_asked_again(out, tmp_path):
    """The run and the history have the case of a finding, and its seed and number generate it again."""
    engine = pushing("FirstFileAndQueries", module=FAKES)
    wanted = request_of(out, None, engine, generate=SOME)
    remembered = remember(tmp_path / "history", wanted, Quiet())
    findings = [finding for finding in remembered if finding.verdict == "different"]
    stored = {case.id: case for case in map(load, (tmp_path / "history" / "cases").glob("*.json"))}
    for finding in findings:
        case = stored[finding.case]
        assert digest(case.file) == case.sha256
        suspect = suspects.named(f"{out}:{finding.signature}", "firstfileandqueries", tmp_path / finding.case)
        assert (suspect.case.sha256, suspect.case.read) == (case.sha256, case.read)
        assert suspect.case.expectation == case.expectation
    assert findings
    assert {row.verdict for row in rejudge(suspect.case, ["reference"], Limits()).rows} == {"agree"}


def test_a_table_that_was_damaged_is_generated_again(tmp_path):
    """A resumed run sets a part aside whose table lacks a file, and makes the same again."""
    context = Context(tmp_path, (), Limits(), tmp_path, generate=SOME._replace(tables=1))
    context.parts.mkdir()
    task = Task("generate", numbers=(0, 1))
    list(generated.make(context, task))
    (part,) = context.parts.rglob("*.ndjson")
    before = part.read_bytes()
    assert list(damage.mend(context)) == []
    next(context.generated.rglob("part-*")).unlink()
    (line,) = damage.mend(context)
    assert "is not as it was written" in line
    list(generated.make(context, task))
    assert part.read_bytes() == before
    assert list(damage.mend(context)) == []


@pytest.mark.heavy
@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("identity", "message"),
    [
        ("generated/7/10/nonsense", "the table has no read of that name, but schema-0"),
        ("generated/7/x/1", "is called generated/SEED/SHEET/NUMBER"),
        ("generated/7/1", "is called generated/SEED/SHEET/NUMBER"),
        ("generated/7/1/999", "the sheet has"),
    ],
)
def test_ids_of_no_case(identity, message, tmp_path):
    """An id that no generated case has is refused in one line."""
    with pytest.raises(CaseError, match=message):
        generated.case_of(Context(tmp_path, (), Limits(), tmp_path), identity, "parquet")
