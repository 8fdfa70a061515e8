"""What the judge reads of a case's file itself: its features and its size."""

from __future__ import annotations

from pathlib import Path

from corpora import folders
from corpora.build.formats import FORMATS
from corpora.cases import Case
from reference_impl.errors import ReferenceError_


def features_in(case: Case) -> tuple[str, ...]:
    """Return the features of a file, none if the reference cannot read it."""
    try:
        format_ = FORMATS[case.format]
        return format_.summary(format_.open(case.file, None))
    except (ReferenceError_, OSError):
        return ()


def size_of(file: Path) -> int:
    """Return the bytes of a file, or of the files of a folder; 0 if it is gone."""
    try:
        return folders.size_of(file)
    except OSError:
        return 0
