"""The status matrix as Markdown, JSON or one self-contained HTML file."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from reports.claims import CONFIRMED, OVER, UNDER, UNKNOWN, WORDS
from reports.html import asset, digest, environment
from reports.markdown import code, table
from reports.status import FULL, NONE, PARTIAL, SCHEMA_VERSION
from reports.verdicts import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reports.status import Cell, Matrix, Status

SIGNS = {FULL: "✅", PARTIAL: "🟡", NONE: "❌", UNKNOWN: ""}
MEANINGS = {
    FULL: "every case passed",
    PARTIAL: "some cases passed",
    NONE: "no case passed",
    UNKNOWN: "no case was asked",
}
LEGEND = "≈ under a named equivalence, as the stored type; ⚠ some answers were wrong, not only refused"
WORD_SIGNS = {CONFIRMED: "", OVER: "‼ over-claimed", UNDER: "↑ under-claimed", UNKNOWN: "", "": ""}
_DIRECTIONS = ("reads", "writes")
_NAMES = {"parquet": "Parquet", "orc": "ORC"}


def markdown(status: Status) -> str:
    """Return the matrix as GitHub-flavoured Markdown: the signs first, then the case that proves each."""
    legend = ", ".join(f"{sign or '(empty)'} {MEANINGS[state]}" for state, sign in SIGNS.items())
    parts = [
        "# colconf: implementation status",
        f"Reading / writing, as running cases showed: {legend}; {LEGEND}.",
    ]
    for matrix in status.matrices:
        parts.append(f"## {_NAMES[matrix.format]}")
        if status.claimed:
            counts = ", ".join(f"{matrix.count(word):,} {word}" for word in WORDS)
            parts.append(f"Compared with what is claimed: {counts}.")
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
    told = [f"{_sign(cell)} {WORD_SIGNS[cell.word]}".strip() for cell in pair]
    return " / ".join(one or "·" for one in told) if any(told) else ""


def _sign(cell: Cell) -> str:
    return f"{SIGNS[cell.state]}{' ≈' if cell.equivalent else ''}{' ⚠' if cell.wrong else ''}"


def _proofs(matrix: Matrix) -> Iterator[str]:
    for place, engine in enumerate(matrix.engines):
        rows = []
        for line in matrix.lines:
            for direction, cell in zip(_DIRECTIONS, line.cells[place], strict=True):
                if cell.asked:
                    told = shown(cell.verdict).label
                    claimed = [_claimed(cell)] if cell.word else [""]
                    counts = f"{SIGNS[cell.state]} {cell.passed}/{cell.asked}"
                    rows.append([code(line.name), direction, counts, code(cell.case), told, *claimed])
        if rows:
            heads = ["feature", "", "cases", "the case that proves it", "which", "claimed"]
            head = f"What proves it: {code(engine)}"
            yield f"<details><summary>{head}</summary>\n\n{table(heads, rows)}\n\n</details>"


def _claimed(cell: Cell) -> str:
    return f"{cell.claim or 'nothing'}: {cell.word}"


def as_json(status: Status) -> str:
    """Return the matrix as JSON text; `schema_version` changes when a key changes its meaning or goes."""
    matrices = [
        {
            "format": matrix.format,
            "engines": matrix.engines,
            "claims": {word: matrix.count(word) for word in WORDS} if status.claimed else None,
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
    return asdict(cell)


def html(status: Status) -> str:
    """Return the matrix as an HTML document; nothing is loaded, and nothing in it runs."""
    style = asset("upgrade.css")
    return (
        environment()
        .get_template("status.html")
        .render(
            status=status,
            style=Markup(style),  # noqa: S704 - our own file
            style_digest=digest(style),
            signs=SIGNS,
            meanings=MEANINGS,
            legend=LEGEND,
            words=WORDS,
            word_signs=WORD_SIGNS,
            names=_NAMES,
            directions=_DIRECTIONS,
            shown=shown,
        )
    )


FORMS: dict[str, Callable[[Status], str]] = {".md": markdown, ".html": html, ".json": as_json}
