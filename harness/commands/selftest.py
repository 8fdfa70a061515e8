"""`colconf selftest`: plant bugs in copies of the reference and in fake engines, and look for them."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from corpora.cases import FORMATS
from corpora.known_failures import GENERATED
from harness.children.connection import Limits
from harness.children.processes import cores
from harness.children.scratch import scratch_folder
from harness.commands.night import budget_option
from harness.commands.run_options import check_generating
from harness.investigate.selftest import cases
from harness.investigate.selftest.fuzz.plants import PLANTS as FUZZ_PLANTS
from harness.investigate.selftest.hunt import Hunt, Wrong, search
from harness.investigate.selftest.plant import Plant
from harness.investigate.selftest.plants import PLANTS
from harness.problem import Problem
from harness.runs.pipeline.context import Generate
from harness.runs.progress import Bar, Lines, progress
from harness.version import __version__

NEEDED = 0.9  # the share of plants that must be found, per format
NOT_ENOUGH = 1
ALL = "all"
_LIMITS = Limits(seconds=10, memory_bytes=1 << 30)
_WIDTH = 160
_SEEN_WIDTH = 72
_FEW_FILES = 48  # generated for plants that are named, before all files are


@click.command()
@click.option("--only", multiple=True, metavar="NAME", help="Test this planted bug only; repeatable.")
@click.option(
    "--format",
    "format_",
    type=click.Choice([*FORMATS, ALL]),
    default=ALL,
    show_default=True,
    help="Plant bugs in the reader of this format only.",
)
@click.option(
    "--seconds",
    type=click.IntRange(1),
    default=600,
    show_default=True,
    help="Time limit per format, in seconds.",
)
@click.option(
    "--files",
    type=click.IntRange(1),
    default=1_500,
    show_default=True,
    help="Generated files per format.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Random seed of the generated files."
)
@click.option(
    "--jobs", type=click.IntRange(1), default=None, help="Parallel engine processes; default: one per core."
)
@click.option("--fuzz", is_flag=True, help="Plant bugs that invalid files trigger, and mutate files.")
@budget_option(
    "--time-budget",
    "budget",
    default="10m",
    text="With --fuzz: total time for all planted bugs, such as 30m.",
)
@click.option(
    "--corpus",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="With --fuzz: also mutate the corpus of `colconf fuzz --out DIR`.",
)
@click.option(
    "--blames", is_flag=True, help="Count engines that the vote blames wrongly, on files with known contents."
)
@click.option(
    "--share",
    type=click.IntRange(1),
    default=8,
    show_default=True,
    help="With --blames: judge one in N files of each kind.",
)
@click.option(
    "--engine",
    multiple=True,
    metavar="NAME[@VERSION]",
    help="With --blames: also judge this installed engine; repeatable.",
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
    blames: bool,
    share: int,
    engine: tuple[str, ...],
    as_json: bool,
) -> None:
    """Plant bugs in copies of the reference readers, and check that colconf finds them.

    Missed bugs are listed, with whether their code ran at all. With --blames, fake engines that are right,
    share a bug, or refuse read files with known contents; the vote must not blame an engine that is right.

    Exit status: 0 at least 90 % found per format (with --fuzz, in total), or no wrong blame; 1 fewer found,
    or a wrong blame; 2 error.
    """
    plants = _chosen((FUZZ_PLANTS if fuzz else PLANTS).values(), only, format_)
    check_generating("selftest")
    if fuzz:
        from harness.commands import selftest_fuzz  # noqa: PLC0415 - mutators need hypothesis

        request = selftest_fuzz.Request(plants, seed, budget, corpus)
        ctx.exit(0 if selftest_fuzz.run(request, NEEDED, as_json=as_json) else NOT_ENOUGH)
    if blames:
        from harness.commands import selftest_blames  # noqa: PLC0415 - the truths come with hypothesis

        measured = selftest_blames.run(selftest_blames.Request(share, engine), as_json=as_json)
        ctx.exit(0 if measured else NOT_ENOUGH)
    with progress() as bars:
        searches = [
            _search(
                name,
                some,
                [Generate(count, seed) for count in ((min(files, _FEW_FILES), files) if only else (files,))],
                bars,
                seconds=seconds,
                jobs=jobs or cores(),
            )
            for name in FORMATS
            if (some := [plant for plant in plants if plant.format == name])
        ]
    if as_json:
        click.echo(json.dumps(_to_json(searches, seed), indent=2))
    else:
        _show(searches)
    ctx.exit(
        0
        if all(len(finished.detected) >= NEEDED * len(finished.hunts) for finished in searches)
        else NOT_ENOUGH
    )


@dataclass(frozen=True)
class _Search:
    """The hunts for the plants of a format; `took` is in seconds, with the time to generate files."""

    format: str
    hunts: Sequence[Hunt]
    took: float

    @property
    def detected(self) -> list[Wrong]:
        return [hunt.wrong for hunt in self.hunts if hunt.wrong is not None]


def _search(
    format_: str,
    plants: Sequence[Plant],
    steps: Sequence[Generate],
    bars: Bar | Lines,
    *,
    seconds: int,
    jobs: int,
) -> _Search:
    """Look for plants with the corpus and the files of the first step; for those left, of the next step."""
    begun = time.monotonic()
    hunts = {plant.name: Hunt(plant) for plant in plants}
    for generate in dict.fromkeys(steps):
        missed = [hunt.plant for hunt in hunts.values() if hunt.wrong is None]
        if not missed or time.monotonic() >= begun + seconds:
            break
        with scratch_folder() as folder:
            bars.stage(f"{format_} files", generate.files)
            kinds = {plant.shows for plant in missed}
            built = cases.make(folder, generate, _LIMITS, bars.advance, format_, kinds=kinds)
            bars.stage(f"{format_} plants", len(missed))
            for hunt in search(built, missed, begun + seconds, jobs, bars.advance):
                hunt.seconds += hunts[hunt.plant.name].seconds
                hunts[hunt.plant.name] = hunt
    return _Search(format_, list(hunts.values()), time.monotonic() - begun)


def _chosen(plants: Iterable[Plant], only: Sequence[str], format_: str) -> list[Plant]:
    """Return the plants of these names, or else all plants of a format; raises Problem."""
    wanted = [plant for plant in plants if format_ in (plant.format, ALL)]
    names = sorted(plant.name for plant in wanted)
    for name in only:
        if name not in names:
            raise Problem(f"unknown plant {name!r}; known: {', '.join(names)}")
    return [plant for plant in wanted if not only or plant.name in only]


def _to_json(searches: Sequence[_Search], seed: int) -> dict[str, Any]:
    hunts = [hunt for finished in searches for hunt in finished.hunts]
    return {
        "colconf": __version__,
        "seed": seed,
        "planted": len(hunts),
        "found": sum(len(finished.detected) for finished in searches),
        "needed_share": NEEDED,
        "seconds": round(sum(finished.took for finished in searches), 1),
        "formats": {
            finished.format: {
                "planted": len(finished.hunts),
                "found": len(finished.detected),
                "seconds": round(finished.took, 1),
            }
            for finished in searches
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
    for finished in searches:
        console.print(_table(finished.hunts))
        missed = [hunt.plant.name for hunt in finished.hunts if hunt.wrong is None]
        count = len(finished.detected)
        drawn = sum(wrong.case.startswith(GENERATED) for wrong in finished.detected)
        sources = f"{drawn} by generated files, {count - drawn} by the corpus"
        counts = f"planted {len(finished.hunts)}, found {count} ({sources})"
        console.print(f"{finished.format}: {counts}, {finished.took:.0f} s")
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
            seen = " ".join(f"{wrong.query or ''} {wrong.message}".split())[:_SEEN_WIDTH]
            details = [wrong.verdict.replace("_", " "), wrong.case, ascii(seen)[1:-1]]
        else:
            details = ["missed" if hunt.reached else "missed, code never run", "", hunt.plant.what]
        cells = [hunt.plant.name, f"{hunt.seconds:.1f}", f"{hunt.tried:,}", *details]
        table.add_row(*map(Text, cells))
    return table
