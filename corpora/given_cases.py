"""Cases of JSON files that anybody may have written: their file is the recorded one, and lies beside them."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

from corpora import folders
from corpora.cases import Case, CaseError, load

OUTSIDE = "allow-outside"  # the option of commands that take the JSON file of a case


def load_given(path: Path, *, outside: bool = False) -> Case:
    """Return the case of a JSON file, whose file was checked; raises CaseError, which names both.

    The file, or for a table each file of the folder, is a regular one, and has the recorded digest. Unless
    `outside`, it lies below the folder of the JSON file, also where a symbolic link leads, and the expected
    rows stand in the JSON: a case that somebody sent may not have any other file of this machine opened.
    """
    case = load(path)
    folder = path.parent.resolve()
    if case.expectation.table is not None and case.expectation.table.spill and not outside:
        raise CaseError(f"{path}: its expected rows are in another file; --{OUTSIDE} allows to read it")
    try:
        for file in _files(case):
            _check(file, folder, outside=outside)
        digest = folders.digest(case.file) if case.read is not None else folders.digest_of(case.file)
    except CaseError as error:
        raise CaseError(f"{path}: {error}") from error
    except OSError as error:
        raise CaseError(f"{path}: its file {case.file}: {error.strerror or error}") from error
    if digest != case.sha256:
        raise CaseError(
            f"{path}: {case.file} is not the file that the case was recorded with (its sha256 differs)"
        )
    return case


def _files(case: Case) -> Iterator[Path]:
    """Yield the file of a case, or the folder of a table and the files in it."""
    yield case.file
    if case.read is not None and case.file.is_dir():
        yield from sorted(case.file.rglob("*"))


def _check(file: Path, folder: Path, *, outside: bool) -> None:
    mode = file.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise CaseError(f"{file} is neither a regular file nor a folder")
    if not outside and not file.resolve(strict=True).is_relative_to(folder):
        raise CaseError(
            f"its file {file} lies outside of the folder of the case; --{OUTSIDE} allows to read it"
        )
