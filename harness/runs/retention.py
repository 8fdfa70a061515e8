"""Retention of runs: the newest runs, and the runs of the last days, are kept."""

from __future__ import annotations

import datetime as dt
import fcntl
import os
import shutil
from pathlib import Path
from typing import NamedTuple

from harness.judging.results import ResultsError, load_run
from harness.runs.pipeline.folder import remove_all


class StoredRun(NamedTuple):
    """A run, or its remaining partitions in a dataset: path, id, start and size in bytes."""

    path: Path
    id: str
    started: dt.datetime
    size: int


def runs(folder: Path) -> list[StoredRun]:
    """Return the runs in a folder and in its subfolders, newest first."""
    stored_runs = []
    for out in [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]:
        try:
            record = load_run(out)
        except ResultsError:
            continue
        stored_runs.append(StoredRun(out, record.id, dt.datetime.fromisoformat(record.started), _size(out)))
        for part in sorted((out / "dataset").glob("verdicts/run=*")):
            if (identity := part.name.removeprefix("run=")) != record.id:
                parts = (out / "dataset").glob(f"*/run={identity}")
                stored_runs.append(StoredRun(part, identity, _began(identity), sum(map(_size, parts))))
    return sorted(stored_runs, key=lambda run: run.id, reverse=True)


def surplus(
    stored_runs: list[StoredRun], keep: int | None, days: int | None, now: dt.datetime
) -> list[StoredRun]:
    """Return the runs neither among the newest `keep` nor begun in the last `days`; None disables a rule."""
    ids = {run.id for run in stored_runs[: keep or 0]}
    if days is not None:
        ids |= {run.id for run in stored_runs if now - run.started < dt.timedelta(days=days)}
    return [run for run in stored_runs if run.id not in ids]


def remove(run: StoredRun) -> bool:
    """Remove the files of a run; return False for a run that is being written."""
    if run.path.name == f"run={run.id}":
        for part in run.path.parents[1].glob(f"*/run={run.id}"):
            shutil.rmtree(part)
        return True
    folder = os.open(run.path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        remove_all(run.path)
    finally:
        os.close(folder)
    return True


def _began(identity: str) -> dt.datetime:
    return dt.datetime.strptime(identity[:15], "%Y%m%d-%H%M%S").replace(tzinfo=dt.UTC)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
