"""`colconf selftest --fuzz`: look with mutated files for planted bugs that invalid files trigger."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from corpora.cases import FORMATS
from harness.children.connection import Limits
from harness.children.scratch import scratch_folder
from harness.investigate.selftest.fuzz.mutants import Mutants, seeds
from harness.investigate.selftest.fuzz.search import Hunt, Search, search
from harness.investigate.selftest.plant import Plant
from harness.runs.progress import progress
from harness.version import __version__

_LIMITS = Limits(start_seconds=120, seconds=5, sheet_file_seconds=0.5, memory_bytes=1 << 30)
_WIDTH = 160
_SEEN_WIDTH = 72
_SICK_LISTED = 5


@dataclass(frozen=True)
class Request:
    """The plants to look for, the mutation seed, the time budget, and the folder of a campaign."""

    plants: Sequence[Plant]
    seed: int
    seconds: float
    corpus: Path | None


def run(request: Request, needed: float, *, as_json: bool) -> bool:
    """Look for plants, print the results, and return whether the `needed` share of them was found."""
    begun = time.monotonic()
    with scratch_folder() as folder, progress() as bars:
        bars.stage("plants", len(request.plants))
        searches = [
            _search(name, request, Path(folder, name), bars.advance)
            for name in FORMATS
            if any(plant.format == name for plant in request.plants)
        ]
        search(searches, begun + request.seconds)
    hunts = [hunt for finished in searches for hunt in finished.hunts]
    count = sum(hunt.wrong is not None for hunt in hunts)
    content = {
        "colconf": __version__,
        "seed": request.seed,
        "planted": len(hunts),
        "found": count,
        "needed_share": needed,
        "seconds": round(time.monotonic() - begun, 1),
        "formats": {finished.mutants.format: _format_to_json(finished) for finished in searches},
        "plants": [_hunt_to_json(hunt) for hunt in hunts],
    }
    click.echo(json.dumps(content, indent=2)) if as_json else _show(content)
    return count >= needed * len(hunts)


def _search(name: str, request: Request, folder: Path, tick: Any) -> Search:
    hunts = [Hunt(plant) for plant in request.plants if plant.format == name]
    mutants = Mutants(name, folder, request.seed, _LIMITS, seeds(name, request.corpus))
    return Search(mutants, hunts, _LIMITS, tick)


def _format_to_json(finished: Search) -> dict[str, Any]:
    return {
        "planted": len(finished.hunts),
        "found": sum(hunt.wrong is not None for hunt in finished.hunts),
        "files": finished.mutants.count,
        "seconds": round(finished.seconds, 1),
        "reader_failed": finished.mutants.sick,
    }


def _hunt_to_json(hunt: Hunt) -> dict[str, Any]:
    plant = hunt.plant
    return {
        "name": plant.name,
        "what": plant.what,
        "clause": plant.clause,
        "format": plant.format,
        "found": hunt.wrong is not None,
        "asked": hunt.offered,
        "files": hunt.files or None,
        "seconds": round(hunt.seconds, 2) if hunt.wrong else None,
        "operations": list(hunt.operations),
        "verdict": hunt.wrong.verdict if hunt.wrong else None,
        "told": hunt.wrong.message if hunt.wrong else None,
    }


def _show(content: dict[str, Any]) -> None:
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)
    console.print(_table(content["plants"]))
    for name, totals in content["formats"].items():
        counts = f"planted {totals['planted']}, found {totals['found']}"
        console.print(f"{name}: {counts}, {totals['files']:,} mutated files, {totals['seconds']:.0f} s")
        for line in totals["reader_failed"][:_SICK_LISTED]:  # a bug of the reference, of no plant
            console.print(Text(f"the unchanged reader failed, file {line}"))
    missed = [plant["name"] for plant in content["plants"] if not plant["found"]]
    if missed:
        console.print(f"missed: {', '.join(missed)}")


def _table(plants: Sequence[dict[str, Any]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("plant", no_wrap=True)
    for title in ("seconds", "files", "asked"):
        table.add_column(title, justify="right")
    for title in ("verdict", "by", "seen"):
        table.add_column(title, no_wrap=title == "verdict")
    for plant in plants:
        if plant["found"]:
            by, seen = (
                ", ".join(plant["operations"]),
                ascii(" ".join(plant["told"].split())[:_SEEN_WIDTH])[1:-1],
            )
            numbers = [f"{plant['seconds']:.1f}", f"{plant['files']:,}"]
            texts = [plant["verdict"].replace("_", " "), by, seen]
        else:
            numbers = ["", ""]
            texts = ["missed" if plant["asked"] else "missed, code never run", "", plant["what"]]
        table.add_row(*map(Text, [plant["name"], *numbers, f"{plant['asked']:,}", *texts]))
    return table
