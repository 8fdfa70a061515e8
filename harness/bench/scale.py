"""`docs/scale.md`: what a run costs with ten times as many cases, and what the figures mean for a cluster."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

CLUSTER_CORES = 200
THREADS = "In threads of one process"
_WIDTH, _HEIGHT, _EDGE = 480, 200, 60
_HEAD = """# Scale

`python -m harness.bench growth --cases 1000 --cases 10000 --scale docs/scale.md` writes the section of one
process, with `--master 'local[2]'` that of Spark; do not edit them.

Each row is a run of generated files, Parquet and ORC by turns, which the reference and PyArrow read and
filter. Memory is the most that colconf's own processes took together, the reference with them; beside it is
the most that PyArrow's took, which a single damaged file decides (`--memory-limit` limits it). CPU time is
that of all processes; the driver is the process that was started: on Spark, all else is done in tasks.
"""


class Point(NamedTuple):
    """A run of so many cases: wall time, and CPU time of the driver and of all processes, in seconds.

    `peak` and `engines` are the most bytes that colconf's own processes and those of engines under test took.
    """

    cases: int
    seconds: float
    peak: int
    engines: int = 0
    driver: float = 0.0
    cpu: float = 0.0


def write(page: Path, points: Sequence[Point], master: str, machine: str) -> None:
    """Write the section of these runs, and its chart beside the page; other sections stay as they are."""
    name = f"Spark {master}" if master else THREADS
    chart = page.with_name(f"{page.stem}-{_slug(master or 'threads')}.svg")
    chart.write_text(svg(points), "utf-8")
    before = page.read_text("utf-8") if page.is_file() else ""
    sections = {part.partition("\n")[0]: part for part in re.split(r"^## ", before, flags=re.MULTILINE)[1:]}
    sections[name] = _section(name, points, master, machine, chart.name)
    ordered = sorted(sections, key=lambda section: (section != THREADS, section))
    text = "\n".join([_HEAD, *(f"## {sections[section].rstrip()}\n" for section in ordered)])
    page.write_text(text, "utf-8")


def _section(name: str, points: Sequence[Point], master: str, machine: str, chart: str) -> str:
    when = f"Measured on {datetime.now(UTC):%Y-%m-%d} on {machine}."
    lines = [
        name,
        "",
        when,
        "",
        "| cases | seconds | ms per case | memory | of engines | CPU ms per case | of the driver |",
    ]
    lines.append("|---:|---:|---:|---:|---:|---:|---:|")
    lines += [
        f"| {point.cases:,} | {point.seconds:,.0f} | {1000 * point.seconds / point.cases:.1f} "
        f"| {point.peak >> 20:,} MiB | {point.engines >> 20:,} MiB "
        f"| {1000 * point.cpu / point.cases:.1f} | {1000 * point.driver / point.cases:.2f} |"
        for point in points
    ]
    lines += ["", f"![time per case and memory]({chart})"]
    if master:
        lines += ["", *_on_paper(points[-1])]
    return "\n".join(lines)


def _on_paper(point: Point) -> list[str]:
    """Return what more cores would make of a run: its tasks are spread, its driver is one process."""
    work, driver = 1000 * point.cpu / point.cases, 1000 * point.driver / point.cases
    spread, most = work / CLUSTER_CORES, work / driver
    by, slower = ("driver", driver) if driver > spread else ("cores", spread)
    text = f"""Extrapolated: a case takes {work:.1f} ms of CPU time, {driver:.2f} ms of it in the driver,
which more cores do not share. {CLUSTER_CORES} cores would need {spread:.2f} ms per case without a driver;
the {by} would be the limit, at {1000 / slower:,.0f} cases a second. More than {most:,.0f} cores would not
shorten a run. Not counted: the network, a shared file system, and the start of the cluster."""
    return text.splitlines()


def _slug(text: str) -> str:
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")


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
