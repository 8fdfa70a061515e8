"""Asking an engine for the files of a sheet, so that one bad file costs the others nothing but time."""

from __future__ import annotations

import signal
from functools import partial
from typing import TYPE_CHECKING

from harness.outcomes import Detail, Kind, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from corpora.cases import Case
    from harness.connection import Connection
    from harness.pipeline.plan import Config, Process

# A child that was lost has to be started again, and one that hung took the whole time limit: rather than
# halve and meet the same file again, each file is then asked for alone.
_LOST = frozenset({Kind.CRASHED, Kind.HUNG, Kind.OUT_OF_MEMORY, Kind.MISSPOKE})


def ask(
    connection: Connection, process: Process, config: Config, cases: Sequence[Case]
) -> Iterator[tuple[int, Outcome]]:
    """Yield each case's index and outcome, in order; the cases have one format and one schema.

    A light engine is asked file by file. A heavy one reads a sheet at once; if it fails, its halves, down to
    single files, whose outcomes are their own.
    """
    if cases[0].format not in process.formats:
        message = f"{process.name} does not read {cases[0].format}"
        for index in range(len(cases)):
            yield index, Outcome(Kind.UNSUPPORTED, detail=Detail(message=message, phase="plan"))
    elif process.heavy:
        yield from _split(connection, config, cases, 0)
    else:
        yield from _singly(connection, config, cases, 0)


def _split(
    connection: Connection, config: Config, cases: Sequence[Case], first: int
) -> Iterator[tuple[int, Outcome]]:
    if len(cases) == 1:
        yield from _singly(connection, config, cases, first)
        return
    answer = connection.read_many([case.file for case in cases], cases[0].format, config.switches)
    if isinstance(answer, list):
        yield from enumerate(answer, first)
    elif answer.kind in _LOST:
        yield from _singly(connection, config, cases, first)
    else:
        middle = len(cases) // 2
        yield from _split(connection, config, cases[:middle], first)
        yield from _split(connection, config, cases[middle:], first + middle)


def _singly(
    connection: Connection, config: Config, cases: Sequence[Case], first: int
) -> Iterator[tuple[int, Outcome]]:
    for index, case in enumerate(cases, first):
        yield index, unless_killed(partial(connection.read, case.file, case.format, config.switches))


def unless_killed(ask_once: Callable[[], Outcome]) -> Outcome:
    """Answer an outcome; ask a second time if somebody killed the child, who is not the engine.

    SIGKILL comes from outside: from a person, or from the kernel when the machine's memory is used up. A file
    that has its reader killed again keeps that as its outcome.
    """
    outcome = ask_once()
    if outcome.kind is Kind.CRASHED and outcome.detail.signal == signal.SIGKILL:
        return ask_once()
    return outcome
