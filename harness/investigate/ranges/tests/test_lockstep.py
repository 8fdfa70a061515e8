"""The search over releases for many failures at once."""

import pytest

from harness.investigate.bisect import State
from harness.investigate.ranges.lockstep import next_release, sampled, unasked

LETTERS = {"b": State.BAD, "g": State.GOOD, "s": State.SKIPPED}


def searched(*texts, **more):
    """Ask until nothing is left to learn; return the places that were asked, and the histories."""
    asked, histories = [], [{} for _ in texts]
    while (place := next_release(len(texts[0]), histories, asked, **more)) is not None:
        asked.append(place)
        for history, text in zip(histories, texts, strict=True):
            history[place] = LETTERS[text[place]]
    return asked, histories


@pytest.mark.parametrize(
    ("text", "change"),
    [("gggggggb", 7), ("gbbbbbbb", 1), ("ggggbbbb", 4), ("bbbbbggg", 5), ("gsssbbbb", 4), ("gggsbbbb", 4)],
)
def test_a_change_is_found(text, change):
    """The releases on both sides of a change were asked, but for those that are skipped."""
    asked, (history,) = searched(text)
    assert change in asked
    before = max(place for place in range(change) if text[place] != "s")
    assert before in asked
    assert not unasked(history, asked)
    assert len(asked) == len(set(asked))


def test_few_releases_are_asked():
    """Of 1,000 releases about ten are asked, and hardly more for failures that changed at the same one."""
    text = "g" * 617 + "b" * 383
    alone, _ = searched(text)
    together, _ = searched(*[text] * 50)
    assert len(alone) <= 13
    assert together == alone


def test_failures_share_the_releases():
    """What halves the intervals of most failures comes first, and every change is found."""
    texts = ["g" * turn + "b" * (64 - turn) for turn in (10, 11, 12, 50)]
    asked, histories = searched(*texts)
    assert not any(unasked(history, asked) for history in histories)
    assert asked[2] in {31, 32}
    assert asked[3] < 31
    assert len(asked) <= 4 * 6


def test_a_sample_shows_what_comes_and_goes():
    """Where both ends are alike, only a sample finds a change between them, and then both its sides."""
    text = "b" * 20 + "g" * 10 + "b" * 10
    asked, _ = searched(text, sample=2)
    assert asked == [39, 0]
    asked, (history,) = searched(text, sample=9)
    assert {19, 20, 29, 30} <= set(asked)
    assert not unasked(history, asked)


def test_the_sample_is_spread():
    """Both ends, and places at equal distances from new to old; each release once if there are few."""
    assert sampled(9, 3) == [8, 0, 4]
    assert sampled(3, 8) == [2, 0, 1]
    assert sampled(1, 8) == [0]
    assert sampled(0, 8) == []


def test_installed_releases_come_first():
    """What is installed narrows an interval before anything else is."""
    asked, _ = searched("g" * 13 + "b" * 7, cheap=[3, 15])
    assert asked[2:4] in ([15, 3], [3, 15])
    assert {12, 13} <= set(asked)


def test_unasked_releases():
    """An interval whose inner releases were all asked, though skipped, is closed."""
    history = {0: State.GOOD, 1: State.SKIPPED, 2: State.BAD, 5: State.GOOD}
    assert unasked(history, [0, 1, 2, 5]) == [(2, 5)]
