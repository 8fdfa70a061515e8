"""The stage `fresh`: chosen cases are asked again, each in an engine process that has read nothing before.

Digests and the run's number (`Context.order`) choose the cases. At most `MOST` cases of a run are repeated,
each with the whole file and one of its queries, under the first configuration: this limits the cost, which is
the start of a process for each. For a heavy engine (Spark), whose start costs more than a sheet, the case is
asked again alone in a process that is there already: so the other files of its sheet, and their order, are
what differs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any

from corpora.cases import Case
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging.ask import ask_place, repeat
from harness.judging.column_features import of_repeated
from harness.judging.order import Earlier, Order, is_due, outcome_text, rank, shortest
from harness.judging.places import READ, Place, Process, Sheet
from harness.judging.records import known_entries, stored_from_json, stored_to_json
from harness.judging.settle import settle_order
from harness.judging.verdicts import judge_again
from harness.runs.pipeline import parts
from harness.runs.pipeline.context import Context
from harness.runs.pipeline.plan import SheetAt
from harness.runs.pipeline.pool import POOL, connect

MOST = 100  # cases of a run: a fiftieth of 5,000
_STARTED = "start"  # the phase of an engine that did not start


def ordered(context: Context, sheets: Sequence[SheetAt]) -> list[SheetAt]:
    """Return sheets in the order in which an engine process is asked for them."""
    number = context.order
    return list(sheets) if number is None else sorted(sheets, key=lambda place: rank(number, place.id))


def due(context: Context, sheet: Sheet) -> frozenset[int]:
    """Return the indices of the cases of a sheet that may be asked in fresh processes."""
    number = context.order
    if number is None:
        return frozenset()
    return frozenset(index for index, case in enumerate(sheet.cases) if is_due(case, number))


def ranked(context: Context, sheet: Sheet) -> list[list[int]]:
    """Return the rank and the index of each case of `due`, for the head of a judged sheet."""
    number = context.order or 0
    return [[rank(number, sheet.id, str(index)), index] for index in sorted(due(context, sheet))]


def chosen(context: Context, places: Sequence[SheetAt]) -> dict[str, tuple[Place, ...]]:
    """Return the cases that are asked in fresh processes, by the id of their sheet."""
    candidates = [
        (of_case, place.id, index)
        for place in places
        for of_case, index in context.head(context.part("judge", place.id))["due"]
    ]
    cases: dict[str, tuple[Place, ...]] = {}
    for _, identity, index in sorted(candidates)[:MOST]:
        cases[identity] = (*cases.get(identity, ()), Place(0, index))
    return cases


def lines(
    context: Context, process: Process, sheet: Sheet, cases: Sequence[Place]
) -> Iterator[dict[str, Any]]:
    """Yield the lines of a sheet's part: how many answers differ, then these.

    A line has the place, the outcome of the fresh process, and `order`: null if a third result equals the
    first, so that the result is random, or if the earlier reads are not known.
    """
    part = context.part("execute", sheet.id, process)
    differing: list[dict[str, Any]] = []
    if context.has(part):
        answers = context.answers(part)
        for place in _places(process, sheet, cases):
            warm = answers.get(place)
            if warm is not None and not warm.is_ours:
                look = _Look(context, process, sheet.cases[place.case], place, warm)
                differing += look.lines(answers.before(place))
    yield {"different": len(differing)}
    yield from differing


def _places(process: Process, sheet: Sheet, cases: Sequence[Place]) -> Iterator[Place]:
    """Yield the whole file of each case, and the query that its digest chooses."""
    if sheet.cases[0].format not in process.formats:
        return
    for place in cases:
        yield place
        case = sheet.cases[place.case]
        if case.probes and process.configs[0].probed:
            yield place._replace(probe=rank(0, case.sha256) % len(case.probes))


class _Look:
    """A look at one answer, `warm`, with fresh processes."""

    def __init__(self, context: Context, process: Process, case: Case, place: Place, warm: Outcome) -> None:
        self.context = context
        self.process = process
        self.case = case
        self.place = place
        self.warm = warm

    def lines(self, before: Sequence[Earlier]) -> Iterator[dict[str, Any]]:
        """Yield a line if the answer depends on whether the process is fresh."""
        if self.process.heavy:
            with POOL.lent(self.context, self.process) as connection:
                alone = ask_place(connection, self.process, self.case, self.place)
        else:
            alone = self._after(())
        if not _differ(alone, self.warm):
            return
        order = None
        if not self.process.heavy:
            again = self._after(())
            if not _differ(alone, again):
                order = self._order(alone, before).to_json()
        yield parts.answer(self.place, alone, order=order)

    def _order(self, alone: Outcome, before: Sequence[Earlier]) -> Order:
        """Return how the result depends on earlier reads."""
        sequence = None
        if OutcomeKind.HUNG not in {alone.kind, self.warm.kind}:  # each try would cost the time limit
            sequence = shortest(before, partial(self._is_as_warm, alone)) if before else None
        texts = outcome_text(alone), outcome_text(self.warm)
        return Order(*texts, sequence or (), len(before), repeated=sequence is not None)

    def _is_as_warm(self, alone: Outcome, requests: Sequence[Earlier]) -> bool:
        """Return whether the result of the case after these requests differs from its result alone."""
        after = self._after(requests)
        return _differ(alone, after) and not _differ(after, self.warm)

    def _after(self, requests: Sequence[Earlier]) -> Outcome:
        """Return the outcome in a new process, after requests."""
        with closing(connect(self.context, self.process)) as connection:
            for request in requests:
                repeat(connection, request)
            return ask_place(connection, self.process, self.case, self.place)


def _differ(first: Outcome, second: Outcome) -> bool:
    """Return whether two outcomes differ, other than by an engine that did not start."""
    if _STARTED in {first.detail.phase, second.detail.phase}:
        return False
    return judge_again(first, second) is not None


def different(context: Context, cases: Mapping[str, Collection[Place]]) -> set[str]:
    """Return the sheets in which an answer depends on whether the process is fresh."""
    sheets = set()
    for identity in cases:
        for process in context.processes:
            part = context.part("fresh", identity, process)
            if context.has(part) and context.head(part)["different"]:
                sheets.add(identity)
    return sheets


class Differing:
    """The answers of a sheet that depend on the order, for the stage `settle`."""

    def __init__(self, context: Context, sheet: Sheet) -> None:
        """Read them; raises OSError and DamagedPart."""
        self._known = known_entries(context.known)
        self._lines: dict[tuple[str, str, str, str], tuple[Case, Outcome, dict[str, Any]]] = {}
        for process in context.processes:
            part = context.part("fresh", sheet.id, process)
            if not context.has(part):
                continue
            warm = context.answers(context.part("execute", sheet.id, process))
            of_part = context.lines(part)
            next(of_part)
            for line in of_part:
                place = Place(line["config"], line["case"], line["probe"], line["way"])
                case = sheet.cases[place.case]
                key = (case.id, process.name, process.version, process.configs[place.config].text)
                before = warm.get(place)
                if before is not None:
                    self._lines.setdefault(key, (case, before, line))

    def applied(self, stored: dict[str, Any]) -> dict[str, Any]:
        """Return a row in its JSON form, changed if its answer depends on the order."""
        row = stored["row"]
        match = self._lines.get((row["case"], row["engine"], row["version"], row["config"]))
        if match is None:
            return stored
        case, warm, line = match
        alone = parts.outcome_from_json(line["outcome"])
        order = None if line["order"] is None else Order.from_json(line["order"])
        probe = line["probe"]
        query = None if probe == READ else str(case.probes[probe].query)
        columns = of_repeated(case, Place(line["config"], 0, probe, line["way"]))
        before, known = stored_from_json(stored), self._known
        settled = settle_order(before, alone, warm, known, order=order, query=query, columns=columns)
        return stored_to_json(settled)
