"""The search for all plants within a time limit: a short look at each plant first, then longer looks.

The plant that has taken the least time so far is next, so that plants which are hard to find do not delay the
others.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from harness.investigate.selftest.cases import Cases
from harness.investigate.selftest.hunt import Hunt, Hunter
from harness.investigate.selftest.plant import Plant

_FIRST = 48  # cases of the first look; each further look has _MORE times as many
_MORE = 4
_TICK_SECONDS = 0.2


class _Look(NamedTuple):
    """A look at a plant, up to case number `stop`; sorts by the order of the search."""

    seconds: float
    number: int
    stop: int


def search(
    cases: Cases, plants: Iterable[Plant], deadline: float, jobs: int, tick: Callable[[int], None]
) -> list[Hunt]:
    """Look for plants until all are found, all cases are tried or `deadline` (`time.monotonic`) has passed.

    `tick` counts finished plants. Raises any exception of the search itself.
    """
    hunts = [Hunt(plant) for plant in plants]
    waiting: queue.PriorityQueue[_Look] = queue.PriorityQueue()
    done: queue.SimpleQueue[int | BaseException] = queue.SimpleQueue()
    for number in range(len(hunts)):
        waiting.put(_Look(0.0, number, _FIRST))
    hunter = Hunter(cases)
    threads = [
        threading.Thread(target=_work, args=(hunter, hunts, waiting, done, deadline), daemon=True)
        for _ in range(jobs)
    ]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads) or not done.empty():
        try:
            count = done.get(timeout=_TICK_SECONDS)
        except queue.Empty:
            continue
        if isinstance(count, BaseException):
            raise count
        tick(count)
    return hunts


def _work(
    hunter: Hunter,
    hunts: Sequence[Hunt],
    waiting: queue.PriorityQueue[_Look],
    done: queue.SimpleQueue[int | BaseException],
    deadline: float,
) -> None:
    """Take plants from the queue; a plant that is not found returns to the queue, for more cases."""
    try:
        while time.monotonic() < deadline:
            look = waiting.get_nowait()
            hunt = hunts[look.number]
            hunter.look(hunt, look.stop, deadline)
            if hunt.wrong is None and look.stop < len(hunter.cases.of(hunt.plant)):
                waiting.put(_Look(hunt.seconds, look.number, look.stop * _MORE))
            else:
                done.put(1)
    except queue.Empty:
        return
    except BaseException as error:  # noqa: BLE001 - the caller raises it
        done.put(error)
