"""Engines asked about files that nobody vouches for: batches, judged as a run judges its sheets.

The reference reads first, in a child like any other. What would be a finding is asked for twice, the second
time of a fresh child; a hang again with more time, because a busy machine is slow. A child that refuses what
a fresh one answers is ended: some file before has left it in a bad state, and none behind that is to blame.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from corpora.cases import Case, Expectation, case_id
from harness.connection import Connection, StartError
from harness.fuzz import meaning
from harness.judge import Verdict
from harness.launch import beside
from harness.outcomes import Kind
from harness.pipeline import parts, request
from harness.pipeline.answers import answers
from harness.pipeline.ask import read_one
from harness.pipeline.context import Context
from harness.pipeline.judged import known_entries, stored_from_json, with_known
from harness.pipeline.judging import judge, settle
from harness.pipeline.plan import Place, Sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import Self

    from harness.connection import Limits
    from harness.fuzz.inputs import Input
    from harness.outcomes import Outcome
    from harness.pipeline.plan import Process
    from harness.pipeline.store import Stored

LOST = frozenset({Kind.CRASHED, Kind.HUNG, Kind.MISSPOKE})
_TIMING = frozenset({Verdict.HUNG, Verdict.OUT_OF_MEMORY})
# Their signatures say too little to be the same as those of any other file.
_COARSE = _TIMING | {Verdict.CRASHED, Verdict.AMPLIFIED, Verdict.UNSTABLE}
_LONGER = 4


class AskError(Exception):
    """An engine does not start; the message is one line."""


class _Adapter(NamedTuple):
    module: str = "harness.fuzz.bounded"
    class_name: str = "Bounded"


@dataclass
class Answered:
    """What came of a batch: the files that were sent, as cases, and the rows of each.

    `left_out` counts files that are sound and hold too much, `lost` are those that ended the reference.
    """

    inputs: list[Input] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    rows: list[list[Stored]] = field(default_factory=list)
    left_out: int = 0
    lost: list[tuple[Input, Outcome]] = field(default_factory=list)


class Asking:
    """Engine processes and the reference, in their children, and a folder for what is passed between them."""

    def __init__(
        self, engines: Sequence[Process], reference: Process, format_: str, limits: Limits, folder: Path
    ) -> None:
        self.format = format_
        self.engines = tuple(replace(one, heavy=False) for one in engines)  # files have nothing in common
        command = beside(_Adapter(), sys.executable).command
        self._reference = replace(reference, command=command, reported=False)
        self._limits = limits
        self._folder = folder
        processes = (*self.engines, self._reference)
        self.context = Context(folder, processes, limits, folder, format=format_, durable=False)
        self._connections: dict[tuple[str, bool], Connection] = {}
        self._count = 0

    def __enter__(self) -> Self:
        """Start all; raises AskError."""
        with ExitStack() as stack:
            stack.callback(self.close)
            for process in self.context.processes:
                try:
                    described = self.connection(process).describe()
                except StartError as error:
                    why = request.why(vars(error.outcome.detail))
                    raise AskError(f"{process.key} does not start: {why}") from error
                self.context.commit(self.context.part("about", process.key), [{"description": described}])
            stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the children."""
        for one in self._connections.values():
            one.close()
        self._connections = {}

    def connection(self, process: Process, *, patient: bool = False) -> Connection:
        """Return the connection to a process; `patient`: one that waits longer."""
        key = process.key, patient
        if key not in self._connections:
            seconds = self._limits.seconds * (_LONGER if patient else 1)
            spill = self._folder / "spill"
            spill.mkdir(exist_ok=True)
            env = self.context.environment(process)
            made = Connection(process.command, replace(self._limits, seconds=seconds), spill=spill, env=env)
            self._connections[key] = made
        return self._connections[key]

    def _fresh(self, process: Process, *, patient: bool = False) -> None:
        """End the child of a process; the next question starts another."""
        old = self._connections.pop((process.key, patient), None)
        if old is not None:
            old.close()

    def ask(
        self,
        inputs: Iterable[Input],
        wanted: Callable[[Stored], bool],
        look: Callable[[Process, Answered, parts.Answers], None] | None = None,
    ) -> Answered:
        """Have files read and judged. Only findings that are `wanted` are asked for a second time.

        `look` is shown each engine's answers, while they are there. Raises AskError.
        """
        self._count += 1
        name = f"{self._count:06}"
        found = Answered()
        try:
            self._meanings(found, name, inputs)
            if found.cases:
                sheet = Sheet(name, tuple(found.cases))
                self._answers(sheet)
                found.rows = self._judged(sheet, found, wanted)
                for process in self.engines if look else ():
                    look(process, found, parts.Answers(self._part(sheet, process)))  # type: ignore[misc]
        finally:
            for left in ("execute", "judge", "again", "settle"):
                shutil.rmtree(self.context.parts / left, ignore_errors=True)
            shutil.rmtree(self._folder / "batch", ignore_errors=True)
            for table in (self._folder / "spill").rglob("*.jsonl"):
                table.unlink(missing_ok=True)
        return found

    def _part(self, sheet: Sheet, process: Process) -> Path:
        return self.context.part("execute", sheet.id, process)

    def _meanings(self, found: Answered, name: str, inputs: Iterable[Input]) -> None:
        """Have the reference read the files, and say what each of them must mean."""
        lines = []
        folder = self._folder / "batch"
        folder.mkdir(exist_ok=True)
        by_digest = {hashlib.sha256(one.data).hexdigest(): one for one in inputs}
        for digest, one in by_digest.items():
            file = folder / f"{digest[:16]}.{self.format}"
            file.write_bytes(one.data)
            bare = Case(
                case_id("fuzz", digest[:16]), self.format, file, digest, Expectation.by_vote(), notes=one.how
            )
            bare = replace(bare, keys=one.keys)
            outcome = read_one(self.connection(self._reference), bare, self._reference.configs[0].switches)
            if outcome.kind in LOST:
                found.lost.append((one, outcome))
            if meaning.is_large(outcome):
                found.left_out += 1
                continue
            broken = meaning.broken(one.data, self.format, one.keys)
            expectation = meaning.expected(outcome, broken.musts, self.format)
            why = meaning.lenience(one.data, self.format, broken, one.keys)
            if one.future or why:
                expectation = meaning.lenient(expectation, why or "a feature that no reader need know")
            lines.append(parts.answer(Place(0, len(found.cases)), outcome))
            found.inputs.append(one)
            found.cases.append(replace(bare, expectation=expectation))
        self.context.commit(self.context.part("execute", name, self._reference), lines)

    def _answers(self, sheet: Sheet) -> None:
        """Have each engine answer, as many at once as there are cores."""

        def one(process: Process) -> None:
            made = answers(self.connection(process), process, sheet, everything=False)
            lines = (self._confirmed(process, sheet, line) for line in made)
            self.context.commit(self._part(sheet, process), lines)

        with ThreadPoolExecutor(max(1, min(len(self.engines), _cores()))) as pool:
            list(pool.map(one, self.engines))

    def _confirmed(self, process: Process, sheet: Sheet, line: dict[str, Any]) -> dict[str, Any]:
        """Ask again, with more time, what hung; raises AskError where an engine does not start any more."""
        told = line["outcome"]
        place = Place(line["config"], line["case"], line["probe"])
        if told["detail"]["phase"] == "start":
            raise AskError(f"{process.key} does not start any more: {told['detail']['message']}")
        case = sheet.cases[place.case]
        if told["kind"] != Kind.HUNG or self._is_open(sheet, place.case):
            return line
        switches = process.configs[place.config].switches
        return parts.answer(place, read_one(self.connection(process, patient=True), case, switches))

    def _is_open(self, sheet: Sheet, index: int) -> bool:
        outcome = parts.Answers(self._part(sheet, self._reference)).get(Place(0, index))
        return outcome is not None and meaning.is_open(outcome)

    def _judged(self, sheet: Sheet, found: Answered, wanted: Callable[[Stored], bool]) -> list[list[Stored]]:
        """Judge, and have what is wanted answered again; answer the rows of each case."""
        lines = list(judge(self.context, sheet))
        again: dict[str, list[Place]] = {}
        seeds = {case.id: one.seed for case, one in zip(found.cases, found.inputs, strict=True)}
        for line in lines[1:]:
            if line["recheck"]:
                stored = self._known(stored_from_json(line["stored"]), seeds)
                is_hang = stored.row.verdict == Verdict.HUNG
                if stored.row.detail["finding"] and not is_hang and wanted(stored):
                    engine, *place = line["recheck"]
                    again.setdefault(engine, []).append(Place(*place))
                else:
                    line["recheck"] = None
        if again:
            lines = self._settled(sheet, lines, again)
        numbers = {case.id: number for number, case in enumerate(found.cases)}
        rows: list[list[Stored]] = [[] for _ in found.cases]
        for line in lines[1:]:
            stored = self._known(stored_from_json(line["stored"]), seeds)
            number = numbers[stored.row.case]
            rows[number].append(self._excused(sheet, number, stored))
        return rows

    def _settled(
        self, sheet: Sheet, lines: list[dict[str, Any]], again: dict[str, list[Place]]
    ) -> list[dict[str, Any]]:
        for process in self.engines:
            places = again.get(process.key, [])
            answered = self._second(process, sheet, places)
            self.context.commit(self.context.part("again", sheet.id, process), answered)
        self.context.commit(self.context.part("judge", sheet.id), lines)
        return list(settle(self.context, sheet))

    def _second(self, process: Process, sheet: Sheet, places: Iterable[Place]) -> Iterator[dict[str, Any]]:
        for place in places:
            self._fresh(process, patient=True)
            switches = process.configs[place.config].switches
            outcome = read_one(self.connection(process, patient=True), sheet.cases[place.case], switches)
            yield parts.answer(place, outcome)

    def _known(self, stored: Stored, seeds: dict[str, str]) -> Stored:
        """Mark what is known: of the case that a file comes from, of the rule, or of generated files.

        A crash is the same only if the file comes from one that is known to crash.
        """
        row = stored.row
        if not row.detail["finding"]:
            return stored
        names = [seeds[row.case]]
        if row.verdict not in _COARSE:
            names.append("generated/fuzz")
            names.append(f"{row.format}/fault/{(row.detail['expectation']['rule'] or '').lower()}/fuzz")
        for name in filter(None, names):
            found = with_known(
                replace(stored, row=replace(row, case=name)), known_entries(self.context.known)
            )
            if found.row.detail["known"]:
                return replace(found, row=replace(found.row, case=row.case))
        return stored

    def _is_left_over(self, stored: Stored) -> bool:
        """Return whether a child refused what a fresh one answers; then it is ended."""
        row = stored.row
        refused = row.outcome in {Kind.REFUSED, Kind.UNSUPPORTED}
        if row.verdict != Verdict.UNSTABLE or not refused:
            return False
        self._fresh(
            next(one for one in self.engines if one.name == row.engine and one.version == row.version)
        )
        return True

    def _excused(self, sheet: Sheet, number: int, stored: Stored) -> Stored:
        """Let no reader be blamed for what is not its own: see `_is_open`, `_is_left_over`."""
        row = stored.row
        if not row.detail["finding"]:
            return stored
        if not (
            (row.verdict in _TIMING and self._is_open(sheet, number))
            or row.detail["error_class"].endswith("RecursionError")  # our own, of types that are too deep
            or self._is_left_over(stored)
        ):
            return stored
        return replace(stored, row=replace(row, detail={**row.detail, "finding": False}))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
