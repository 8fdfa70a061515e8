"""The driver finds planted bugs, and survives targets that die, hang or grow."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from importlib.util import find_spec

import psutil
import pytest
from filelock import FileLock

from harness.children.launch import ROOT
from harness.investigate.fuzz import campaign, process
from harness.investigate.fuzz.campaign import Campaign, tidy
from harness.investigate.fuzz.merging import MergeFailed, merge
from harness.tests.schemas import check
from properties.fuzz.crashes import Store, digest_of

PLANTED = "harness.investigate.fuzz.tests.targets."
COLCONF = """
import sys
from harness import cli
from harness.commands.fuzz import fuzz
from harness.tests.schemas import check
cli.colconf.add_command(fuzz)  # whether it is installed or not
sys.exit(cli.main())
"""
LIMITS = process.Limits(seconds=2, memory_bytes=1 << 30)
needs_atheris = pytest.mark.skipif(find_spec("atheris") is None, reason="atheris is not installed")


SOME = 10  # inputs of a corpus
PATIENCE = 90.0  # seconds; a machine that is busy takes long to start a process


def ran(name, out, enough):
    """Run a slice of a target in this folder until it has enough; return its report."""
    return process.run(name, out, PATIENCE, LIMITS, enough, seeds=True)


def until(again, enough):
    """Repeat an action until a condition holds, or a time limit ends."""
    end = time.monotonic() + PATIENCE
    again()
    while not enough() and time.monotonic() < end:
        again()


def crashed(name, out):
    """Return whether a crash of a target is stored; as a function without arguments."""
    return lambda: bool(list((out / "crashes" / name).glob("*.json")))


@pytest.mark.heavy
@needs_atheris
@pytest.mark.parametrize(
    ("name", "signature", "deaths"),
    [
        ("crash", "IndexError in {}crash.check", False),
        ("eat", "MemoryError in {}eat.check", False),
        ("die", "died of SIGSEGV in {}die.check", True),
        ("hang", "hung in {}hang.check", True),
    ],
)
def test_planted(tmp_path, name, signature, deaths):
    """For every kind of misbehaviour, the bug is found with its input and place, and fuzzing continues."""
    found = ran(PLANTED + name, tmp_path, crashed(PLANTED + name, tmp_path))
    assert found.failure == ""
    assert found.executions > 0
    assert bool(found.deaths) is deaths
    (crashes,) = Store(tmp_path / "crashes" / (PLANTED + name)).by_signature().values()
    assert crashes[0].signature == signature.format(PLANTED)
    data = (tmp_path / "crashes" / (PLANTED + name) / crashes[0].digest).read_bytes()
    assert b"!" in data
    assert digest_of(data) == crashes[0].digest


@needs_atheris
def test_a_seed_that_kills(tmp_path):
    """An input of the corpus that kills the process is moved from the corpus to the crashes."""
    name = PLANTED + "die"
    corpus = tmp_path / "corpus" / name
    corpus.mkdir(parents=True)
    (corpus / digest_of(b"!")).write_bytes(b"!")
    found = ran(name, tmp_path, crashed(name, tmp_path))
    assert found.deaths
    assert not any(path.read_bytes() == b"!" for path in corpus.iterdir())
    assert (tmp_path / "crashes" / name / digest_of(b"!")).exists()


@pytest.mark.heavy
@needs_atheris
def test_a_large_parent(tmp_path):
    """The memory of the parent process does not count as memory of a child."""
    ballast = b"x" * (LIMITS.memory_bytes * 3 // 4)
    name = PLANTED + "die"
    assert ran(name, tmp_path, crashed(name, tmp_path)).deaths
    assert ballast


@needs_atheris
def test_nothing_is_left_in_the_working_directory(tmp_path, monkeypatch):
    """Files that libFuzzer itself writes are in the campaign's folder, not in the working directory."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    child = process.Child(PLANTED + "quits", tmp_path / "out", LIMITS, ["--seeds"], deque())
    assert child.wait(time.monotonic() + PATIENCE, lambda: False)
    assert list((tmp_path / "out" / "state").glob("crash-*"))
    assert not list(here.iterdir())


@needs_atheris
def test_a_target_that_cannot_begin(tmp_path):
    """A target that cannot be imported is reported and not started again; other targets run."""
    told = []
    found = Campaign(tmp_path, [PLANTED + "broken", "tagged"], LIMITS, told.append)
    until(lambda: found.run(2, 2), lambda: found.standing("tagged").edges > 10)
    assert found.standing(PLANTED + "broken").failure == "ImportError: planted"
    assert found.standing("tagged").executions > 0
    assert found.standing("tagged").edges > 10
    assert any("ImportError: planted" in line for line in told)


@pytest.mark.heavy
@needs_atheris
def test_a_campaign_goes_on(tmp_path):
    """A second campaign in the same folder begins with the corpus of the first, and adds to it."""
    for turn in (1, 2):
        found = Campaign(tmp_path, ["tagged"], LIMITS, print)
        slices = found.standing("tagged").slices
        until(lambda found=found: found.run(1, 1), lambda found=found: found.inputs("tagged"))
        standing = found.standing("tagged")
        assert standing.slices > slices
        if turn == 1:
            first, inputs = standing.executions, found.inputs("tagged")
    assert standing.executions > first > 0
    assert found.inputs("tagged") >= inputs > 0
    assert campaign.load(tmp_path)["tagged"].executions == standing.executions


def test_one_campaign_at_a_time(tmp_path):
    """A folder that a campaign uses is not used by another."""
    with FileLock(tmp_path / campaign.LOCK), pytest.raises(campaign.Busy, match="another campaign"):
        Campaign(tmp_path, ["tagged"], LIMITS, print).run(4, 1)


def test_tidy(tmp_path):
    """Half of an input, left by a process that was killed, gets its own name."""
    (tmp_path / digest_of(b"whole")).write_bytes(b"wh")
    (tmp_path / digest_of(b"other")).write_bytes(b"other")
    tidy(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {digest_of(b"wh"), digest_of(b"other")}
    tidy(tmp_path / "nowhere")


@pytest.mark.heavy
@needs_atheris
def test_interrupted(tmp_path):
    """After Ctrl-C all processes end, the crashes are stored, the table is printed, and the status is 130."""
    command = [sys.executable, "-c", COLCONF]
    command += [
        "fuzz",
        PLANTED + "crash",
        "tagged",
        "--time-budget",
        "300s",
        "--jobs",
        "2",
        "--out",
        str(tmp_path),
    ]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - background jobs ignore it
    ) as run:
        store = tmp_path / "crashes" / (PLANTED + "crash")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and not list(store.glob("*.json")):
            time.sleep(0.2)
        children = psutil.Process(run.pid).children(recursive=True)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 130, err
    assert "IndexError" in out
    assert "the same command continues" in err
    assert children
    assert not [one for one in children if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.heavy
@needs_atheris
def test_merge(tmp_path):
    """A merge keeps few inputs, of both corpora, and every edge; a target without any is no mistake."""
    out, other = tmp_path / "a", tmp_path / "b"
    for folder in (out, other):
        found = folder / "corpus" / "tagged"
        ran("tagged", folder, lambda found=found: len(list(found.glob("*"))) > SOME)
    for path in list((out / "corpus" / "tagged").iterdir()):
        shutil.copy(path, path.with_name(path.name[::-1]))
    found = merge("tagged", out, [other], LIMITS)
    assert 0 < found.remaining < found.inputs
    check([found.to_json()], "commands:1", "fuzz-merge")
    assert found.remaining == len(list((out / "corpus" / "tagged").iterdir()))
    before = process.Slice("tagged")
    for folder in (out, other):
        child = process.Child("tagged", folder, LIMITS, ["-runs=0"], deque())
        child.wait(time.monotonic() + PATIENCE, lambda: False)
        before.edges, edges = max(before.edges, child.edges), child.edges if folder is out else before.edges
    assert edges >= before.edges
    assert not list(out.glob("merge-*"))


@needs_atheris
def test_a_merge_that_fails(tmp_path):
    """A merge that fails says why, and leaves the corpus."""
    name = PLANTED + "broken"
    corpus = tmp_path / "corpus" / name
    corpus.mkdir(parents=True)
    (corpus / "x").write_bytes(b"x")
    with pytest.raises(MergeFailed, match="ImportError: planted"):
        merge(name, tmp_path, [], LIMITS)
    assert [path.name for path in corpus.iterdir()] == ["x"]


@needs_atheris
def test_stored_before_the_process_can_fail(tmp_path):
    """A crash is stored before the process can end: it is on disk after the process was killed."""
    name = PLANTED + "crash"
    child = process.Child(name, tmp_path, LIMITS, ["--seeds"], deque())
    store = tmp_path / "crashes" / name
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not list(store.glob("*.json")):
        time.sleep(0.05)
    child.end()
    (crash,) = (json.loads(next(store.glob("*.json")).read_text())["signature"],)
    assert crash.startswith("IndexError in ")
    assert not psutil.pid_exists(child.family.pid) or os.getpid() == child.family.pid
