"""`colconf findings status` and `findings file`: the issues of findings upstream."""

from __future__ import annotations

import json
import subprocess
from io import BytesIO
from pathlib import Path
from typing import Any

import click

from corpora import known_failures
from harness.commands.parameters import problems
from harness.commands.web import copy
from harness.investigate.findings import folders, upstream
from harness.listings.rows import show_rows
from harness.listings.text import line, show_line
from harness.problem import Problem

_PATH = click.Path(path_type=Path, dir_okay=False)
_LEDGER = Path("colconf-filed.json")
CAN_END = 1
_MOST_BYTES = 1 << 24  # of the answer about an issue


@click.command()
@click.option(
    "--from",
    "source",
    type=_PATH,
    metavar="FILE",
    help="File with the states of issues, as --save writes it.",
)
@click.option(
    "--api",
    metavar="URL",
    help="Query this GitHub API, such as https://api.github.com; default: no network access.",
)
@click.option(
    "--save", "target", type=_PATH, metavar="FILE", help="With --api: write the states to this file."
)
@click.option("--known", type=click.Path(path_type=Path, file_okay=False), help="Folder of known failures.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def status(
    *, source: Path | None, api: str | None, target: Path | None, known: Path | None, as_json: bool
) -> None:
    """Show the state of the issues that known failures name, and which entries can end.

    An entry can end when the fix was released in a version that the entry covers.

    Exit status: 0 no entry can end; 1 an entry can end; 2 error.
    """
    if target and not api:
        raise Problem("--save requires --api")
    if known is not None and not known.is_dir():
        raise Problem(f"{known}: no such folder of known failures")
    with problems():
        entries = known_failures.load(known or known_failures.FOLDER)
        states = upstream.read(source) if source else {}
        if api:
            urls = sorted({entry.url for entry in entries if entry.url})
            states |= dict(upstream.ask(urls, api, _get))
            if target:
                upstream.save(target, states)
    named = upstream.issues(entries, states)
    rows: list[dict[str, Any]] = [
        {
            "issue": issue.url,
            "engines": list(issue.engines),
            "entries": issue.entries,
            "state": issue.state.state,
            "fixed_in": issue.state.fixed_in,
            **({"title": issue.state.title, "ends": list(issue.ends)} if as_json else {}),
        }
        for issue in named
    ]
    show_rows(rows, as_json=as_json)
    ends = [end for issue in named for end in issue.ends]
    for end in ends if not as_json else ():
        show_line(f"this entry can end: {end}", err=True)
    click.get_current_context().exit(CAN_END if ends else 0)


def _get(url: str) -> Any:
    reply = BytesIO()
    copy(url, reply, _MOST_BYTES, {"Accept": "application/json"})
    try:
        return json.loads(reply.getvalue())
    except (ValueError, RecursionError) as error:
        raise Problem(f"{line(url)}: the reply is not JSON: {error}") from error


@click.command("file")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FOLDER…")
@click.option("--repo", required=True, metavar="OWNER/NAME", help="Repository of the engine's developers.")
@click.option(
    "--ledger",
    type=_PATH,
    default=_LEDGER,
    show_default=True,
    help="File that lists the filed issues; no issue is filed twice for one signature.",
)
def file_issues(*, paths: tuple[Path, ...], repo: str, ledger: Path) -> None:
    """Open issues for folders of `colconf findings export` with the program `gh`, after asking about each.

    A finding whose signature is in the ledger, or for which a known failure names an issue, is skipped.

    Exit status: 0 done; 2 error.
    """
    with problems():
        filed = upstream.Ledger(ledger)
        for path in paths:
            _, finding = folders.read(path)
            if url := filed.url_of(finding.signature) or _known_url(finding.signature, finding.engine):
                show_line(f"{path}: is filed already: {url}")
                continue
            text = (path / folders.ISSUE).read_text("utf-8")
            title = text.partition("\n")[0].removeprefix("# ")
            show_line(f"{path}: {title}")
            if not click.confirm(f"open this issue in {line(repo)}?", default=False):
                continue
            url = _opened(repo, title, path / folders.ISSUE)
            filed.add(finding.signature, url)
            show_line(url)


def _known_url(signature: str, engine: str) -> str:
    """Return the address that a known failure with just this signature names, or ""."""
    entries = known_failures.load()
    return next((e.url for e in entries if e.engine == engine and e.url and e.signature == signature), "")


def _opened(repo: str, title: str, body: Path) -> str:
    """Open an issue, and return its address; raises Problem."""
    command = ["gh", "issue", "create", "--repo", repo, "--title", title, "--body-file", str(body)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise Problem("gh is not installed: see https://cli.github.com") from error
    if done.returncode or not done.stdout.strip():
        raise Problem(f"gh: {line(done.stderr.strip() or done.stdout.strip() or 'no address was printed')}")
    return done.stdout.strip().splitlines()[-1]
