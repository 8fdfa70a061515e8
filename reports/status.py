"""The status matrix: the features that each engine and version reads and writes, as cases showed.

`build` is a pure function of the results of a run, of the rows, and of claims to compare with. A cell is

* `full`: every case that ran passed;
* `partial`: some passed;
* `none`: none passed;
* `unknown`: no case ran.

Only an engine's first configuration, its default, counts; for skipping by indexes, every configuration
counts. A failed query says nothing about reading, unless the feature is about queries. A written file counts
when the reference read the intended values from it (when any engine read them, where the reference did not
run); a file that breaks a rule counts only where there is no other file. An engine does not write a feature
if it refused the feature in every layout that it writes at all.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import translate

from corpora.cases import FORMATS
from corpora.known_failures import GENERATED
from harness.judging.results import Results, Row
from harness.judging.verdicts import PASSED
from harness.listings import text
from reports.claims import Claims, compared
from reports.status_model import FULL, NONE, PARTIAL, Cell, Feature, Line, Matrix, Rows, Status, load

# A probe may cause these, and they may hide the read.
_LOST = ("crashed", "hung", "out_of_memory", "panicked")
_WRONG = ("different", "unstable", "accepted_invalid", "wrote_invalid", "wrote_other", *_LOST)
_AGREE, _EQUIVALENT, _UNSUPPORTED, _INVALID = "agree", "equivalent", "unsupported", "wrote_invalid"
# Verdicts that say nothing of an engine.
_NOT_JUDGED = frozenset({"skipped", "not_asked"})
_REFERENCE = "reference"
_WRITER = "writer:"


def build(results: Results, claims: Claims | None = None, rows: Rows | None = None) -> Status:
    """Make the model of a run."""
    rows = rows or load()
    first = _first_configs(results)
    matrices = []
    for format_ in FORMATS:
        rows_of_format = [
            row for row in results.rows if row.format == format_ and row.verdict not in _NOT_JUDGED
        ]
        able = {(row.engine, row.version) for row in rows_of_format if row.verdict != "unsupported"}
        engines = [engine for engine in first if engine in able]
        if engines:
            matrices.append(_matrix(format_, engines, _Evidence(rows_of_format, first), rows, claims))
    run = {name: text.line(getattr(results.run, name)) for name in ("id", "started", "colconf")}
    return Status(run, tuple(matrices), claims is not None)


def _first_configs(results: Results) -> dict[tuple[str, str], str]:
    """Return the default configuration of each engine and version."""
    configs: dict[tuple[str, str], str] = {}
    for engine in results.run.engines:
        configs.setdefault((str(engine["name"]), str(engine["version"])), str(engine.get("config") or ""))
    for row in results.rows:
        configs.setdefault((row.engine, row.version), row.config)
    return configs


def _matrix(
    format_: str, engines: Sequence[tuple[str, str]], evidence: _Evidence, rows: Rows, claims: Claims | None
) -> Matrix:
    lines = []
    for feature in rows.features[format_]:
        cells = []
        for name, version in engines:
            pair = evidence.reading(feature, name, version), evidence.writing(feature, name, version)
            if claims is not None:
                claim = claims.of(name, version, feature.id)
                pair = compared(pair[0], claim[0]), compared(pair[1], claim[1])
            cells.append(pair)
        lines.append(Line(feature.id, feature.name, feature.category, feature.note, tuple(cells)))
    return Matrix(format_, tuple(text.line(f"{name}@{version}") for name, version in engines), tuple(lines))


class _Evidence:
    """The rows of one format, by engine and version."""

    def __init__(self, rows: Iterable[Row], first: Mapping[tuple[str, str], str]) -> None:
        self._read: dict[tuple[str, str], list[Row]] = defaultdict(list)
        self._every: dict[tuple[str, str], list[Row]] = defaultdict(list)
        self._refused: dict[str, list[Row]] = defaultdict(list)
        self._read_back: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
        for row in rows:
            key = (row.engine, row.version)
            writer = row.detail.expectation.source or ""
            if writer.startswith(_WRITER):
                label = writer.removeprefix(_WRITER)
                if label == f"{row.engine}@{row.version}" and row.detail.phase == "write":
                    self._refused[label].append(row)
                else:
                    self._read_back[label][row.case].append(row)
                continue
            self._every[key].append(row)
            if row.config == first[key]:
                self._read[key].append(row)

    def reading(self, feature: Feature, name: str, version: str) -> Cell:
        """Return whether an engine reads a feature or, for a feature that allows skipping, skips by it."""
        if feature.misled:
            return _misled(_of_cases(self._every[name, version], feature.misled))
        rows = self._read[name, version]
        matches = [row for row in _of_cases(rows, feature.read) if _kind(row) != "refuse"]
        if not matches and feature.features:
            wanted = set(feature.features)
            matches = [row for row in rows if _is_handmade(row) and wanted <= _features(row)]
        cell = _cell((row, _is_read(row, queries=feature.queries)) for row in matches)
        faults = [row for row in _of_cases(rows, feature.refuses) if row.detail.expectation.rule]
        refusals = _cell((row, row.verdict == "refused_as_expected") for row in faults)
        return refusals if refusals.cases and refusals.state != FULL else cell

    def writing(self, feature: Feature, name: str, version: str) -> Cell:
        """Return whether an engine wrote files with a feature from which others read the intended values."""
        if not feature.write:
            return Cell()
        label = f"{name}@{version}"
        wanted = set(feature.write)
        files = self._read_back[label]
        invalid = {row.case: row for row in self._refused[label] if row.verdict == _INVALID}
        fitting = [case for case, rows in files.items() if any(wanted <= _features(row) for row in rows)]
        attempts = [row for row in self._refused[label] if wanted <= _features(row)]
        lost = [(row, False) for row in attempts if row.verdict not in {_INVALID, _UNSUPPORTED}]
        read_back = [result for case in fitting if case not in invalid for result in _one_file(files[case])]
        if read_back or lost:
            return _cell([*lost, *read_back])
        tables, layouts = {_names(case)[0] for case in files}, {_names(case)[1] for case in files}
        refused = [
            row
            for row in attempts
            if row.verdict == _UNSUPPORTED
            and _names(row.case)[0] not in tables
            and _names(row.case)[1] in layouts
        ]
        return _cell((row, False) for row in [*(invalid[case] for case in fitting), *refused])


def _features(row: Row) -> set[str]:
    return set(row.detail.features)


def _names(case: str) -> tuple[str, str]:
    """Return the table and the layout of a file that an engine wrote, or should have written."""
    _, table, layout = f"//{case}".rsplit("/", 2)
    return table, layout


def _one_file(rows: Sequence[Row]) -> Iterator[tuple[Row, bool]]:
    """Yield the result that counts for a written file: the reference's, else the best."""
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
    return str(row.detail.expectation.kind)


def _is_handmade(row: Row) -> bool:
    """Return whether a case has values and is not generated: generated files mix all features."""
    return _kind(row) == "accept" and not row.case.startswith(GENERATED)


def _is_read(row: Row, *, queries: bool) -> bool:
    """Return whether a file was read as intended; a failed query does not count."""
    about_query = bool(row.detail.probe) and row.verdict not in _LOST
    return row.verdict in PASSED or (about_query and not queries)


def _misled(rows: Sequence[Row]) -> Cell:
    """Return whether false indexes misled an engine, which shows that it skips by them."""
    probed = [row for row in rows if row.detail.probes.queries > row.detail.probes.unsupported]
    believers = [row for row in probed if row.detail.probes.misled]
    cases, misled = {row.case for row in probed}, {row.case for row in believers}
    if not cases:
        return Cell()
    state = FULL if misled else NONE
    proof = min(believers or probed, key=lambda row: row.case)
    return Cell(state, len(misled), len(cases), text.line(proof.case), text.line(proof.verdict))


def _cell(results: Iterable[tuple[Row, bool]]) -> Cell:
    """Return the cell for rows that passed or failed; the rows of one case count once."""
    cases: dict[str, tuple[Row, bool]] = {}
    for row, passed in results:
        if row.case not in cases or (cases[row.case][1] and not passed):
            cases[row.case] = row, passed
    if not cases:
        return Cell()
    good = [row for row, passed in cases.values() if passed]
    bad = [row for row, passed in cases.values() if not passed]
    wrong = [row for row in bad if row.verdict in _WRONG]
    proof = min(wrong or bad or good, key=lambda row: row.case)
    state = FULL if not bad else PARTIAL if good else NONE
    verdict = text.line(proof.verdict if bad or proof.verdict in PASSED else _AGREE)  # only its query failed
    by_name = bool(good) and all(row.verdict == _EQUIVALENT for row in good)
    where = text.line(proof.case)
    return Cell(state, len(good), len(cases), where, verdict, wrong=bool(wrong), equivalent=by_name)
