"""`colconf selftest --fuzz`: bugs that broken files show, looked for with mutated files."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from corpora.cases import FORMATS
from harness.children.connection import Limits
from harness.investigate.selftest.fuzz.mutants import Mutants, seeds
from harness.investigate.selftest.fuzz.search import Hunt, Search, search
from harness.runs.summary import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.investigate.selftest.plant import Plant

_LIMITS = Limits(start_seconds=120, seconds=5, sheet_file_seconds=0.5, memory_bytes=1 << 30)
_WIDTH = 160
_SHOWN = 72
_SICK_SHOWN = 5


@dataclass(frozen=True)
class Asked:
    """What is to be looked for, from which seed, for how many seconds; `corpus` is that of a campaign."""

    plants: Sequence[Plant]
    seed: int
    seconds: float
    corpus: Path | None


def run(asked: Asked, needed: float, *, as_json: bool) -> bool:
    """Look for plants, tell what was found, and answer whether the `needed` share of all was."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="colconf-selftest-") as folder, progress() as bars:
        bars.stage("plants", len(asked.plants))
        searches = [_search(name, asked, Path(folder, name), bars.advance) for name in _formats(asked)]
        search(searches, begun + asked.seconds)
    hunts = [hunt for one in searches for hunt in one.hunts]
    found = sum(hunt.wrong is not None for hunt in hunts)
    told = {
        "seed": asked.seed,
        "planted": len(hunts),
        "found": found,
        "needed_share": needed,
        "seconds": round(time.monotonic() - begun, 1),
        "formats": {one.mutants.format: _format_to_json(one) for one in searches},
        "plants": [_hunt_to_json(hunt) for hunt in hunts],
    }
    click.echo(json.dumps(told, indent=2)) if as_json else _show(told)
    return found >= needed * len(hunts)


def _formats(asked: Asked) -> list[str]:
    return [name for name in FORMATS if any(one.format == name for one in asked.plants)]


def _search(name: str, asked: Asked, folder: Path, tick: Any) -> Search:
    hunts = [Hunt(one) for one in asked.plants if one.format == name]
    mutants = Mutants(name, folder, asked.seed, _LIMITS, seeds(name, asked.corpus))
    return Search(mutants, hunts, _LIMITS, tick)


def _format_to_json(one: Search) -> dict[str, Any]:
    return {
        "planted": len(one.hunts),
        "found": sum(hunt.wrong is not None for hunt in one.hunts),
        "files": one.mutants.count,
        "seconds": round(one.seconds, 1),
        "reader_failed": one.mutants.sick,
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


def _show(told: dict[str, Any]) -> None:
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)
    console.print(_table(told["plants"]))
    for name, one in told["formats"].items():
        counts = f"planted {one['planted']}, found {one['found']}"
        console.print(f"{name}: {counts}, {one['files']:,} mutated files, {one['seconds']:.0f} s")
        for line in one["reader_failed"][:_SICK_SHOWN]:  # a finding of its own, and no plant's
            console.print(Text(f"the reader without a plant failed, file {line}"))
    missed = [one["name"] for one in told["plants"] if not one["found"]]
    if missed:
        console.print(f"missed: {', '.join(missed)}")


def _table(plants: Sequence[dict[str, Any]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("plant", no_wrap=True)
    for title in ("seconds", "files", "asked"):
        table.add_column(title, justify="right")
    for title in ("verdict", "by", "seen"):
        table.add_column(title, no_wrap=title == "verdict")
    for one in plants:
        if one["found"]:
            by, seen = ", ".join(one["operations"]), ascii(" ".join(one["told"].split())[:_SHOWN])[1:-1]
            found = [f"{one['seconds']:.1f}", f"{one['files']:,}"]
            told = [one["verdict"].replace("_", " "), by, seen]
        else:
            found = ["", ""]
            told = ["missed" if one["asked"] else "missed, code never run", "", one["what"]]
        table.add_row(*map(Text, [one["name"], *found, f"{one['asked']:,}", *told]))
    return table
