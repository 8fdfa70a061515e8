"""Speed is told only where no reading of one version is as slow as any of the other."""

import pytest

from harness.children.connection import Limits
from harness.investigate.upgrade.speed import beyond_noise, lines
from harness.tests.pipelines import Quiet, files, process


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([1.0] * 5, [2.0] * 5, 2.0),
        ([2.0] * 5, [1.0] * 5, 0.5),
        ([1.0] * 5, [1.1] * 5, None),
        ([1.0, 1.0, 1.0, 1.0, 3.0], [2.0] * 5, None),
        ([1.0] * 4, [2.0] * 4, None),
        ([1.0] * 5, [1.0] * 5, None),
    ],
)
def test_beyond_noise(old, new, expected):
    """Overlapping times, small ratios and few repetitions are noise."""
    assert beyond_noise(old, new) == expected


def test_a_slow_version(tmp_path):
    """A version that sleeps is slower on every file; one like the other is not told."""
    cases = files(tmp_path / "in", ["a"]).cases
    limits = Limits(start_seconds=20, seconds=5)
    slow = process("Sleepy", "fake", "harness.investigate.upgrade.tests.fakes")
    found = list(lines((process("Healthy", "fake"), slow), cases, 5, limits, Quiet()))
    assert [line["signature"] for line in found] == ["fake | speed | slower by a fifth or more"]
    assert found[0]["right"] == "regressed"


def test_a_file_that_is_not_read_has_no_speed(tmp_path):
    """What fails is a difference of another class."""
    cases = files(tmp_path / "in", ["bad"]).cases
    limits = Limits(start_seconds=20, seconds=5)
    assert not list(lines((process("Refuses"), process("Healthy")), cases, 5, limits, Quiet()))
