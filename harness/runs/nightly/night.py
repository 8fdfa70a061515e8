"""A night: rounds until the budget ends, each a run in its own folder, merged into one set of results.

`run.json` of the night has the planned rounds and their progress: a night that was killed continues with the
unfinished round, and the time spent before counts.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from corpora.cases import Case
from corpora.features import many_rows
from harness.judging.results import FINDINGS, load_run
from harness.judging.run_record import RunRecord
from harness.judging.verdicts import OF_WRITERS
from harness.runs.history.confirm import merged, take
from harness.runs.history.records import FLAKY, OPEN, Record
from harness.runs.history.session import Session, account, annotated
from harness.runs.history.store import History, opened
from harness.runs.nightly import whole
from harness.runs.nightly.clock import Clock, Saving
from harness.runs.nightly.costs import measured
from harness.runs.nightly.plan import Night
from harness.runs.nightly.rounds import (
    CORPORA,
    FEW,
    FIRST,
    GENERATE,
    GROWTH,
    LARGE,
    LARGE_FILES,
    REMEMBERED,
    REPLAY,
    SHARES,
    WRITING,
    Round,
    focus,
    large,
    richest,
    slice_of,
    writing,
)
from harness.runs.nightly.weighing import weigh
from harness.runs.pipeline import complete, folder
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.finding_cases import FindingCase
from harness.runs.pipeline.request import Request, begun, greeting
from harness.runs.pipeline.run import Progress
from harness.runs.pipeline.store import Tally, write_findings
from properties.focus import SEEDS, focused

ROUNDS = "rounds"


def night(plan: Night, progress: Progress) -> tuple[RunRecord, Tally]:
    """Run the night; return its record, and the tally.

    Raises PipelineError, HistoryError, CaseError, ResultsError and OSError.
    """
    request = plan.request
    with folder.locked(request.out):
        state, before = folder.prepare(request.out, request.settings, overwrite=request.overwrite)
        for text in greeting(request, state, before):
            progress.note(text)
        record = folder.save(request.out, before or replace(begun(request), rounds=[], spent=0.0))
        with opened(plan.history) as history:
            for text in history.damaged():
                progress.note(text)
        rounds_of_night = _Night(plan, record, progress)
        rounds_of_night.rounds_until_the_end()
        if not rounds_of_night.rounds:
            raise PipelineError(
                f"{plan.budget:g} seconds are not enough for a single round; give a longer --time-budget"
            )
        return rounds_of_night.account()


class _Night:
    """A night that is being run."""

    def __init__(self, plan: Night, record: RunRecord, progress: Progress) -> None:
        self.plan = plan
        self.record = record
        self.progress = progress
        self.session = Session.of(record)
        self.clock = Clock(plan.clock, record.spent or 0.0)
        self.rounds = [Round.from_json(round_json) for round_json in record.rounds or ()]
        self.corpora = plan.sources.corpora()

    @property
    def out(self) -> Path:
        return self.plan.request.out

    def rounds_until_the_end(self) -> None:
        """Run rounds as long as there is time for another."""
        while planned := next((round_ for round_ in self.rounds if not round_.done), None) or self._next():
            self._do(planned)

    def account(self) -> tuple[RunRecord, Tally]:
        """Write the results of all rounds as the results of one run; return its record and the tally."""
        folders = [self.out / ROUNDS / round_.name for round_ in self.rounds]
        left = {format_: len(cases) for format_, cases in self._pending().items() if cases}
        for format_, count in left.items():
            read = f"{len(self.corpora[format_]) - count:,} of {len(self.corpora[format_]):,} cases read"
            self.progress.note(f"corpora of {format_}: {read}; the next night begins with the rest")
        out, entries = self.out, self.plan.entries
        self.record, tally = whole.gather(out, self.record, folders, entries, every_case=not left)
        with opened(self.plan.history) as history:
            tally.findings = annotated(history, self.session, tally.findings)
            tally.digests[FINDINGS] = write_findings(self.out, tally.findings)
            digests = {name: digest.to_json() for name, digest in tally.digests.items()}
            states = account(history, self.session, self.out)
            self.record = replace(self.record, digests=digests, history=states)
            history.sweep()
        complete.check_written(self.out, tally.digests)
        self._save()
        for round_ in self.rounds:
            if round_.generates and not round_.wrong:
                for name in ("generated", "written"):  # the seed generates them again
                    folder.remove(self.out / ROUNDS / round_.name, name)
        return self.record, tally

    def _next(self) -> Round | None:
        """Return the next round, None if there is no time for another."""
        with opened(self.plan.history) as history:
            earlier = [Round.from_json(round_json) for round_json in history.rounds]
            for planned, there in self._choices(history, earlier):
                planned.files = self._size(planned, earlier, there)
                if planned.files:
                    del planned.chosen[planned.files :]
                    if planned.generates:
                        planned.seed = focused(history.next_seed % SEEDS, planned.focus)
                        history.next_seed += 1
                        history.save()
                    self.rounds.append(planned)
                    self._save()
                    return planned
        return None

    def _choices(self, history: History, earlier: Sequence[Round]) -> Iterator[tuple[Round, int | None]]:
        """Yield candidates for the next round, best first, with the number of files available (None: any)."""
        number, engines = len(self.rounds) + 1, self.plan.sources.engines
        spent = self.clock.spent
        if format_ := large(self.rounds, self.plan.formats, spent, self.plan.budget - spent):
            feature = many_rows(format_)
            yield Round(self.session.id, number, LARGE, format_, engines, focus=feature), LARGE_FILES
        pending = self._pending(history)
        for format_ in sorted(pending, key=self._seconds_of_corpora):
            cases = pending[format_]
            if cases:
                first = cases[0].id
                yield Round(self.session.id, number, CORPORA, format_, engines, first=first), len(cases)
        # Pushdown findings are also replayed without pushdown; that would change other findings' signatures.
        for format_, by_pushdown in product(self.plan.formats, (False, True)):
            open_ = [
                record.signature
                for record in self._replayable(history, format_)
                if record.by_pushdown == by_pushdown
            ]
            if open_:
                yield Round(self.session.id, number, REPLAY, format_, engines, chosen=open_), len(open_)
        writers = [each for each in product(WRITING, self.plan.formats) if self.plan.sources.writes(*each)]
        if turn := writing(self.rounds, writers):
            yield Round(self.session.id, number, *turn, engines), None
        format_ = richest(earlier, self.plan.formats, engines)
        feature = focus(earlier, format_, engines)
        yield Round(self.session.id, number, GENERATE, format_, engines, focus=feature), None

    def _seconds_of_corpora(self, format_: str) -> float:
        """Return the seconds spent on the corpora of a format; the format with the fewest comes next."""
        return sum(
            round_.seconds for round_ in self.rounds if (round_.kind, round_.format) == (CORPORA, format_)
        )

    def _size(self, planned: Round, earlier: Sequence[Round], there: int | None) -> int:
        """Return the number of files for a planned round in the time left, 0 for no round."""
        budget, kind = self.plan.budget, planned.kind
        of_kind = sum(round_.seconds for round_ in self.rounds if round_.kind == kind)
        left = min(budget - self.clock.spent, SHARES[kind] * budget - of_kind)
        if left <= 0:
            return 0
        cost = measured(earlier, planned)
        if kind == LARGE:
            files = 1 if cost is None else min(LARGE_FILES, cost.files_within(left))
            if not files:
                self.progress.note("no large files: a round of them takes longer than is left")
            return files
        first = FEW if kind in WRITING else FIRST
        most = GROWTH * max((round_.files for round_ in earlier if round_.like(planned)), default=first)
        files = first if cost is None else min(most, cost.files_within(slice_of(budget, left)))
        if there is not None and files >= there:
            return there
        return files if files >= FEW else 0

    def _pending(self, history: History | None = None) -> dict[str, list[Case]]:
        """Return the unread cases of the corpora by format, in the order in which the night reads them."""
        pending = {}
        for format_ in self.plan.formats:
            cases = list(self.corpora.get(format_, ()))
            mine = [round_ for round_ in self.rounds if (round_.kind, round_.format) == (CORPORA, format_)]
            first = mine[0].first if mine else history.corpora_next.get(format_, "") if history else ""
            pending[format_] = _from(cases, first)[sum(round_.files for round_ in mine) :]
        return pending

    def _replayable(self, history: History, format_: str) -> list[Record]:
        """Return open findings that this night has not replayed, least recently replayed first."""
        tried = {signature for round_ in self.rounds for signature in round_.chosen}
        versions = self.plan.sources.versions
        records = [
            record
            for record in history.records.values()
            if record.smallest
            and record.verdict not in OF_WRITERS
            and record.smallest.format == format_
            and record.signature not in tried
            and self.session.id not in {record.replayed_by, record.last.run}
            and any(record.so_far(version) in {OPEN, FLAKY} for version in versions.get(record.engine, ()))
            and history.case(record)
        ]
        return sorted(records, key=lambda record: (record.replayed, record.last.at, record.signature))

    def _do(self, planned: Round) -> None:
        """Run a round, and add its results to the history."""
        self.progress.note(f"round {planned.name}: {planned.files:,} files")
        out = self.out / ROUNDS / planned.name
        request = replace(
            self._request(planned), out=out, order=_day(self.record) if self.plan.fresh else None
        )
        began, before = self.clock.spent, planned.seconds

        def save() -> None:
            planned.seconds = before + self.clock.spent - began
            self._save()

        if not _is_finished(out):
            self.plan.go(request, Saving(self.progress, self.plan.clock, save))
        with opened(self.plan.history) as history:
            known = {name: set(features) for name, features in history.features.items()}
            take(history, self.session, request, self.progress)
            weigh(planned, out, history, self.session.id, known.get(planned.format, set()))
            planned.done = True
            save()
            self._remember(planned, history)
            history.save()

    def _request(self, planned: Round) -> Request:
        sources = self.plan.sources
        if planned.kind == CORPORA:
            cases = _from(list(self.corpora[planned.format]), planned.first)[: planned.files]
            return sources.request(planned, cases, ())
        if planned.generates:
            return sources.request(planned, (), ())
        with opened(self.plan.history) as history:
            records = [
                history.records[signature] for signature in planned.chosen if signature in history.records
            ]
            held = [(record.signature, history.case(record)) for record in records]
            finding_cases = [FindingCase(signature, "", case) for signature, case in held if case]
        return sources.request(planned, merged(finding_cases), records)

    def _remember(self, planned: Round, history: History) -> None:
        key = planned.session, planned.number
        history.rounds = [
            round_json
            for round_json in history.rounds
            if (round_json["session"], round_json["number"]) != key
        ]
        for round_json in history.rounds[:-REMEMBERED]:
            round_json.pop("yields", None)
        history.rounds.append(planned.to_json())
        if planned.kind == CORPORA:
            rest = self._pending()[planned.format]
            history.corpora_next[planned.format] = rest[0].id if rest else ""

    def _save(self) -> None:
        rounds = [round_.to_json() for round_ in self.rounds]
        self.record = replace(self.record, rounds=rounds, spent=round(self.clock.spent, 3))
        folder.save(self.out, self.record)


def _day(record: RunRecord) -> int:
    """Return the number of the day on which a night began: each night has another share of fresh looks."""
    return dt.datetime.fromisoformat(record.started).toordinal()


def _is_finished(out: Path) -> bool:
    return (out / "run.json").exists() and load_run(out).finished is not None


def _from(cases: list[Case], first: str) -> list[Case]:
    """Return the cases rotated so that the case with the id `first` comes first."""
    place = next((place for place, case in enumerate(cases) if case.id == first), 0)
    return cases[place:] + cases[:place]
