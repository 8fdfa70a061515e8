"""Asking an engine for the files of a sheet, so that one bad file costs the others nothing but time."""

from __future__ import annotations

import signal
from functools import partial
from typing import TYPE_CHECKING, Any

from harness.children.outcomes import Detail, Outcome, OutcomeKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from corpora.cases import Case
    from corpora.queries import Query
    from harness.children.connection import Connection
    from harness.judging.places import Config, Process

# A child that was lost has to be started again, and one that hung took the whole time limit: rather than
# halve and meet the same file again, each file is then asked for alone.
_LOST = frozenset({OutcomeKind.CRASHED, OutcomeKind.HUNG, OutcomeKind.OUT_OF_MEMORY, OutcomeKind.MISSPOKE})
_LACKED = frozenset({OutcomeKind.UNSUPPORTED})


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
            yield index, Outcome(OutcomeKind.UNSUPPORTED, detail=Detail(message=message, phase="plan"))
        return

    def at_once(some: Sequence[Case]) -> list[Outcome] | Outcome:
        files = [case.file for case in some]
        return connection.read_many(files, some[0].format, config.switches, **keyed(some[0]))

    def alone(case: Case) -> Outcome:
        return read_one(connection, case, config.switches)

    if process.heavy:
        yield from _halved(at_once, alone, cases, 0)
    else:
        yield from enumerate(map(alone, cases))


def keyed(case: Case) -> dict[str, Any]:
    """Return what a connection is told beside a file that has keys; the files of a sheet have the same."""
    return {} if case.keys is None else {"keys": case.keys}


def read_one(connection: Connection, case: Case, switches: Mapping[str, str]) -> Outcome:
    """Return the outcome of reading one file."""
    return unless_killed(partial(connection.read, case.file, case.format, switches, **keyed(case)))


def _halved(
    at_once: Callable[[Sequence[Case]], list[Outcome] | Outcome],
    alone: Callable[[Case], Outcome],
    cases: Sequence[Case],
    first: int,
    *,
    shared: frozenset[OutcomeKind] = frozenset(),
) -> Iterator[tuple[int, Outcome]]:
    """Ask for cases at once, and if that fails for their halves; an outcome in `shared` is that of each."""
    if len(cases) == 1:
        yield first, alone(cases[0])
        return
    answer = at_once(cases)
    if isinstance(answer, list):
        yield from enumerate(answer, first)
    elif answer.kind in shared:
        yield from ((first + index, answer) for index in range(len(cases)))
    elif answer.kind in _LOST:
        yield from enumerate(map(alone, cases), first)
    else:
        middle = len(cases) // 2
        yield from _halved(at_once, alone, cases[:middle], first, shared=shared)
        yield from _halved(at_once, alone, cases[middle:], first + middle, shared=shared)


def ask_query(
    connection: Connection, process: Process, config: Config, query: Query, cases: Sequence[Case]
) -> Iterator[tuple[int, Outcome]]:
    """Yield each case's index and outcome of a query, in order; the cases are as `ask` has them.

    A query that a heavy engine says it lacks for a whole sheet, it lacks for each file: they have one schema.
    Aggregates are the exception: whether Spark answers one from statistics hangs on those of each file.
    """
    switches = config.switches
    shared: frozenset[OutcomeKind] = frozenset() if query.kind == "aggregate" else _LACKED

    def at_once(some: Sequence[Case]) -> list[Outcome] | Outcome:
        files = [case.file for case in some]
        return connection.query(files, some[0].format, switches, query, **keyed(some[0]))

    def alone(case: Case) -> Outcome:
        return query_one(connection, case, switches, query)

    if process.heavy:
        yield from _halved(at_once, alone, cases, 0, shared=shared)
    else:
        yield from enumerate(map(alone, cases))


def query_one(connection: Connection, case: Case, switches: Mapping[str, str], query: Query) -> Outcome:
    """Return the outcome of a query of one file."""

    def once() -> Outcome:
        answer = connection.query([case.file], case.format, switches, query, **keyed(case))
        return answer[0] if isinstance(answer, list) else answer

    return unless_killed(once)


def unless_killed(ask_once: Callable[[], Outcome]) -> Outcome:
    """Return an outcome; ask a second time if somebody killed the child, who is not the engine.

    SIGKILL comes from outside: from a person, or from the kernel when the machine's memory is used up. A file
    that has its reader killed again keeps that as its outcome.
    """
    outcome = ask_once()
    if outcome.kind is OutcomeKind.CRASHED and outcome.detail.signal == signal.SIGKILL:
        return ask_once()
    return outcome
