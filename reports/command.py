"""`colconf report`: show the results of a run in another form."""

from __future__ import annotations

from pathlib import Path

import click

from harness.problem import Problem
from harness.results import ResultsError, load
from reports import terminal
from reports.formats import FORMATS, write
from reports.model import build

_BY_SUFFIX = {".txt": "terminal", ".md": "markdown", ".xml": "junit", ".html": "html", ".json": "json"}


@click.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "name",
    type=click.Choice(list(FORMATS)),
    help="By default what the name of --output says, else terminal.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="The file to write; by default, or with -, standard output.",
)
def report(out: Path, name: str | None, output: Path | None) -> None:
    """Show the results in OUT, the folder that a run wrote."""
    try:
        model = build(load(out))
    except (ResultsError, OSError) as error:
        raise Problem(str(error)) from error
    to_stdout = output is None or output == Path("-")
    if name is None:
        name = "terminal" if output is None else _BY_SUFFIX.get(output.suffix, "terminal")
    if to_stdout and name == "terminal":
        terminal.show(model)
        return
    content = FORMATS[name].render(model)
    if output is None or to_stdout:
        click.echo(content.encode("utf-8"), nl=False)
        return
    try:
        write(content, output)
    except OSError as error:
        raise Problem(f"{output}: {error.strerror or error}") from error
