"""`colconf selftest`: bugs are planted in copies of the reference and in fake engines, and looked for."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from corpora.cases import FORMATS
from harness.children.connection import Limits
from harness.commands.night import Duration
from harness.investigate.selftest import cases
from harness.investigate.selftest.fuzz.plants import PLANTS as FUZZ_PLANTS
from harness.investigate.selftest.plants import PLANTS
from harness.investigate.selftest.search import search
from harness.problem import Problem
from harness.runs.pipeline.context import Generate
from harness.runs.summary import progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.investigate.selftest.hunt import Hunt, Wrong
    from harness.investigate.selftest.plant import Plant
    from harness.runs.summary import Bar, Lines

NEEDED = 0.9  # the share of plants that must be found, in each format
NOT_ENOUGH = 1
ALL = "all"
_LIMITS = Limits(seconds=10, memory_bytes=1 << 30)
_WIDTH = 160
_SHOWN = 72


@click.command()
@click.option("--only", multiple=True, metavar="NAME", help="Look for this plant alone; may be repeated.")
@click.option(
    "--format",
    "format_",
    type=click.Choice([*FORMATS, ALL]),
    default=ALL,
    show_default=True,
    help="Plants in the reader of this format; all: of one format after the other.",
)
@click.option(
    "--seconds", type=click.IntRange(1), default=600, show_default=True, help="Time for each format."
)
@click.option(
    "--files",
    type=click.IntRange(1),
    default=1_500,
    show_default=True,
    help="Generated files of each format.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="What is generated.")
@click.option("--jobs", type=click.IntRange(1), default=None, help="Engines at once; default: one a core.")
@click.option("--fuzz", is_flag=True, help="Plant bugs that broken files show, and mutate files.")
@click.option(
    "--time-budget",
    "budget",
    type=Duration(),
    default="10m",
    show_default=True,
    metavar="DURATION",
    help="Of --fuzz, for all plants together.",
)
@click.option(
    "--corpus",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Of --fuzz: mutate also what `colconf fuzz --out DIR` has found.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def selftest(
    ctx: click.Context,
    /,
    *,
    only: tuple[str, ...],
    format_: str,
    seconds: int,
    files: int,
    seed: int,
    jobs: int | None,
    fuzz: bool,
    budget: float,
    corpus: Path | None,
    as_json: bool,
) -> None:
    """Plant bugs in copies of the reference readers, and see whether colconf finds them.

    Exit status 0 if at least 90 of 100 are found in each format (with --fuzz, of all), else 1. What was
    missed is listed, and whether its code was run at all.
    """
    plants = _chosen((FUZZ_PLANTS if fuzz else PLANTS).values(), only, format_)
    if find_spec("hypothesis") is None:
        raise Problem("selftest generates files, which needs hypothesis: pip install 'colconf[generate]'")
    if fuzz:
        from harness.commands import selftest_fuzz  # noqa: PLC0415 - mutators need hypothesis

        asked = selftest_fuzz.Asked(plants, seed, budget, corpus)
        ctx.exit(0 if selftest_fuzz.run(asked, NEEDED, as_json=as_json) else NOT_ENOUGH)
    with progress() as bars:
        searches = [
            _search(name, some, Generate(files, seed), bars, seconds=seconds, jobs=jobs or _cores())
            for name in FORMATS
            if (some := [one for one in plants if one.format == name])
        ]
    if as_json:
        click.echo(json.dumps(_to_json(searches, seed), indent=2))
    else:
        _show(searches)
    ctx.exit(0 if all(len(one.found) >= NEEDED * len(one.hunts) for one in searches) else NOT_ENOUGH)


@dataclass(frozen=True)
class _Search:
    """What was looked for in files of a format, and how many seconds that took, files included."""

    format: str
    hunts: Sequence[Hunt]
    took: float

    @property
    def found(self) -> list[Wrong]:
        return [hunt.wrong for hunt in self.hunts if hunt.wrong is not None]


def _search(
    format_: str,
    plants: Sequence[Plant],
    asked: Generate,
    bars: Bar | Lines,
    *,
    seconds: int,
    jobs: int,
) -> _Search:
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="colconf-selftest-") as folder:
        bars.stage(f"{format_} files", asked.files)
        made = cases.make(Path(folder), asked, _LIMITS, bars.advance, format_)
        bars.stage(f"{format_} plants", len(plants))
        hunts = search(made, plants, begun + seconds, jobs, bars.advance)
    return _Search(format_, hunts, time.monotonic() - begun)


def _chosen(plants: Iterable[Plant], only: Sequence[str], format_: str) -> list[Plant]:
    """Return the plants of these names, all of a format if there are none; raises Problem."""
    wanted = [one for one in plants if format_ in (one.format, ALL)]
    names = sorted(one.name for one in wanted)
    for name in only:
        if name not in names:
            raise Problem(f"there is no plant {name!r}; there are {', '.join(names)}")
    return [one for one in wanted if not only or one.name in only]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _to_json(searches: Sequence[_Search], seed: int) -> dict[str, Any]:
    hunts = [hunt for one in searches for hunt in one.hunts]
    return {
        "seed": seed,
        "planted": len(hunts),
        "found": sum(len(one.found) for one in searches),
        "needed_share": NEEDED,
        "seconds": round(sum(one.took for one in searches), 1),
        "formats": {
            one.format: {
                "planted": len(one.hunts),
                "found": len(one.found),
                "seconds": round(one.took, 1),
            }
            for one in searches
        },
        "plants": [_plant_to_json(hunt) for hunt in hunts],
    }


def _plant_to_json(hunt: Hunt) -> dict[str, Any]:
    plant, wrong = hunt.plant, hunt.wrong
    return {
        "name": plant.name,
        "what": plant.what,
        "clause": plant.clause,
        "format": plant.format,
        "shows": plant.shows,
        "found": wrong is not None,
        "seconds": round(hunt.seconds, 2),
        "cases": hunt.tried,
        "reached": hunt.reached,
        **(wrong.to_json() if wrong else {"case": None, "query": None, "verdict": None, "told": None}),
    }


def _show(searches: Sequence[_Search]) -> None:
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)
    for one in searches:
        console.print(_table(one.hunts))
        missed = [hunt.plant.name for hunt in one.hunts if hunt.wrong is None]
        found = len(one.found)
        drawn = sum(wrong.case.startswith("generated/") for wrong in one.found)
        sources = f"{drawn} by generated files, {found - drawn} by the corpus"
        console.print(f"{one.format}: planted {len(one.hunts)}, found {found} ({sources}), {one.took:.0f} s")
        if missed:
            console.print(f"missed: {', '.join(missed)}")


def _table(hunts: Sequence[Hunt]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("plant", no_wrap=True)
    table.add_column("seconds", justify="right")
    table.add_column("cases", justify="right")
    for title in ("verdict", "case", "seen"):
        table.add_column(title, no_wrap=title != "seen")
    for hunt in hunts:
        if hunt.wrong:
            wrong = hunt.wrong
            seen = " ".join(f"{wrong.query or ''} {wrong.message}".split())[:_SHOWN]
            told = [wrong.verdict.replace("_", " "), wrong.case, ascii(seen)[1:-1]]
        else:
            told = [_missed(hunt), "", hunt.plant.what]
        cells = [hunt.plant.name, f"{hunt.seconds:.1f}", f"{hunt.tried:,}", *told]
        table.add_row(*map(Text, cells))
    return table


def _missed(hunt: Hunt) -> str:
    return "missed" if hunt.reached else "missed, code never run"
