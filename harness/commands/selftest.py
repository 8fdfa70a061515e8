"""`colconf selftest`: bugs are planted in copies of the reference and in fake engines, and looked for."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness.connection import Limits
from harness.problem import Problem
from harness.selftest import cases
from harness.selftest.plants import PLANTS
from harness.selftest.search import search
from harness.summary import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.selftest.hunt import Hunt
    from harness.selftest.plant import Plant

NEEDED = 0.9  # the share of plants that must be found
NOT_ENOUGH = 1
_LIMITS = Limits(seconds=10, memory_bytes=1 << 30)
_WIDTH = 160
_SHOWN = 72


@click.command()
@click.option("--only", multiple=True, metavar="NAME", help="Look for this plant alone; may be repeated.")
@click.option("--seconds", type=click.IntRange(1), default=600, show_default=True, help="Time for all.")
@click.option("--files", type=click.IntRange(1), default=1_500, show_default=True, help="Generated files.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="What is generated.")
@click.option("--jobs", type=click.IntRange(1), default=None, help="Engines at once; default: one a core.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def selftest(
    ctx: click.Context,
    /,
    *,
    only: tuple[str, ...],
    seconds: int,
    files: int,
    seed: int,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Plant bugs in copies of the reference reader, and see whether colconf finds them.

    Exit status 0 if at least 90 of 100 are found, else 1. What was missed is listed, and whether its code
    was run at all.
    """
    plants = _chosen(only)
    if find_spec("hypothesis") is None:
        raise Problem("selftest generates files, which needs hypothesis: pip install 'colconf[generate]'")
    begun = time.monotonic()
    with progress() as bars, tempfile.TemporaryDirectory(prefix="colconf-selftest-") as folder:
        bars.stage("files", files)
        made = cases.make(Path(folder), seed, files, _LIMITS, bars.advance)
        bars.stage("plants", len(plants))
        hunts = search(made, plants, begun + seconds, jobs or _cores(), bars.advance)
    took = time.monotonic() - begun
    found = sum(hunt.wrong is not None for hunt in hunts)
    if as_json:
        click.echo(json.dumps(_to_json(hunts, seed, took), indent=2))
    else:
        _show(hunts, took)
    ctx.exit(0 if found >= NEEDED * len(hunts) else NOT_ENOUGH)


def _chosen(only: Sequence[str]) -> list[Plant]:
    """Answer the plants of these names, all if there are none; raises Problem."""
    for name in only:
        if name not in PLANTS:
            raise Problem(f"there is no plant {name!r}; there are {', '.join(sorted(PLANTS))}")
    return [plant for name, plant in PLANTS.items() if not only or name in only]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _to_json(hunts: Sequence[Hunt], seed: int, took: float) -> dict[str, Any]:
    found = sum(hunt.wrong is not None for hunt in hunts)
    return {
        "seed": seed,
        "planted": len(hunts),
        "found": found,
        "needed_share": NEEDED,
        "seconds": round(took, 1),
        "plants": [_plant_to_json(hunt) for hunt in hunts],
    }


def _plant_to_json(hunt: Hunt) -> dict[str, Any]:
    plant, wrong = hunt.plant, hunt.wrong
    return {
        "name": plant.name,
        "what": plant.what,
        "clause": plant.clause,
        "shows": plant.shows,
        "found": wrong is not None,
        "seconds": round(hunt.seconds, 2),
        "cases": hunt.tried,
        "reached": hunt.reached,
        **(wrong._asdict() if wrong else {"case": None, "query": None, "verdict": None, "told": None}),
    }


def _show(hunts: Sequence[Hunt], took: float) -> None:
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("plant", no_wrap=True)
    table.add_column("seconds", justify="right")
    table.add_column("cases", justify="right")
    for title in ("verdict", "case", "seen"):
        table.add_column(title, no_wrap=title != "seen")
    for hunt in hunts:
        if hunt.wrong:
            wrong = hunt.wrong
            seen = " ".join(f"{wrong.query or ''} {wrong.told}".split())[:_SHOWN]
            told = [wrong.verdict.replace("_", " "), wrong.case, ascii(seen)[1:-1]]
        else:
            told = [_missed(hunt), "", hunt.plant.what]
        cells = [hunt.plant.name, f"{hunt.seconds:.1f}", f"{hunt.tried:,}", *told]
        table.add_row(*map(Text, cells))
    console.print(table)
    missed = [hunt.plant.name for hunt in hunts if hunt.wrong is None]
    drawn = sum(hunt.wrong is not None and hunt.wrong.case.startswith("generated/") for hunt in hunts)
    found = len(hunts) - len(missed)
    sources = f"{drawn} by generated files, {found - drawn} by the corpus"
    console.print(f"planted {len(hunts)}, found {found} ({sources}), {took:.0f} s")
    if missed:
        console.print(f"missed: {', '.join(missed)}")


def _missed(hunt: Hunt) -> str:
    return "missed" if hunt.reached else "missed, code never run"
