"""All plants within a time: short looks at each first, then longer ones at those that are not found yet."""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING

from harness.selftest.hunt import Hunt, Hunter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from harness.selftest.cases import Cases
    from harness.selftest.plant import Plant

_FIRST = 48  # cases of the first look; of each further one so many times more
_MORE = 4
_TICK_SECONDS = 0.2


def search(
    cases: Cases, plants: Iterable[Plant], deadline: float, jobs: int, tick: Callable[[int], None]
) -> list[Hunt]:
    """Look for plants until all are found, all cases tried or `deadline` (of `time.monotonic`) is there.

    `tick` counts plants that are done with. Raises what goes wrong in the search itself.
    """
    hunts = [Hunt(plant) for plant in plants]
    waiting: queue.SimpleQueue[tuple[Hunt, int]] = queue.SimpleQueue()
    done: queue.SimpleQueue[int | BaseException] = queue.SimpleQueue()
    for hunt in hunts:
        waiting.put((hunt, _FIRST))
    hunter = Hunter(cases)
    threads = [
        threading.Thread(target=_work, args=(hunter, waiting, done, deadline), daemon=True)
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
    waiting: queue.SimpleQueue[tuple[Hunt, int]],
    done: queue.SimpleQueue[int | BaseException],
    deadline: float,
) -> None:
    """Look for what waits; a plant that is not found waits again, for more cases."""
    try:
        while time.monotonic() < deadline:
            hunt, stop = waiting.get_nowait()
            hunter.look(hunt, stop, deadline)
            if hunt.wrong is None and stop < len(hunter.cases.of(hunt.plant)):
                waiting.put((hunt, stop * _MORE))
            else:
                done.put(1)
    except queue.Empty:
        return
    except BaseException as error:  # noqa: BLE001 - the caller raises it
        done.put(error)
