"""The observations of an engine for a file, with the signature that a run would give them.

A candidate is a case of its own, queried and judged on a bench. Its expectation follows from the file: the
reference's table, or the rule by which the reference or the validator refuses the file.

A case about a valid file stays valid: a candidate is rejected if it breaks a MUST that the original keeps, or
if the reference cannot read it. For a file that was broken before, any file may show crashes and the like;
other verdicts must be shown by files that break no other rule.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Self

from corpora.cases import Case, Expectation, Probe
from corpora.folders import remove
from corpora.tagged import Table
from harness.children.connection import Limits
from harness.children.outcomes import Outcome
from harness.investigate.minimize.forms import Form
from harness.judging.answers import Remembered
from harness.judging.bench import Bench
from harness.judging.judge import expectation_by_reference
from harness.judging.places import Place, Process, Sheet
from harness.judging.signature import Stored, signature
from harness.judging.verdicts import Verdict

LOST = frozenset({Verdict.CRASHED, Verdict.HUNG, Verdict.OUT_OF_MEMORY, Verdict.AMPLIFIED, Verdict.UNSTABLE})
_NO_DIGEST = "0" * 64  # until the candidate is written
_TIMES = 4  # the queries of a candidate to an unstable engine of which the share is not known
_TIDY_EVERY = 64  # candidates, after which the tables of older candidates are removed


class Observation(NamedTuple):
    """A judged answer: `kind` is that of the expectation, `problem` whether the verdict is a problem.

    `config` is the text of the configuration, `seconds` the time of the engine.
    """

    signature: str
    verdict: str
    kind: str
    problem: bool
    config: str
    seconds: float


@dataclass(frozen=True)
class Aim:
    """The observation that candidates must repeat, judged by the expectation `original`; see the module.

    `allowed` are the MUSTs that the original breaks, None where a candidate may break any.
    """

    observation: Observation
    original: Expectation
    allowed: frozenset[str] | None

    def fits(self, candidate: Observation) -> bool:
        """Return whether a candidate shows the finding."""
        same = (candidate.signature, candidate.verdict) == (
            self.observation.signature,
            self.observation.verdict,
        )
        return same and candidate.kind in {self.observation.kind, "accept"}


class CandidateBench:
    """An engine and the reference on a bench, and a folder for candidates, which must exist.

    The first process is the engine's, the second the reference's.
    """

    def __init__(self, processes: tuple[Process, Process], form: Form, limits: Limits, folder: Path) -> None:
        self.form = form
        self.engine, self.reference = processes
        self.folder = folder
        self.count = 0  # of candidates so far
        self.probe: Probe | None = None  # of the last file
        self.queried_unread = False  # the finding is an answer about a file that is not read as a whole
        self.tries = 1  # the most requests of a candidate to an engine that shows the finding now and then
        self._bench = Bench(processes, limits, folder)
        self._read: Remembered | None = None  # by the reference, of the last file

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.renew()

    @property
    def limits(self) -> Limits:
        """The limits of one answer."""
        return self._bench.limits

    def renew(self) -> None:
        """End the children; the next candidate starts new ones."""
        self._bench.close()

    def limit(self, limits: Limits) -> None:
        """Use other limits from now on."""
        self._bench.limit(limits)

    def narrow(self, engine: Process) -> None:
        """Query fewer configurations from now on."""
        self.engine = engine
        self._bench.processes = (engine, self.reference)

    def show(
        self, data: bytes, expectation: Expectation, probe: Probe | None, *, wavers: bool = False
    ) -> list[Observation]:
        """Return the observations of a file, by configuration; raises BenchError.

        With a `probe` the engine also answers its query; `wavers`: queries are repeated until the answers
        differ.
        """
        self.count += 1
        self.probe = probe
        if self.count % _TIDY_EVERY == 0:  # tables of older candidates, which are large while the file is
            self._bench.tidy()
        path = self.folder / f"candidate-{self.count:06}{self.form.suffix}"
        self.form.put(data, path, durable=False)
        probes = () if probe is None else (probe,)
        blank = Case("minimize/candidate", self.form.format, path, _NO_DIGEST, expectation, probes=probes)
        case = self.form.case(blank, data, path)
        try:
            return [
                _observation_of(stored) for stored in self._stored(Sheet("candidate", (case,)), wavers=wavers)
            ]
        finally:
            remove(path)

    def table(self) -> Table | None:
        """Return the reference's table of the last file."""
        outcome = self._of_reference()
        return None if outcome is None else outcome.table

    def reference_seconds(self) -> float:
        """Return the reference's seconds for the last file."""
        outcome = self._of_reference()
        return 0.0 if outcome is None else outcome.seconds

    def _of_reference(self) -> Outcome | None:
        return None if self._read is None else self._read.get(Place(0, 0))

    def broken(self, data: bytes) -> frozenset[str]:
        """Return the MUSTs that a candidate breaks."""
        return self.form.broken(data)

    def _stored(self, sheet: Sheet, *, wavers: bool) -> list[Stored]:
        self._read = self._bench.ask(self.reference, sheet)
        sheet = self._with_values(sheet)
        first = {self.reference.key: self._read, self.engine.key: self._bench.ask(self.engine, sheet)}
        rows = self._bench.judge(sheet.cases, first, expectation_by_reference)
        for _ in range(max(_TIMES, self.tries) - 1 if wavers else 0):
            second = {self.engine.key: self._bench.ask(self.engine, sheet)}
            settled = self._bench.settle(sheet.cases, rows, first, second)
            if any(stored.row.verdict == Verdict.UNSTABLE for stored in settled):
                return settled
        return [row.stored for row in rows]

    def _with_values(self, sheet: Sheet) -> Sheet:
        """Return the sheet of a candidate with the values that the reference has read, if they are needed.

        Files that are not read as a whole have queries only if their values are known: see
        `harness/judging/in_part.py`.
        """
        table = self.table()
        (case,) = sheet.cases
        if not self.queried_unread or not case.probes or table is None or case.expectation.table is not None:
            return sheet
        expectation = Expectation.accept(table, "vote")
        return sheet._replace(cases=(replace(case, expectation=expectation),))


def _observation_of(stored: Stored) -> Observation:
    row = stored.row
    kind = row.detail.expectation.kind or ""
    return Observation(signature(stored), row.verdict, kind, row.detail.finding, row.config, row.seconds)


def allowed(original: Expectation, verdict: str, kind: str, broken: frozenset[str]) -> frozenset[str] | None:
    """Return the MUSTs that candidates may break; None for any."""
    free = original.kind != "accept" or kind != "accept"
    return None if free and verdict in LOST else broken
