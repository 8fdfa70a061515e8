"""The model of the status matrix: rows (`status.toml`), engines, and a cell for reading and writing each."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from corpora.cases import FORMATS

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

    @property
    def is_asked(self) -> bool:
        """Return whether any engine was asked a case of the feature."""
        return any(cell.cases for pair in self.cells for cell in pair)


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


FILE = Path(__file__).with_name("status.toml")


@dataclass(frozen=True)
class Feature:
    """A row of the matrix: a feature, and the cases and written files that prove it.

    `read`, `refuses` and `misled` are globs of case ids (`*` is any text). `read`: cases that a reader of the
    feature reads, with `queries` including their queries. `refuses`: broken files that only a reader that
    checks the feature refuses. `misled`: files with false indexes, which give a reader that skips by them
    wrong results. `features`: where a run has no case of `read`, cases with all these features prove
    reading. `write`: a file with all these features proves that its engine writes the feature.
    """

    id: str
    name: str
    category: str
    read: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()
    misled: tuple[str, ...] = ()
    queries: bool = False
    note: str = ""


@dataclass(frozen=True)
class Rows:
    """Features by format; `implementations`: engines of colconf by their implementation's name in claims."""

    features: Mapping[str, tuple[Feature, ...]]
    implementations: Mapping[str, tuple[str, ...]]


@cache
def load(path: Path = FILE) -> Rows:
    """Return the rows of a file."""
    data = tomllib.loads(path.read_text("utf-8"))
    features = {form: tuple(_feature(raw) for raw in data[form]) for form in FORMATS}
    return Rows(features, {name: tuple(engines) for name, engines in data["implementations"].items()})


def _feature(raw: Mapping[str, object]) -> Feature:
    return Feature(**{key: tuple(value) if isinstance(value, list) else value for key, value in raw.items()})  # type: ignore[arg-type]
