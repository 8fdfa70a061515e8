"""Stored crashes are replayed: crashes that still occur stay, the others are closed and reported."""

import json
import time

import pytest

from harness.investigate.fuzz import process, replay_crashes
from properties.fuzz.crashes import Crash, Store, digest_of

PLANTED = "harness.investigate.fuzz.tests.targets."
LIMITS = process.Limits(seconds=1, memory_bytes=1 << 30)


def stored(out, name, data, signature):
    """A crash as a campaign stores it."""
    crash = Crash(PLANTED + name, signature, "", digest_of(data), len(data), "")
    assert Store(out / "crashes" / (PLANTED + name)).add(crash, data)
    return crash


def replayed(out, name):
    """Return the crashes of a target that a campaign closes."""
    return replay_crashes.replay(PLANTED + name, out, LIMITS, time.monotonic() + 300, lambda: False)


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("crash", "IndexError in {}crash.check"),
        ("die", "died of SIGSEGV in {}die.check"),
        ("hang", "hung in {}hang.check"),
        ("eat", "MemoryError in {}eat.check"),
    ],
)
def test_what_shows_stays(tmp_path, name, signature):
    """A crash of each kind keeps its signature and stays; an input that no longer fails is closed."""
    kept = stored(tmp_path, name, b"x!", signature.format(PLANTED))
    fixed = stored(tmp_path, name, b"fine", "IndexError in somewhere else")
    assert replayed(tmp_path, name) == ([fixed], 2)
    folder = tmp_path / "crashes" / (PLANTED + name)
    assert list(Store(folder)) == [kept]
    assert not (folder / fixed.digest).exists()
    closed = tmp_path / "closed" / (PLANTED + name)
    assert json.loads((closed / f"{fixed.digest}.json").read_text())["signature"] == fixed.signature
    assert (tmp_path / "corpus" / (PLANTED + name) / fixed.digest).read_bytes() == b"fine"


def test_what_breaks_otherwise_is_stored_as_that(tmp_path):
    """An input whose signature changed is closed under the old signature and stored under the new one."""
    old = stored(tmp_path, "crash", b"x!", "ValueError in of old")
    assert replayed(tmp_path, "crash") == ([old], 1)
    (now,) = Store(tmp_path / "crashes" / (PLANTED + "crash"))
    assert now.signature == f"IndexError in {PLANTED}crash.check"
    assert (tmp_path / "crashes" / (PLANTED + "crash") / now.digest).read_bytes() == b"x!"


def test_within_the_time(tmp_path):
    """Where there is no time, nothing is run, and nothing is closed."""
    stored(tmp_path, "crash", b"fine", "x")
    assert replay_crashes.replay(
        PLANTED + "crash", tmp_path, LIMITS, time.monotonic() - 1, lambda: False
    ) == ([], 0)
    assert replay_crashes.replay("none", tmp_path, LIMITS, time.monotonic() + 9, lambda: False) == ([], 0)
