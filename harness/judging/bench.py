"""The bench: requests to engines and judgements in memory, with a second look.

Its users (fuzzing, the minimizer, the selftest, replays) decide which cases are read, and when; requests and
judgements are the same as in a run, which works sheet by sheet and stores every answer.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from corpora.cases import Case
from corpora.known_failures import Entry
from corpora.problem import UserError
from harness.children.connection import Connection, Limits, StartError
from harness.children.outcomes import Outcome
from harness.judging.answers import Answered, Answers, Remembered
from harness.judging.ask import ask_place
from harness.judging.ask_sheet import outcomes_of
from harness.judging.claims import of_format
from harness.judging.column_features import of_repeated
from harness.judging.judge import Decide, Judged, judge
from harness.judging.places import Place, Process, Sheet
from harness.judging.settle import settle
from harness.judging.signature import Stored
from harness.judging.traits import Traits

PATIENCE = 4  # times the time limit of a patient child: a busy machine is slow


class BenchError(UserError):
    """An engine does not start; the message is one line."""


class Bench:
    """Engine processes, each started when it is first asked. For one thread at a time and process.

    `folder` exists; large tables are spilled into it, and go when `tidy` is called or the bench is closed.
    `variables` are set for all children.
    """

    def __init__(
        self,
        processes: Sequence[Process],
        limits: Limits,
        folder: Path,
        *,
        known: Sequence[Entry] = (),
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.processes = tuple(processes)
        self.limits = limits
        self.known = tuple(known)
        self._spill = folder / "spill"
        self._variables = dict(variables or {})
        self._connections: dict[tuple[str, bool], Connection] = {}
        self._traits: dict[str, Traits] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all children; the next request starts others."""
        for connection in self._connections.values():
            connection.close()
        self._connections = {}
        shutil.rmtree(self._spill, ignore_errors=True)

    def limit(self, limits: Limits) -> None:
        """Use other limits from now on."""
        if limits != self.limits:
            self.close()
            self.limits = limits

    def tidy(self) -> None:
        """Remove spilled tables: no outcome that was returned before can be read afterwards."""
        for table in self._spill.rglob("*.jsonl"):
            table.unlink(missing_ok=True)

    def connection(self, process: Process, *, patient: bool = False) -> Connection:
        """Return the connection to a process; raises BenchError if it does not start."""
        key = process.key, patient
        if key not in self._connections:
            seconds = self.limits.seconds * (PATIENCE if patient else 1)
            self._spill.mkdir(exist_ok=True)
            env = {**process.launch.environment(), **self._variables}
            limits = replace(self.limits, seconds=seconds)
            connection = Connection(process.launch, limits, spill=self._spill, env=env)
            try:
                self._traits[process.key] = Traits.of(connection.describe())
            except StartError as error:
                connection.close()
                raise BenchError(f"{process.key} does not start: {error.outcome.detail.summary}") from error
            self._connections[key] = connection
        return self._connections[key]

    def renew(self, process: Process, *, patient: bool = False) -> None:
        """End the child of a process; the next request starts another."""
        connection = self._connections.pop((process.key, patient), None)
        if connection is not None:
            connection.close()

    def traits(self, process: Process, format_: str) -> Traits:
        """Return the traits of an engine for files of a format."""
        self.connection(process)
        traits = self._traits[process.key]
        return replace(traits, claimed=of_format(traits.claimed, format_))

    def ask(self, process: Process, sheet: Sheet, *, everything: bool = True) -> Remembered:
        """Return the outcomes of a sheet; for `everything` see `outcomes_of`. Raises BenchError."""
        connection = self.connection(process)
        return Remembered(dict(outcomes_of(connection, process, sheet, everything=everything)))

    def ask_place(
        self, process: Process, case: Case, place: Place, *, patient: bool = False, fresh: bool = False
    ) -> Outcome:
        """Return the outcome of one place; `fresh`: of a child that has read nothing before."""
        if fresh:
            self.renew(process, patient=patient)
        return ask_place(self.connection(process, patient=patient), process, case, place)

    def answered(self, answers: Mapping[str, Answers], format_: str) -> list[Answered]:
        """Return answers by the keys of processes as the judge takes them, in the order of the processes."""
        return [
            Answered(process, self.traits(process, format_), answers[process.key])
            for process in self.processes
            if process.key in answers
        ]

    def judge(
        self, cases: Sequence[Case], answers: Mapping[str, Answers], decide: Decide | None = None
    ) -> list[Judged]:
        """Return the rows of cases of one format; `answers` are those of `ask`, by the keys of processes.

        For `decide` see `judge`.
        """
        return list(judge(cases, self.answered(answers, cases[0].format), self.known, decide))

    def settle(
        self,
        cases: Sequence[Case],
        rows: Iterable[Judged],
        first: Mapping[str, Answers],
        second: Mapping[str, Answers],
    ) -> list[Stored]:
        """Return rows of these cases after a repetition; rows without a place in `second` do not change."""
        return [
            settle(
                row.stored,
                first[row.engine].get(row.place),
                second[row.engine].get(row.place) if row.engine in second else None,
                self.known,
                of_repeated(cases[row.place.case], row.place),
            )
            for row in rows
        ]
