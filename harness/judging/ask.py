"""Requests to an engine for the files of a sheet; a bad file does not affect the outcomes of the others."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from corpora.cases import Case
from corpora.queries import Query
from corpora.queries import from_json as query_from_json
from corpora.table_reads import TableRead
from harness.children.connection import Connection
from harness.children.outcomes import LOST, Detail, Outcome, OutcomeKind
from harness.judging.places import READ, Config, Place, Process
from harness.judging.ways import config_at

# A lost child has to be started again, and a child that hung took the whole time limit: rather than meet the
# same file again in a half of the sheet, each file is then read alone.
_LACKED = frozenset({OutcomeKind.UNSUPPORTED})
_OF_STATISTICS = frozenset({"aggregate", "aggregate_where", "count", "count_values"})


def ask(
    connection: Connection, process: Process, config: Config, cases: Sequence[Case]
) -> Iterator[tuple[int, Outcome]]:
    """Yield each case's index and outcome, in order; the cases have one format and one schema, or one read.

    A light engine reads file by file. A heavy engine reads a sheet at once; if that fails, its halves, down
    to single files with their own outcomes.
    """
    if cases[0].format not in process.formats:
        message = f"{process.name} does not read {cases[0].format}"
        for index in range(len(cases)):
            yield index, Outcome(OutcomeKind.UNSUPPORTED, detail=Detail(message=message, phase="plan"))
        return

    def at_once(some: Sequence[Case]) -> list[Outcome] | Outcome:
        files = [case.file for case in some]
        if some[0].read is not None:
            return connection.read_tables(files, some[0].format, config.switches, some[0].read)
        return connection.read_many(files, some[0].format, config.switches, **keyed(some[0]))

    def alone(case: Case) -> Outcome:
        return read_one(connection, case, config.switches)

    if process.heavy:
        yield from _halved(at_once, alone, cases, 0)
    else:
        yield from enumerate(map(alone, cases))


def keyed(case: Case) -> dict[str, Any]:
    """Return the keys of an encrypted case as arguments of a request; all cases of a sheet share them."""
    return {} if case.keys is None else {"keys": case.keys}


def read_one(connection: Connection, case: Case, switches: Mapping[str, str]) -> Outcome:
    """Return the outcome of reading one file, or a folder as one table."""
    if case.read is not None:
        return unless_killed(partial(connection.read_table, case.file, case.format, switches, case.read))
    return unless_killed(partial(connection.read, case.file, case.format, switches, **keyed(case)))


def _halved(
    at_once: Callable[[Sequence[Case]], list[Outcome] | Outcome],
    alone: Callable[[Case], Outcome],
    cases: Sequence[Case],
    first: int,
    *,
    shared: frozenset[OutcomeKind] = frozenset(),
) -> Iterator[tuple[int, Outcome]]:
    """Request cases at once, and if that fails their halves; an outcome in `shared` holds for each case.

    If most cases of the first half fail, each case of the second half is requested separately.
    """
    if len(cases) == 1:
        yield first, alone(cases[0])
        return
    answer = at_once(cases)
    if isinstance(answer, list):
        yield from enumerate(answer, first)
    elif answer.kind in shared:
        yield from ((first + index, answer) for index in range(len(cases)))
    elif answer.kind in LOST:
        yield from enumerate(map(alone, cases), first)
    else:
        middle, failed = len(cases) // 2, 0
        for place, outcome in _halved(at_once, alone, cases[:middle], first, shared=shared):
            failed += outcome.kind is not OutcomeKind.TABLE
            yield place, outcome
        if failed > 1 and 2 * failed > middle:
            yield from enumerate(map(alone, cases[middle:]), first + middle)
        else:
            yield from _halved(at_once, alone, cases[middle:], first + middle, shared=shared)


def ask_query(
    connection: Connection, process: Process, config: Config, query: Query, cases: Sequence[Case]
) -> Iterator[tuple[int, Outcome]]:
    """Yield each case's index and outcome of a query, in order; the cases are as `ask` has them.

    If a heavy engine does not support a query for a whole sheet, it does not for any file: they have the same
    schema. Aggregates and counts are the exception: whether Spark computes one from statistics depends on the
    statistics of each file.
    """
    switches = config.switches
    shared: frozenset[OutcomeKind] = frozenset() if query.kind in _OF_STATISTICS else _LACKED

    def at_once(some: Sequence[Case]) -> list[Outcome] | Outcome:
        files = [case.file for case in some]
        read = some[0].read
        return connection.query(files, some[0].format, switches, query, read=read, **keyed(some[0]))

    def alone(case: Case) -> Outcome:
        return query_one(connection, case, switches, query)

    if process.heavy:
        yield from _halved(at_once, alone, cases, 0, shared=shared)
    else:
        yield from enumerate(map(alone, cases))


def query_one(connection: Connection, case: Case, switches: Mapping[str, str], query: Query) -> Outcome:
    """Return the outcome of a query of one file."""

    def once() -> Outcome:
        answer = connection.query([case.file], case.format, switches, query, read=case.read, **keyed(case))
        return answer[0] if isinstance(answer, list) else answer

    return unless_killed(once)


def ask_place(connection: Connection, process: Process, case: Case, place: Place) -> Outcome:
    """Return the outcome of one place."""
    switches = config_at(process, place).switches
    if place.probe == READ:
        return read_one(connection, case, switches)
    return query_one(connection, case, switches, case.probes[place.probe].query)


def repeat(connection: Connection, request: Mapping[str, Any]) -> None:
    """Repeat a request of `Connection.recent`; encrypted files have no keys any more."""
    op, how = request["op"], (request["format"], request["config"])
    if op == "read":
        connection.read(request["file"], *how)
    elif op == "query":
        read = TableRead.from_json(request["read"]) if "read" in request else None
        connection.query(request["files"], *how, query_from_json(request["query"]), read=read)
    elif op == "read_table":
        connection.read_table(request["file"], *how, TableRead.from_json(request["read"]))
    elif op == "read_tables":
        connection.read_tables(request["files"], *how, TableRead.from_json(request["read"]))
    else:
        connection.read_many(request["files"], *how)


def unless_killed(ask_once: Callable[[], Outcome]) -> Outcome:
    """Return an outcome; repeat the request if the child was killed from outside.

    SIGKILL comes from a person, or from the kernel when the machine's memory is used up, and not from the
    engine. If the reader is killed again, that is the outcome of the file.
    """
    outcome = ask_once()
    if outcome.kind is OutcomeKind.CRASHED and outcome.detail.signal == signal.SIGKILL:
        return ask_once()
    return outcome
