"""`colconf trend`, `colconf diff` and `colconf runs`: compare, list and remove runs."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness.commands.parameters import problems
from harness.judging.results import load_run
from harness.listings.text import line, show_line
from harness.problem import Problem
from harness.runs import retention
from harness.runs.pipeline import archive

_PATH = click.Path(path_type=Path)
_LISTED = 50
_NO_SPARK = "comparing runs requires PySpark and Java; pip install 'colconf[spark]'"


@click.command()
@click.argument("outs", nargs=-1, required=True, type=_PATH, metavar="FOLDER…")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def trend(outs: tuple[Path, ...], *, as_json: bool) -> None:
    """Show the results of runs per engine, oldest run first.

    FOLDER is the folder of a run, or a folder that contains such folders.
    """
    rows = _queried(outs, lambda session, _: archive.trend(session))
    _show(rows, as_json=as_json)


@click.command()
@click.argument("before", type=_PATH)
@click.argument("after", type=_PATH)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def diff(before: Path, after: Path, *, as_json: bool) -> None:
    """Show verdicts that differ between two runs.

    BEFORE and AFTER are the folders of the runs.

    Exit status: 0 no difference; 1 differences; 2 error.
    """
    with problems():
        ids = [load_run(run).id for run in (before, after)]
    rows = _queried((before, after), lambda session, _: archive.diff(session, *ids))
    _show(rows, as_json=as_json)
    if rows:
        raise click.exceptions.Exit(1)


@click.group()
def runs() -> None:
    """List and remove runs."""


@runs.command("list")
@click.argument("folder", type=_PATH, default=Path("colconf-out"))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(folder: Path, *, as_json: bool) -> None:
    """List the runs in FOLDER (default: colconf-out) and its subfolders, newest first."""
    rows = [{**run._asdict(), "path": str(run.path), "started": str(run.started)} for run in _runs_in(folder)]
    _show(rows, as_json=as_json)


@runs.command()
@click.argument("folder", type=_PATH, default=Path("colconf-out"))
@click.option("--keep", type=click.IntRange(0), metavar="N", help="Keep the newest N runs.")
@click.option("--days", type=click.IntRange(0), metavar="D", help="Keep the runs of the last D days.")
@click.option("--dry-run", is_flag=True, help="Print what would be removed, and remove nothing.")
def prune(folder: Path, *, keep: int | None, days: int | None, dry_run: bool) -> None:
    """Remove runs in FOLDER and its subfolders, except for those that --keep or --days names.

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


def _queried(outs: Sequence[Path], ask: Callable[[Any, Any], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    if find_spec("pyspark") is None:
        raise Problem(_NO_SPARK)
    with problems():
        partitions = archive.partitions(outs)
        with archive.opened(partitions) as session:
            return ask(session, partitions)


def _show(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    if not rows:
        click.echo("nothing")
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name, value in rows[0].items():
        table.add_column(name.replace("_", " "), justify="right" if isinstance(value, int) else "left")
    for row in rows[:_LISTED]:
        table.add_row(*(Text("·" if value is None else line(value)) for value in row.values()))
    Console(highlight=False).print(table)
    if len(rows) > _LISTED:
        click.echo(f"and {len(rows) - _LISTED:,} more; --json shows all")
