"""Rows of a listing on standard output: JSON, a table on a terminal, tab-separated lines in a pipe."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness.listings.text import line

_Row = Mapping[str, Any]


def show_rows(
    rows: Sequence[_Row], *, as_json: bool = False, heading: Sequence[str] = (), most: int | None = None
) -> None:
    """Print rows, which all have the same keys.

    On a terminal, consecutive rows with the same values of `heading` stand below these values, and at most
    `most` rows are printed. In a pipe all rows are lines of tab-separated values below a line of the keys;
    None is an empty value.
    """
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    elif sys.stdout.isatty():
        _table(rows, heading, most)
    elif rows:
        click.echo("\t".join(rows[0]))
        for row in rows:
            click.echo("\t".join("" if value is None else _cell(value) for value in row.values()))


def _table(rows: Sequence[_Row], heading: Sequence[str], most: int | None) -> None:
    if not rows:
        click.echo("nothing")
        return
    console = Console(highlight=False)
    for above, group in groupby(rows[:most], lambda row: tuple(row[name] for name in heading)):
        if heading:
            words = (f"{name} {_cell(value)}" for name, value in zip(heading, above, strict=True) if value)
            console.print(Text("  ".join(words), style="bold"))
        console.print(_body([{key: row[key] for key in row if key not in heading} for row in group]))
    if most is not None and len(rows) > most:
        click.echo(f"and {len(rows) - most:,} more; --json shows all")


def _body(rows: Sequence[_Row]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name, value in rows[0].items():
        side = "right" if isinstance(value, int) else "left"
        table.add_column(name.replace("_", " "), justify=side, overflow="fold")  # type: ignore[arg-type]
    for row in rows:
        table.add_row(*(Text("·" if value is None else _cell(value)) for value in row.values()))
    return table


def _cell(value: Any) -> str:
    """Return a value as text of one line, a list as its members."""
    text = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return line(text, None)
