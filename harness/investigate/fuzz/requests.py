"""Queries about untrusted files: batches, judged as a run judges its sheets.

The reference reads first, in a child like any other. A file with a possible finding is read twice, the second
time by a fresh child; a hang again with more time, because a busy machine is slow. A child that refuses a
file which a fresh child reads is ended: an earlier file has left the child in a bad state, and no later file
is to blame.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, Self

from corpora.cases import Case, Expectation, case_id
from corpora.known_failures import match
from harness.children.connection import Connection, Limits
from harness.children.launch import beside
from harness.children.outcomes import Outcome, OutcomeKind
from harness.children.processes import cores
from harness.investigate.fuzz import meaning
from harness.investigate.fuzz.inputs import Input
from harness.investigate.fuzz.questions import Questions, with_off
from harness.investigate.fuzz.seed_failures import SeedFailures
from harness.judging.answers import Answers, Remembered
from harness.judging.ask_sheet import outcomes_of
from harness.judging.bench import Bench, BenchError
from harness.judging.judge import Judged
from harness.judging.places import Place, Process, Sheet
from harness.judging.records import known_entries, with_known
from harness.judging.signature import Stored, judged_of, signature
from harness.judging.verdicts import Verdict

LOST = frozenset({OutcomeKind.CRASHED, OutcomeKind.HUNG, OutcomeKind.MISSPOKE})
_OF_ROWS = frozenset({Verdict.DIFFERENT, Verdict.REFUSED_VALID})
_TIMING = frozenset({Verdict.HUNG, Verdict.OUT_OF_MEMORY})
# Their signatures are too coarse to identify the same problem in any other file.
_COARSE = _TIMING | {Verdict.CRASHED, Verdict.AMPLIFIED, Verdict.UNSTABLE}


class _Adapter(NamedTuple):
    module: str = "harness.investigate.fuzz.bounded"
    class_name: str = "Bounded"


@dataclass
class Batch:
    """The result of a batch: the files that were sent, as cases, and the rows of each.

    `left_out` counts valid files with too many values, `lost` holds the files that ended the reference.
    """

    inputs: list[Input] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    rows: list[list[Stored]] = field(default_factory=list)
    left_out: int = 0
    lost: list[tuple[Input, Outcome]] = field(default_factory=list)
    reference: Remembered = field(default_factory=Remembered)


class FuzzBench:
    """Engines and the reference on a bench, for batches of files; `folder` holds the files and tables."""

    def __init__(
        self, engines: Sequence[Process], reference: Process, format_: str, limits: Limits, folder: Path
    ) -> None:
        self.format = format_
        # Files have nothing in common: a heavy engine, too, reads each alone.
        self.engines = tuple(with_off(replace(each, heavy=False), format_) for each in engines)
        command = beside(_Adapter(), sys.executable).command
        self._reference = replace(reference, command=command, reported=False)
        self._folder = folder
        self._bench = Bench((*self.engines, self._reference), limits, folder, known=known_entries(None))
        self._questions = Questions(format_, folder)
        self._seeds = SeedFailures(self._bench)
        self._count = 0

    def __enter__(self) -> Self:
        """Start all; raises BenchError."""
        try:
            for process in self._bench.processes:
                self.connection(process)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the children."""
        self._bench.close()

    def connection(self, process: Process) -> Connection:
        """Return the connection to a process; raises BenchError."""
        return self._bench.connection(process)

    def ask(
        self,
        inputs: Iterable[Input],
        wanted: Callable[[Stored], bool],
        look: Callable[[Process, Batch, Answers], None] | None = None,
    ) -> Batch:
        """Have files read and judged. Only `wanted` findings are confirmed by a second reading.

        `look` is called with each engine's answers before they are removed. Raises BenchError.
        """
        self._count += 1
        batch = Batch()
        try:
            self._meanings(batch, inputs)
            if batch.cases:
                answers = self._answers(batch)
                batch.rows = self._judged(batch, answers, wanted)
                for process in self.engines if look else ():
                    look(process, batch, answers[process.key])  # type: ignore[misc]
        finally:
            shutil.rmtree(self._folder / "batch", ignore_errors=True)
            self._bench.tidy()
        return batch

    def _meanings(self, batch: Batch, inputs: Iterable[Input]) -> None:
        """Have the reference read the files, and note the expectation of each file."""
        folder = self._folder / "batch"
        folder.mkdir(exist_ok=True)
        by_digest = {hashlib.sha256(item.data).hexdigest(): item for item in inputs}
        for digest, item in by_digest.items():
            file = folder / f"{digest[:16]}.{self.format}"
            file.write_bytes(item.data)
            bare = Case(
                case_id("fuzz", digest[:16]), self.format, file, digest, Expectation.by_vote(), notes=item.how
            )
            bare = replace(bare, keys=item.keys)
            place = Place(0, len(batch.cases))
            outcome = self._bench.ask_place(self._reference, bare, place)
            if outcome.kind in LOST and not outcome.is_ours:
                batch.lost.append((item, outcome))
            if meaning.is_large(outcome):
                batch.left_out += 1
                continue
            broken = meaning.broken(item.data, self.format, item.keys)
            expectation = meaning.expected(outcome, broken.musts, self.format)
            why = meaning.lenience(item.data, self.format, item.keys)
            if item.future or why:
                expectation = meaning.lenient(expectation, why or "a feature that no reader need know")
            batch.reference.outcomes[place] = outcome
            probes = self._questions.of(self.connection(self._reference), item, expectation)
            batch.inputs.append(item)
            batch.cases.append(replace(bare, expectation=expectation, probes=probes))

    def _answers(self, batch: Batch) -> dict[str, Answers]:
        """Have each engine answer, as many in parallel as there are cores."""

        def answers_of(process: Process) -> Remembered:
            connection = self.connection(process)
            confirmed = (
                self._confirmed(process, batch, place._replace(case=number), outcome)
                for number, case in enumerate(batch.cases)
                for place, outcome in outcomes_of(
                    connection, process, Sheet(f"{self._count:06}", (case,), derived=True), everything=False
                )
            )
            return Remembered(dict(confirmed))

        with ThreadPoolExecutor(max(1, min(len(self.engines), cores()))) as pool:
            answers = list(pool.map(answers_of, self.engines))
        keys = (process.key for process in self.engines)
        return {self._reference.key: batch.reference, **dict(zip(keys, answers, strict=True))}

    def _confirmed(
        self, process: Process, batch: Batch, place: Place, outcome: Outcome
    ) -> tuple[Place, Outcome]:
        """Ask again, with more time, where an engine hung; raises BenchError where it does not start."""
        if outcome.detail.phase == "start":
            raise BenchError(f"{process.key} does not start any more: {outcome.detail.message}")
        if outcome.kind is not OutcomeKind.HUNG or _is_open(batch, place.case):
            return place, outcome
        return place, self._bench.ask_place(process, batch.cases[place.case], place, patient=True)

    def _judged(
        self, batch: Batch, first: dict[str, Answers], wanted: Callable[[Stored], bool]
    ) -> list[list[Stored]]:
        """Judge, and have wanted findings read again; return the rows of each case.

        The read that configurations share has one row.
        """
        judged = self._bench.judge(batch.cases, first)
        rows = list({(row.engine, row.place): row for row in reversed(judged)}.values())[::-1]
        second = {process.key: Remembered() for process in self.engines}
        processes = {process.key: process for process in self.engines}
        for row in filter(lambda row: self._is_doubtful(batch, row, wanted), rows):
            process, case = processes[row.engine], batch.cases[row.place.case]
            outcome = self._bench.ask_place(process, case, row.place, patient=True, fresh=True)
            second[row.engine].outcomes[row.place] = outcome
        settled: list[list[Stored]] = [[] for _ in batch.cases]
        for row, stored in zip(rows, self._bench.settle(batch.cases, rows, first, second), strict=True):
            number = row.place.case
            known = self._known(stored, batch.inputs[number].seed)
            settled[number].append(self._excused(batch, number, known))
        return settled

    def _is_doubtful(self, batch: Batch, row: Judged, wanted: Callable[[Stored], bool]) -> bool:
        """Return whether a row needs a second reading: a hang has had its second reading already."""
        if not row.doubtful:
            return False
        stored = self._known(row.stored, batch.inputs[row.place.case].seed)
        return stored.row.detail.finding and stored.row.verdict != Verdict.HUNG and wanted(stored)

    def _known(self, stored: Stored, seed: str) -> Stored:
        """Mark known findings: of the case that a file comes from, of the rule, or of generated files.

        A crash is a known one only if the file comes from a case that is known to crash, another failure of
        such a case only if the case itself fails in the same way, or an entry names the signature.
        """
        row = stored.row
        if not row.detail.finding:
            return stored
        names = [seed]
        if row.verdict not in _COARSE:
            names.append("generated/fuzz")
            names.append(f"{row.format}/fault/{(row.detail.expectation.rule or '').lower()}/fuzz")
        for name in filter(None, names):
            named = replace(stored, row=replace(row, case=name))
            known = with_known(named, self._bench.known)
            if known.row.detail.known and (name != seed or self._is_of_seed(named)):
                return replace(known, row=replace(known.row, case=row.case))
        return stored

    def _is_of_seed(self, stored: Stored) -> bool:
        """Return whether a mutant, named as its case, fails as the case does, or as an entry's signature."""
        entry = match(self._bench.known, judged_of(stored))
        if (entry is not None and entry.signature) or stored.row.verdict in _COARSE:
            return True
        return signature(stored) in self._seeds.of(self._process(stored), stored.row.case)

    def _process(self, stored: Stored) -> Process:
        of_row = stored.row.engine, stored.row.version
        return next(each for each in self.engines if (each.name, each.version) == of_row)

    def _is_left_over(self, stored: Stored) -> bool:
        """Return whether a child refused a file that a fresh child reads; such a child is ended."""
        row = stored.row
        refused = row.outcome in {OutcomeKind.REFUSED, OutcomeKind.UNSUPPORTED, OutcomeKind.PANICKED}
        if row.verdict != Verdict.UNSTABLE or not refused:
            return False
        self._bench.renew(self._process(stored))
        return True

    def _excused(self, batch: Batch, number: int, stored: Stored) -> Stored:
        """Return a row that blames no reader for our limits, or where nothing says what rows are right.

        See `_is_open`, `_is_left_over`. A file whose breach is not beside its rows has no expected table; an
        engine that contradicts itself there has read the breach otherwise, and only its loss counts.
        """
        row = stored.row
        if not row.detail.finding:
            return stored
        is_guess = row.detail.probe is not None and batch.cases[number].expectation.table is None
        if not (
            (is_guess and row.verdict in _OF_ROWS)
            or (row.verdict in _TIMING and _is_open(batch, number))
            or row.detail.error_class.endswith("RecursionError")  # our own, of types that are too deep
            or self._is_left_over(stored)
        ):
            return stored
        return replace(stored, row=row.with_detail(finding=False))


def _is_open(batch: Batch, number: int) -> bool:
    """Return whether the reference could not bound the contents of a file."""
    outcome = batch.reference.get(Place(0, number))
    return outcome is not None and meaning.is_open(outcome)
