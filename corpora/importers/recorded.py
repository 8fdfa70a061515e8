"""Cases that lie beside their files: `x.json` says what `x.parquet` must mean.

A JSON file counts only if it is a case (`corpora/cases.py`), and the case is of the file beside it; any other
JSON is a file like others. What a case says holds for the bytes that it was written for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from corpora.cases import CaseError, load

if TYPE_CHECKING:
    from pathlib import Path

    from corpora.cases import Case

SUFFIX = ".json"
MAX_BYTES = 1 << 24


def described(case: Case) -> Case:
    """Return the case as it is recorded beside its file; or the case if none is of its bytes."""
    path = case.file.with_suffix(SUFFIX)
    found = _load(path)
    if found is None or found.file != case.file:
        return case
    if found.sha256 != case.sha256:
        return replace(case, notes=f"not the bytes that {path.name} describes")
    return found


def is_record(path: Path) -> bool:
    """Return whether a file is a case of a file beside it, and so none to be judged itself."""
    found = _load(path) if path.suffix == SUFFIX else None
    return found is not None and found.file.parent == path.parent and found.file.is_file()


def _load(path: Path) -> Case | None:
    try:
        return load(path) if path.is_file() and path.stat().st_size <= MAX_BYTES else None
    except (CaseError, OSError):
        return None
