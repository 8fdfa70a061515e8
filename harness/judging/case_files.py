"""Facts that the judge reads from a case's file: its features and its size."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

from corpora import folders
from corpora.build.formats import FORMATS
from corpora.cases import Case
from corpora.keys import Keys
from reference_impl.errors import ReferenceError_


def features_in(case: Case) -> tuple[str, ...]:
    """Return the features of a file or a table's files; files that the reference cannot open have none."""
    if case.read is None:
        return features_of_file(case.file, case.format, case.keys)
    features = (features_of_file(file, case.format, case.keys) for file in folders.files_of(case.file))
    return tuple(dict.fromkeys(chain.from_iterable(features)))


def features_of_file(file: Path, format_: str, keys: Keys | None = None) -> tuple[str, ...]:
    """Return the features that the footer of a file shows; none if the reference cannot open the file."""
    try:
        return FORMATS[format_].summary(FORMATS[format_].open(file, keys))
    except (ReferenceError_, OSError):
        return ()


def size_of(file: Path) -> int:
    """Return the bytes of a file, or of the files of a folder; 0 if it is gone."""
    try:
        return folders.size_of(file)
    except OSError:
        return 0
