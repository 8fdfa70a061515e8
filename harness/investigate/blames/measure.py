"""The vote's blames on files of known meaning, counted.

The files have no recorded expectation, as in `colconf run --files`; any subset of engines answers. A blame is
a problem by an expectation that is not contested. It is *wrong* if the answer is right by the file's truth,
and *baseless* if the expectation rests on neither a clause nor two lineages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import NamedTuple, Self

from corpora.cases import Case, Expectation
from corpora.importers import import_paths
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.engines.reference.adapter import Reference
from harness.judging.ballots import REFERENCE, Ballot
from harness.judging.case_files import features_in
from harness.judging.claims import silent
from harness.judging.evidence import Evidence, evidence_of
from harness.judging.records import PROBLEMS, is_blame, is_by_expectation
from harness.judging.verdicts import Verdict, judge
from harness.judging.vote import vote
from properties.truths import Truth
from reference_impl.errors import ReferenceError_

_ON_THE_FILE = {Verdict.AGREE, Verdict.EQUIVALENT, Verdict.REFUSED_AS_EXPECTED, Verdict.REFUSED_OTHERWISE}


@dataclass(frozen=True)
class Known:
    """A file with its truth, and what judging it needs beside the engines' answers."""

    truth: Truth
    case: Case
    features: tuple[str, ...]
    evidence: Evidence
    reference: Outcome

    def is_right(self, ballot: Ballot) -> bool:
        """Return whether an answer is right by the truth; one that is no answer is never wrong."""
        return judge(self.truth.expectation, ballot.outcome, ballot.claimed).verdict not in PROBLEMS


@dataclass(frozen=True)
class Answers:
    """The answers to a file, by engine, those of the reference among them, and which of them are right."""

    known: Known
    ballots: Mapping[str, Ballot]
    right: Mapping[str, bool]

    @classmethod
    def of(cls, known: Known, ballots: Mapping[str, Ballot]) -> Self:
        """Return the answers of engines, and of the reference."""
        reference = Ballot(known.reference, about(known, ()), REFERENCE, REFERENCE)
        given = {**ballots, REFERENCE: reference}
        return cls(known, given, {engine: known.is_right(ballot) for engine, ballot in given.items()})

    def without_reference(self) -> Answers:
        """Return the same answers to a file of which the reference says nothing (`abstaining`)."""
        ballots = {engine: ballot for engine, ballot in self.ballots.items() if engine != REFERENCE}
        return Answers.of(abstaining(self.known), ballots)


class Blame(NamedTuple):
    """A wrong or baseless blame: the file, the engine that is blamed, all that answered, and why."""

    file: str
    engine: str
    engines: tuple[str, ...]
    verdict: str
    wrong: bool
    expectation: Expectation


@dataclass
class Tally:
    """Counts for sets of engines: answers, those that are wrong, those of them that are blamed."""

    subsets: int = 0
    files: int = 0
    answers: int = 0
    mistakes: int = 0
    blamed: int = 0
    false: list[Blame] = field(default_factory=list)

    @property
    def wrong(self) -> int:
        """Return how many right answers are blamed."""
        return sum(blame.wrong for blame in self.false)

    @property
    def baseless(self) -> int:
        """Return how many wrong answers are blamed without a clause or two lineages."""
        return len(self.false) - self.wrong


def known_files(folder: Path, truths: Sequence[Truth]) -> Iterator[Known]:
    """Write files into a folder, alone, and yield them as `--files` imports them, read by the reference."""
    by_path = {truth.write(folder): truth for truth in truths}
    for case in import_paths([folder]).cases:
        reference = _read(case)
        features = features_in(case)
        yield Known(by_path[case.file], case, features, evidence_of(case, reference), reference)


def abstaining(known: Known) -> Known:
    """Return a file whose reference reaches a limit: without its table, and without the validator."""
    limited = Outcome(OutcomeKind.LIMITED)
    evidence = evidence_of(known.case, limited)
    return replace(known, reference=limited, evidence=evidence)


def _read(case: Case) -> Outcome:
    """Return the outcome of the reference, as its adapter has it."""
    adapter = Reference()
    try:
        return Outcome(OutcomeKind.TABLE, adapter.read(str(case.file), case.format, {}))
    except ReferenceError_ as error:
        kind = OutcomeKind(adapter.classify(error))
        return Outcome(kind, detail=Detail(type(error).__name__, str(error)))


def about(known: Known, claimed: Sequence[str]) -> tuple[str, ...]:
    """Return the equivalences that an engine claims for a file, with those that hold for every engine."""
    return (*claimed, *silent(known.features))


def subsets(engines: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield all subsets of engines, the small ones first."""
    for size in range(1, len(engines) + 1):
        yield from combinations(engines, size)


def measure(answers: Answers, engines: Sequence[str], tally: Tally) -> None:
    """Judge the answers of a set of engines to a file; the reference reads along, and is judged too."""
    known = answers.known
    cast = {engine: answers.ballots[engine] for engine in (*engines, REFERENCE) if engine in answers.ballots}
    recorded = known.case.expectation
    decided = recorded if recorded.kind != "accept" else vote(cast, known.reference, known.evidence)
    verdicts = {
        engine: judge(decided, ballot.outcome, ballot.claimed).verdict for engine, ballot in cast.items()
    }
    supporting = {cast[engine].lineage for engine, verdict in verdicts.items() if verdict in _ON_THE_FILE}
    supporting -= {cast[engine].lineage for engine, verdict in verdicts.items() if is_by_expectation(verdict)}
    tally.files += 1
    for engine, verdict in verdicts.items():
        right = answers.right[engine]
        blamed = is_blame(decided, verdict)
        tally.answers += 1
        tally.mistakes += not right
        tally.blamed += blamed and not right
        # The clause of a broken rule says who may accept the file, and nothing of its values.
        has_clause = decided.clause and verdict == Verdict.ACCEPTED_INVALID
        baseless = is_by_expectation(verdict) and not (has_clause or len(supporting) > 1)
        if blamed and (right or baseless):
            tally.false.append(Blame(known.case.id, engine, tuple(engines), verdict, right, decided))
