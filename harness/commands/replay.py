"""`colconf replay`: judge a finding, a case, a seed or a file again."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import click

from corpora.cases import CONTESTED, FORMATS
from harness.children.connection import Limits
from harness.children.scratch import scratch_folder
from harness.commands import keyed
from harness.commands.own_queries import query_options, statements_of, with_queries
from harness.commands.parameters import ALLOW_OUTSIDE, problems
from harness.investigate.findings.replay import named
from harness.investigate.findings.replay import replay as judge_again
from harness.judging.records import PROBLEMS
from harness.judging.results import Row
from harness.judging.signature import label
from harness.judging.verdicts import Verdict
from harness.listings.text import show_line
from harness.problem import USAGE, Problem


@click.command()
@click.argument("what", metavar="FOLDER|ID|CASE|SEED|FILE")
@click.option(
    "--engine", multiple=True, metavar="NAME[@VERSION][:SWITCHES]", help="Run this engine; repeatable."
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default=FORMATS[0],
    help="Format of a SEED; default: parquet.",
)
@click.option(
    "--seconds",
    type=float,
    default=120.0,
    show_default=True,
    help="Time limit per file or query, in seconds.",
)
@click.option("--keys", metavar="FILE", help=keyed.HELP)
@query_options
@click.option("--allow-outside", is_flag=True, help=ALLOW_OUTSIDE)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def replay(
    *,
    what: str,
    engine: tuple[str, ...],
    format_: str,
    seconds: float,
    keys: str | None,
    query: tuple[str, ...],
    query_file: tuple[str, ...],
    allow_outside: bool,
    as_json: bool,
) -> None:
    """Judge a finding, a case or a file again, and print whether a finding shows.

    The argument is the folder of a finding (of `colconf findings export` or `colconf minimize`), the id of a
    known finding (FINDINGS.md), the name of a case of the corpora, the SEED of a generated case such as
    generated/7/12/3, or a file. For a FOLDER or an ID, colconf runs the engine of the finding and looks for
    the same finding; for the others, it runs all installed engines and looks for any finding. A file is read
    and queried, as a run does; with --query, only your queries are run on it.

    Exit status: 0 no finding shows; 1 a finding shows; 2 error, or undecided.
    """
    with problems(what), scratch_folder() as scratch:
        again = named(what, engine, format_, scratch, outside=allow_outside)
        if (case := keyed.case_with(keys, again.case)) is not again.case:
            again = replace(again, case=case)
        if statements := statements_of({"query": query, "query_file": query_file}):
            if again.entry is not None:
                raise Problem("--query is of a file or case: a finding has its own query")
            queried = with_queries(statements, [again.case])
            again = replace(again, case=queried.cases[0])
            for note in queried.notes:
                show_line(note, err=True)
        shows, results, findings = judge_again(again, Limits(seconds=seconds))
    is_open = not shows and any(map(_doubt, results.rows))
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
            show_line(f"{label(row)}: {row.verdict}{_doubt(row)}")
        for finding in findings:
            show_line(f"  {finding.signature}")
        if not is_open:
            click.echo("the finding shows" if shows else "the finding does not show")
        else:
            click.echo("undecided: two lineages or a clause are needed to blame an engine; name more engines")
    click.get_current_context().exit(1 if shows else USAGE if is_open else 0)


def _doubt(row: Row) -> str:
    """Return why a problem is contested, so that no engine is blamed; "" for any other verdict."""
    expectation = row.detail.expectation
    is_doubted = row.verdict in {*PROBLEMS, Verdict.CONTESTED} and expectation.certainty == CONTESTED
    return f", contested: {expectation.why}" if is_doubted else ""
