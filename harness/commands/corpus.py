"""`colconf corpus`: the cases, how they are made, and what is wrong with them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpora import known_failures
from corpora.build import areas, check, fields_page, make, store
from corpora.build import fields as format_fields
from corpora.build.formats import CORPORA, FORMATS
from corpora.build.orc import areas as orc_areas
from corpora.cases import CaseError
from corpora.files import write_whole
from corpora.findings import render
from corpora.lint import problems
from harness.engines.reference import Reference
from harness.problem import Problem
from properties import corpus as faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpora.build.make import Made
    from corpora.build.recipe import Recipe
    from corpora.keys import Keys
    from corpora.tagged import Table


@click.group()
def corpus() -> None:
    """Look after the corpus of cases."""


@corpus.command()
def lint() -> None:
    """Check cases, features, rules and known failures; print a line for each problem.

    The checked-in cases are compared with what their scripts make and with what the reference reads, and what
    they cover with what there is to cover. Exit status 1 if there is a problem.
    """
    found = problems()
    for form in FORMATS.values():
        found += check.problems(made(form.name), _read, form, form.folder)
    for problem in found:
        click.echo(problem)
    if found:
        sys.exit(1)
    click.echo("the corpus is sound", err=True)


@corpus.command()
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=CORPORA)
@click.option("--format", "name", type=click.Choice(list(FORMATS)), help="Of this format only.")
def build(out: Path, name: str | None) -> None:
    """Write the checked-in cases anew, or into another folder; what nothing makes any more is removed."""
    for form in [name] if name else FORMATS:
        click.echo(f"{store.write(made(form), out / form)} cases in {out / form}", err=True)


@corpus.command()
@click.option("--write", type=click.Path(dir_okay=False, path_type=Path), help="Into this file.")
def findings(write: Path | None) -> None:
    """Print FINDINGS.md: the known failures that are confirmed findings, each with its script."""
    try:
        page = render(known_failures.load())
    except CaseError as error:
        raise Problem(str(error)) from error
    _put(page, write)


@corpus.command()
@click.option("--write", type=click.Path(dir_okay=False, path_type=Path), help="Into this file.")
def fields(write: Path | None) -> None:
    """Print FORMAT_COVERAGE.md: every field of the formats, whether it is read, written and in a case."""
    _put(coverage_page(), write)


def coverage_page() -> str:
    """Return what FORMAT_COVERAGE.md should hold; raises CaseError."""
    told = []
    for form in FORMATS.values():
        tampered = {f"{form.name}/{one.id}" for one in _recipes(form.name) if one.tamper is not None}
        declared = format_fields.interface(form.name)
        told.append((declared, format_fields.lines(declared, format_fields.held(form, tampered))))
    return fields_page.render(told)


def _put(page: str, write: Path | None) -> None:
    if write is None:
        click.echo(page, nl=False)
    else:
        write_whole(write, page)


def made(form: str) -> Iterator[Made]:
    """Yield the cases that the corpus of a format should hold."""
    yield from make.all_of(_recipes(form))


def _recipes(form: str) -> tuple[Recipe, ...]:
    return (*_AREAS[form](), *faults.recipes(form))


def _read(file: str, form: str, keys: Keys | None = None) -> Table:
    reference = Reference()
    reference.enter(keys)
    return reference.read(file, form, {})


_AREAS = {"parquet": areas.recipes, "orc": orc_areas.recipes}
