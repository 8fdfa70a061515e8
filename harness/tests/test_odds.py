"""How often an intermittent finding must be tried, and how its share is written."""

import pytest

from harness.judging.odds import ALWAYS, MISSED, Share


@pytest.mark.parametrize(
    ("share", "tries"),
    [
        (ALWAYS, 1),
        (Share(3, 3), 1),
        (Share(1, 2), 7),
        (Share(2, 3), 5),
        (Share(1, 3), 12),
        (Share(1, 999), 100),
    ],
)
def test_tries(share, tries):
    """So many tries miss it in less than one of a hundred attempts; one fewer would not do."""
    assert share.tries == tries
    if share.is_intermittent and tries < 100:
        good = 1 - share.failed / share.reads
        assert good**tries < MISSED <= good ** (tries - 1)
    assert not share.is_gone(tries - 1)
    assert share.is_gone(tries)


def test_shares_add_up_and_are_said():
    """Reads of two sessions count together; of what was not counted nothing is said."""
    assert Share(1, 2) + Share(2, 3) == Share(3, 5)
    assert str(Share(3, 5)) == "3 of 5 reads"
    assert str(ALWAYS) == ""
