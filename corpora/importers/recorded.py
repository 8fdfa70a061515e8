"""Cases stored next to their files: `x.json` has the expectation about `x.parquet`.

A JSON file counts only if it is a case (`corpora/cases.py`) of the file next to it; any other JSON file is
treated like other files. A case applies only to a file with its digest.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from corpora.cases import Case, CaseError, load

SUFFIX = ".json"
MAX_BYTES = 1 << 24


def described(case: Case) -> Case:
    """Return the case that is recorded next to its file, or `case` if there is none with its digest."""
    path = case.file.with_suffix(SUFFIX)
    record = _load(path)
    if record is None or record.file != case.file:
        return case
    if record.sha256 != case.sha256:
        return replace(case, notes=f"not the bytes that {path.name} describes")
    return record


def is_record(path: Path) -> bool:
    """Return whether a JSON file is the case of the file next to it."""
    record = _load(path) if path.suffix == SUFFIX else None
    return record is not None and record.file.parent == path.parent and record.file.is_file()


def _load(path: Path) -> Case | None:
    try:
        return load(path) if path.is_file() and path.stat().st_size <= MAX_BYTES else None
    except (CaseError, OSError):
        return None
