"""If any write, sync or rename of a campaign fails, the campaign goes on, or names the damaged file."""

import json
import shutil
from contextlib import ExitStack
from itertools import count, product
from types import SimpleNamespace

import pytest

from corpora.cases import CaseError
from harness.investigate.fuzz import engines, finding_files, state
from harness.investigate.fuzz.campaign_record import CampaignRequest
from harness.investigate.fuzz.engines import Campaign
from harness.investigate.fuzz.finding_files import FindingFiles
from harness.investigate.fuzz.requests import Batch
from harness.investigate.fuzz.tests.test_engines import (
    LIMITS,
    REFERENCE_PROCESS,
    fake,
)
from harness.investigate.minimize.tests.files import parquet
from harness.judging.results import ResultsError, load, verify
from harness.runs.pipeline.errors import PipelineError
from harness.tests.faulty_disk import Killed, disk
from harness.tests.test_faults_run import one_line, points

STRIDE = 23
SIZES = (40, 60, 20)  # rows: the second batch has a larger file, the third a smaller one


@pytest.fixture(scope="module")
def batches(crashes):
    """Return what came of three batches."""
    return [crashes[rows] for rows in SIZES]


@pytest.fixture(autouse=True)
def without_engines(monkeypatch, batches):
    """Replace the engines by a bench that replays four turns, the last one empty."""

    class Bench:
        """A bench that returns the batches in turn, and for a single file the batch of that file."""

        format = "parquet"

        def __init__(self, *_):
            self._turns = iter(batches)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def ask(self, inputs, *_):
            """Return a batch."""
            wanted = [one.data for one in inputs]
            if not wanted:
                return next(self._turns, Batch())
            known = {batch.inputs[0].data: batch for batch in batches}
            (data,) = wanted
            return known[data]

    monkeypatch.setattr(engines, "FuzzBench", Bench)
    inputs = SimpleNamespace(next=lambda *_: [], keep=lambda _: None)
    monkeypatch.setattr(engines, "Inputs", lambda *_: inputs)
    monkeypatch.setattr(engines.futures, "features", lambda _: [])


def attempted(out, monkeypatch):
    """Return why a campaign was refused or killed, "" if it was not."""
    ticks = count()
    monkeypatch.setattr(engines, "time", SimpleNamespace(monotonic=lambda: float(next(ticks))))
    out.mkdir(parents=True, exist_ok=True)
    engine = fake("CrashesOnDelta")
    request = CampaignRequest(out, (engine,), REFERENCE_PROCESS, ("parquet",), 10.0, LIMITS, guided=False)
    try:
        with ExitStack() as stack:
            Campaign(request, lambda _: None).run(stack)
    except Killed:
        return "killed"
    except (PipelineError, ResultsError, CaseError, OSError) as error:
        return one_line(error)
    return ""


def findings(out):
    """Return the findings in a folder with the sizes of their files; raises what a reader does."""
    verify(out)
    results = load(out)
    state.load_state(out)
    return [(one.signature, one.version) for one in results.findings], FindingFiles(out).sizes


WHOLE = [("fake | crashed | signal 11", "1")], [len(parquet(min(SIZES)))]


def refusal(out):
    """Return why the results of a campaign cannot be read, "" if they are whole."""
    try:
        assert findings(out) == WHOLE
    except (ResultsError, CaseError, OSError) as error:
        return str(error)
    return ""


def survives(out, fault, at, monkeypatch):
    """Inject one fault and restart: the findings are the same, or the refusal is mended by a new folder."""
    with disk(fault, at) as faulty:
        why = attempted(out, monkeypatch)
    where = f"{fault} at {at}: {faulty.log[min(at, len(faulty.log)) - 1]}: {why}"
    if not why:
        assert str(out) in (refusal(out) or str(out)), where
    why = attempted(out, monkeypatch)
    if why:
        assert str(out) in why, where
        shutil.rmtree(out)
        assert not attempted(out, monkeypatch), where
    assert findings(out) == WHOLE, where


def all_survive(folder, stride, monkeypatch):
    """Inject every fault at every n-th place."""
    with disk() as counting:
        assert not attempted(folder / "whole", monkeypatch)
    assert findings(folder / "whole") == WHOLE
    for fault, at in points(counting.count, stride):
        survives(folder / f"{fault}-{at}", fault, at, monkeypatch)


@pytest.mark.heavy
def test_a_campaign_survives_some_faults(tmp_path, monkeypatch):
    """A sample of the places."""
    all_survive(tmp_path, STRIDE, monkeypatch)


@pytest.mark.heavy
def test_a_campaign_survives_every_fault(tmp_path, monkeypatch):
    """Each fault at each write, sync and rename."""
    all_survive(tmp_path, 1, monkeypatch)


RESULTS = ("findings.ndjson", "cases.ndjson", "results.ndjson")


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("name", "damage"),
    [
        *product((state.FILE, finding_files.STATE, *RESULTS), ("emptied", "cut")),
        *product(RESULTS, ("gone",)),
    ],
)
def test_a_damaged_campaign_is_refused(tmp_path, monkeypatch, name, damage):
    """An unfinished campaign with changed files is refused in one line that names the file."""
    out = tmp_path / "out"
    assert not attempted(out, monkeypatch)
    run = json.loads((out / "run.json").read_bytes())
    (out / "run.json").write_text(json.dumps({**run, "finished": None}))
    path = out / name
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[: -9 if damage == "cut" else 0])
    assert attempted(out, monkeypatch).startswith(f"{path}: damaged (")


@pytest.mark.parametrize("data", [b"", None])
def test_a_finding_whose_file_is_damaged_is_not_dropped(tmp_path, monkeypatch, data):
    """If the file of a finding is empty or missing, the campaign is refused."""
    out = tmp_path / "out"
    assert not attempted(out, monkeypatch)
    (path,) = (out / "files").glob("*.parquet")
    path.unlink()
    if data is not None:
        path.write_bytes(data)
    assert attempted(out, monkeypatch).startswith(f"{path}: damaged (")
