"""Facts that the judge reads from a case's file: its features and its size."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from corpora import folders
from corpora.build.formats import FORMATS
from corpora.cases import Case
from corpora.keys import Keys
from corpora.table_files import folder_values
from harness.engines.partitioned import features_of_values
from reference_impl.errors import ReferenceError_


def features_in(case: Case) -> tuple[str, ...]:
    """Return the features of a file or a table's files; files that the reference cannot open have none."""
    if case.read is None:
        return features_of_file(case.file, case.format, case.keys)
    files = list(folders.files_of(case.file))
    features = (features_of_file(file, case.format, case.keys) for file in files)
    return tuple(dict.fromkeys(chain(*features, _features_of_partitions(case, files))))


def _features_of_partitions(case: Case, files: Iterable[Path]) -> list[str]:
    """Return the features of the names of a table's folders: the values of its partition columns."""
    assert case.read is not None
    names = {field.name for field in case.read.partitions}
    paths = [file.relative_to(case.file).as_posix() for file in files]
    of_files = (folder_values(path, case.read) for path in paths)
    values = {text for of_file in of_files for name, text in of_file.items() if name in names}
    is_encoded = names and any("%" in path.rpartition("/")[0] for path in paths)
    encoded = [f"{case.format}/other/partition-encoded"] if is_encoded else []
    return features_of_values(values, case.format) + encoded


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
