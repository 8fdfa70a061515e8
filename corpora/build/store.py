"""Cases become files below a folder, or are compared with those that are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpora.build.formats import FORMATS
from corpora.cases import CaseError, dump, load
from corpora.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from corpora.build.make import Made


def write(made: Iterable[Made], folder: Path) -> int:
    """Write files and cases of a format, remove what is not made any more; answer how many cases there are.

    A file that differs only in how it is compressed is left as it is.
    """
    kept: set[Path] = set()
    for one in made:
        file = folder / one.path
        json = file.with_suffix(".json")
        data = file.read_bytes() if file.is_file() else None
        file.parent.mkdir(parents=True, exist_ok=True)
        if data is None or not _same(one, data):
            write_whole(file, one.data, durable=False)  # made again by the same command
            data = one.data
        dump(one.at(folder, data), json, durable=False)
        kept |= {file, json}
    for path in _files(folder):
        if path not in kept:
            path.unlink()
    return len(kept) // 2


def differences(made: Iterable[Made], folder: Path) -> Iterator[str]:
    """Yield a line for each file or case in `folder` that is not what is made."""
    expected: set[Path] = set()
    for one in made:
        file = folder / one.path
        json = file.with_suffix(".json")
        expected |= {file, json}
        if not file.is_file():
            yield f"{one.path}: not there; colconf corpus build makes it"
            continue
        data = file.read_bytes()
        if not _same(one, data):
            yield f"{one.path}: not what colconf corpus build makes"
        try:
            if load(json) != one.at(folder, data):
                yield f"{json.relative_to(folder)}: not what colconf corpus build makes"
        except CaseError as error:
            yield str(error)
    for path in _files(folder):
        if path not in expected:
            yield f"{path.relative_to(folder)}: nothing makes it"


def _same(made: Made, data: bytes) -> bool:
    return FORMATS[made.case.format].same(data, made.data)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
