"""Runs one function over several items in threads, without waiting for them after an interrupt."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from harness.children.processes import cores

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def in_threads(function: Callable[[_Item], _Result], items: Sequence[_Item]) -> list[_Result]:
    """Return the results of `function` in the order of `items`, as many at a time as there are cores.

    Raises the first exception that a call raises. The threads are daemons: an interrupted command does not
    wait for an engine that one of them asks.
    """
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(len(items)):
        waiting.put(number)
    done: queue.SimpleQueue[tuple[int, _Result] | BaseException] = queue.SimpleQueue()

    def work() -> None:
        while True:
            try:
                number = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((number, function(items[number])))
            except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
                done.put(error)
                return

    for _ in range(min(cores(), len(items))):
        threading.Thread(target=work, daemon=True).start()
    results: dict[int, _Result] = {}
    while len(results) < len(items):
        message = done.get()
        if isinstance(message, BaseException):
            raise message
        results[message[0]] = message[1]
    return [results[number] for number in range(len(items))]
