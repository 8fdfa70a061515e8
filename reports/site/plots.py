"""Plots as SVG, drawn with the classes of the site's style, so that they follow its theme.

Each plot is a figure of templates: lines and bars as numbers, and the table that it was drawn from.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

WIDTH, HEIGHT = 720, 220
LEFT, RIGHT, TOP, BOTTOM = 44, 44, 12, 26


class Mark(NamedTuple):
    """A point of a line, with the text that is shown for it."""

    x: float
    y: float
    title: str


class Line(NamedTuple):
    """A line: its name, its place among the colours, its points, and the `x,y` of each polyline."""

    name: str
    colour: int
    marks: list[Mark]
    paths: list[str]


class Bar(NamedTuple):
    """A bar: its box, the class of its colour, and its text."""

    x: float
    y: float
    width: float
    height: float
    tone: str
    title: str


class Tick(NamedTuple):
    """A label on an axis."""

    at: float
    label: str


@dataclass(frozen=True)
class Plot:
    """A plot, and the table behind it: `rows` have the first cell as their head.

    `cut` is the x of a change point, None without.
    """

    title: str
    unit: str
    lines: list[Line]
    bars: list[Bar]
    across: list[Tick]
    up: list[Tick]
    heads: list[str]
    rows: list[list[str]]
    zero: float | None = None
    cut: float | None = None
    note: str = ""


def _x(place: int, count: int) -> float:
    inner = WIDTH - LEFT - RIGHT
    return round(LEFT + inner * ((place + 0.5) / count if count else 0.5), 1)


def _y(value: float, low: float, high: float) -> float:
    return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / ((high - low) or 1), 1)


def _across(labels: Sequence[str]) -> list[Tick]:
    """Return at most six labels, evenly spread, the last one among them."""
    count = len(labels)
    step = max(1, -(-count // 6))
    return [Tick(_x(place, count), labels[place]) for place in range(count - 1, -1, -step)][::-1]


def _round_up(value: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, 50 and so on."""
    scale = 1.0
    while True:
        for factor in (1, 2, 5):
            if value <= factor * scale:
                return factor * scale
        scale *= 10


def _scale(values: Sequence[float]) -> list[float]:
    """Return the ticks of an axis from 0 up: at most six, round and whole numbers."""
    most = max(values, default=0.0) or 1.0
    step = _round_up(most / 5)
    return [step * place for place in range(math.ceil(most / step) + 1)]


def _powers(values: Sequence[float]) -> list[float]:
    """Return the powers of ten around all values above 0, at least two."""
    above = [value for value in values if value > 0] or [1.0]
    first = math.floor(math.log10(min(above)))
    last = max(first + 1, math.ceil(math.log10(max(above))))
    return [10.0**power for power in range(first, last + 1)]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:.3g}"


def lines(
    title: str,
    unit: str,
    labels: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    *,
    limits: tuple[float, float] | None = None,
    cut: int | None = None,
    gaps: bool = False,
    powers: bool = False,
    note: str = "",
) -> Plot:
    """Return a plot of series over runs; None is a run without a value.

    With `gaps` the line ends there, else it goes on. `cut`: a change point before this place. `powers`: each
    step of the scale is ten times the one below, for values that differ by much.
    """
    values = [value for points in series.values() for value in points if value is not None]
    ticks = _powers(values) if powers else _scale(values)
    if limits:
        ticks = [limits[0] + (limits[1] - limits[0]) * part / 4 for part in range(5)]
    count = len(labels)

    def height(value: float) -> float:
        if powers:
            return _y(math.log10(max(value, ticks[0])), math.log10(ticks[0]), math.log10(ticks[-1]))
        return _y(value, ticks[0], ticks[-1])

    drawn = []
    for colour, (name, points) in enumerate(series.items()):
        marks = [
            None
            if value is None
            else Mark(_x(place, count), height(value), f"{name}, {labels[place]}: {_number(value)} {unit}")
            for place, value in enumerate(points)
        ]
        drawn.append(Line(name, colour, [mark for mark in marks if mark], _paths(marks, gaps=gaps)))
    rows = [
        [label, *("" if points[place] is None else _number(points[place] or 0) for points in series.values())]
        for place, label in enumerate(labels)
    ]
    return Plot(
        title=title,
        unit=unit,
        lines=drawn,
        bars=[],
        across=_across(labels),
        up=[Tick(height(tick), _number(tick)) for tick in ticks],
        heads=["run", *series],
        rows=rows,
        cut=None if cut is None else round((_x(cut - 1, count) + _x(cut, count)) / 2, 1),
        note=note,
    )


def _paths(marks: Sequence[Mark | None], *, gaps: bool) -> list[str]:
    """Return the points of each polyline; between two of them is a run without a value."""
    if not gaps:
        marks = [mark for mark in marks if mark]
    groups = (
        list(group)
        for has_value, group in itertools.groupby(marks, lambda mark: mark is not None)
        if has_value
    )
    return [" ".join(f"{mark.x},{mark.y}" for mark in group if mark) for group in groups]


def bars(
    title: str, labels: Sequence[str], ups: Sequence[int], downs: Sequence[int], names: tuple[str, str]
) -> Plot:
    """Return a plot of numbers of cases above and below a line, a pair for each label."""
    high = _round_up(max(*ups, *downs, 1))
    count, width = len(labels), (WIDTH - LEFT - RIGHT) / max(1, len(labels))
    zero = _y(0, -high, high)
    drawn = []
    for place, (up, down) in enumerate(zip(ups, downs, strict=True)):
        x, wide = round(_x(place, count) - min(width * 0.35, 28), 1), round(min(width * 0.7, 56), 1)
        if up:
            top = _y(up, -high, high)
            drawn.append(
                Bar(x, top, wide, round(zero - top, 1), "good", f"{labels[place]}: {up:,} {names[0]}")
            )
        if down:
            low = _y(-down, -high, high)
            drawn.append(
                Bar(x, zero, wide, round(low - zero, 1), "bad", f"{labels[place]}: {down:,} {names[1]}")
            )
    return Plot(
        title=title,
        unit="cases",
        lines=[],
        bars=drawn,
        across=_across(labels),
        up=[Tick(_y(tick, -high, high), _number(abs(tick))) for tick in (-high, 0, high)],
        heads=["release", *names],
        rows=[[label, f"{up:,}", f"{down:,}"] for label, up, down in zip(labels, ups, downs, strict=True)],
        zero=zero,
        note=f"Above the line, green: {names[0]}; below it, red: {names[1]}.",
    )
