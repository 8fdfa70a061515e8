"""A night: rounds until the budget ends, each a run in its own folder, and one account of all.

What was planned and how far it is stands in `run.json` of the night: killed, it goes on with the round that
was not finished, and counts the time that was spent before.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Protocol

from harness.judging.results import FINDINGS, load_run
from harness.runs.history.records import FLAKY, OPEN
from harness.runs.history.remember import take
from harness.runs.history.session import Session, account, annotated
from harness.runs.history.store import opened
from harness.runs.history.third import merged
from harness.runs.nightly import whole
from harness.runs.nightly.clock import Clock, Saving
from harness.runs.nightly.costs import measured
from harness.runs.nightly.rounds import (
    CORPORA,
    FEW,
    FIRST,
    GENERATE,
    GROWTH,
    REMEMBERED,
    REPLAY,
    SHARES,
    Round,
    focus,
    richest,
    slice_of,
)
from harness.runs.nightly.weighing import weigh
from harness.runs.pipeline import complete, folder
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.finding_cases import FindingCase
from harness.runs.pipeline.request import Request, begun, greeting
from harness.runs.pipeline.run import run
from harness.runs.pipeline.store import write_findings
from properties.focus import SEEDS, focused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from corpora.cases import Case
    from corpora.known_failures import Entry
    from harness.runs.history.records import Record
    from harness.runs.history.store import History
    from harness.runs.pipeline.run import Progress
    from harness.runs.pipeline.store import Tally

ROUNDS = "rounds"


class Sources(Protocol):
    """Where a night's files come from, and which engines read them."""

    @property
    def engines(self) -> str:
        """Say in one text which engines are run, and how."""

    @property
    def versions(self) -> Mapping[str, Sequence[str]]:
        """Return the versions that are run of each engine."""

    def corpora(self) -> Mapping[str, Sequence[Case]]:
        """Return the cases of the corpora, by format."""

    def request(self, planned: Round, cases: Sequence[Case], records: Sequence[Record]) -> Request:
        """Return the request of a round, but for its folder; `records` are those that are replayed."""


@dataclass(frozen=True)
class Night:
    """What to do: `request` says where, with what arguments, and how; `budget` is in seconds."""

    request: Request
    history: Path
    budget: float
    formats: Sequence[str]
    sources: Sources
    entries: Sequence[Entry] = ()
    clock: Callable[[], float] = time.monotonic
    go: Callable[[Request, Progress], object] = run


def night(asked: Night, progress: Progress) -> tuple[dict[str, Any], Tally]:
    """Do it; answer what `run.json` then says, and the tally.

    Raises PipelineError, HistoryError, CaseError, ResultsError and OSError.
    """
    request = asked.request
    with folder.locked(request.out):
        state, before = folder.prepare(request.out, request.asked, overwrite=request.overwrite)
        for text in greeting(request, state, before):
            progress.note(text)
        told = before or {**begun(request), "rounds": [], "spent": 0.0}
        folder.save(request.out, told)
        with opened(asked.history) as history:
            for text in history.damaged():
                progress.note(text)
        made = _Night(asked, told, progress)
        made.rounds_until_the_end()
        if not made.rounds:
            raise PipelineError(f"{asked.budget:g} seconds are not enough for a single round")
        return told, made.account()


class _Night:
    """One night."""

    def __init__(self, asked: Night, told: dict[str, Any], progress: Progress) -> None:
        self.asked = asked
        self.told = told
        self.progress = progress
        self.session = Session.of(told)
        self.clock = Clock(asked.clock, told["spent"])
        self.rounds = [Round.from_json(one) for one in told["rounds"]]
        self.corpora = asked.sources.corpora()

    @property
    def out(self) -> Path:
        return self.asked.request.out

    def rounds_until_the_end(self) -> None:
        """Do rounds as long as there is time for one."""
        while planned := self._unfinished() or self._next():
            self._do(planned)

    def account(self) -> Tally:
        """Write the results of all rounds as those of one run; answer the tally."""
        folders = [self.out / ROUNDS / one.name for one in self.rounds]
        tally = whole.gather(
            self.out, self.told, folders, self.asked.entries, every_case=not any(self._pending().values())
        )
        with opened(self.asked.history) as history:
            tally.findings = annotated(history, self.session, tally.findings)
            tally.digests[FINDINGS] = write_findings(self.out, tally.findings)
            self.told["digests"] = {name: digest.to_json() for name, digest in tally.digests.items()}
            self.told["history"] = account(history, self.session, self.out)
            history.sweep()
        complete.check_written(self.out, tally.digests)
        self._save()
        for one in self.rounds:
            if one.kind == GENERATE and not one.wrong:
                folder.remove(self.out / ROUNDS / one.name, "generated")  # the seed makes them again
        return tally

    def _unfinished(self) -> Round | None:
        return next((one for one in self.rounds if not one.done), None)

    def _next(self) -> Round | None:
        """Plan the next round, None if there is no time for it."""
        with opened(self.asked.history) as history:
            earlier = [Round.from_json(one) for one in history.rounds]
            for planned, there in self._choices(history, earlier):
                planned.files = self._size(planned, earlier, there)
                if planned.files:
                    del planned.chosen[planned.files :]
                    if planned.kind == GENERATE:
                        planned.seed = focused(history.next_seed % SEEDS, planned.focus)
                        history.next_seed += 1
                        history.save()
                    self.rounds.append(planned)
                    self._save()
                    return planned
        return None

    def _choices(self, history: History, earlier: Sequence[Round]) -> Iterator[tuple[Round, int | None]]:
        """Yield what could come next, the best first, and how many files there are at most."""
        number, engines = len(self.rounds) + 1, self.asked.sources.engines
        pending = self._pending(history)
        for format_ in sorted(pending, key=self._seconds_of_corpora):
            cases = pending[format_]
            if cases:
                first = cases[0].id
                yield Round(self.session.id, number, CORPORA, format_, engines, first=first), len(cases)
        # What is wrong with pushdown alone is asked without it, too; the rest would look otherwise then.
        for format_, by_pushdown in product(self.asked.formats, (False, True)):
            open_ = [
                record.signature
                for record in self._replayable(history, format_)
                if record.by_pushdown == by_pushdown
            ]
            if open_:
                yield Round(self.session.id, number, REPLAY, format_, engines, chosen=open_), len(open_)
        format_ = richest(earlier, self.asked.formats, engines)
        richer = focus(earlier, format_, engines)
        yield Round(self.session.id, number, GENERATE, format_, engines, focus=richer), None

    def _seconds_of_corpora(self, format_: str) -> float:
        """Return what the corpora of a format took so far: formats take turns."""
        return sum(one.seconds for one in self.rounds if (one.kind, one.format) == (CORPORA, format_))

    def _size(self, planned: Round, earlier: Sequence[Round], there: int | None) -> int:
        """Return how many files of a kind of round the time that is left is enough for, 0 if not for any."""
        budget, kind = self.asked.budget, planned.kind
        of_kind = sum(one.seconds for one in self.rounds if one.kind == kind)
        left = min(budget - self.clock.spent, SHARES[kind] * budget - of_kind)
        if left <= 0:
            return 0
        cost = measured(earlier, planned)
        most = GROWTH * max((one.files for one in earlier if one.like(planned)), default=FIRST)
        files = FIRST if cost is None else min(most, cost.files_within(slice_of(budget, left)))
        if there is not None and files >= there:
            return there
        return files if files >= FEW else 0

    def _pending(self, history: History | None = None) -> dict[str, list[Case]]:
        """Return the cases of the corpora that this night has not read, from where it is to go on."""
        found = {}
        for format_ in self.asked.formats:
            cases = list(self.corpora.get(format_, ()))
            mine = [one for one in self.rounds if (one.kind, one.format) == (CORPORA, format_)]
            first = mine[0].first if mine else history.corpora_next.get(format_, "") if history else ""
            found[format_] = _from(cases, first)[sum(one.files for one in mine) :]
        return found

    def _replayable(self, history: History, format_: str) -> list[Record]:
        """Return open findings that this night has not looked at, those looked at longest ago first."""
        tried = {signature for one in self.rounds for signature in one.chosen}
        versions = self.asked.sources.versions
        found = [
            record
            for record in history.records.values()
            if record.smallest
            and record.smallest.format == format_
            and record.signature not in tried
            and record.replayed != self.session.at
            and record.last.run != self.session.id
            and any(record.so_far(one) in {OPEN, FLAKY} for one in versions.get(record.engine, ()))
            and history.case(record)
        ]
        return sorted(found, key=lambda one: (one.replayed, one.last.at, one.signature))

    def _do(self, planned: Round) -> None:
        """Do a round, and take it into the history."""
        self.progress.note(f"round {planned.name}: {planned.files:,} files")
        out = self.out / ROUNDS / planned.name
        request = replace(self._request(planned), out=out)
        began, before = self.clock.spent, planned.seconds

        def save() -> None:
            planned.seconds = before + self.clock.spent - began
            self._save()

        if not _is_finished(out):
            self.asked.go(request, Saving(self.progress, self.asked.clock, save))
        with opened(self.asked.history) as history:
            known = {name: set(found) for name, found in history.features.items()}
            take(history, self.session, request, self.progress)
            weigh(planned, out, history, self.session.id, known.get(planned.format, set()))
            planned.done = True
            save()
            self._remember(planned, history)
            history.save()

    def _request(self, planned: Round) -> Request:
        sources = self.asked.sources
        if planned.kind == CORPORA:
            cases = _from(list(self.corpora[planned.format]), planned.first)[: planned.files]
            return sources.request(planned, cases, ())
        if planned.kind == GENERATE:
            return sources.request(planned, (), ())
        with opened(self.asked.history) as history:
            records = [history.records[one] for one in planned.chosen if one in history.records]
            held = [(record.signature, history.case(record)) for record in records]
            kept = [FindingCase(signature, "", case) for signature, case in held if case]
        return sources.request(planned, merged(kept), records)

    def _remember(self, planned: Round, history: History) -> None:
        key = planned.session, planned.number
        history.rounds = [one for one in history.rounds if (one["session"], one["number"]) != key]
        for one in history.rounds[:-REMEMBERED]:
            one.pop("yields", None)
        history.rounds.append(planned.to_json())
        if planned.kind == CORPORA:
            rest = self._pending()[planned.format]
            history.corpora_next[planned.format] = rest[0].id if rest else ""

    def _save(self) -> None:
        self.told["rounds"] = [one.to_json() for one in self.rounds]
        self.told["spent"] = round(self.clock.spent, 3)
        folder.save(self.out, self.told)


def _is_finished(out: Path) -> bool:
    return (out / "run.json").exists() and load_run(out)["finished"] is not None


def _from(cases: list[Case], first: str) -> list[Case]:
    """Return the cases beginning with the one of that id, those before it at the end."""
    place = next((place for place, case in enumerate(cases) if case.id == first), 0)
    return cases[place:] + cases[:place]
