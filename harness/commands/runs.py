"""`colconf trend`, `colconf diff` and `colconf runs`: compare, list and remove runs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from corpora.cases import USER_FILES, USER_TABLES
from harness.commands.parameters import problems
from harness.judging.results import load_run, read_rows
from harness.judging.run_record import RunRecord
from harness.listings.rows import show_rows
from harness.listings.text import display_name, show_line
from harness.problem import Problem
from harness.runs import retention
from harness.runs.pipeline import archive, comparison
from harness.runs.pipeline.comparison import Parts

_PATH = click.Path(path_type=Path)
_LISTED = 50
_OF_DIFF = ("engine", "config", "version_before", "version_after")
_NO_SPARK = "--master requires PySpark and Java; pip install 'colconf[spark]'"
_NO_PYARROW = "comparing runs requires pyarrow; pip install 'colconf[pyarrow]'"
_MASTER = click.option(
    "--master",
    metavar="URL",
    help="Spark master that reads runs stored on a cluster; default: without Spark.",
)


@click.command()
@click.argument("outs", nargs=-1, required=True, type=_PATH, metavar="FOLDER…")
@_MASTER
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def trend(outs: tuple[Path, ...], *, master: str | None, as_json: bool) -> None:
    """Show the results of runs per engine, oldest run first.

    FOLDER is the folder of a run, or a folder that contains such folders. In a pipe, lines are tab-separated.
    """
    with problems():
        parts = _partitions(outs)
        rows = _by_spark(master, parts, archive.trend) if master else comparison.trend(parts)
    show_rows(rows, as_json=as_json, heading=("engine", "version", "config"))


@click.command()
@click.argument("before", type=_PATH)
@click.argument("after", type=_PATH)
@click.option(
    "--engine",
    "engines",
    multiple=True,
    metavar="NAME",
    help="Restrict to an engine, such as spark, spark@4.3.0 or spark:vectorized=off; repeatable.",
)
@_MASTER
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def diff(before: Path, after: Path, *, engines: tuple[str, ...], master: str | None, as_json: bool) -> None:
    """Show verdicts that differ between two runs.

    BEFORE and AFTER are the folders of the runs. In a pipe, lines are tab-separated. A case of your own files
    is followed by the path of the file.

    Exit status: 0 no difference; 1 differences; 2 error.
    """
    with problems():
        records = [load_run(run) for run in (before, after)]
        _check_engines(engines, records)
        ids = [record.id for record in records]
        parts = _partitions((before, after))
        if master:
            rows = _by_spark(master, parts, lambda session: archive.diff(session, *ids))
        else:
            rows = comparison.diff(parts, *ids)
        rows = [row for row in rows if not engines or _names_of(row) & {*engines}]
        rows = _with_files(rows, (before, after))
    show_rows(rows, as_json=as_json, heading=_OF_DIFF, most=_LISTED)
    if rows:
        raise click.exceptions.Exit(1)


def _check_engines(engines: Sequence[str], records: Sequence[RunRecord]) -> None:
    """Raise Problem for an engine of which neither run has results."""
    every = [engine for record in records for engine in record.engines]
    labels = {
        name for engine in every for name in _names(engine["name"], engine["version"], engine["config"])
    }
    for engine in engines:
        if engine not in labels:
            known = ", ".join(sorted({each["name"] for each in every}))
            raise Problem(f"--engine {engine}: neither run has results of it; they have {known}")


def _names_of(row: Mapping[str, Any]) -> set[str]:
    versions = filter(None, (row["version_before"], row["version_after"]))
    return {name for version in versions for name in _names(row["engine"], version, row["config"])}


def _names(name: str, version: str, config: str) -> set[str]:
    """Return what names an engine, its version, and its configuration."""
    labels = {name, f"{name}@{version}"}
    return labels | {f"{label}:{config}" for label in labels if config}


def _with_files(rows: Sequence[dict[str, Any]], outs: Sequence[Path]) -> list[dict[str, Any]]:
    """Return rows with the path of the file that is the case, None for cases with a name of their own."""
    files: dict[str, str] = {}
    wanted = {row["case"] for row in rows if row["case"].startswith((USER_FILES, USER_TABLES))}
    for out in outs if wanted else ():
        for result in read_rows(out):
            if result.case in wanted:
                files[result.case] = display_name(result.case, result.detail.file)
    return [{"case": row["case"], "file": files.get(row["case"]), **row} for row in rows]


@click.group()
def runs() -> None:
    """List and remove runs."""


@runs.command("list")
@click.argument("folder", type=_PATH, default=Path("colconf-out"))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(folder: Path, *, as_json: bool) -> None:
    """List the runs in FOLDER (default: colconf-out) and its subfolders, newest first."""
    rows = [{**run._asdict(), "path": str(run.path), "started": str(run.started)} for run in _runs_in(folder)]
    show_rows(rows, as_json=as_json, most=_LISTED)


@runs.command()
@click.argument("folder", type=_PATH, default=Path("colconf-out"))
@click.option("--keep", type=click.IntRange(0), metavar="N", help="Keep the newest N runs.")
@click.option("--days", type=click.IntRange(0), metavar="D", help="Keep the runs of the last D days.")
@click.option("--dry-run", is_flag=True, help="Print what would be removed, and remove nothing.")
def prune(folder: Path, *, keep: int | None, days: int | None, dry_run: bool) -> None:
    """Remove runs in FOLDER and its subfolders, except for those that --keep or --days selects.

    FOLDER defaults to colconf-out. Only files of colconf are removed; a run in progress stays.
    """
    if keep is None and days is None:
        raise Problem("--keep or --days is required")
    stored = _runs_in(folder)
    freed = 0
    for run in retention.surplus(stored, keep, days, dt.datetime.now(tz=dt.UTC)):
        if not dry_run and not retention.remove(run):
            show_line(f"{run.path}: skipped, a run is in progress", err=True)
            continue
        freed += run.size
        show_line(f"{'would remove' if dry_run else 'removed'} {run.id} in {run.path}")
    click.echo(f"{freed / (1 << 20):,.1f} MiB")


def _runs_in(folder: Path) -> list[retention.StoredRun]:
    if not folder.is_dir():
        raise Problem(f"{folder}: no such folder")
    return retention.runs(folder)


def _by_spark(master: str, parts: Parts, ask: Callable[[Any], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the result of a query on Spark; raises Problem and PipelineError."""
    if find_spec("pyspark") is None:
        raise Problem(_NO_SPARK)
    with archive.opened(parts, master) as session:
        return ask(session)


def _partitions(outs: Sequence[Path]) -> Parts:
    if find_spec("pyarrow") is None:
        raise Problem(_NO_PYARROW)
    return archive.partitions(outs)
