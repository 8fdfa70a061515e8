"""A case is read and judged again, on a bench."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from typing import NamedTuple, Self

from corpora.cases import Case
from corpora.known_failures import Entry, Judged
from corpora.problem import UserError
from harness.children.connection import Limits
from harness.children.processes import cores
from harness.children.scratch import scratch_folder
from harness.judging.answers import Remembered
from harness.judging.ballots import REFERENCE
from harness.judging.bench import Bench, BenchError
from harness.judging.control import with_control
from harness.judging.judge import Decide
from harness.judging.places import Process, Sheet
from harness.judging.records import Findings
from harness.judging.results import Finding, Row
from harness.judging.signature import Stored, judged_of, signed
from harness.judging.verdicts import has_grown
from harness.runs.pipeline.derived import QUERIES, is_queried
from harness.runs.pipeline.selection import SelectionError, select


class CannotAsk(UserError):  # noqa: N818 - it says what is so
    """An engine cannot be asked; the message is one line."""


class Rejudged(NamedTuple):
    """The rows of a case, one per engine and configuration, and the findings among them.

    `judged` are the rows as known failures match them.
    """

    rows: list[Row]
    findings: list[Finding]
    judged: Sequence[Judged] = ()


class Judging:
    """Engines that are asked one case after the other, and whose answers are judged. For one thread.

    `engines` are names as for `--engine` (none: all installed engines of the formats); `known` are the known
    failures. `controlled`: what colconf cannot put to an engine, by its answers to the control set, is not
    asked. `decide` is that of `harness.judging.judge`. Engines start with the first case. Raises CannotAsk.
    """

    def __init__(
        self,
        engines: Sequence[str],
        formats: Sequence[str],
        limits: Limits,
        *,
        known: Sequence[Entry] = (),
        probed: bool = True,
        controlled: bool = False,
        decide: Decide | None = None,
    ) -> None:
        self._decide = decide
        try:
            chosen = select(list(engines), formats, every_switch=False, probed=probed)
        except SelectionError as error:
            raise CannotAsk(str(error)) from error
        self.processes = chosen.processes
        if controlled:
            self.processes = with_control(chosen.processes, formats, limits)
        self._are_named = bool(engines)
        self._folders = ExitStack()
        folder = self._folders.enter_context(scratch_folder())
        self._bench = Bench(self.processes, limits, folder, known=known)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the engines."""
        self._bench.close()
        self._folders.close()

    def judge(self, case: Case) -> Rejudged:
        """Have the engines read a case and answer its queries; problems get a second look.

        Raises CannotAsk if a named engine does not start, or none does.
        """
        self._bench.tidy()
        answers = self._answers(Sheet("again", (case,)))
        if not any(process.reported for process in self.processes if process.key in answers):
            raise CannotAsk("no engine could be run")
        return _recorded(_looked_at_twice(self._bench, case, answers, self._decide))

    def with_queries(self, case: Case, most: int) -> Case:
        """Return a case with queries that the reference derives from its file; as it is if it cannot."""
        reference = next((process for process in self.processes if process.name == REFERENCE), None)
        if reference is None:
            return case
        try:
            connection = self._bench.connection(reference)
        except BenchError as error:
            raise CannotAsk(str(error)) from error
        derived, _ = connection.probes(case.file, case.format, most, case.keys, case.read)
        return replace(case, probes=derived.probes)

    def _answers(self, sheet: Sheet) -> dict[str, Remembered]:
        """Return the answers of the engines that start; raises CannotAsk if a named engine does not."""

        def ask(process: Process) -> Remembered | str:
            try:
                return self._bench.ask(process, sheet)
            except BenchError as error:
                return str(error)

        readers = [process for process in self.processes if sheet.cases[0].format in process.formats]
        with ThreadPoolExecutor(cores()) as pool:
            answers = list(pool.map(ask, readers))
        failed = [answer for answer in answers if isinstance(answer, str)]
        if failed and self._are_named:
            raise CannotAsk("; ".join(failed))
        pairs = zip((process.key for process in readers), answers, strict=True)
        return {key: answer for key, answer in pairs if not isinstance(answer, str)}


def rejudge(
    case: Case, engines: Sequence[str], limits: Limits, *, decide: Decide | None = None, queries: int = 0
) -> Rejudged:
    """Have engines (none given: all installed engines) read a case, and judge without known failures.

    `decide` is that of `harness.judging.judge`. A case without queries gets at most `queries`, which the
    reference derives from its file. Raises CannotAsk.
    """
    probed = bool(case.probes or queries)
    with Judging(engines, [case.format], limits, probed=probed, decide=decide) as judging:
        if queries and not case.probes:
            case = judging.with_queries(case, queries)
        return judging.judge(case)


def queried(case: Case, limits: Limits) -> Case:
    """Return a case of which nothing is recorded with the queries that a run derives from its file.

    Others are returned as they are, and so is one whose file the reference cannot read. Raises CannotAsk.
    """
    if not is_queried(case):
        return case
    with Judging((REFERENCE,), [case.format], limits) as judging:
        return judging.with_queries(case, QUERIES)


def _looked_at_twice(
    bench: Bench, case: Case, first: dict[str, Remembered], decide: Decide | None
) -> list[Stored]:
    """Return the rows after a second look at those that would be findings."""
    rows = bench.judge((case,), first, decide)
    second = {key: Remembered() for key in first}
    processes = {process.key: process for process in bench.processes}
    for row in rows:
        if row.doubtful:
            grown = has_grown(first[row.engine].outcomes[row.place])
            outcome = bench.ask_place(processes[row.engine], case, row.place, fresh=grown)
            second[row.engine].outcomes[row.place] = outcome
    return bench.settle((case,), rows, first, second)


def _recorded(rows: Sequence[Stored]) -> Rejudged:
    findings = Findings()
    recorded = [signed(stored) for stored in rows]
    for stored in recorded:
        if stored.row.detail.finding:
            findings.add(stored)
    judged = [judged_of(stored) for stored in recorded]
    return Rejudged([stored.row for stored in recorded], findings.all(), judged)
