"""`colconf inspect`: show the contents of a Parquet or ORC file, with the byte range of each part."""

from __future__ import annotations

import json
from pathlib import Path

import click

from corpora.build.formats import ORC, PARQUET
from corpora.files import check_regular
from harness.commands import keyed
from harness.commands.parameters import problems
from harness.formats import format_of
from harness.listings import orc as orc_listing
from harness.listings import parquet as parquet_listing
from harness.listings.text import line, show_line
from harness.problem import Problem
from reference_impl.errors import UsageError
from reference_impl.inspection import Data

_BROKEN = 1
_LISTINGS = {PARQUET.name: parquet_listing, ORC.name: orc_listing}


@click.command()
@click.argument("path", metavar="FILE")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--pages/--no-pages",
    default=True,
    help="Show the pages of each column chunk, or the row groups of each ORC column (default: --pages).",
)
@click.option(
    "--row-group",
    "--stripe",
    "part",
    type=click.IntRange(0),
    metavar="N",
    help="Show this row group or ORC stripe only, counted from 0.",
)
@click.option("--column", metavar="PATH", help="Show this column only, such as a.b for field b of column a.")
@click.option("--keys", metavar="FILE", help=keyed.HELP)
@click.pass_context
def inspect(
    ctx: click.Context,
    /,
    *,
    path: str,
    as_json: bool,
    pages: bool,
    part: int | None,
    column: str | None,
    keys: str | None,
) -> None:
    """Show a file's footer, schema, row groups, pages, levels, statistics, indexes and Bloom filters.

    For ORC: postscript, footer, types, stripes, streams, encodings, statistics, row indexes with their
    positions, and Bloom filters.

    Every part is shown with its byte range, end excluded. Parts that cannot be read are listed on
    standard error.

    Exit status: 0 everything was read; 1 a part could not be read; 2 error.
    """
    with problems(line(path, None)):
        check_regular(Path(path))
        data = Path(path).read_bytes()
    format_ = format_of(path, data)
    try:
        known = keyed.keys_of(keys, path)
        content = format_.inspect(data, (part, column, pages), known)
    except UsageError as error:
        raise Problem(f"{line(path, None)}: {error.message}") from error
    if as_json:
        click.echo(json.dumps(content, indent=2))
    else:
        for row in _LISTINGS[format_.name].lines(path, content):
            click.echo("\n" * row.text.startswith("\n"), nl=False)  # between parts
            show_line(row.text.removeprefix("\n"))
    for problem in content["errors"]:
        show_line(f"colconf: {path}: {_error(problem)}", err=True)
    if hint := keyed.mend((_error(problem) for problem in content["errors"]), keys):
        show_line(f"colconf: {hint}", err=True)
    ctx.exit(_BROKEN if content["errors"] else 0)


def _error(error: Data) -> str:
    where = [] if error["offset"] is None else [f"at byte {error['offset']}"]
    where += [f"in {error['path']}"] if error["path"] else []
    rule = f"[{error['rule']}] " if error["rule"] else ""
    message = " ".join(str(error["message"]).split())
    return f"{rule}{message}" + (f" ({' '.join(where)})" if where else "")
