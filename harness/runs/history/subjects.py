"""Subjects of known failures: the effects of each, taken from the results of a run.

An entry about some cases covers every failure of them, until it has a subject. The differences that a run saw
under such an entry become its subject, without the type of the column and the condition of the filter:
releases differ in which of these shows first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from corpora.known_failures import Entry, match, read
from corpora.known_text import Edits
from harness.judging.results import Row, read_rows
from harness.judging.rows import ORDER, ROWS
from harness.judging.signature import Signature
from harness.judging.verdicts import Verdict
from harness.runs.history.changes import Change, changes_of, judged_row

OF_VALUES = {Verdict.DIFFERENT, Verdict.INCONSISTENT}


def with_subjects(out: Path, known: Path) -> list[Change]:
    """Return the changes that give entries without one the subjects seen in the run in `out`.

    Raises ResultsError, CaseError and OSError.
    """
    entries = {path.stem: read(path) for path in sorted(known.glob("*.toml"))}
    globs = _seen(entries, read_rows(out))
    edits: dict[str, Edits] = {}
    for engine, by_entry in globs.items():
        changed: dict[int, Mapping[str, Any] | None] = {
            place: {"subject": _one_or_all(sorted(by_entry[alike]))}
            for place, entry in enumerate(entries[engine])
            if (alike := _without_case(entry)) in by_entry
        }
        edits[engine] = Edits(changed)
    return list(changes_of(known, edits))


def subject_of(signature: str) -> str:
    """Return a glob over the subjects of signatures that differ only in a type and in a filter's test."""
    cause = Signature.of_text(signature).cause
    head, within, _ = cause.partition(" in ")
    path = head.rpartition(": ")[2]
    if path in ROWS:  # a filter that goes by false bounds loses rows in one release and gains some in another
        return "*: order of rows*" if path == ORDER else "*: rows *"
    return f"{head} in *" if within else cause


def _seen(entries: Mapping[str, Sequence[Entry]], rows: Iterable[Row]) -> dict[str, dict[str, set[str]]]:
    """Return the globs by the engine and the entry, of which a list of cases is one."""
    globs: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        if row.verdict in OF_VALUES and row.detail.known and row.detail.signature:
            entry = match(entries.get(row.engine, ()), judged_row(row))
            if entry is not None and not entry.signature and not entry.subject:
                globs[row.engine][_without_case(entry)].add(subject_of(row.detail.signature))
    return globs


def _one_or_all(globs: list[str]) -> str | list[str]:
    return globs[0] if len(globs) == 1 else globs


def _without_case(entry: Entry) -> str:
    """Return what the cases of a list share."""
    return repr(replace(entry, case=""))
