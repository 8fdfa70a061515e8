"""The tools of targets: claims, bounds, stored findings."""

import json
import math
import time
from dataclasses import replace

import numpy as np
import pytest

from properties.fuzz import bounds, crashes
from properties.fuzz.claims import Broken, attempt, holds, identical, same
from reference_impl.byte_arrays import ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed
from reference_impl.parquet.schema import KeyValue


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (math.nan, float("nan"), True),
        (np.array([0.0]), np.array([-0.0]), False),
        (np.array([1], np.int32), np.array([1], np.int64), False),
        (np.zeros((0, 3)), np.zeros((0, 4)), False),
        (ByteArrays.of([b"a", b"b"]), ByteArrays.of([b"x", b"a", b"b"]).take(np.array([1, 2])), True),
        (ByteArrays.of([b"ab"]), ByteArrays.of([b"a", b"b"]), False),
        ({"a": [math.nan, (1, "b")]}, {"a": [math.nan, (1, "b")]}, True),
        ({"a": 1}, {"b": 1}, False),
        (True, 1, False),
        (KeyValue(key="a"), KeyValue(key="a", value=""), False),
    ],
)
def test_identical(one, other, expected):
    """Values are compared by their bits, containers part by part."""
    assert identical(one, other) is expected
    assert identical(other, one) is expected


def test_unknown_fields_have_no_order():
    """The order of unknown fields does not matter, but that of two fields with one id does."""
    one = KeyValue(key="a", unknown=((9, 5, b"\1"), (7, 5, b"\2"), (7, 5, b"\3")))
    assert identical(one, replace(one, unknown=((7, 5, b"\2"), (7, 5, b"\3"), (9, 5, b"\1"))))
    assert not identical(one, replace(one, unknown=((7, 5, b"\3"), (7, 5, b"\2"), (9, 5, b"\1"))))
    assert not identical(one, replace(one, unknown=one.unknown[:2]))


def test_attempt():
    """`attempt` returns None for a documented error, and raises all others."""
    assert attempt(Cursor(b"\1").u8) == 1
    assert attempt(Cursor(b"").u8) is None
    with pytest.raises(ZeroDivisionError):
        attempt(divmod, 1, 0)


def test_claims():
    """The error of a false claim names the claim."""
    with pytest.raises(Broken, match="three: 1 is not 2") as caught:
        same(1, 2, "three")
    assert caught.value.what == "three"
    with pytest.raises(Broken, match="four"):
        holds(False, "four")


def test_too_slow(monkeypatch):
    """A call that is slow for its input each time is an error; a call that is slow once is not."""
    monkeypatch.setattr(bounds, "SECONDS", 0.02)

    def burn(_):
        end = time.process_time() + 0.1
        while time.process_time() < end:
            pass

    with pytest.raises(bounds.TooSlow, match="4 bytes"):
        bounds.Watch(burn)(b"slow")
    turns = [burn]

    def burn_once(data):
        if turns:
            turns.pop()(data)

    bounds.Watch(burn_once)(b"once")


@pytest.mark.parametrize(("sampled", "grown"), [(1, 0), (1000, 64 << 20)])
def test_too_large(sampled, grown, monkeypatch):
    """A call that takes too much memory for its input is an error: in a sample, or if the process grows.

    How far the process grows is said here: its highest size so far may be that of other tests.
    """
    highest = [bounds._resident()]
    monkeypatch.setattr(bounds, "_resident", lambda: highest[-1])

    def eat(data):
        np.ones(len(data) << 20, np.uint8).sum()
        highest.append(highest[-1] + (grown if len(data) == 32 else 0))

    watch = bounds.Watch(eat, sampled=sampled)
    watch(b"small")
    with pytest.raises(bounds.TooLarge, match="32 bytes"):
        watch(bytes(32))


def test_the_highest_size_is_that_of_the_process():
    """The highest size of a process is no less than its size before, but for pages not counted yet.

    Linux counts pages per thread or processor and adds them up late: two looks at one size may differ.
    """
    before = bounds.resident()
    assert bounds._resident() >= before - (8 << 20)


def test_limits_grow_with_the_input():
    """Limits of values and bytes are in proportion to the input."""
    small, large = bounds.limits(bytes(10)), bounds.limits(bytes(100_000))
    assert small.values < large.values < 100 * 100_000
    assert small.page_bytes < large.page_bytes < 1000 * 100_000


def crash_of(data, call):
    """Return the finding of the error that a call raises."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - any
        call()
    return crashes.of_exception("some", data, caught.value)


def test_signature():
    """A signature names the class, the claim and the innermost frame of this project, without numbers."""
    one = crash_of(b"abc", lambda: Cursor(b"")[1])
    assert one.signature == "TypeError in properties.tests.test_fuzz_tools.<lambda>"
    assert (one.digest, one.size) == (crashes.digest_of(b"abc"), 3)
    refused = crash_of(b"", lambda: Cursor(b"").take(5))
    assert refused.signature == "Malformed in reference_impl.cursor.take"
    assert "5 bytes wanted" in refused.error
    found = [crash_of(b"", lambda each=each: same(each, 0, "numbers")) for each in (1, 2)]
    assert {one.signature for one in found} == {
        "Broken: numbers in properties.tests.test_fuzz_tools.<lambda>"
    }


def test_signature_of_a_death():
    """The signature of a process that died has the innermost frame of the stack that the process printed."""
    root = crashes.ROOT
    told = f'Current thread:\n  File "/usr/lib/json.py", line 3 in loads\n  File "{root}/reference_impl/bits.py", line 9 in unpack\n  File "{root}/properties/fuzz/child.py", line 1 in one\n'  # noqa: E501 - as it is told
    assert crashes.of_death("t", b"x", "hung", told).signature == "hung in reference_impl.bits.unpack"
    assert crashes.of_death("t", b"x", "hung", "").signature == "hung in t"


def test_store(tmp_path):
    """A store keeps the smallest input of each signature with its description, for the next process too."""
    store = crashes.Store(tmp_path / "t")
    inputs = [b"12345", b"123", b"1234", b"9"]
    raised = [ValueError, ValueError, ValueError, KeyError]
    for data, cls in zip(inputs, raised, strict=True):
        crash = crashes.of_exception("t", data, cls("x"))
        assert store.add(crash, data) is (data != b"1234")
    again = crashes.Store(tmp_path / "t")
    found = again.by_signature()
    assert [[one.size for one in same] for same in found.values()] == [[1], [3, 5]]
    assert (tmp_path / "t" / crashes.digest_of(b"123")).read_bytes() == b"123"
    stored = json.loads((tmp_path / "t" / f"{crashes.digest_of(b'9')}.json").read_text())
    assert list(stored) == ["target", "signature", "error", "digest", "size", "told"]
    assert stored["told"].startswith("KeyError")
    assert not again.add(crashes.of_exception("t", b"1234", ValueError("y")), b"1234")


def test_malformed_that_leaves_is_a_finding():
    """A documented error is a finding where it is not allowed."""
    assert crash_of(b"", lambda: (_ for _ in ()).throw(Malformed("x"))).signature.startswith("Malformed in ")
