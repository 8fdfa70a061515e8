"""Campaigns against engines that misbehave on purpose: findings are stored, and the campaign goes on."""

import json
import random
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

import corpora
from corpora.cases import load as load_case
from corpora.importers import import_paths
from corpora.known_failures import Entry
from harness.children.connection import Limits
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.commands import fuzz_engines
from harness.engines.registry import ENGINES
from harness.investigate import suspects
from harness.investigate.findings import collect
from harness.investigate.fuzz import futures, meaning
from harness.investigate.fuzz.campaign_record import CampaignRequest
from harness.investigate.fuzz.engines import Campaign
from harness.investigate.fuzz.finding_files import FindingFiles
from harness.investigate.fuzz.futures import Grade, Question, grade
from harness.investigate.fuzz.inputs import Input, Inputs
from harness.investigate.fuzz.requests import FuzzBench
from harness.investigate.minimize.tests.files import orc_file, parquet
from harness.judging.ballots import REFERENCE
from harness.judging.places import Config, Process
from harness.judging.results import load
from harness.judging.signature import signature
from harness.runs.pipeline.errors import PipelineError
from harness.tests.schemas import check

LIMITS = Limits(seconds=10, start_seconds=60)
TURNS = 6  # of a campaign, each of twice the time, until it has sent a file
FAKES = "harness.investigate.minimize.tests.fakes"
FUZZED = "harness.investigate.fuzz.tests.fakes"


def process(name, spec):
    """An engine process of a class, `module:class`."""
    command = (sys.executable, "-m", "harness.children.worker", spec)
    return Process(name, "1", command, (Config("", {}),), ("parquet", "orc"))


def fake(name, module=FAKES):
    """A fake as an engine process, called `fake`."""
    return process("fake", f"{module}:{name}")


REFERENCE_PROCESS = process(REFERENCE, f"{ENGINES[REFERENCE].module}:{ENGINES[REFERENCE].class_name}")


def asked_once(tmp_path, engine, data, form="parquet", limits=LIMITS, **fields):
    """What came of one file."""
    with FuzzBench([engine], REFERENCE_PROCESS, form, limits, tmp_path) as bench:
        return bench.ask([Input(data, "", "test", **fields)], lambda _: True)


def broken_file():
    """A file that begins with another magic number."""
    data = bytearray(parquet(40))
    data[0:4] = b"PAR2"
    return bytes(data)


@pytest.mark.heavy
def test_a_crash_is_a_finding(crashes):
    """What ends its reader is a finding."""
    ((row,),) = crashes[20].rows
    assert row.row.detail.finding
    assert signature(row) == "fake | crashed | signal 11"


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("name", "data", "form", "said"),
    [
        ("WrongAfterNulls", parquet(20), "parquet", "fake | different | value in int(64, signed)"),
        ("AcceptsAll", broken_file(), "parquet", "fake | accepted_invalid | PQ-FILE-002"),
        ("CrashesOnDictionary", orc_file(12), "orc", None),
    ],
)
def test_verdicts(tmp_path, name, data, form, said):
    """Wrong values and accepted invalid files are findings; correct results are not."""
    found = asked_once(tmp_path, fake(name), data, form)
    ((row,),) = found.rows
    assert bool(row.row.detail.finding) == (said is not None)
    if said is not None:
        assert signature(row) == said


@pytest.mark.heavy
def test_unstable(tmp_path):
    """What would be a finding is asked of a fresh child: one that answers otherwise is unstable."""
    with FuzzBench([fake("Wavers")], REFERENCE_PROCESS, "parquet", LIMITS, tmp_path) as bench:
        some = [Input(parquet(20 + number), "", "test") for number in range(4)]
        found = bench.ask(some, lambda _: True)
    assert [rows[0].row.verdict for rows in found.rows] == ["agree", "agree", "unstable", "agree"]


@pytest.mark.heavy
def test_no_file_is_blamed_for_another(tmp_path):
    """If a file leaves a child in a bad state, the child is replaced, and later files are no findings."""
    with FuzzBench([fake("Poisoned", FUZZED)], REFERENCE_PROCESS, "parquet", LIMITS, tmp_path) as bench:
        for rows in ((60, 10), (11, 12)):
            found = bench.ask([Input(parquet(one), "", "test") for one in rows], lambda _: True)
            assert not any(each[0].row.detail.finding for each in found.rows)
        assert [each[0].row.verdict for each in found.rows] == ["agree", "agree"]


@pytest.mark.heavy
def test_hang(tmp_path):
    """A hang counts only if the engine also hangs with more time."""
    limits = Limits(seconds=1, start_seconds=60)
    ((row,),) = asked_once(tmp_path, fake("HangsWithStatistics"), parquet(10), limits=limits).rows
    assert row.row.verdict == "hung"
    assert row.row.detail.finding
    ((row,),) = asked_once(tmp_path, fake("Slow", FUZZED), parquet(10), limits=limits).rows
    assert row.row.verdict == "agree"


@pytest.mark.heavy
def test_resources(tmp_path):
    """Memory out of proportion is `amplified`; memory beyond the limit is `out_of_memory`."""
    ((row,),) = asked_once(tmp_path, fake("Takes", FUZZED), parquet(10)).rows
    assert row.row.verdict == "amplified"
    limits = replace(LIMITS, memory_bytes=512 << 20)
    ((row,),) = asked_once(tmp_path, fake("Takes", FUZZED), parquet(10), limits=limits).rows
    assert row.row.verdict == "out_of_memory"


@pytest.fixture(scope="module")
def refusing(tmp_path_factory):
    """Return a bench of each format, whose engine refuses every file."""
    with ExitStack() as stack:
        yield {
            form: stack.enter_context(
                FuzzBench(
                    [fake("Refuses", FUZZED)], REFERENCE_PROCESS, form, LIMITS, tmp_path_factory.mktemp(form)
                )
            )
            for form in ("parquet", "orc")
        }


@pytest.mark.heavy
def test_what_nobody_need_know(refusing):
    """A file from the future may be refused; any other legal file must be read."""
    for future, verdict in ((True, "refused_as_expected"), (False, "refused_valid")):
        given = Input(parquet(10), "", "test", future=future)
        ((row,),) = refusing["parquet"].ask([given], lambda _: True).rows
        assert row.row.verdict == verdict


@pytest.mark.heavy
@pytest.mark.sweep(4)
@pytest.mark.parametrize("form", ["parquet", "orc"])
def test_encrypted(tmp_path, refusing, form):
    """Encrypted cases and their mutants are sent with their keys, and expect the decrypted rows."""
    inputs = Inputs(form, tmp_path, [])
    inputs._seeds = [path for path in inputs._seeds if path.stem in {"two-pages-gcm", "with-keys"}][:1]
    seed, mutant = inputs.seed(random.Random(1)), inputs.next(1, random.Random(1))[0]
    assert seed.keys is not None
    assert mutant.keys == seed.keys
    (case,) = refusing[form].ask([seed], lambda _: True).cases
    assert case.expectation.table.to_json() == load_case(_path_of(seed.seed)).expectation.table.to_json()


def _path_of(name):
    return Path(corpora.__file__).parent / f"{name}.json"


def test_meaning():
    """A refusal is expected only if reader and validator name a MUST; unknown types may be refused."""
    refused = Outcome(OutcomeKind.REFUSED, detail=Detail(message="[PQ-FILE-002] the file begins with PAR2"))
    told = meaning.expected(refused, ["PQ-FILE-002"], "parquet")
    assert (told.kind, told.rule) == ("refuse", "PQ-FILE-002")
    assert told.clause
    assert meaning.expected(refused, [], "parquet").kind == "either"
    assert meaning.expected(refused, ["PQ-STATS-016"], "parquet").kind == "either"
    assert meaning.broken(broken_file(), "parquet").musts == ["PQ-FILE-002"]
    made = next(futures.pairs("converted type", _inputs(), 1, random.Random(1)))
    assert "converted type" in meaning.lenience(made.future.data, "parquet")
    assert not meaning.lenience(made.plain.data, "parquet")


def _inputs():
    return Inputs("parquet", Path("nowhere"), [])


@pytest.mark.heavy
def test_known(tmp_path, crashes):
    """A known failure of a case covers the mutants of that case, but no mutant of another case."""
    bench = FuzzBench([fake("CrashesOnDelta")], REFERENCE_PROCESS, "orc", LIMITS, tmp_path)
    ((row,),) = crashes[20].rows
    row = replace(row, row=replace(row.row, engine="pyorc", format="orc"))
    known = "orc/fault/orc-int-002/length-of-64-bits"
    assert not bench._known(row, known).row.detail.finding
    assert bench._known(row, "orc/root/no-fields").row.detail.finding
    assert bench._known(row, "").row.case == row.row.case


def test_known_by_the_signature_of_the_case(tmp_path):
    """An entry without a signature covers a mutant that fails as its case does, and no other failure."""
    seed = "parquet/bloom/int32/no-length"
    with FuzzBench([fake("Refuses")], REFERENCE_PROCESS, "parquet", LIMITS, tmp_path) as bench:
        bench._bench.known = (Entry("fake", seed, "refused_valid", "its reason"),)
        ((row,),) = bench.ask([Input(parquet(10), seed, "test")], lambda _: True).rows
        assert (row.row.verdict, row.row.detail.finding) == ("refused_valid", False)
        new = replace(row, row=row.row.with_detail(finding=True, known=None))
        other = replace(new, row=new.row.with_detail(message="another failure"))
        assert not bench._known(new, seed).row.detail.finding
        assert bench._known(other, seed).row.detail.finding
        bench._bench.known = (replace(*bench._bench.known, signature="* another failure"),)
        assert not bench._known(other, seed).row.detail.finding


@pytest.mark.heavy
def test_the_smallest_is_kept(tmp_path, crashes):
    """The smallest file of a signature is stored as in a run, for `minimize` and `findings export`."""
    kept = FindingFiles(tmp_path)
    for rows in (40, 60, 20):
        found = crashes[rows]
        new = kept.add(found.rows[0][0], found.cases[0], found.inputs[0].data, found.rows[0])
        assert new == (rows != 60)
    kept.save()
    (finding,) = FindingFiles(tmp_path).findings
    assert finding.count == 3
    assert kept.sizes == [len(parquet(20))]
    assert len(list((tmp_path / "files").iterdir())) == 2
    (case,) = import_paths([next((tmp_path / "files").glob("*.parquet"))]).cases
    assert case.id == finding.case
    assert case.expectation.table is not None


def campaign(tmp_path, engine, seconds, said=None):
    """A campaign of some seconds; `said` takes what it says."""
    asked = CampaignRequest(
        tmp_path / "out", (engine,), REFERENCE_PROCESS, ("parquet",), seconds, LIMITS, guided=False
    )
    asked.out.mkdir(exist_ok=True)
    made = Campaign(asked, (said if said is not None else []).append)
    with ExitStack() as stack:
        made.run(stack)
    return made


@pytest.mark.heavy
def test_campaign(tmp_path):
    """A campaign stores findings at once, ends like a run, and can be continued, by the same engines only."""
    first = campaign(tmp_path, fake("AcceptsAll"), 6)
    out = first.request.out
    assert first.stored.findings
    results = load(out)
    assert {one.verdict for one in results.findings} <= {"accepted_invalid", "different"}
    assert results.run.counts["cases"] == first.state.files
    said = []
    # A busy machine may take all of the time to ask again what was found.
    turns = (campaign(tmp_path, fake("AcceptsAll"), 3 << turn, said) for turn in range(TURNS))
    again = next(turn for turn in turns if turn.state.files > first.state.files)
    assert said[0].startswith("continuing the campaign")
    assert len(again.stored.findings) >= len(first.stored.findings)
    other = replace(fake("AcceptsAll"), name="other")
    with pytest.raises(PipelineError, match="give another --out"):
        campaign(tmp_path, other, 1)
    one = again.stored.findings[0]
    suspect = suspects.named(f"{out}:{one.signature}", "fake", tmp_path)
    assert suspect.case.expectation.kind in {"refuse", "accept"}
    folders = [each for each in collect.of_run(out) if not isinstance(each, str)]
    assert len(folders) == len(again.stored.findings)
    assert json.loads((out / "engines.json").read_text())["batches"] == again.state.batches
    check(json.loads((out / "run.json").read_text()), "results:3", "run")
    check(fuzz_engines.summary(again), "commands:1", "fuzz-run")


@pytest.mark.heavy
def test_what_was_found_is_asked_again(tmp_path, crashes):
    """On restart, a finding that no longer shows is closed and reported; its file is kept elsewhere."""
    out = tmp_path / "out"
    out.mkdir()
    kept = FindingFiles(out)
    for rows in (20, 30):
        found = crashes[rows]
        (row,) = found.rows[0]
        if rows == 30:
            row = replace(row, row=row.row.with_detail(signal=5))
        assert kept.add(row, found.cases[0], found.inputs[0].data, found.rows[0])
    said = []
    made = Campaign(CampaignRequest(out, (), REFERENCE_PROCESS, ("parquet",), 60, LIMITS), said.append)
    made.stored = FindingFiles(out)
    (tmp_path / "again").mkdir()
    bench = FuzzBench([fake("CrashesOnDelta")], REFERENCE_PROCESS, "parquet", LIMITS, tmp_path / "again")
    with bench:
        made._replay(bench, float("inf"))
    assert [one.signature for one in FindingFiles(out).findings] == ["fake | crashed | signal 11"]
    assert made.state.closed == ["fake | crashed | signal 5 (1)"]
    assert said[-1] == "parquet: 2 findings replayed, 1 closed"
    assert len(list((out / "closed").iterdir())) == 2
    assert len(list((out / "files").iterdir())) == 2


@pytest.mark.heavy
def test_a_corpus_that_grows_is_sent(tmp_path):
    """Inputs that a process adds to a target's corpus are sent to engines, unchanged and mutated."""
    corpus = tmp_path / "corpus" / "parquet_file"
    corpus.mkdir(parents=True)
    data = parquet(33)
    (corpus / "one").write_bytes(data)
    inputs = Inputs("parquet", tmp_path, [])
    found = inputs.next(20, random.Random(3))
    assert found[0].data == data
    assert len(found) == 20
    assert any(one.how.startswith("corpus one: ") for one in found)
    assert data not in [one.data for one in inputs.next(20, random.Random(3))]


class _Connection:
    """A connection that returns this outcome for every projection."""

    def __init__(self, outcome):
        self.outcome = outcome

    def query(self, *_, **__):
        return self.outcome


def test_grades(refusing):
    """A file from the future is graded: all read, feature named, refused, garbage, or crash."""
    found = refusing["parquet"].ask([Input(parquet(10), "", "test")], lambda _: True)
    table = found.cases[0].expectation.table
    plain = Outcome(OutcomeKind.TABLE, table)

    def graded(outcome, others=Outcome(OutcomeKind.REFUSED)):  # noqa: B008 - never changed
        question = Question("codec", _Connection(others), {}, found.cases[0])
        return grade(question, plain, outcome)

    assert graded(plain) is Grade.READS
    named = Outcome(OutcomeKind.REFUSED, detail=Detail("E", "unknown codec 99"))
    assert graded(named) is Grade.NAMES
    assert graded(Outcome(OutcomeKind.REFUSED, detail=Detail("E", "oops"))) is Grade.REFUSES
    assert graded(Outcome(OutcomeKind.CRASHED)) is Grade.CRASH
    assert graded(named, Outcome(OutcomeKind.CRASHED)) is Grade.CRASH
    assert graded(named, plain) is Grade.GARBAGE
    assert grade(Question("codec", _Connection(plain), {}, found.cases[0]), named, plain) is None
