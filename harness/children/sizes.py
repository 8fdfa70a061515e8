"""The files of a request, and their sizes, on which its limits depend."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_SMALL = 1 << 20  # bytes


def size_of(file: str | os.PathLike[str]) -> int:
    """Return the bytes of a file, or of those of a folder, which counts as large whatever it holds."""
    path = Path(file)
    try:
        if not path.is_dir():
            return path.stat().st_size
        return _SMALL + 1 + sum(inner.stat().st_size for inner in path.rglob("*") if inner.is_file())
    except OSError:  # it is the engine that says what is wrong
        return 0


def files_of(fields: Mapping[str, Any]) -> list[str]:
    """Return the files of a request; a single one may be a folder."""
    files: list[str] = fields.get("files", [fields["file"]] if "file" in fields else [])
    return files


def are_small(files: Sequence[str | os.PathLike[str]]) -> bool:
    """Return whether all files are so small that they are read in no time or never; no folder is."""
    return all(size_of(file) <= _SMALL for file in files)
