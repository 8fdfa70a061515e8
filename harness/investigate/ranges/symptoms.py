"""The state of a known failure at a release: the same failure, another one, or none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from corpora.cases import Case
from corpora.known_failures import match
from harness.children.outcomes import OutcomeKind
from harness.investigate.bisect import State
from harness.investigate.ranges.asker import Reply
from harness.investigate.ranges.subjects import Subject
from harness.judging.records import PROBLEMS
from harness.judging.results import Row
from harness.judging.signature import Signature, Stored, judged_of
from harness.judging.verdicts import Verdict

_NO_ANSWER = {Verdict.CRASHED, Verdict.HUNG, Verdict.OUT_OF_MEMORY, Verdict.UNSTABLE, Verdict.CONTESTED}
# Of the first, values or a rule say what happens, in colconf's words; of the others, the engine's message.
_BY_CAUSE = {Verdict.DIFFERENT, Verdict.ACCEPTED_INVALID}
_BY_MESSAGE = {Verdict.REFUSED_VALID, Verdict.PANICKED, Verdict.UNSUPPORTED}
_WORD = re.compile(r"[A-Za-z_]{3,}")
_SHARED = 0.6  # of the words of the shorter message


class Symptom(NamedTuple):
    """The symptom of a failure, without version and configuration: the parts of a signature."""

    verdict: str
    cause: str
    about: str | None

    def resembles(self, other: Symptom) -> bool:
        """Return whether two failures of one case look alike."""
        if self.verdict != other.verdict:
            return False
        if self.verdict in _BY_CAUSE:
            return self[1:] == other[1:]
        return self.verdict not in _BY_MESSAGE or _alike(self.cause, other.cause)

    def __str__(self) -> str:
        about = f" in {self.about}" if self.about is not None else ""
        return f"{self.verdict}: {self.cause}{about}"


@dataclass
class Witness:
    """A case that shows a failure, and the symptom, None until it was seen."""

    case: Case
    symptom: Symptom | None = None


class Seen(NamedTuple):
    """The state of a failure at a release, with a line on it; `otherwise`: it fails in another way."""

    state: State
    description: str
    otherwise: bool = False


def symptom_of(subject: Subject, reply: Reply) -> Symptom | None:
    """Return the symptom of a failure if a reply shows the failure, as a run would find it."""
    rows = () if reply.is_fine else reply.rows(subject.before)
    return next((_symptom(stored) for stored in rows if _is_shown(subject, stored)), None)


def seen(
    subject: Subject, witnesses: Iterable[Witness], replies: Mapping[tuple[str, str], Reply], config: str
) -> Seen:
    """Return the state of a failure by the replies of a release to its witnesses."""
    every = [
        _of_row(subject, witness, stored)
        for witness in witnesses
        for stored in replies[config, witness.case.id].rows(subject.before)
    ]
    ranks = (
        lambda each: each.state is State.BAD,
        lambda each: each.otherwise,
        lambda each: each.state is State.GOOD,
        lambda _: True,
    )
    nothing = Seen(State.SKIPPED, "no answer")
    return next((each for rank in ranks for each in every if rank(each)), nothing)


def _of_row(subject: Subject, witness: Witness, stored: Stored) -> Seen:
    row, symptom = stored.row, _symptom(stored)
    if _is_shown(subject, stored):
        witness.symptom = witness.symptom or symptom
        if witness.symptom.resembles(symptom) or subject.entry.verdict == Verdict.UNSTABLE:
            return Seen(State.BAD, str(symptom))
    reason = _not_asked(row)
    lacks_tables = witness.case.read is not None and row.verdict == Verdict.UNSUPPORTED
    if reason or lacks_tables or row.verdict in _NO_ANSWER:
        return Seen(State.SKIPPED, reason or row.verdict)
    if row.verdict in PROBLEMS:
        return Seen(State.GOOD, str(symptom), otherwise=True)
    return Seen(State.GOOD, row.verdict)


def _is_shown(subject: Subject, stored: Stored) -> bool:
    judged = judged_of(stored)
    scope = subject.scope
    return scope.expects(judged.verdict) and scope.resembles(judged) and match(subject.before, judged) is None


def _not_asked(row: Row) -> str:
    """Return why a row says nothing of the release: adapter or binding failed; else ""."""
    detail = row.detail
    if row.outcome == OutcomeKind.MISSPOKE or detail.origin:
        text = f"{detail.error_class}: {detail.message}".strip(": ")
        return f"the {detail.origin or 'adapter'} cannot ask: {next(iter(text.splitlines()), '')}"
    if detail.probes.not_asked and row.verdict not in PROBLEMS:
        return f"the adapter cannot ask {detail.probes.not_asked} of its queries"
    return ""


def _symptom(stored: Stored) -> Symptom:
    signature = Signature.of(replace(stored, scope=""))
    return Symptom(signature.verdict, signature.cause, signature.about)


def _alike(message: str, other: str) -> bool:
    """Return whether most words of the shorter message are in the other; releases word messages anew."""
    words, others = (set(map(str.lower, _WORD.findall(text))) for text in (message, other))
    if not words or not others:
        return message == other
    return len(words & others) >= _SHARED * min(len(words), len(others))
