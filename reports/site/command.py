"""`colconf site`: the pages of many runs, to look at in a browser."""

from __future__ import annotations

import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import click

from corpora import known_failures
from harness.commands.parameters import problems
from harness.investigate.findings.upstream import read as read_states
from harness.listings.text import line
from harness.problem import Problem
from harness.runs.history.store import FILE
from reports.site.build import write

_PATH = click.Path(path_type=Path)
_LOCAL = "127.0.0.1"


@click.command()
@click.argument("folders", nargs=-1, type=_PATH, metavar="[FOLDER]…")
@click.option(
    "--history",
    type=_PATH,
    envvar="COLCONF_HISTORY",
    help="Folder with the findings of earlier runs; also $COLCONF_HISTORY. FOLDER defaults to it.",
)
@click.option(
    "--out", type=_PATH, default=Path("site"), show_default=True, help="Folder that the site is written into."
)
@click.option(
    "--states",
    type=_PATH,
    help="JSON file of the states of upstream issues, as `findings status --save` writes it.",
)
@click.option("--serve", is_flag=True, help="Then serve the site on this machine, until interrupted.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Port of --serve."
)
def site(
    folders: tuple[Path, ...], history: Path | None, out: Path, states: Path | None, *, serve: bool, port: int
) -> None:
    """Write a static site from any number of runs: engines, versions, features, rules, cases, findings.

    FOLDER is the folder of a run, or a folder that contains such folders. The site needs no server and no
    network: open index.html.
    """
    if not folders and history is None:
        raise Problem("FOLDER or --history is required")
    if history and not (history / FILE).exists():
        raise Problem(f"{line(history, None)}: no history in this folder (no {FILE})")
    started = time.monotonic()
    with problems():
        upstream = read_states(states) if states else {}
        written = write(folders or (history,), history, out, known_failures.load(), upstream)  # type: ignore[arg-type]
    click.echo(
        f"{line(out / 'index.html', None)}: {written.runs:,} runs, {written.pages:,} files,"
        f" {written.size / (1 << 20):,.1f} MiB, in {time.monotonic() - started:.1f} s"
    )
    if serve:
        _serve(out, port)


def _serve(out: Path, port: int) -> None:
    """Serve the folder to this machine only, until interrupted."""
    with (
        problems(),
        ThreadingHTTPServer((_LOCAL, port), partial(SimpleHTTPRequestHandler, directory=out)) as server,
    ):
        click.echo(f"http://{_LOCAL}:{server.server_port}/")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return
