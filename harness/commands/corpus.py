"""`colconf corpus`: the cases, and what is wrong with them."""

from __future__ import annotations

import sys

import click

from corpora.lint import problems


@click.group()
def corpus() -> None:
    """Look after the corpus of cases."""


@corpus.command()
def lint() -> None:
    """Check cases, features, rules and known failures; print a line for each problem.

    Exit status 1 if there is one.
    """
    found = problems()
    for problem in found:
        click.echo(problem)
    if found:
        sys.exit(1)
    click.echo("the corpus is sound", err=True)
