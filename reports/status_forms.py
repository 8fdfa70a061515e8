"""The status matrix as Markdown, JSON or one self-contained HTML file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import groupby
from typing import Any

from corpora.build.formats import FORMATS
from reports.claims import COMPARISONS, CONFIRMED, OVER, UNDER
from reports.html import page
from reports.markdown import code, table
from reports.status_model import FULL, NONE, PARTIAL, UNKNOWN, Cell, Matrix, Status
from reports.verdicts import describe

SCHEMA_VERSION = 1
SIGNS = {FULL: "✅ all", PARTIAL: "🟡 some", NONE: "❌ none", UNKNOWN: ""}
MEANINGS = {
    FULL: "every case passed",
    PARTIAL: "some cases passed",
    NONE: "no case passed",
    UNKNOWN: "no case ran",
}
TONES = {FULL: "good", PARTIAL: "warn", NONE: "bad", UNKNOWN: "quiet"}
LEGEND = "≈: read under a named equivalence, as the storage type; ⚠ wrong: some are wrong, not only refused"
COMPARISON_SIGNS = {CONFIRMED: "", OVER: "‼ over-claimed", UNDER: "↑ under-claimed", UNKNOWN: "", "": ""}
_DIRECTIONS = ("reads", "writes")
_NAMES = {name: format_.title for name, format_ in FORMATS.items()}


def markdown(status: Status) -> str:
    """Return the matrix as GitHub-flavoured Markdown: the signs, then the case behind each sign."""
    legend = ", ".join(f"{sign or '(empty)'}: {MEANINGS[state]}" for state, sign in SIGNS.items())
    parts = [
        "# colconf: implementation status",
        f"Evidence from running the cases, reading / writing: {legend}; {LEGEND}.",
    ]
    for matrix in status.matrices:
        parts.append(f"## {_NAMES[matrix.format]}")
        if status.claimed:
            counts = ", ".join(f"{matrix.count(word):,} {word}" for word in COMPARISONS)
            parts.append(f"Compared with the claims: {counts}.")
        parts += _overview(matrix)
        parts += _proofs(matrix)
    foot = f"<sub>run {code(status.run['id'])}, started {code(status.run['started'])}</sub>"
    return "\n\n".join([*parts, foot]) + "\n"


def _overview(matrix: Matrix) -> Iterator[str]:
    heads = ["feature", *(code(engine) for engine in matrix.engines)]
    for category, lines in groupby(matrix.lines, lambda line: line.category):
        rows = [[code(line.name), *(_pair(pair) for pair in line.cells)] for line in lines]
        yield f"### {category}"
        yield table(heads, rows)


def _pair(pair: tuple[Cell, Cell]) -> str:
    signs = [f"{_sign(cell)} {COMPARISON_SIGNS[cell.comparison]}".strip() for cell in pair]
    return " / ".join(sign or "·" for sign in signs) if any(signs) else ""


def _sign(cell: Cell) -> str:
    return f"{SIGNS[cell.state]}{' ≈' if cell.equivalent else ''}{' ⚠ wrong' if cell.wrong else ''}"


def _proofs(matrix: Matrix) -> Iterator[str]:
    for place, engine in enumerate(matrix.engines):
        rows = []
        for line in matrix.lines:
            for direction, cell in zip(_DIRECTIONS, line.cells[place], strict=True):
                if cell.cases:
                    label = describe(cell.verdict).label
                    claim = f"{cell.claim or 'nothing'}: {cell.comparison}" if cell.comparison else ""
                    counts = f"{SIGNS[cell.state]} {cell.passed}/{cell.cases}"
                    rows.append([code(line.name), direction, counts, code(cell.case), label, claim])
        if rows:
            heads = ["feature", "", "passed", "case that proves it", "verdict", "claim"]
            head = f"Evidence: {code(engine)}"
            yield f"<details><summary>{head}</summary>\n\n{table(heads, rows)}\n\n</details>"


def as_json(status: Status) -> str:
    """Return the matrix as JSON text; `schema_version` changes when a key changes its meaning or goes."""
    matrices = [
        {
            "format": matrix.format,
            "engines": matrix.engines,
            "claims": {word: matrix.count(word) for word in COMPARISONS} if status.claimed else None,
            "features": [
                {
                    "id": line.id,
                    "name": line.name,
                    "category": line.category,
                    "note": line.note,
                    "engines": {
                        engine: {way: _json(cell) for way, cell in zip(_DIRECTIONS, pair, strict=True)}
                        for engine, pair in zip(matrix.engines, line.cells, strict=True)
                    },
                }
                for line in matrix.lines
            ],
        }
        for matrix in status.matrices
    ]
    document = {"schema_version": SCHEMA_VERSION, "run": status.run, "formats": matrices}
    return json.dumps(document, indent=1, ensure_ascii=True) + "\n"


def _json(cell: Cell) -> dict[str, Any]:
    """Return a cell; the keys `asked` and `word` are older than the names of the fields."""
    keys = {"cases": "asked", "comparison": "word"}
    return {keys.get(name, name): value for name, value in asdict(cell).items()}


def html(status: Status) -> str:
    """Return the matrix as an HTML document that loads nothing and runs no script."""
    return page("status.html", "upgrade.css", **template_values(status))


def template_values(status: Status) -> dict[str, Any]:
    """Return the variables of the template of the matrices."""
    return {
        "status": status,
        "tones": TONES,
        "comparisons": COMPARISONS,
        "comparison_signs": COMPARISON_SIGNS,
        "names": _NAMES,
        "directions": _DIRECTIONS,
        "describe": describe,
    }


FORMS: dict[str, Callable[[Status], str]] = {".md": markdown, ".html": html, ".json": as_json}
