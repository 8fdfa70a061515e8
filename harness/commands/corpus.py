"""`colconf corpus`: check and build the cases, and render the pages about them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from corpora import known_failures, own_cases
from corpora.build import reading, store
from corpora.build.evolution import checked_in
from corpora.build.formats import FORMATS
from corpora.files import write_whole
from corpora.findings import render
from corpora.lint import problems as lint_problems
from harness.commands.corpus_release import fetch, release
from harness.commands.corpus_written import written
from harness.commands.parameters import problems
from harness.investigate.selftest.power import Measurement, PowerError
from harness.investigate.selftest.power import render as render_power
from harness.problem import Problem
from properties.corpus import built, coverage_page
from reference_impl.errors import Unsupported


@click.group()
def corpus() -> None:
    """Check and build the corpus of cases."""


corpus.add_command(release)
corpus.add_command(fetch)
corpus.add_command(written)


@corpus.command()
def lint() -> None:
    """Check cases, features, rules and known failures; print a line for each problem.

    Lint compares the checked-in cases with the output of their recipes and with the values that the reference
    reads, and their coverage with the items to cover. Exit status 1 if there is a problem.
    """
    with problems("", Unsupported):
        lines = lint_problems()
        for form in FORMATS.values():
            lines += store.problems(built(form.name), reading.read, form, form.folder)
            lines += checked_in.problems(form.name)
    for line in lines:
        click.echo(line)
    if lines:
        sys.exit(1)
    click.echo("the corpus is sound", err=True)


@corpus.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Output folder; default: corpora, in a checkout.",
)
@click.option(
    "--format", "name", type=click.Choice(list(FORMATS)), help="Build the cases of one format only."
)
def build(out: Path | None, name: str | None) -> None:
    """Write the cases of all recipes, and remove files without a recipe."""
    if out is None and own_cases.is_packed():
        raise Problem("colconf's cases are those of a wheel; name another folder: corpus build --out DIR")
    out = out or own_cases.CHECKED_IN
    with problems("", Unsupported):
        for form in [name] if name else FORMATS:
            click.echo(f"{store.write(built(form), out / form)} cases in {out / form}", err=True)
            tables = out / own_cases.TABLES
            click.echo(f"{checked_in.write(form, tables)} table cases in {tables / form}", err=True)


@corpus.command()
@click.option("--write", type=click.Path(dir_okay=False, path_type=Path), help="Output file.")
def findings(write: Path | None) -> None:
    """Print FINDINGS.md: the known failures that are confirmed findings, each with its script."""
    with problems():
        _put(render(known_failures.load()), write)


@corpus.command()
@click.option("--write", type=click.Path(dir_okay=False, path_type=Path), help="Output file.")
def fields(write: Path | None) -> None:
    """Print FORMAT_COVERAGE.md: every field of the formats, whether it is read, written and in a case."""
    if write is not None and not write.absolute().parent.is_dir():
        raise Problem(f"{write.parent}: no such folder")
    with problems("", Unsupported):
        _put(coverage_page(), write)


@corpus.command()
@click.argument("measured", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULT.json…")
@click.option("--write", type=click.Path(dir_okay=False, path_type=Path), help="Output file.")
def power(measured: tuple[Path, ...], write: Path | None) -> None:
    """Print docs/power.md: which planted bugs colconf detects.

    RESULT.json is what `colconf selftest --json` printed, with and without --fuzz.
    """
    with problems():
        results = [_measurement(path) for path in measured]
        _put(render_power(results), write)


def _measurement(path: Path) -> Measurement:
    try:
        data = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise PowerError(f"{path}: is no JSON: {error}") from error
    return Measurement.from_json(str(path), data)


def _put(page: str, write: Path | None) -> None:
    if write is None:
        click.echo(page, nl=False)
    else:
        write_whole(write, page)
