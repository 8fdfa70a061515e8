"""The results of a bisection of known failures: ranges, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness.investigate.bisect import State
from harness.investigate.ranges.search import History, Search


@dataclass(frozen=True)
class Range:
    """The versions of a known failure as found.

    `versions` is the range of the releases that were seen to fail, "" for all; None if there is none, because
    of `why`. `gaps` are the neighbours between which nothing was asked, with the number of releases there;
    `otherwise` releases that fail in another way, and how.
    """

    history: History
    versions: str | None
    why: str
    gaps: tuple[tuple[str, str, int], ...]
    otherwise: dict[str, str]
    visited: dict[str, tuple[State, str]]

    @property
    def is_new(self) -> bool:
        """Return whether there is a range that is not the one that the entry has."""
        return self.versions is not None and self.versions != self.history.subject.entry.versions

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        entry = self.history.subject.entry
        return {
            "case": entry.case,
            "verdict": entry.verdict,
            "config": dict(entry.config),
            "signature": entry.signature,
            "finding": entry.finding,
            "reason": entry.reason,
            "before": entry.versions,
            "versions": self.versions,
            "why": self.why,
            "witnesses": [witness.case.id for witness in self.history.witnesses],
            "gaps": [list(gap) for gap in self.gaps],
            "otherwise": self.otherwise,
            "asked": [
                {"version": version, "state": state.value, "description": text}
                for version, (state, text) in self.visited.items()
            ],
        }


def ranges(search: Search, histories: Sequence[History]) -> list[Range]:
    """Return the result for each history."""
    return [_range(search, history) for history in histories]


def _range(search: Search, history: History) -> Range:
    versions = search.versions
    result, why = None, history.subject.why
    if not why:
        try:
            result = _from_the_first(search, history, history.bisection(versions).versions)
        except ValueError as error:
            why = f"{error}: {_runs(search, history)}" if State.BAD in history.states.values() else str(error)
    visited = {
        versions[place]: (each.state, each.description) for place, each in sorted(history.seen.items())
    }
    gaps = tuple((versions[low], versions[high], high - low - 1) for low, high in search.unasked(history))
    otherwise = {
        versions[place]: each.description for place, each in sorted(history.seen.items()) if each.otherwise
    }
    return Range(history, result, why, gaps, otherwise, visited)


def _from_the_first(search: Search, history: History, versions: str) -> str:
    """Return a range that begins at a release that was seen to fail, unless that is the oldest of all."""
    first = min(place for place, state in history.states.items() if state is State.BAD)
    if versions.startswith(">") or (first == 0 and search.is_whole):
        return versions
    return ",".join(filter(None, (f">={search.versions[first]}", versions)))


def _runs(search: Search, history: History) -> str:
    """Return the releases by runs of one state, such as `3 to 5 bad, 6 good, 7 bad`."""
    runs: list[tuple[State, list[str]]] = []
    for place, state in sorted(history.states.items()):
        if state is State.SKIPPED:
            continue
        if not runs or runs[-1][0] is not state:
            runs.append((state, []))
        runs[-1][1].append(search.versions[place])
    return ", ".join(
        f"{run[0]} {state}" if len(run) == 1 else f"{run[0]} to {run[-1]} {state}" for state, run in runs
    )
