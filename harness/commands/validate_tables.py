"""The output of `colconf validate` about folders: a summary of each table, and notes across files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from corpora.build.evolution.consistency import KINDS, FileSchema, Note, notes, roots, schema_of
from corpora.build.formats import FORMATS
from corpora.formats import BY_SUFFIX
from harness.commands import keyed
from reference_impl.errors import ReferenceError_


class TableResult(NamedTuple):
    """A folder whose files of one format are a table.

    `broken` counts the files that break a MUST. `unread` are those that the reference cannot open, which are
    not compared with the others.
    """

    folder: str
    format: str
    files: int
    broken: int
    unread: tuple[str, ...]
    notes: tuple[Note, ...]


def tables(
    folder: Path, files: Iterable[Path], broken: Collection[str], keys: str | None
) -> Iterator[TableResult]:
    """Yield the tables below a folder; `broken` are the paths of files that break a MUST."""
    for root, members in roots(files, folder).items():
        for format_ in FORMATS:
            paths = [path for path in members if _format_of(path) == format_]
            if paths:
                yield _table(root, format_, paths, broken, keys)


def _table(
    root: Path, format_: str, paths: Sequence[Path], broken: Collection[str], keys: str | None
) -> TableResult:
    schemas: list[FileSchema] = []
    unread = []
    for path in paths:
        try:
            schemas.append(schema_of(path, root, format_, keyed.keys_of(keys, path)))
        except (ReferenceError_, OSError):
            unread.append(path.relative_to(root).as_posix())
    count = sum(str(path) in broken for path in paths)
    return TableResult(str(root), format_, len(paths), count, tuple(unread), tuple(notes(schemas)))


def _format_of(path: Path) -> str:
    return next(format_ for suffix, format_ in BY_SUFFIX.items() if path.name.endswith(suffix))


def text(results: Sequence[TableResult], *, has_notes: bool = True) -> Iterator[str]:
    """Yield lines for people; without `has_notes` none about notes."""
    for result in results:
        title = FORMATS[result.format].title
        counted = [f"{result.files:,} {title} files", f"{result.broken:,} break a MUST"]
        counted += [f"{len(result.unread):,} cannot be compared"] if result.unread else []
        counted += [f"{len(result.notes):,} notes across files"] * has_notes
        yield f"{result.folder}: {', '.join(counted)}"
        for note in result.notes if has_notes else ():
            about = f" in {'.'.join(note.path)}" if note.path else ""
            yield f"  NOTE   {note.kind}{about}: {note.message}"
            yield f"         {KINDS[note.kind]}"


def to_json(results: Sequence[TableResult]) -> list[dict[str, object]]:
    """Return the JSON form."""
    return [
        {**result._asdict(), "unread": list(result.unread), "notes": [_note(note) for note in result.notes]}
        for result in results
    ]


def _note(note: Note) -> dict[str, object]:
    clause = KINDS[note.kind]
    return {**note._asdict(), "path": list(note.path), "files": list(note.files), "clause": clause}


def sarif_rules(results: Sequence[TableResult]) -> list[dict[str, object]]:
    """Return the kinds of notes as rules of SARIF, sorted."""
    return [
        {
            "id": kind,
            "shortDescription": {"text": kind.replace("-", " ")},
            "help": {"text": KINDS[kind]},
            "defaultConfiguration": {"level": "note"},
        }
        for kind in sorted({note.kind for result in results for note in result.notes})
    ]


def sarif_results(results: Sequence[TableResult], places: Mapping[str, int]) -> Iterator[dict[str, object]]:
    """Yield notes as results of SARIF; `places` are those of the driver's rules."""
    for result in results:
        for note in result.notes:
            locations = [
                {"physicalLocation": {"artifactLocation": {"uri": (Path(result.folder) / file).as_posix()}}}
                for file in note.files
            ]
            yield {
                "ruleId": note.kind,
                "ruleIndex": places[note.kind],
                "level": "note",
                "message": {"text": f"{'.'.join(note.path)}: {note.message}" if note.path else note.message},
                "locations": locations,
            }
