"""`colconf fuzz --engine NAME`: what is asked for, and what is shown of it."""

from __future__ import annotations

import statistics
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from corpora.cases import CaseError
from harness.investigate.fuzz.engines import Campaign, CampaignRequest
from harness.investigate.fuzz.futures import Grade
from harness.judging.bench import BenchError
from harness.judging.results import ResultsError
from harness.judging.vote import REFERENCE
from harness.listings.text import line, show_line
from harness.problem import Problem
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.selection import SelectionError, select

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from harness.children.connection import Limits

FORMATS = ("parquet", "orc")
_WIDTH = 140
_SHOWN = 20


def asked_for(
    engines: Sequence[str],
    formats: Sequence[str],
    *,
    out: Path,
    seconds: float,
    limits: Limits,
    others: Sequence[Path],
    guided: bool,
    seed: int,
) -> CampaignRequest:
    """Return the campaign that is meant; raises Problem."""
    try:
        chosen = select(engines, formats or FORMATS, every_switch=False)
    except SelectionError as error:
        raise Problem(str(error)) from error
    reference = next(one for one in chosen.processes if one.name == REFERENCE)
    if reference.reported:
        raise Problem("the reference decides what a file means; `colconf fuzz TARGET` fuzzes it")
    processes = tuple(one for one in chosen.processes if one is not reference)
    read = tuple(one for one in FORMATS if any(one in process.formats for process in processes))
    wanted = tuple(one for one in read if not formats or one in formats)
    if deaf := [one.key for one in processes if not set(one.formats) & set(wanted)]:
        raise Problem(f"{deaf[0]} does not read {' or '.join(formats)}")
    return CampaignRequest(out, processes, reference, wanted, seconds, limits, tuple(others), guided, seed)


def fuzz(asked: CampaignRequest) -> tuple[dict[str, Any], bool]:
    """Fuzz; answer the summary, and whether the user interrupted it. Raises Problem."""
    interrupted = False
    asked.out.mkdir(parents=True, exist_ok=True)
    try:
        campaign = Campaign(asked, lambda told: show_line(told, err=True))
        with ExitStack() as stack:
            try:
                campaign.run(stack)
            except KeyboardInterrupt:
                interrupted = True
    except (BenchError, CaseError, PipelineError, ResultsError) as error:
        raise Problem(str(error)) from error
    except OSError as error:
        raise Problem(f"{error.filename}: {error.strerror}") from error
    return summary(campaign), interrupted


def summary(campaign: Campaign) -> dict[str, Any]:
    """Return what is known of a campaign."""
    state, stored = campaign.state, campaign.stored
    rows = [
        {
            "engine": name,
            "files": one.files,
            "files_per_second": round(one.files / one.seconds, 1) if one.seconds else None,
            "verdicts": dict(sorted(one.verdicts.items())),
            "known": one.known,
        }
        for name, one in sorted(state.engines.items())
    ]
    return {
        "out": str(campaign.request.out),
        "seconds": round(state.seconds, 1),
        "files": state.files,
        "files_per_second": round(state.files / state.seconds, 1) if state.seconds else None,
        "left_out": state.left_out,
        "reference_lost": state.reference_lost,
        "engines": rows,
        "futures": state.futures,
        "closed": state.closed,
        "findings": [one.to_json() for one in stored.findings],
        "median_bytes": statistics.median(stored.sizes) if stored.sizes else None,
    }


def show(told: dict[str, Any]) -> None:
    """Print a summary as tables."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)
    console.print(_verdicts(told))
    for engine, features in told["futures"].items():
        console.print(Text(f"files from the future, {engine}"))
        console.print(_futures(features))
    for one in told["findings"][:_SHOWN]:
        console.print(
            Text(line(f"{one['signature']}  ({one['version']}, {one['count']:,} files)", None)),
            soft_wrap=True,
        )
    if len(told["findings"]) > _SHOWN:
        console.print(f"and {len(told['findings']) - _SHOWN:,} more, in {told['out']}/findings.ndjson")
    speed = f"{told['files_per_second'] or 0:.0f} a second"
    median = "" if told["median_bytes"] is None else f", median {told['median_bytes']:,.0f} bytes"
    found = f"{len(told['findings']):,} findings{median}"
    for one in told["closed"]:
        console.print(Text(line(f"closed: {one}", None)), soft_wrap=True)
    console.print(f"{told['files']:,} files, {speed}, {told['left_out']:,} left out, {found}")
    if told["reference_lost"]:
        console.print(f"our reference died of {told['reference_lost']:,} files: {told['out']}/reference")


def _verdicts(told: dict[str, Any]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("engine", no_wrap=True)
    for title in ("files", "per second", "known", "verdicts"):
        table.add_column(title, justify="left" if title == "verdicts" else "right")
    for one in told["engines"]:
        verdicts = ", ".join(f"{name} {count:,}" for name, count in one["verdicts"].items())
        speed = f"{one['files_per_second'] or 0:,.0f}"
        table.add_row(one["engine"], f"{one['files']:,}", speed, f"{one['known']:,}", verdicts)
    return table


def _futures(features: dict[str, dict[str, int]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("feature", no_wrap=True)
    for grade in Grade:
        table.add_column(grade, justify="right")
    for feature, grades in features.items():
        table.add_row(feature, *(str(grades.get(grade, "·")) for grade in Grade))
    return table
