"""One run of the site: its counts, changes and failures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from reports.model import Cell
from reports.site.places import Place, Version, by_age


class Change(NamedTuple):
    """A case whose verdict under the same version is another one than in the run before."""

    case: str
    place: Place
    before: str
    after: str


class Failure(NamedTuple):
    """A case with a wrong result in a run, and the finding that the result shows: `Answer.finding`."""

    case: str
    place: Place
    verdict: str
    finding: str


class Cases:
    """A set of cases by number: a bit for each, since a history has many runs."""

    def __init__(self) -> None:
        self._bits = bytearray()

    def add(self, number: int) -> None:
        """Add the number of a case."""
        missing = number // 8 + 1 - len(self._bits)
        if missing > 0:
            self._bits.extend(bytes(missing))
        self._bits[number // 8] |= 1 << number % 8

    def __contains__(self, number: int) -> bool:
        return number // 8 < len(self._bits) and bool(self._bits[number // 8] >> number % 8 & 1)


class Sighting(NamedTuple):
    """A finding as one run showed it in one version, and its state in the history.

    `results` counts cases under configurations: a case that shows it in two of them counts twice.
    """

    finding: str
    version: Version
    results: int
    state: str


@dataclass
class Run:
    """One run; `cells` counts its results by version and format, `seconds` is wall time, 0.0 if not known.

    `parts` are the seconds that engines took, by engine, or those of a night's rounds by what they read.
    `fixed` are the findings that its history called fixed. `standing` has by engine and format, after the
    run, how many answers of the newest version are right, and of how many cases asked so far. `tested` has by
    place the cases whose answers count, and `failures` those that are wrong.
    """

    id: str
    started: str
    finished: str
    arguments: str
    colconf: str
    seconds: float
    cases: int
    cells: dict[tuple[Version, str], Cell]
    parts: dict[str, float]
    sightings: list[Sighting]
    fixed: list[str]
    changes: list[Change] = field(default_factory=list)
    standing: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    tested: dict[Place, Cases] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)

    def cell(self, engine: str = "", version: Version | None = None) -> Cell:
        """Return the sum of the cells of an engine, of a version, or of all."""
        chosen = (
            cell
            for (known, _), cell in self.cells.items()
            if (not engine or known.engine == engine) and version in {None, known}
        )
        return total(chosen)

    @property
    def versions(self) -> list[Version]:
        """Return the versions that took part."""
        return sorted({version for version, _ in self.cells}, key=by_age)


def total(cells: Iterable[Cell]) -> Cell:
    """Return the sum of cells."""
    summed = Cell()
    for cell in cells:
        summed.counts += cell.counts
        summed.findings += cell.findings
        summed.problems += cell.problems
        summed.known += cell.known
        summed.by_choice += cell.by_choice
    return summed
