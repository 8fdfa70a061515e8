"""A finding of the site, its state in each release, and what releases changed."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from harness.investigate.findings.upstream import State as Upstream
from reports.site.places import Version, by_age
from reports.verdicts import describe

SHOWS, FINE, OTHERWISE, NOT_ASKED = "shows it", "right", "fails in another way", "not tested"
CONFIRMED, LISTED, SEEN = KINDS = ("confirmed", "known failure", "not confirmed")


class State(NamedTuple):
    """The state of a finding in a release: a word, and the cases and configurations that show it.

    If its cases fail in another way, `others` has the ids of the findings that they show, or their verdicts.
    """

    version: Version
    word: str
    shows: frozenset[tuple[str, str]] = frozenset()
    others: tuple[str, ...] = ()

    @property
    def cases(self) -> int:
        """Return the number of cases that show it."""
        return len({case for case, _ in self.shows})


@dataclass(frozen=True)
class FindingRecord:
    """A finding; `counts` has for each run the cases that showed it, None where the run asked none of them.

    `kind`: a confirmed finding; a known failure, of which `corpora/known` names the cause, but which nobody
    made a finding; or a signature that nobody has looked at, which is its id. Only the first has a script and
    a minimal case, `minimal`. `range` are the versions of the entry in `corpora/known`, which
    `colconf known bisect` finds. `states` are those of the releases that the runs asked. `seen` has the
    starts of the runs that showed it, `newest` that of the newest run, `upstream` the state of its issue,
    None if not given. `avoided` are the configurations in which the last bad release is right about its
    cases.
    `config` is the configuration of a signature; `apart` distinguishes it from other signatures with the same
    title.
    """

    id: str
    engine: str
    verdict: str
    symptom: str
    kind: str
    cases: tuple[str, ...]
    states: tuple[State, ...]
    counts: tuple[int | None, ...]
    clause: str = ""
    reason: str = ""
    url: str = ""
    range: str = ""
    configs: tuple[str, ...] = ()
    script: str = ""
    language: str = ""
    minimal: str = ""
    avoided: tuple[str, ...] = ()
    config: str = ""
    apart: str = ""
    seen: tuple[str, ...] = ()
    newest: str = ""
    upstream: Upstream | None = None

    @property
    def confirmed(self) -> bool:
        """Return whether it is a confirmed finding."""
        return self.kind == CONFIRMED

    @property
    def title(self) -> str:
        """Return the text of links to it: its id if it is confirmed, else engine, verdict and symptom."""
        if self.confirmed:
            return self.id
        config = f" with {self.config}" if self.config else ""
        apart = f" ({self.apart})" if self.apart else ""
        return f"{self.engine}{config}, {describe(self.verdict).label}: {self.symptom}{apart}"

    @property
    def age(self) -> str:
        """Return since when the runs show it, and how long it has been open, or was; "" if none shows it."""
        if not self.seen:
            return ""
        first, last = self.seen[0][:10], self.seen[-1][:10]
        if self.now in {SHOWS, OTHERWISE}:
            return f"first seen {first}, open for {_days(first, self.newest[:10])}"
        untested = "; the newest release was not tested" if self.now == NOT_ASKED else ""
        return f"first seen {first}, last seen {last}{untested}"

    @property
    def days(self) -> int:
        """Return for how many days it has been open at the newest run, -1 if it is not."""
        is_open = self.seen and self.now in {SHOWS, OTHERWISE}
        return _between(self.seen[0][:10], self.newest[:10]) if is_open else -1

    @property
    def bad(self) -> list[State]:
        """Return the releases that show it, from old to new."""
        return [state for state in self.states if state.word == SHOWS]

    @property
    def now(self) -> str:
        """Return what the newest release does, `not tested` if no run asked it."""
        return self.states[-1].word if self.states else NOT_ASKED

    @property
    def last(self) -> State | None:
        """Return the state of the newest release that was asked, None if none was."""
        asked_states = [state for state in self.states if state.word != NOT_ASKED]
        return asked_states[-1] if asked_states else None

    @property
    def now_in_words(self) -> str:
        """Return what the newest release does, and if it was not tested, what the last one before it did."""
        if self.now == NOT_ASKED and self.last:
            return f"{NOT_ASKED}; {self.last.version.version}, the last that was: {self.last.word}"
        return self.now

    @property
    def releases(self) -> str:
        """Return the first and the last bad release among those of the runs, in words."""
        if not self.last:
            return "not tested: no run of this site read its cases"
        if not self.bad:
            return "no release of these runs shows it"
        text = ", and ".join(_spans(self.states))
        later = [
            state
            for state in self.states
            if state.word == FINE and by_age(state.version) > by_age(self.bad[-1].version)
        ]
        fixed = f", right since {later[0].version.version}" if later else ""
        return (text if len(self.bad) > 1 else f"only {text}") + fixed


def _spans(states: Sequence[State]) -> Iterator[str]:
    """Yield from which release to which a finding shows, between releases that are right."""
    tested = [state for state in states if state.word in {SHOWS, FINE}]
    for is_bad, group in itertools.groupby(tested, lambda state: state.word == SHOWS):
        versions = [state.version.version for state in group]
        if is_bad:
            yield versions[0] if len(versions) == 1 else f"{versions[0]} to {versions[-1]}"


def _between(first: str, last: str) -> int:
    """Return the days between two dates, 0 where one of them is none."""
    try:
        return max(0, (dt.date.fromisoformat(last) - dt.date.fromisoformat(first)).days)
    except ValueError:  # a run of others
        return 0


def _days(first: str, last: str) -> str:
    count = _between(first, last)
    return f"{count:,} day{'s' * (count != 1)}"
