"""The control set, asked of the engines that are installed; with the user's cache, as runs ask it."""

import pytest

from harness.commands.control import answers_of
from harness.engines.registry import ENGINES
from harness.environments.availability import status

INSTALLED = [name for name, entry in ENGINES.items() if entry.packages and not entry.heavy]


@pytest.mark.sweep(8)
@pytest.mark.parametrize("name", INSTALLED)
def test_nothing_barred_of_the_newest(name):
    """The installed release of each engine can be asked all of the control set."""
    if not status(ENGINES[name]).available:
        pytest.skip(f"{name} is not installed")
    answers = answers_of(name)
    assert {each.format for each in answers} == set(ENGINES[name].formats)
    assert [(each.key, barred) for each in answers for barred in each.barred()] == []
