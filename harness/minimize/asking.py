"""What an engine shows of a file: the signature that a run would give it.

A candidate is a case of its own, asked and judged by the code of the pipeline (`answers`, `judge`), in parts
of a folder that is used again for each. What it must mean follows the file: the reference's table, or the
rule by which the reference or the validator refuses it.

A case about a valid file stays one: a candidate that breaks a MUST that the original keeps is none, and so is
one that the reference cannot read. Of a file that was broken before, crashes and their like may be shown by
any file, other verdicts by those that break no other rule.
"""

from __future__ import annotations

import hashlib
import shutil
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from corpora import rules
from corpora.cases import Case, Expectation
from harness.connection import Connection, StartError
from harness.judge import Verdict
from harness.pipeline import parts, request
from harness.pipeline.answers import answers
from harness.pipeline.context import Context
from harness.pipeline.judged import stored_from_json
from harness.pipeline.judging import judge, settle
from harness.pipeline.plan import Place, Sheet
from harness.pipeline.store import signature
from reference_impl.orc.validate import examine as examine_orc
from reference_impl.parquet.validate import examine as examine_parquet

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    from corpora.cases import Probe
    from corpora.keys import Keys
    from corpora.tagged import Table
    from harness.connection import Limits
    from harness.outcomes import Outcome
    from harness.pipeline.plan import Process
    from harness.pipeline.store import Stored

LOST = frozenset({Verdict.CRASHED, Verdict.HUNG, Verdict.OUT_OF_MEMORY, Verdict.AMPLIFIED, Verdict.UNSTABLE})
_TIMES = 4  # that one is asked at most to see it waver


class AskError(Exception):
    """An engine could not be asked at all; the message is one line."""


class Shown(NamedTuple):
    """What the engine shows: `kind` is that of the expectation, `problem` whether the verdict is one.

    `config` is the text of the configuration, `seconds` what the engine took.
    """

    signature: str
    verdict: str
    kind: str
    problem: bool
    config: str
    seconds: float


@dataclass(frozen=True)
class Aim:
    """What candidates must show: the signature, judged as of `original`; see the module.

    `allowed` are the MUSTs that the original breaks, None where any may be broken.
    """

    shown: Shown
    original: Expectation
    allowed: frozenset[str] | None

    def fits(self, found: Shown) -> bool:
        """Return whether a candidate shows the finding."""
        same = (found.signature, found.verdict) == (self.shown.signature, self.shown.verdict)
        return same and found.kind in {self.shown.kind, "accept"}


class Asker:
    """An engine and the reference in their children, and a folder for candidates, which must exist.

    The first process is the engine's; the other one is the reference, that reads along.
    """

    def __init__(self, processes: tuple[Process, Process], format: str, limits: Limits, folder: Path) -> None:  # noqa: A002 - the word for it everywhere
        self.format = format
        self.engine, self.reference = processes
        self.folder = folder
        self.asked = 0
        self.probe: Probe | None = None  # of the last file
        self.keys: Keys | None = None  # of all files
        self.limits = limits
        self._stack = ExitStack()
        self._connections: dict[str, Connection] = {}
        known = folder / "known"
        known.mkdir(exist_ok=True)
        self._context = Context(
            folder, processes, limits, folder, known=known, every_value=True, format=format, durable=False
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.fresh()

    def fresh(self) -> None:
        """End the children; the next question starts others."""
        self._stack.close()
        self._connections = {}

    def limited(self, limits: Limits) -> None:
        """Use other limits from now on."""
        if limits != self.limits:
            self.fresh()
            self.limits = limits

    def narrowed(self, engine: Process) -> None:
        """Ask fewer configurations from now on."""
        self.engine = engine
        self._context = replace(self._context, processes=(engine, self.reference))

    def show(
        self, data: bytes, expectation: Expectation, probe: Probe | None, *, wavers: bool = False
    ) -> list[Shown]:
        """Return what the engine shows of a file, by configuration; raises AskError.

        With a `probe` also what it answers to that; `wavers`: it is asked again until its answers differ.
        """
        self.asked += 1
        self.probe = probe
        file = self.folder / f"candidate-{self.asked:06}.{self.format}"
        file.write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        probes = () if probe is None else (probe,)
        case = Case("minimize/candidate", self.format, file, digest, expectation, probes=probes)
        case = replace(case, keys=self.keys)
        try:
            return [_shown(stored) for stored in self._stored(Sheet("candidate", (case,)), wavers=wavers)]
        finally:
            file.unlink(missing_ok=True)

    def table(self) -> Table | None:
        """Return what the reference read of the last file."""
        found = self._of_reference()
        return None if found is None else found.table

    def reference_seconds(self) -> float:
        """Return what the reference took for the last file."""
        found = self._of_reference()
        return 0.0 if found is None else found.seconds

    def _of_reference(self) -> Outcome | None:
        part = self._context.part("execute", "candidate", self.reference)
        return parts.Answers(part).get(Place(0, 0)) if self._context.has(part) else None

    def broken(self, data: bytes) -> frozenset[str]:
        """Return the MUSTs that a file breaks."""
        if self.format == "orc":
            report = examine_orc(data, None if self.keys is None else self.keys.orc)
        else:
            report = examine_parquet(data, self.keys)
        known = rules.load()
        return frozenset(one.rule for one in report.violations if known[one.rule].level == "MUST")

    def _stored(self, sheet: Sheet, *, wavers: bool) -> list[Stored]:
        context = self._context
        for process in (self.reference, self.engine):
            self._ask("execute", process, sheet)
        lines = list(judge(context, sheet))
        for _ in range(_TIMES - 1 if wavers else 0):
            self._ask("again", self.engine, sheet)
            context.commit(context.part("judge", sheet.id), [lines[0], *_rechecked(lines, self.engine.key)])
            settled = list(settle(context, sheet))[1:]
            if any(line["stored"]["row"]["verdict"] == Verdict.UNSTABLE for line in settled):
                return [stored_from_json(line["stored"]) for line in settled]
        return [stored_from_json(line["stored"]) for line in lines[1:]]

    def _ask(self, stage: str, process: Process, sheet: Sheet) -> None:
        connection = self._connection(process)
        made = answers(connection, process, sheet, everything=True)
        self._context.commit(self._context.part(stage, sheet.id, process), made)
        spill = self.folder / f"spill-{process.name}"
        if self.asked % 64 == 0:  # tables of older candidates, which are large while the file is
            for old in spill.rglob("*.jsonl"):
                old.unlink(missing_ok=True)

    def _connection(self, process: Process) -> Connection:
        found = self._connections.get(process.key)
        if found is not None:
            return found
        spill = self.folder / f"spill-{process.name}"
        shutil.rmtree(spill, ignore_errors=True)
        spill.mkdir()
        env = self._context.environment(process)
        made = Connection(process.command, self.limits, spill=spill, env=env)
        self._stack.callback(made.close)
        try:
            description = made.describe()
        except StartError as error:
            raise AskError(
                f"{process.key} does not start: {request.why(vars(error.outcome.detail))}"
            ) from error
        self._context.commit(self._context.part("about", process.key), [{"description": description}])
        self._connections[process.key] = made
        return made


def _rechecked(lines: list[dict[str, object]], engine: str) -> list[dict[str, object]]:
    """Return judged rows, each to be held against what was answered again: also those that are no problem."""
    found = []
    for number, line in enumerate(lines[1:]):
        place = line["recheck"] or [engine, *Place(number, 0)]
        found.append({**line, "recheck": place})
    return found


def _shown(stored: Stored) -> Shown:
    row = stored.row
    kind = row.detail["expectation"]["kind"]
    return Shown(signature(stored), row.verdict, kind, bool(row.detail["finding"]), row.config, row.seconds)


def expectation_of(aim: Expectation, broken: frozenset[str]) -> Expectation | None:
    """Return what a candidate must mean, given the MUSTs it breaks; None if it is no such case any more."""
    if aim.kind != "refuse":
        return Expectation.by_vote()
    if aim.rule is None:
        return Expectation.refuse(clause=aim.clause) if broken else None
    return Expectation.refuse(rule=aim.rule, clause=aim.clause) if aim.rule in broken else None


def allowed(original: Expectation, verdict: str, kind: str, broken: frozenset[str]) -> frozenset[str] | None:
    """Return the MUSTs that candidates may break; None for any."""
    free = original.kind != "accept" or kind != "accept"
    return None if free and verdict in LOST else broken
