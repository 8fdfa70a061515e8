"""A case is read and judged again, on a bench."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from corpora.cases import Case
from harness.children.connection import Limits
from harness.children.processes import cores
from harness.judging.answers import Remembered
from harness.judging.bench import Bench, BenchError
from harness.judging.findings import Findings
from harness.judging.places import Process, Sheet
from harness.judging.results import Finding, Row
from harness.judging.signature import Stored, signed
from harness.runs.pipeline.selection import SelectionError, select


class CannotAsk(Exception):  # noqa: N818 - it says what is so
    """An engine cannot be asked; the message is one line."""


class Rejudged(NamedTuple):
    """The rows of a case, one per engine and configuration, and the findings among them."""

    rows: list[Row]
    findings: list[Finding]


def rejudge(case: Case, engines: Sequence[str], limits: Limits) -> Rejudged:
    """Have engines (none given: all installed engines) read a case, and judge without known failures.

    Raises CannotAsk.
    """
    try:
        chosen = select(list(engines), [case.format], every_switch=False, probed=bool(case.probes))
    except SelectionError as error:
        raise CannotAsk(str(error)) from error
    with (
        tempfile.TemporaryDirectory(prefix="colconf-again-") as folder,
        Bench(chosen.processes, limits, Path(folder)) as bench,
    ):
        answers = _answers(bench, Sheet("again", (case,)), are_named=bool(engines))
        if not any(process.reported for process in bench.processes if process.key in answers):
            raise CannotAsk("no engine could be run")
        return _recorded(_looked_at_twice(bench, case, answers))


def _answers(bench: Bench, sheet: Sheet, *, are_named: bool) -> dict[str, Remembered]:
    """Return the answers of the engines that start; raises CannotAsk if a named engine does not."""

    def ask(process: Process) -> Remembered | str:
        try:
            return bench.ask(process, sheet)
        except BenchError as error:
            return str(error)

    with ThreadPoolExecutor(cores()) as pool:
        answers = list(pool.map(ask, bench.processes))
    failed = [answer for answer in answers if isinstance(answer, str)]
    if failed and are_named:
        raise CannotAsk("; ".join(failed))
    keys = (process.key for process in bench.processes)
    pairs = zip(keys, answers, strict=True)
    return {key: answer for key, answer in pairs if not isinstance(answer, str)}


def _looked_at_twice(bench: Bench, case: Case, first: dict[str, Remembered]) -> list[Stored]:
    """Return the rows after a second look at those that would be findings."""
    rows = bench.judge((case,), first)
    second = {key: Remembered() for key in first}
    processes = {process.key: process for process in bench.processes}
    for row in rows:
        if row.doubtful:
            outcome = bench.ask_place(processes[row.engine], case, row.place)
            second[row.engine].outcomes[row.place] = outcome
    return bench.settle(rows, first, second)


def _recorded(rows: Sequence[Stored]) -> Rejudged:
    findings = Findings()
    recorded = [signed(stored) for stored in rows]
    for stored in recorded:
        if stored.row.detail.finding:
            findings.add(stored)
    return Rejudged([stored.row for stored in recorded], findings.all())
