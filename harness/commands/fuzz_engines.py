"""`colconf fuzz --engine NAME`: its request and its summary."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from corpora.cases import FORMATS
from harness.children.connection import Limits
from harness.commands.parameters import problems
from harness.investigate.fuzz.campaign_record import CampaignRequest
from harness.investigate.fuzz.engines import Campaign
from harness.investigate.fuzz.futures import Grade
from harness.judging.ballots import REFERENCE
from harness.listings.text import line, show_line
from harness.problem import Problem
from harness.runs.pipeline.request import not_asked
from harness.runs.pipeline.selection import select

_WIDTH = 140
_LISTED = 20


def request_for(
    engines: Sequence[str],
    out: Path,
    seconds: float,
    limits: Limits,
    *,
    formats: Sequence[str],
    others: Sequence[Path],
    guide: bool,
    seed: int,
) -> CampaignRequest:
    """Return the request of a campaign; raises Problem."""
    with problems():
        chosen = select(engines, formats or FORMATS, every_switch=False)
    reference = next(process for process in chosen.processes if process.name == REFERENCE)
    if reference.reported:
        raise Problem("the reference is not an engine to fuzz; use `colconf fuzz TARGET`")
    processes = tuple(process for process in chosen.processes if process is not reference)
    read = tuple(name for name in FORMATS if any(name in process.formats for process in processes))
    wanted = tuple(name for name in read if not formats or name in formats)
    if deaf := [process.key for process in processes if not set(process.formats) & set(wanted)]:
        raise Problem(f"{deaf[0]} does not read {' or '.join(formats)}")
    return CampaignRequest(out, processes, reference, wanted, seconds, limits, tuple(others), guide, seed)


def fuzz(request: CampaignRequest) -> tuple[dict[str, Any], bool]:
    """Fuzz, and return the summary and whether the user interrupted it. Raises Problem."""
    interrupted = False
    request.out.mkdir(parents=True, exist_ok=True)
    campaign = Campaign(request, lambda message: show_line(message, err=True))
    with problems(), ExitStack() as stack:
        try:
            campaign.run(stack)
        except KeyboardInterrupt:
            interrupted = True
    return summary(campaign), interrupted


def summary(campaign: Campaign) -> dict[str, Any]:
    """Return the summary of a campaign."""
    progress, store = campaign.state, campaign.stored
    rows = [
        {
            "engine": name,
            "files": engine.files,
            "files_per_second": round(engine.files / engine.seconds, 1) if engine.seconds else None,
            "verdicts": dict(sorted(engine.verdicts.items())),
            "known": engine.known,
        }
        for name, engine in sorted(progress.engines.items())
    ]
    return {
        "out": str(campaign.request.out),
        "seconds": round(progress.seconds, 1),
        "files": progress.files,
        "files_per_second": round(progress.files / progress.seconds, 1) if progress.seconds else None,
        "left_out": progress.left_out,
        "reference_lost": progress.reference_lost,
        "engines": rows,
        "futures": progress.futures,
        "closed": progress.closed,
        "not_asked": not_asked(campaign.request.engines),
        "findings": [finding.to_json() for finding in store.findings],
        "median_bytes": statistics.median(store.sizes) if store.sizes else None,
    }


def show(content: dict[str, Any]) -> None:
    """Print a summary as tables."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)
    console.print(_verdicts(content))
    for engine, features in content["futures"].items():
        console.print(Text(line(f"files from the future, {engine}", None)))
        console.print(_futures(features))
    for finding in content["findings"][:_LISTED]:
        console.print(
            Text(line(f"{finding['signature']}  ({finding['version']}, {finding['count']:,} files)", None)),
            soft_wrap=True,
        )
    if len(content["findings"]) > _LISTED:
        more = f"and {len(content['findings']) - _LISTED:,} more, in {content['out']}/findings.ndjson"
        console.print(Text(line(more, None)), soft_wrap=True)
    speed = f"{content['files_per_second'] or 0:.0f} a second"
    median = "" if content["median_bytes"] is None else f", median {content['median_bytes']:,.0f} bytes"
    counts = f"{len(content['findings']):,} findings{median}"
    for barred in content["not_asked"]:
        text = f"{barred['engine']} was not asked {barred['question']}: {barred['reason']}"
        console.print(Text(line(text, None)), soft_wrap=True)
    for closed in content["closed"]:
        console.print(Text(line(f"closed: {closed}", None)), soft_wrap=True)
    console.print(f"{content['files']:,} files, {speed}, {content['left_out']:,} skipped, {counts}")
    if content["reference_lost"]:
        lost = f"the reference crashed on {content['reference_lost']:,} files: {content['out']}/reference"
        console.print(Text(line(lost, None)), soft_wrap=True)


def _verdicts(content: dict[str, Any]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("engine", no_wrap=True)
    for title in ("files", "per second", "known", "verdicts"):
        table.add_column(title, justify="left" if title == "verdicts" else "right")
    for row in content["engines"]:
        verdicts = ", ".join(f"{name} {count:,}" for name, count in row["verdicts"].items())
        speed = f"{row['files_per_second'] or 0:,.0f}"
        table.add_row(row["engine"], f"{row['files']:,}", speed, f"{row['known']:,}", verdicts)
    return table


def _futures(features: dict[str, dict[str, int]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("feature", no_wrap=True)
    for grade in Grade:
        table.add_column(grade, justify="right")
    for feature, grades in features.items():
        table.add_row(feature, *(str(grades.get(grade, "·")) for grade in Grade))
    return table
