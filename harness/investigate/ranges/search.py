"""The bisection of known failures: first witnesses of each, then release after release for all."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from harness.environments.store import same
from harness.investigate.bisect import Bisection, State, bisection
from harness.investigate.ranges.asker import Asker, CannotStart, Question
from harness.investigate.ranges.lockstep import next_release, open_intervals, sampled, unasked
from harness.investigate.ranges.subjects import Subject
from harness.investigate.ranges.symptoms import Seen, Witness, seen, symptom_of

_WITNESSES = 3
_PROGRESS = 50  # failures between two messages of progress


@dataclass
class History:
    """A known failure, its witnesses, and its state at each release that was asked, by place."""

    subject: Subject
    witnesses: list[Witness] = field(default_factory=list)
    seen: dict[int, Seen] = field(default_factory=dict)

    @property
    def states(self) -> dict[int, State]:
        """Return the states by place."""
        return {place: each.state for place, each in self.seen.items()}

    def is_open(self, place: int) -> bool:
        """Return whether the failure begins or ends between neighbours of a release that were asked."""
        return any(low < place < high for low, high in open_intervals(self.states))

    def bisection(self, versions: Sequence[str]) -> Bisection:
        """Return the result so far."""
        return bisection(versions, self.states)


@dataclass
class Search:
    """The search over releases, from old to new; `cheap` are those that are installed.

    `is_whole`: there are no older releases.
    `ends` is the time at which no further release is begun, by `clock`; `base` the release at which witnesses
    are looked for first. `skipped` has the releases that cannot be asked, by place, and why.
    """

    asker: Asker
    versions: Sequence[str]
    say: Callable[[str], object]
    sample: int = 2
    is_whole: bool = True
    cheap: Sequence[str] = ()
    base: str = ""
    ends: float = float("inf")
    clock: Callable[[], float] = time.monotonic
    visited: list[int] = field(default_factory=list)
    skipped: dict[int, str] = field(default_factory=dict)

    def run(self, subjects: Sequence[Subject]) -> list[History]:
        """Return the history of each failure; those without cases have an empty one."""
        histories = [History(subject) for subject in subjects]
        if not self.versions:
            return histories
        self._find_witnesses(histories)
        cheap = {
            place
            for place, version in enumerate(self.versions)
            if any(same(version, installed) for installed in self.cheap)
        }
        while self.clock() < self.ends:
            states = [history.states for history in histories]
            place = next_release(len(self.versions), states, self.visited, sample=self.sample, cheap=cheap)
            if place is None:
                break
            self.visited.append(place)
            relevant = [history for history in histories if history.witnesses]
            if place not in sampled(len(self.versions), self.sample):
                relevant = [history for history in relevant if history.is_open(place)]
            self._visit(place, relevant)
        return histories

    def unasked(self, history: History) -> list[tuple[int, int]]:
        """Return the neighbours between which the failure begins or ends and releases were not asked."""
        return unasked(history.states, self.visited)

    def _find_witnesses(self, histories: Sequence[History]) -> None:
        """Ask the base release for cases that show each failure; where none does, the smallest ones serve."""
        base = self.base or self.versions[-1]
        self.say(f"{base}: looking for cases that show {len(histories)} known failures")
        for number, history in enumerate(histories):
            if number and number % _PROGRESS == 0:
                self.say(f"{base}: looked for {number} of {len(histories)}")
            try:
                self._witnesses_at(base, history)
            except CannotStart as error:
                self.say(f"{base}: {error}")
                base = ""
            if not base:
                break
        for history in histories:
            history.witnesses = history.witnesses or [
                Witness(case) for case in history.subject.cases[:_WITNESSES]
            ]

    def _witnesses_at(self, version: str, history: History) -> None:
        for case in history.subject.cases:
            question = Question(case, history.subject.config)
            (reply,) = self.asker.ask(version, [question]).values()
            symptom = symptom_of(history.subject, reply)
            if symptom:
                history.witnesses.append(Witness(case, symptom))
            if len(history.witnesses) == _WITNESSES:
                return

    def _visit(self, place: int, histories: Sequence[History]) -> None:
        """Ask a release all witnesses."""
        version = self.versions[place]
        questions = {
            question.key: question
            for history in histories
            for question in (Question(witness.case, history.subject.config) for witness in history.witnesses)
        }
        try:
            replies = self.asker.ask(version, questions.values())
        except CannotStart as error:
            self.skipped[place] = str(error)
            for history in histories:
                history.seen[place] = Seen(State.SKIPPED, str(error))
            self.say(f"{version}: skipped: {error}")
            return
        for history in histories:
            history.seen[place] = seen(history.subject, history.witnesses, replies, history.subject.config)
        counts = Counter(history.seen[place].state for history in histories)
        self.say(f"{version}: {', '.join(f'{counts[state]} {state}' for state in State if counts[state])}")
