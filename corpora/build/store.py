"""Cases become files below a folder, or are compared with those that are there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from corpora.build.same import same
from corpora.cases import CaseError, dump, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from corpora.build.make import Made

FOLDER = Path(__file__).parents[1] / "parquet"


def write(made: Iterable[Made], folder: Path = FOLDER) -> int:
    """Write files and cases, remove what is not made any more, and answer how many cases there are.

    A file that differs only in how its pages are compressed is left as it is.
    """
    kept: set[Path] = set()
    for one in made:
        file = folder / one.path
        json = file.with_suffix(".json")
        data = file.read_bytes() if file.is_file() else None
        file.parent.mkdir(parents=True, exist_ok=True)
        if data is None or not same(data, one.data):
            file.write_bytes(one.data)
            data = one.data
        dump(one.at(folder, data), json)
        kept |= {file, json}
    for path in _files(folder):
        if path not in kept:
            path.unlink()
    return len(kept) // 2


def differences(made: Iterable[Made], folder: Path = FOLDER) -> Iterator[str]:
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
        if not same(data, one.data):
            yield f"{one.path}: not what colconf corpus build makes"
        try:
            if load(json) != one.at(folder, data):
                yield f"{json.relative_to(folder)}: not what colconf corpus build makes"
        except CaseError as error:
            yield str(error)
    for path in _files(folder):
        if path not in expected:
            yield f"{path.relative_to(folder)}: nothing makes it"


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
