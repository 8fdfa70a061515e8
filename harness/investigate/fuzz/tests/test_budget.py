"""The time budget is shared: half equally, half by the new coverage of each target."""

import threading

import pytest

from harness.investigate.fuzz import campaign, process


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


def test_an_interrupted_slice_is_counted(tmp_path, monkeypatch):
    """What a target has executed when the campaign is interrupted is in its standing, also later."""
    began = threading.Event()

    def run(target, out, seconds, limits, stop, *, seeds):  # noqa: ARG001 - as process.run
        if target == "interrupts":
            assert began.wait(60)
            raise KeyboardInterrupt
        began.set()
        while not stop():
            pass
        return process.Slice(target, 1.0, 7)

    monkeypatch.setattr(process, "run", run)
    limits = process.Limits()
    begun = campaign.Campaign(tmp_path, ["long", "interrupts"], limits, lambda _: None)
    with pytest.raises(KeyboardInterrupt):
        begun.run(60, 2)
    again = campaign.Campaign(tmp_path, ["long", "interrupts"], limits, lambda _: None)
    assert again.standing("long").executions == 7
