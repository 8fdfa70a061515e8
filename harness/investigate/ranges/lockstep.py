"""The search over releases for many known failures at once: which release is asked next.

First a sample of the releases is visited, newest and oldest before those between, and asked about all
failures. Then, as long as a failure has two neighbours of different states with releases between them, the
release that halves the most such intervals; it is asked about the failures whose intervals it halves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from harness.investigate.bisect import State

History = Mapping[int, State]  # the states of one failure, by the release's place from old to new


def next_release(
    count: int,
    histories: Sequence[History],
    visited: Collection[int],
    *,
    sample: int = 2,
    cheap: Collection[int] = (),
) -> int | None:
    """Return the place of the release to ask next of `count` releases, None if nothing is left to learn.

    `sample` releases are asked in any case; of those that would narrow an interval, `cheap` ones come first.
    """
    for place in sampled(count, sample):
        if place not in visited:
            return place
    scores: dict[int, float] = {}
    for history in histories:
        for low, high in open_intervals(history):
            between = [place for place in range(low + 1, high) if place not in visited]
            for position, place in enumerate(between, 1):
                half = min(position, len(between) + 1 - position)
                scores[place] = scores.get(place, 0.0) + half / len(between)
    candidates = {place: score for place, score in scores.items() if place in cheap} or scores
    return max(candidates, key=lambda place: (candidates[place], place)) if candidates else None


def sampled(count: int, sample: int) -> list[int]:
    """Return the places of a sample at equal distances: the newest, the oldest, then from new to old."""
    if count == 0:
        return []
    steps = max(1, min(sample, count) - 1)
    places = {round(step * (count - 1) / steps) for step in range(steps + 1)}
    newest, oldest = count - 1, 0
    between = sorted(places - {newest, oldest}, reverse=True)
    return list(dict.fromkeys([newest, oldest, *between]))


def open_intervals(history: History) -> Iterator[tuple[int, int]]:
    """Yield the neighbours of different states, old and new; releases that were skipped are passed over."""
    known = sorted(place for place, state in history.items() if state is not State.SKIPPED)
    for low, high in pairwise(known):
        if history[low] is not history[high]:
            yield low, high


def unasked(history: History, visited: Collection[int]) -> list[tuple[int, int]]:
    """Return the open intervals between whose ends releases were not asked."""
    return [
        (low, high)
        for low, high in open_intervals(history)
        if any(place not in visited for place in range(low + 1, high))
    ]
