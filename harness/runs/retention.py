"""Which runs are kept: the newest ones, and those of the last days."""

from __future__ import annotations

import datetime as dt
import fcntl
import os
import shutil
from typing import TYPE_CHECKING, NamedTuple

from harness.judging.results import ResultsError, load_run
from harness.runs.pipeline.folder import remove_all

if TYPE_CHECKING:
    from pathlib import Path


class Kept(NamedTuple):
    """A run, or what a dataset still has of one: where, its id, when it began, and its bytes."""

    path: Path
    id: str
    started: dt.datetime
    size: int


def runs(folder: Path) -> list[Kept]:
    """Return the runs in a folder and in its folders, the newest first."""
    found = []
    for out in [folder, *sorted(one for one in folder.iterdir() if one.is_dir())]:
        try:
            told = load_run(out)
        except ResultsError:
            continue
        found.append(Kept(out, told["id"], dt.datetime.fromisoformat(told["started"]), _size(out)))
        for part in sorted((out / "dataset").glob("verdicts/run=*")):
            if (identity := part.name.removeprefix("run=")) != told["id"]:
                parts = (out / "dataset").glob(f"*/run={identity}")
                found.append(Kept(part, identity, _began(identity), sum(map(_size, parts))))
    return sorted(found, key=lambda one: one.id, reverse=True)


def surplus(found: list[Kept], keep: int | None, days: int | None, now: dt.datetime) -> list[Kept]:
    """Return those neither among the newest `keep` nor begun in the last `days`; None is no such rule."""
    kept = {one.id for one in found[: keep or 0]}
    if days is not None:
        kept |= {one.id for one in found if now - one.started < dt.timedelta(days=days)}
    return [one for one in found if one.id not in kept]


def remove(one: Kept) -> bool:
    """Remove what colconf made of a run; say False for one that is being written."""
    if one.path.name == f"run={one.id}":
        for part in one.path.parents[1].glob(f"*/run={one.id}"):
            shutil.rmtree(part)
        return True
    folder = os.open(one.path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        remove_all(one.path)
    finally:
        os.close(folder)
    return True


def _began(identity: str) -> dt.datetime:
    return dt.datetime.strptime(identity[:15], "%Y%m%d-%H%M%S").replace(tzinfo=dt.UTC)


def _size(folder: Path) -> int:
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file() and not one.is_symlink())
