"""The status matrix: which features each engine and version reads and writes, as running cases showed.

`build` is a pure function of the results of a run, of the rows, and of claims to compare with. A cell is

* `full`: every case that was asked passed;
* `partial`: some did;
* `none`: none did;
* `unknown`: nothing was asked.

An engine counts with its first configuration, as it comes; whether it skips by indexes, with any. A problem
of a query says nothing about reading, unless the row is about queries. A file that was written counts when
the reference read from it what was to be written (where it took no part, when any engine did); one that
breaks a rule counts only where there is no other. What an engine refused to write in every layout that it
writes at all, it does not write.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from fnmatch import translate
from typing import TYPE_CHECKING

from harness import text
from reports.claims import UNKNOWN, compared
from reports.status_rows import FORMATS, load
from reports.verdicts import PASSED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from harness.results import Results, Row
    from reports.claims import Claims
    from reports.status_rows import Feature, Rows

SCHEMA_VERSION = 1
FULL, PARTIAL, NONE = "full", "partial", "none"
STATES = (FULL, PARTIAL, NONE, UNKNOWN)
_LOST = ("crashed", "hung", "out_of_memory")  # which a probe brings about, and which may hide the read
_WRONG = ("different", "unstable", "accepted_invalid", "wrote_invalid", *_LOST)
_AGREE, _EQUIVALENT, _UNSUPPORTED, _INVALID = "agree", "equivalent", "unsupported", "wrote_invalid"
_REFERENCE = "reference"
_WRITER = "writer:"
_GENERATED = "generated/"


@dataclass(frozen=True)
class Cell:
    """What cases showed. `case` is one that proves it, with its `verdict`: where not all passed, one that did
    not, a wrong one first. `wrong`: some answers were wrong, not only refused. `equivalent`: what passed did
    under an equivalence, as a type that is read as what it is stored as. `claim` is what is claimed, "" if
    nothing is, and `word` how that compares.
    """  # noqa: D205 - one clause a field

    state: str = UNKNOWN
    passed: int = 0
    asked: int = 0
    case: str = ""
    verdict: str = ""
    wrong: bool = False
    equivalent: bool = False
    claim: str = ""
    word: str = ""


@dataclass(frozen=True)
class Line:
    """A feature, and of each engine the cells of reading and of writing."""

    id: str
    name: str
    category: str
    note: str
    cells: tuple[tuple[Cell, Cell], ...]


@dataclass(frozen=True)
class Matrix:
    """The features of one format; engines are `name@version`, as far as they were asked about it."""

    format: str
    engines: tuple[str, ...]
    lines: tuple[Line, ...]

    def count(self, word: str) -> int:
        """Return how many cells compare so with what is claimed."""
        return sum(cell.word == word for line in self.lines for pair in line.cells for cell in pair)


@dataclass(frozen=True)
class Status:
    """Everything a format may show; `claimed` says whether claims were compared."""

    run: dict[str, str]
    matrices: tuple[Matrix, ...]
    claimed: bool


def build(results: Results, claims: Claims | None = None, rows: Rows | None = None) -> Status:
    """Make the model of a run."""
    rows = rows or load()
    first = _first_configs(results)
    matrices = []
    for form in FORMATS:
        asked = [row for row in results.rows if row.format == form]
        able = {(row.engine, row.version) for row in asked if row.verdict != "unsupported"}
        engines = [one for one in first if one in able]
        if engines:
            matrices.append(_matrix(form, engines, _Evidence(asked, first), rows, claims))
    run = {name: text.line(results.run.get(name)) for name in ("id", "started", "colconf")}
    return Status(run, tuple(matrices), claims is not None)


def _first_configs(results: Results) -> dict[tuple[str, str], str]:
    """Return each engine and version with the configuration that it has as it comes."""
    found: dict[tuple[str, str], str] = {}
    for one in results.run.get("engines", ()):
        found.setdefault((str(one["name"]), str(one["version"])), str(one.get("config") or ""))
    for row in results.rows:
        found.setdefault((row.engine, row.version), row.config)
    return found


def _matrix(
    form: str, engines: Sequence[tuple[str, str]], evidence: _Evidence, rows: Rows, claims: Claims | None
) -> Matrix:
    lines = []
    for feature in rows.features[form]:
        cells = []
        for name, version in engines:
            pair = evidence.reading(feature, name, version), evidence.writing(feature, name, version)
            if claims is not None:
                said = claims.of(name, version, feature.id)
                pair = compared(pair[0], said[0]), compared(pair[1], said[1])
            cells.append(pair)
        lines.append(Line(feature.id, feature.name, feature.category, feature.note, tuple(cells)))
    return Matrix(form, tuple(text.line(f"{name}@{version}") for name, version in engines), tuple(lines))


class _Evidence:
    """The rows of one format, by engine and version."""

    def __init__(self, rows: Iterable[Row], first: Mapping[tuple[str, str], str]) -> None:
        self._read: dict[tuple[str, str], list[Row]] = defaultdict(list)
        self._every: dict[tuple[str, str], list[Row]] = defaultdict(list)
        self._refused: dict[str, list[Row]] = defaultdict(list)
        self._read_back: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
        for row in rows:
            key = (row.engine, row.version)
            writer = str(row.detail["expectation"].get("source") or "")
            if writer.startswith(_WRITER):
                label = writer.removeprefix(_WRITER)
                if label == f"{row.engine}@{row.version}" and row.detail["phase"] == "write":
                    self._refused[label].append(row)
                else:
                    self._read_back[label][row.case].append(row)
                continue
            self._every[key].append(row)
            if row.config == first[key]:
                self._read[key].append(row)

    def reading(self, feature: Feature, name: str, version: str) -> Cell:
        """Return whether an engine reads a feature or, if that is what it is about, skips by it."""
        if feature.misled:
            return _misled(_of_cases(self._every[name, version], feature.misled))
        rows = self._read[name, version]
        found = [row for row in _of_cases(rows, feature.read) if _kind(row) != "refuse"]
        if not found and feature.features:
            wanted = set(feature.features)
            found = [row for row in rows if _is_told(row) and wanted <= _features(row)]
        cell = _cell((row, _is_read(row, queries=feature.queries)) for row in found)
        faults = [row for row in _of_cases(rows, feature.refuses) if row.detail["expectation"].get("rule")]
        looks = _cell((row, row.verdict == "refused_as_expected") for row in faults)
        return looks if looks.asked and looks.state != FULL else cell

    def writing(self, feature: Feature, name: str, version: str) -> Cell:
        """Return whether an engine wrote files with a feature, from which others read what was meant."""
        if not feature.write:
            return Cell()
        label = f"{name}@{version}"
        wanted = set(feature.write)
        files = self._read_back[label]
        invalid = {row.case: row for row in self._refused[label] if row.verdict == _INVALID}
        fitting = [case for case, rows in files.items() if any(wanted <= _features(row) for row in rows)]
        own = [row for row in self._refused[label] if wanted <= _features(row)]
        lost = [(row, False) for row in own if row.verdict not in {_INVALID, _UNSUPPORTED}]
        told = [one for case in fitting if case not in invalid for one in _one_file(files[case])]
        if told or lost:
            return _cell([*lost, *told])
        tables, layouts = {_names(case)[0] for case in files}, {_names(case)[1] for case in files}
        refused = [
            row
            for row in own
            if row.verdict == _UNSUPPORTED
            and _names(row.case)[0] not in tables
            and _names(row.case)[1] in layouts
        ]
        return _cell((row, False) for row in [*(invalid[case] for case in fitting), *refused])


def _features(row: Row) -> set[str]:
    return set(row.detail["features"])


def _names(case: str) -> tuple[str, str]:
    """Return table and layout of a file that was, or was to be, written."""
    _, table, layout = f"//{case}".rsplit("/", 2)
    return table, layout


def _one_file(rows: Sequence[Row]) -> Iterator[tuple[Row, bool]]:
    """Yield what a file that was written is worth: the reference's word, or the best that there is."""
    by_reference = [row for row in rows if row.engine == _REFERENCE]
    best = next(
        (row for row in by_reference or rows if _is_read(row, queries=False)), (by_reference or rows)[0]
    )
    yield best, _is_read(best, queries=False)


def _of_cases(rows: Iterable[Row], globs: Sequence[str]) -> list[Row]:
    if not globs:
        return []
    pattern = re.compile("|".join(map(translate, globs)))
    return [row for row in rows if pattern.match(row.case)]


def _kind(row: Row) -> str:
    return str(row.detail["expectation"]["kind"])


def _is_told(row: Row) -> bool:
    """Return whether a case is of somebody's making: generated files mix all features there are."""
    return _kind(row) == "accept" and not row.case.startswith(_GENERATED)


def _is_read(row: Row, *, queries: bool) -> bool:
    """Return whether a file was read as it is meant; a problem of a query alone is none of reading."""
    about_query = bool(row.detail.get("probe")) and row.verdict not in _LOST
    return row.verdict in PASSED or (about_query and not queries)


def _misled(rows: Sequence[Row]) -> Cell:
    """Return whether an engine was misled by indexes that lie: it skips by them."""
    asked = [row for row in rows if row.detail["probes"]["asked"] > row.detail["probes"]["unsupported"]]
    believers = [row for row in asked if row.detail["probes"]["misled"]]
    cases, misled = {row.case for row in asked}, {row.case for row in believers}
    if not cases:
        return Cell()
    state = FULL if misled else NONE
    proof = min(believers or asked, key=lambda row: row.case)
    return Cell(state, len(misled), len(cases), text.line(proof.case), text.line(proof.verdict))


def _cell(told: Iterable[tuple[Row, bool]]) -> Cell:
    """Return what cases show, each of which passed or did not; rows of one case count once."""
    found: dict[str, tuple[Row, bool]] = {}
    for row, passed in told:
        if row.case not in found or (found[row.case][1] and not passed):
            found[row.case] = row, passed
    if not found:
        return Cell()
    good = [row for row, passed in found.values() if passed]
    bad = [row for row, passed in found.values() if not passed]
    wrong = [row for row in bad if row.verdict in _WRONG]
    proof = min(wrong or bad or good, key=lambda row: row.case)
    state = FULL if not bad else PARTIAL if good else NONE
    verdict = text.line(proof.verdict if bad or proof.verdict in PASSED else _AGREE)  # but for a query
    by_name = bool(good) and all(row.verdict == _EQUIVALENT for row in good)
    where = text.line(proof.case)
    return Cell(state, len(good), len(found), where, verdict, wrong=bool(wrong), equivalent=by_name)
