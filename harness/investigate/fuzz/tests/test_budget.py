"""The time budget is shared: half equally, half by the new coverage of each target."""

import pytest

from harness.investigate.fuzz import campaign


@pytest.mark.parametrize(
    ("seconds", "targets", "expected"), [(1200, 40, 2), (10, 40, 1), (1e6, 40, 10), (5, 0, 1), (1e6, 1, 1)]
)
def test_rounds(seconds, targets, expected):
    """A budget is cut into rounds whose slices are worth a process."""
    assert campaign.rounds(seconds, targets) == expected


def test_shares_without_yield():
    """Before anything is known, all get the same."""
    assert campaign.shares(9, {"a": 0, "b": 0, "c": 0}) == {"a": 3, "b": 3, "c": 3}


def test_shares():
    """Half of the time is shared equally, half in proportion to new coverage; the shares add up."""
    found = campaign.shares(100, {"a": 0, "b": 3, "c": 1, "d": 0})
    assert found == {"a": 12.5, "b": 12.5 + 37.5, "c": 12.5 + 12.5, "d": 12.5}
    assert sum(found.values()) == 100


def test_in_order():
    """The long ones come first."""
    assert [name for name, _ in campaign.in_order({"a": 1, "b": 3, "c": 3})] == ["b", "c", "a"]
