"""Writing of built cases into a folder, and comparison of built cases with a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from corpora.build.formats import FORMATS
from corpora.build.make import BuiltCase
from corpora.cases import CaseError, dump, load
from corpora.files import write_whole


def write(cases: Iterable[BuiltCase], folder: Path) -> int:
    """Write the files of a format's cases, remove all other files, and return the number of cases.

    A file that differs only in its compression stays unchanged.
    """
    expected: set[Path] = set()
    for built in cases:
        file = folder / built.path
        json = file.with_suffix(".json")
        data = file.read_bytes() if file.is_file() else None
        file.parent.mkdir(parents=True, exist_ok=True)
        if data is None or not _same(built, data):
            write_whole(file, built.data, durable=False)  # made again by the same command
            data = built.data
        dump(built.at(folder, data), json, durable=False)
        expected |= {file, json}
    for path in _files(folder):
        if path not in expected:
            path.unlink()
    return len(expected) // 2


def differences(cases: Iterable[BuiltCase], folder: Path) -> Iterator[str]:
    """Yield a line for each file in `folder` that differs from the built cases."""
    expected: set[Path] = set()
    for built in cases:
        file = folder / built.path
        json = file.with_suffix(".json")
        expected |= {file, json}
        if not file.is_file():
            yield f"{built.path}: missing; run colconf corpus build"
            continue
        data = file.read_bytes()
        if not _same(built, data):
            yield f"{built.path}: differs from the output of colconf corpus build"
        try:
            if load(json) != built.at(folder, data):
                yield f"{json.relative_to(folder)}: differs from the output of colconf corpus build"
        except CaseError as error:
            yield str(error)
    for path in _files(folder):
        if path not in expected:
            yield f"{path.relative_to(folder)}: no recipe builds this file"


def _same(built: BuiltCase, data: bytes) -> bool:
    return FORMATS[built.case.format].same(data, built.data)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
