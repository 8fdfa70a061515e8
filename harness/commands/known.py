"""`colconf known`: maintain the known failures."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

from corpora import known_failures
from corpora.files import write_whole
from harness.commands.inputs import DEFAULT_OUT
from harness.commands.known_bisect import bisect
from harness.commands.parameters import known_option, problems
from harness.listings.text import block
from harness.problem import Problem
from harness.runs.history.propose import proposed
from harness.runs.history.subjects import with_subjects


@click.group()
def known() -> None:
    """Maintain the known failures."""


known.add_command(bisect)


@known.command()
@click.argument("run", required=False, type=click.Path(path_type=Path))
@known_option
@click.option(
    "--days",
    type=click.IntRange(1),
    default=30,
    show_default=True,
    help="Days until a new entry expires.",
)
@click.option(
    "--subjects",
    is_flag=True,
    help="Instead, limit entries without signature to what the run saw of them: wrong values, lost rows.",
)
@click.option("--write", is_flag=True, help="Write the changes to the files.")
def update(run: Path | None, folder: Path | None, days: int, *, subjects: bool, write: bool) -> None:
    """Print changes to the known failures that the run in RUN suggests, as a diff.

    RUN is the folder of a run; default: the latest run in colconf-out. An entry that no longer fails is
    removed, or limited to the versions that fail. An entry that has expired and still fails gets a new date.
    Each finding becomes an entry to review. Comments and order stay.
    """
    today = dt.datetime.now(tz=dt.UTC).date()
    if folder is not None and not folder.is_dir():
        if folder.exists() or not write:
            why = "not a folder" if folder.exists() else "no such folder of known failures; --write makes it"
            raise Problem(f"{folder}: {why}")
        folder.mkdir(parents=True)
    with problems():
        out = run or _latest(Path(DEFAULT_OUT))
        entries = folder or known_failures.FOLDER
        changes = with_subjects(out, entries) if subjects else proposed(out, entries, days=days, today=today)
        for change in changes:
            click.echo(block(change.diff, None), nl=False)
            if write:
                write_whole(change.file, change.after)
    if not changes:
        click.echo(f"{out}: nothing to change", err=True)
    elif write:
        mend = "" if folder else "; `colconf corpus findings` renders FINDINGS.md"
        click.echo(f"{entries}: written{mend}", err=True)
    else:
        click.echo("apply the changes with --write", err=True)


def _latest(folder: Path) -> Path:
    """Return the latest run in a folder; raises Problem."""
    runs = sorted(folder.glob("*/run.json"), key=lambda path: path.stat().st_mtime)
    if not runs:
        raise Problem(f"{folder}: no run found; name one")
    return runs[-1].parent
