"""The model of the status matrix: features, engines, and a cell for reading and writing each."""

from __future__ import annotations

from dataclasses import dataclass

UNKNOWN = "unknown"
FULL, PARTIAL, NONE = "full", "partial", "none"


@dataclass(frozen=True)
class Cell:
    """The evidence of the cases for one feature of one engine.

    `case` is a case that proves the state, with its `verdict`: where not all passed, a case that failed, a
    wrong answer before a refusal. `wrong`: some answers were wrong, not only refused. `equivalent`: all that
    passed did so under an equivalence, such as a type that is read as its storage type. `claim` is the
    claim, "" without one, and `comparison` how the evidence compares with it.
    """

    state: str = UNKNOWN
    passed: int = 0
    cases: int = 0
    case: str = ""
    verdict: str = ""
    wrong: bool = False
    equivalent: bool = False
    claim: str = ""
    comparison: str = ""


@dataclass(frozen=True)
class Line:
    """A feature with the cells of reading and of writing for each engine."""

    id: str
    name: str
    category: str
    note: str
    cells: tuple[tuple[Cell, Cell], ...]


@dataclass(frozen=True)
class Matrix:
    """The features of one format; engines are `name@version`, only those that ran on files of the format."""

    format: str
    engines: tuple[str, ...]
    lines: tuple[Line, ...]

    def count(self, comparison: str) -> int:
        """Return how many cells compare like this with their claims."""
        return sum(
            cell.comparison == comparison for line in self.lines for pair in line.cells for cell in pair
        )


@dataclass(frozen=True)
class Status:
    """The content of a status report; `claimed` is true if claims were compared."""

    run: dict[str, str]
    matrices: tuple[Matrix, ...]
    claimed: bool
