"""`colconf replay`: judge a finding, a case, a seed or a file again."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path

import click

from corpora.cases import FORMATS
from harness.children.connection import Limits
from harness.commands.findings import MISTAKES
from harness.engines.naming import NamingError
from harness.investigate.findings.replay import named
from harness.investigate.findings.replay import replay as judge_again
from harness.judging.signature import label
from harness.listings.text import show_line
from harness.problem import Problem


@click.command()
@click.argument("what", metavar="FOLDER|ID|CASE|SEED|FILE")
@click.option(
    "--engine", multiple=True, metavar="NAME[@VERSION][:SWITCHES]", help="Use this engine; repeatable."
)
@click.option("--format", "format_", type=click.Choice(FORMATS), default=FORMATS[0], help="Format of a seed.")
@click.option("--seconds", type=float, default=120.0, show_default=True, help="Time limit per file or query.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def replay(*, what: str, engine: tuple[str, ...], format_: str, seconds: float, as_json: bool) -> None:
    """Judge a finding, a case or a file again, and print whether a finding shows.

    The argument is the folder of a finding (`colconf findings export`), the id of a known finding
    (FINDINGS.md), a case of the corpora, a generated case such as generated/7/12/3, or a file. For the first
    two, the engine of the finding is run and the same finding is looked for; for the others, any finding.

    Exit status: 0 no finding shows; 1 a finding shows; 2 error.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="colconf-replay-") as scratch:
            again = named(what, engine, format_, Path(scratch))
            shows, results, findings = judge_again(again, Limits(seconds=seconds))
    except (*MISTAKES, NamingError) as error:
        raise Problem(str(error)) from error
    except OSError as error:
        raise Problem(f"{what}: {error.strerror}") from error
    if as_json:
        rows = [row.to_json() for row in results.rows]
        content = {
            "case": again.case.id,
            "shows": shows,
            "findings": [asdict(finding) for finding in findings],
            "said": rows,
        }
        click.echo(json.dumps(content, indent=2))
    else:
        for row in results.rows:
            show_line(f"{label(row)}: {row.verdict}")
        for finding in findings:
            show_line(f"  {finding.signature}")
        click.echo("it shows" if shows else "it does not show")
    click.get_current_context().exit(1 if shows else 0)
