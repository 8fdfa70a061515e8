"""`colconf selftest --blames`: how the vote judges engines on files whose values are known."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich import box
from rich.console import Console
from rich.table import Table

from corpora.cases import FORMATS
from harness.children.connection import Limits
from harness.children.scratch import scratch_folder
from harness.engines.naming import NamingError
from harness.investigate.blames import engines, fakes
from harness.investigate.blames.measure import Answers, Known, Tally, known_files, measure, subsets
from harness.judging.bench import Bench
from harness.problem import Problem
from harness.runs.pipeline.selection import SelectionError, select
from harness.runs.progress import Bar, Lines, progress

_LIMITS = Limits(start_seconds=120, seconds=30, memory_bytes=2 << 30)
_PAIR = 2
_LISTED = 20
_WIDTH = 120
_SILENT = ", the reference abstains"


class Request(NamedTuple):
    """One file in `share` of each kind is judged; `engines` are the names of installed engines."""

    share: int
    engines: tuple[str, ...]


def run(request: Request, *, as_json: bool) -> bool:
    """Measure, print the table of subsets and wrong blames, and return whether there is none."""
    from properties.truths import truths  # noqa: PLC0415 - the corpus's recipes take time to import

    with scratch_folder() as folder, progress() as bars:
        files = list(known_files(Path(folder), list(truths(request.share))))
        rows = _of_fakes(files, bars)
        if request.engines:
            rows |= _of_engines(files, request.engines, Path(folder), bars)
    click.echo(json.dumps(_to_json(files, rows), indent=2)) if as_json else _show(files, rows)
    return not any(tally.false for tally in rows.values())


def _of_fakes(files: Sequence[Known], bars: Bar | Lines) -> dict[str, Tally]:
    """Return the tallies of all subsets of the fakes, by their size, with the reference and without."""
    bars.stage("fake engines", len(files))
    rows: dict[str, Tally] = {}
    silent: dict[str, Tally] = {}
    for known in files:
        answers = fakes.answers(known)
        without = answers.without_reference()
        for subset in subsets(tuple(fakes.FAKES)):
            name = f"{len(subset)} of {len(fakes.FAKES)} fakes"
            measure(answers, subset, rows.setdefault(name, Tally()))
            measure(without, subset, silent.setdefault(f"{name}{_SILENT}", Tally()))
        bars.advance(1)
    return rows | silent


def _of_engines(
    files: Sequence[Known], names: Sequence[str], folder: Path, bars: Bar | Lines
) -> dict[str, Tally]:
    """Return the tallies of each installed engine, of each pair of them, and of all."""
    try:
        chosen = select(names, FORMATS, every_switch=False)
        with Bench(chosen.processes, _LIMITS, folder) as bench:
            bars.stage("engines", len(files))
            answered = []
            for answers in engines.answers(bench, files):
                answered.append(answers)
                bars.advance(1)
            keys = [process.key for process in bench.processes if process.reported]
            return _of_subsets(answered, keys)
    except (SelectionError, NamingError) as error:
        raise Problem(str(error)) from error


def _of_subsets(answered: Sequence[Answers], keys: Sequence[str]) -> dict[str, Tally]:
    rows: dict[str, Tally] = {}
    for subset in subsets(keys):
        if len(subset) > _PAIR and len(subset) < len(keys):
            continue
        tally = rows.setdefault(", ".join(subset), Tally())
        for answers in answered:
            if len(subset) > _PAIR or all(key in answers.ballots for key in subset):
                measure(answers, subset, tally)
                if len(subset) > _PAIR:
                    silent = rows.setdefault(f"{', '.join(subset)}{_SILENT}", Tally())
                    measure(answers.without_reference(), subset, silent)
    return {name: tally for name, tally in rows.items() if tally.files}


def _to_json(files: Sequence[Known], rows: dict[str, Tally]) -> dict[str, Any]:
    return {
        "files": len(files),
        "subsets": [
            {
                "engines": name,
                "judged": tally.files,
                "answers": tally.answers,
                "mistakes": tally.mistakes,
                "blamed": tally.blamed,
                "wrong_blames": tally.wrong,
                "baseless_blames": tally.baseless,
            }
            for name, tally in rows.items()
        ],
        "blames": [
            {
                "file": blame.file,
                "engine": blame.engine,
                "engines": list(blame.engines),
                "verdict": blame.verdict,
                "wrong": blame.wrong,
                "why": blame.expectation.why,
            }
            for tally in rows.values()
            for blame in tally.false
        ],
    }


def _show(files: Sequence[Known], rows: dict[str, Tally]) -> None:
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("engines beside the reference")
    for title in ("judged", "mistakes", "blamed", "wrong blames", "baseless"):
        table.add_column(title, justify="right")
    for name, tally in rows.items():
        counts = (tally.files, tally.mistakes, tally.blamed, tally.wrong, tally.baseless)
        table.add_row(name, *(f"{count:,}" for count in counts))
    console.print(table)
    false = [blame for tally in rows.values() for blame in tally.false]
    for blame in false[:_LISTED]:
        what = "wrong" if blame.wrong else "baseless"
        console.print(f"{what}: {blame.engine} {blame.verdict} of {blame.file}: {blame.expectation.why}")
    more = f", the first {_LISTED} are listed" if len(false) > _LISTED else ""
    console.print(f"{len(files):,} files with a known truth, {len(false):,} wrong or baseless blames{more}")
