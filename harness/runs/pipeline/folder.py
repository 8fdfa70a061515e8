"""The folder of a run: new, continued after a kill, or run again; and what of it is ours to remove."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corpora import files
from harness.judging.results import ResultsError, load_run
from harness.judging.run_record import RunRecord
from harness.runs.pipeline.errors import PipelineError

NEW, CONTINUED, REPEATED = "new", "continued", "repeated"
# Everything a run makes in its folder, the reports excepted: those are overwritten, each by its own kind.
_INTERMEDIATE = ("parts", "spill", "spark.log")
_RESULTS = (
    *("run.json", "results.ndjson", "findings.ndjson", "cases.ndjson", "pairs.ndjson"),
    *("written", "generated", "rounds", "confirm"),
)
_WITH_HISTORY = "dataset"
_REPORTS = ("report.html", "report.md", "report.json", "report.txt", "report.sarif", "junit.xml")


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Make the folder and keep other runs out of it; raises PipelineError. The lock ends with the process."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        folder = os.open(out, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise PipelineError(f"{out}: cannot be written: {error.strerror}") from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(folder)
        raise PipelineError(f"{out}: another run is writing here") from error
    try:
        yield
    finally:
        os.close(folder)


def prepare(out: Path, settings: dict[str, Any], *, overwrite: bool) -> tuple[str, RunRecord | None]:
    """Return how the run begins (NEW, CONTINUED, REPEATED), and the record of a run that is continued.

    `settings` decide the results. An unfinished run with the same settings is continued. A finished run with
    the same settings is repeated: its results are replaced, its partitions of the dataset stay. A folder of
    a run with other settings, or of other files, is refused with PipelineError, the former unless
    `overwrite`.
    """
    files.sweep(out)
    if not any(out.iterdir()):
        return NEW, None
    try:
        before: RunRecord | None = load_run(out)
    except ResultsError as error:
        if not (out / "run.json").exists():
            raise PipelineError(f"{out}: holds other files; give another --out") from error
        if not overwrite:
            mend = (
                ", or with another --out"
                if "--overwrite" in str(error)
                else "; give another --out, or --overwrite"
            )
            raise PipelineError(f"{error}{mend}") from error
        before = None
    if overwrite or before is None:
        remove(out, *_INTERMEDIATE, *_RESULTS, _WITH_HISTORY)
        return NEW, None
    earlier = before.settings
    stored = json.loads(json.dumps(settings))  # as they are read again: with lists, not tuples
    different = sorted(key for key in {*stored, *earlier} if stored.get(key) != earlier.get(key))
    if different:
        raise PipelineError(
            f"{out}: holds a run with other {', '.join(different)}; give another --out, or --overwrite"
        )
    if before.finished is None:
        return CONTINUED, before
    remove(out, *_INTERMEDIATE, *_RESULTS)
    return REPEATED, None


def save(out: Path, record: RunRecord) -> RunRecord:
    """Write the record of a run as `run.json`, whole, and return it."""
    files.write_whole(out / "run.json", json.dumps(record.to_json(), indent=2) + "\n")
    return record


def clean(out: Path) -> None:
    """Remove what only a run that is not finished needs."""
    remove(out, *_INTERMEDIATE)


def remove_all(out: Path) -> None:
    """Remove everything of a run, its reports too, and the folder if nothing else is in it."""
    remove(out, *_INTERMEDIATE, *_RESULTS, _WITH_HISTORY, *_REPORTS)
    if not any(out.iterdir()):
        out.rmdir()


def remove(out: Path, *names: str) -> None:
    """Remove files and folders of a run."""
    for name in names:
        path = out / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
