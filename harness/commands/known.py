"""`colconf known`: look after the failures that are known."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

from corpora import known_failures
from corpora.cases import CaseError
from corpora.files import write_whole
from harness.commands.run import DEFAULT_OUT
from harness.judging.results import ResultsError
from harness.listings.text import block
from harness.problem import Problem
from harness.runs.history.propose import proposed
from harness.runs.pipeline.errors import explained


@click.group()
def known() -> None:
    """Look after the failures that are known."""


@known.command()
@click.argument("run", required=False, type=click.Path(path_type=Path))
@click.option(
    "--known",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of known failures; default the one that comes with colconf.",
)
@click.option(
    "--days",
    type=click.IntRange(1),
    default=30,
    show_default=True,
    help="After how many days a new entry expires.",
)
@click.option("--write", is_flag=True, help="Apply the edit.")
def update(run: Path | None, folder: Path | None, days: int, *, write: bool) -> None:
    """Propose the edit of the known failures that the results in RUN ask for, as a diff.

    Without RUN, the latest one in colconf-out. Entries that hold no longer get an end of their versions or
    go, expired ones that still fail get another date, and findings become entries to be looked at. Comments
    and order stay.
    """
    today = dt.datetime.now(tz=dt.UTC).date()
    try:
        out = run or _latest(Path(DEFAULT_OUT))
        changes = proposed(out, folder or known_failures.FOLDER, days=days, today=today)
        for change in changes:
            click.echo(block(change.diff, None), nl=False)
            if write:
                write_whole(change.file, change.after)
    except (ResultsError, CaseError) as error:
        raise Problem(str(error)) from error
    except OSError as error:
        raise Problem(explained(error)) from error
    if not changes:
        click.echo(f"{out}: nothing to change", err=True)
    elif write:
        click.echo("written; of findings, `colconf corpus findings` renders the page anew", err=True)
    else:
        click.echo("to apply it: the same command with --write", err=True)


def _latest(folder: Path) -> Path:
    """Return the run in a folder that was written last; raises Problem."""
    runs = sorted(folder.glob("*/run.json"), key=lambda path: path.stat().st_mtime)
    if not runs:
        raise Problem(f"{folder}: no run is here; name one")
    return runs[-1].parent
