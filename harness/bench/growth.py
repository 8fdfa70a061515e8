"""Memory of a run, and its time per case, with ten times as many cases: both should stay the same.

The cases are generated, Parquet and ORC by turns, and read by the reference and by PyArrow. Memory is that
of the run itself, the pipeline's Spark if it has one, and the reference; that of PyArrow counts separately,
since a single damaged file decides it.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil

from harness.bench import scale
from harness.bench.page import machine
from harness.bench.ratio import Ratio
from harness.bench.scale import Point

CASES = (1_000, 10_000)
_LOOK_SECONDS = 0.5
_WORKER = "harness.children.worker"  # the child process of an engine
_ENGINES = ("reference", "pyarrow", "pyarrow_orc")


def ratios(folder: Path, cases: Sequence[int], master: str = "", page: Path | None = None) -> list[Ratio]:
    """Run the sizes one after the other, without Spark or with a master; compare each with the first.

    `page`: the page to write the figures to after each size (`scale.py`).
    """
    points: list[Point] = []
    for count in cases:
        points.append(_measured(folder / f"{count}", count, master))
        if page:
            scale.write(page, points, master, machine())
    few = points[0]
    measured = []
    for point in points[1:]:
        way = f"{few.cases:,} → {point.cases:,} cases"
        measured.append(Ratio(f"memory of a run, {way}", point.peak, few.peak, 1.1, "MiB", 2**-20))
        each, first = point.seconds / point.cases, few.seconds / few.cases
        measured.append(Ratio(f"time per case, {way}", each, first, 1.1))
        each, first = point.cpu / point.cases, few.cpu / few.cases
        measured.append(Ratio(f"CPU time per case, {way}", each, first, 1.1))
    return measured


def _measured(out: Path, count: int, master: str) -> Point:
    engines = [part for name in _ENGINES for part in ("--engine", f"{name}:pushdown=on")]
    spark = ["--master", master] if master else ["--no-spark"]
    formats = ["--format", "parquet", "--format", "orc"]
    line = [sys.executable, "-m", "harness.cli", "run", "--generate", str(count), *formats, *engines, *spark]
    start, ours, theirs = time.perf_counter(), 0, 0
    cpu: dict[tuple[int, float], float] = {}
    with out.with_suffix(".log").open("wb") as log:
        run = subprocess.Popen([*line, "--report", "none", "--out", str(out)], stdout=log, stderr=log)
        driver = run.pid, psutil.Process(run.pid).create_time()
        while run.poll() is None:
            now = _used(run.pid)
            ours, theirs = max(ours, now.ours), max(theirs, now.theirs)
            cpu |= now.cpu
            time.sleep(_LOOK_SECONDS)
    if run.returncode not in (0, 1):
        log_text = out.with_suffix(".log").read_text(errors="replace")
        raise RuntimeError(f"a run of {count} cases ended with {run.returncode}: {log_text[-2000:]}")
    seconds = time.perf_counter() - start
    return Point(count, seconds, ours, theirs, cpu.get(driver, 0.0), sum(cpu.values()))


class Used(NamedTuple):
    """What a process and its descendants use.

    Resident bytes of colconf's own processes and of engines under test, shared pages once for each process;
    CPU seconds by process, so far.
    """

    ours: int
    theirs: int
    cpu: dict[tuple[int, float], float]


def _used(pid: int) -> Used:
    """Return what is used now; processes that end meanwhile are left out."""
    ours = theirs = 0
    cpu: dict[tuple[int, float], float] = {}
    with suppress(psutil.Error):
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            with suppress(psutil.Error):
                size, times = process.memory_info().rss, process.cpu_times()
                command = process.cmdline()
                is_ours = _WORKER not in command or command[-1].endswith(":Reference")
                ours, theirs = ours + size * is_ours, theirs + size * (not is_ours)
                cpu[process.pid, process.create_time()] = times.user + times.system
    return Used(ours, theirs, cpu)
