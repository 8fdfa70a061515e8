"""`colconf report`: show the results of a run in another format."""

from __future__ import annotations

from pathlib import Path

import click

from harness.commands.parameters import problems
from harness.judging.results import Results, load
from harness.problem import Problem
from reports import claims as claim_files
from reports import junit, status, status_forms, status_model, terminal
from reports.build import build
from reports.formats import FORMATS, write

STATUS = "status"
_BY_SUFFIX = {
    ".txt": "terminal",
    ".md": "markdown",
    ".xml": "junit",
    ".html": "html",
    ".json": "json",
    ".sarif": "sarif",
    ".svg": "badge",
}


@click.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "name",
    type=click.Choice([*FORMATS, STATUS]),
    help="Report format; default: by the suffix of --output, else terminal. `status` is the matrix of"
    " features that engines read and write, in Markdown or by the suffix of --output (.md, .html, .json).",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="Output file; default, also for -: standard output.",
)
@click.option(
    "--claims",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="With --format status: YAML file of claimed features, to compare with the results; repeatable.",
)
@click.option(
    "--by-engine", is_flag=True, help="With --format junit: write a file per engine into the folder --output."
)
def report(
    out: Path, name: str | None, output: Path | None, claims: tuple[Path, ...], *, by_engine: bool
) -> None:
    """Show the results in OUT, the output folder of a run."""
    to_stdout = output is None or output == Path("-")
    if by_engine and (name != "junit" or to_stdout):
        raise Problem("--by-engine requires --format junit and --output DIR")
    if claims and name != STATUS:
        raise Problem("--claims requires --format status")
    with problems():
        results = load(out, streamed=True)
        if name == STATUS:
            _put(_status(results, output, claims), None if to_stdout else output)
            return
        model = build(results)
        if by_engine and output:
            output.mkdir(parents=True, exist_ok=True)
            for file, content in junit.by_engine(model).items():
                write(content, output / file)
            return
    if name is None:
        name = "terminal" if output is None else _BY_SUFFIX.get(output.suffix, "terminal")
    if to_stdout and name == "terminal":
        terminal.show(model)
        return
    _put(FORMATS[name].render(model), None if to_stdout else output)


def _status(results: Results, output: Path | None, claims: tuple[Path, ...]) -> str:
    rows = status_model.load()
    compared = claim_files.load(claims, rows.implementations) if claims else None
    render = status_forms.FORMS.get(output.suffix if output else "", status_forms.markdown)
    return render(status.build(results, compared, rows))


def _put(content: str, output: Path | None) -> None:
    if output is None:
        click.echo(content.encode("utf-8"), nl=False)
        return
    with problems(output):
        write(content, output)
