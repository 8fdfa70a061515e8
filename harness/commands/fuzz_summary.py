"""The summary of fuzzing colconf's own parsers: as JSON, and as a table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness.investigate.fuzz.campaign import Campaign
from harness.listings.text import line
from properties.fuzz.crashes import to_json

_WIDTH = 140
_LISTED = 20


def summarised(campaign: Campaign, seconds: float) -> dict[str, Any]:
    """Return the counts and crashes of a campaign, in the JSON form."""
    rows: list[dict[str, Any]] = []
    for name in campaign.targets:
        at = campaign.standing(name)
        crashes = [to_json(inputs[0]) for inputs in campaign.crashes(name).values()]
        rows.append(
            {
                "target": name,
                "seconds": round(at.seconds, 1),
                "executions": at.executions,
                "executions_per_second": round(at.executions / at.seconds, 1) if at.seconds else None,
                "edges": at.edges,
                "corpus": campaign.inputs(name),
                "deaths": at.deaths,
                "crashes": crashes,
                "closed": [to_json(closed) for closed in campaign.closed if closed.target == name],
                "failure": at.failure or None,
            }
        )
    total = sum(len(row["crashes"]) for row in rows)
    return {"out": str(campaign.out), "seconds": round(seconds, 1), "crashes": total, "targets": rows}


def show_summary(summary: dict[str, Any]) -> None:
    """Print the counts of each target, and the first crashes."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("target", no_wrap=True)
    for title in ("executions", "per second", "edges", "corpus", "crashes"):
        table.add_column(title, justify="right")
    for row in summary["targets"]:
        numbers = (row[key] for key in ("executions", "executions_per_second", "edges", "corpus"))
        cells = ["·" if number is None else f"{number:,.0f}" for number in numbers]
        table.add_row(row["target"], *cells, f"{len(row['crashes']):,}" if row["crashes"] else "·")
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)
    console.print(table)
    crashes = [(row["target"], crash) for row in summary["targets"] for crash in row["crashes"]]
    for name, crash in crashes[:_LISTED]:
        at = Path(summary["out"], "crashes", name, crash["digest"])
        console.print(
            Text(f"{line(crash['signature'], None)}\n      {_plain(crash['error'])}\n      {line(at, None)}"),
            soft_wrap=True,
        )
    if len(crashes) > _LISTED:
        more = f"and {len(crashes) - _LISTED:,} more, in {summary['out']}/crashes"
        console.print(Text(line(more, None)), soft_wrap=True)
    closed = sum(len(row["closed"]) for row in summary["targets"])
    fixed = f"{closed:,} closed, " if closed else ""
    counts = f"{len(summary['targets'])} targets, {summary['crashes']:,} crashes"
    console.print(f"{counts}, {fixed}{summary['seconds']:.0f} s")


def _plain(text: str) -> str:
    return ascii(" ".join(text.split())[:160])[1:-1]
