"""`colconf engines`: the engines colconf knows, their switches, and which of them are here."""

from __future__ import annotations

import json

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness.availability import Status, statuses


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def engines(*, as_json: bool) -> None:
    """List engines, their switches (the default first), and whether they can be run here."""
    found = statuses()
    if as_json:
        click.echo(json.dumps([_told(one) for one in found], indent=2))
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("engine", "version", "switches", "writes", "status"):
        table.add_column(name, overflow="fold")
    for one in found:
        switches = ", ".join(f"{name}={'|'.join(values)}" for name, values in one.entry.switches.items())
        state = "ready" if one.available else f"{one.reason}: {one.mend}"
        writes = "yes" if one.entry.writes else "·"
        table.add_row(one.entry.name, one.version or "·", switches or "·", writes, Text(state))
    Console(highlight=False).print(table)


def _told(one: Status) -> dict[str, object]:
    return {
        "engine": one.entry.name,
        "version": one.version or None,
        "available": one.available,
        "reason": one.reason,
        "mend": one.mend,
        "formats": list(one.entry.formats),
        "switches": {name: list(values) for name, values in one.entry.switches.items()},
        "writes": one.entry.writes,
    }
