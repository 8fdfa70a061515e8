"""Memory of a run, and its time per case, with ten times as many cases: both should stay the same.

The cases are generated, Parquet and ORC by turns, and read by the reference and by PyArrow. Memory is that of
all processes of the run: the run itself, the pipeline's Spark if it has one, and engines.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import psutil

from harness.bench.ratio import Ratio

CASES = (1_000, 10_000)
_LOOK_SECONDS = 0.5
_ENGINES = ("reference", "pyarrow", "pyarrow_orc")
_WIDTH, _HEIGHT, _EDGE = 480, 200, 60


class Point(NamedTuple):
    """A run of so many cases: its wall time in seconds, and the most memory in bytes."""

    cases: int
    seconds: float
    peak: int


def ratios(folder: Path, cases: Sequence[int], master: str = "", plot: Path | None = None) -> list[Ratio]:
    """Run the sizes one after the other, without Spark or with a master; compare each with the first."""
    points = [_measured(folder / f"{count}", count, master) for count in cases]
    if plot:
        plot.write_text(svg(points), "utf-8")
    few = points[0]
    measured = []
    for point in points[1:]:
        way = f"{few.cases:,} → {point.cases:,} cases"
        measured.append(Ratio(f"memory of a run, {way}", point.peak, few.peak, 1.1, "MiB", 2**-20))
        each, first = point.seconds / point.cases, few.seconds / few.cases
        measured.append(Ratio(f"time per case, {way}", each, first, 1.1))
    return measured


def _measured(out: Path, count: int, master: str) -> Point:
    engines = [part for name in _ENGINES for part in ("--engine", f"{name}:pushdown=on")]
    spark = ["--master", master] if master else ["--no-spark"]
    formats = ["--format", "parquet", "--format", "orc"]
    line = [sys.executable, "-m", "harness.cli", "run", "--generate", str(count), *formats, *engines, *spark]
    start, peak = time.perf_counter(), 0
    with out.with_suffix(".log").open("wb") as log:
        run = subprocess.Popen([*line, "--report", "none", "--out", str(out)], stdout=log, stderr=log)
        while run.poll() is None:
            peak = max(peak, _resident(run.pid))
            time.sleep(_LOOK_SECONDS)
    if run.returncode not in (0, 1):
        log_text = out.with_suffix(".log").read_text(errors="replace")
        raise RuntimeError(f"a run of {count} cases ended with {run.returncode}: {log_text[-2000:]}")
    return Point(count, time.perf_counter() - start, peak)


def _resident(pid: int) -> int:
    """Return the resident bytes of a process and its descendants, shared pages once for each."""
    total = 0
    with suppress(psutil.Error):
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            with suppress(psutil.Error):
                total += process.memory_info().rss
    return total


def svg(points: Sequence[Point]) -> str:
    """Draw time per case and memory over the number of cases, in equal steps, each from zero."""
    each = [(point.cases, 1000 * point.seconds / point.cases) for point in points]
    memory = [(point.cases, point.peak / (1 << 20)) for point in points]
    charts = _chart(each, "ms per case", 0) + _chart(memory, "MiB", _HEIGHT)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{2 * _HEIGHT}" '
        'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n'
        f"{charts}</svg>\n"
    )


def _chart(points: Sequence[tuple[int, float]], unit: str, top: int) -> str:
    highest = max(value for _, value in points) * 1.25
    step = (_WIDTH - 2 * _EDGE) / max(1, len(points) - 1)
    bottom, room = top + _HEIGHT - 40, _HEIGHT - 70
    places = [(_EDGE + step * at, bottom - room * value / highest) for at, (_, value) in enumerate(points)]
    lines = [f'<line x1="{_EDGE}" y1="{bottom}" x2="{_WIDTH - _EDGE}" y2="{bottom}" stroke="gray"/>']
    for (x1, y1), (x2, y2) in pairwise(places):
        lines.append(f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="steelblue"/>')
    for (x, y), (cases, value) in zip(places, points, strict=True):
        lines.append(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3" fill="steelblue"/>')
        lines.append(f'<text x="{x:.0f}" y="{y - 8:.0f}" text-anchor="middle">{value:,.0f} {unit}</text>')
        lines.append(f'<text x="{x:.0f}" y="{bottom + 16}" text-anchor="middle">{cases:,}</text>')
    return "\n".join(lines) + "\n"
