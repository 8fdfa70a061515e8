"""Integers, version 2: each kind of run in every width and at every length with an edge.

A file has a column `signed` of LONG with the tested DATA stream, and a column `unsigned` of STRING with the
tested LENGTH stream: small numbers, in widths that may be larger than needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from corpora.build.orc.additions import Streams, delta, direct
from corpora.build.orc.schemas import LONG, STRING, column_plan, column_recipe, list_of, recipe, struct_of
from corpora.build.recipe import Recipe
from reference_impl.orc.encodings.rle_v2.widths import WIDTHS
from reference_impl.orc.encodings.runs import Run, RunKind
from reference_impl.orc.plan import Column, FilePlan
from reference_impl.orc.schema import StreamKind
from reference_impl.orc.tamper import Place

_LENGTHS = (1, 2, 3, 10, 11, 512, 513)
_MOST = (1 << 63) - 1


def recipes() -> Iterator[Recipe]:
    """Yield the runs."""
    return chain(
        _short_repeats(),
        _direct(),
        _patched_widths(),
        _patched_bases(),
        _patched_places(),
        _delta_widths(),
        _delta_steps(),
        _lengths(),
        _mixed(),
    )


def _spec(kind: RunKind) -> str:
    return f"ORCv1.md, {kind.replace('_', ' ').title()}"


def _name(kind: RunKind, what: str) -> str:
    return f"rle-v2/{kind.replace('_', '-')}/{what}"


def _both(signed: Sequence[int], lengths: Sequence[int], runs: tuple[Run, Run]) -> FilePlan:
    """Return the plan of a file of two columns; `runs` has a run for `signed` and one for `unsigned`."""
    rows = [(value, b"a" * length) for value, length in zip(signed, lengths, strict=True)]
    columns = (Column(), Column(data_runs=runs[:1]), Column(length_runs=runs[1:]))
    return FilePlan(struct_of(signed=LONG, unsigned=STRING), tuple(rows), columns=columns)


def _short_repeats() -> Iterator[Recipe]:
    """Yield values of 1 to 8 bytes."""
    for size in range(1, 9):
        value = -(1 << 8 * size - 1)
        runs = Run(RunKind.SHORT_REPEAT), Run(RunKind.SHORT_REPEAT, extra_width=size - 1)
        plan = _both([value] * 5 + [~value] * 3, [3] * 8, runs)
        yield recipe(_name(RunKind.SHORT_REPEAT, f"bytes-{size}"), plan, _spec(RunKind.SHORT_REPEAT))


def _direct() -> Iterator[Recipe]:
    """Yield values of every width; the last byte is not full."""
    for step, width in enumerate(WIDTHS):
        half = 1 << width - 1
        values = [0, -half, half - 1, -1, 0, half // 2, -half, -(half // 3), half - 1]
        runs = Run(RunKind.DIRECT), Run(RunKind.DIRECT, extra_width=step)
        plan = _both(values, [0, 1, 1, 0, 1, 0, 0, 1, 1], runs)
        exact = Streams({Place(0, 1, StreamKind.DATA): direct(values, width)})
        yield recipe(_name(RunKind.DIRECT, f"width-{width}"), plan, _spec(RunKind.DIRECT), tamper=exact)


def _patched(signed: Sequence[int], extra: int = 0) -> FilePlan:
    run = Run(RunKind.PATCHED_BASE, extra_width=extra)
    return column_plan(LONG, signed, Column(data_runs=(run,)))


def _patched_widths() -> Iterator[Recipe]:
    """Yield distances and patches of every width, narrow distances with wide patches and vice versa."""
    for width, patch in zip(WIDTHS[:-1], reversed(WIDTHS[:-1]), strict=True):
        values = [number % 2 * ((1 << width) - 1) - 5 for number in range(21)]
        values[11] += (1 << width + patch) - (1 << width)
        name = _name(RunKind.PATCHED_BASE, f"width-{width}-patch-{patch}")
        yield recipe(name, _patched(values), _spec(RunKind.PATCHED_BASE))
    values = [number % 4 for number in range(20)]
    values[7] = 1 << 30
    for extra in (1, 5, 20):
        plan = _patched(values, extra)
        notes = "distances are wider than those of nine in ten values need"
        name = _name(RunKind.PATCHED_BASE, f"wider-{extra}")
        yield recipe(name, plan, _spec(RunKind.PATCHED_BASE), notes=notes)


def _patched_bases() -> Iterator[Recipe]:
    """Yield bases of 1 to 8 bytes, of either sign, and at their limits."""
    for size in range(1, 9):
        most = (1 << 8 * size - 1) - 1
        for sign, base in (("positive", most - 2000 * (size == 8)), ("negative", -most)):
            if size not in (1, 8) and (size % 2 == 0) != (base < 0):
                continue
            values = [base + number % 4 for number in range(20)]
            values[19] += 1000
            name = _name(RunKind.PATCHED_BASE, f"base-{size}-bytes-{sign}")
            yield recipe(name, _patched(values), _spec(RunKind.PATCHED_BASE))
    values = [number % 4 for number in range(20)]
    values[5] = 100
    yield recipe(_name(RunKind.PATCHED_BASE, "base-zero"), _patched(values), _spec(RunKind.PATCHED_BASE))


def _patched_places() -> Iterator[Recipe]:
    """Yield 1 to 31 patches at the first and last value, with gaps of 1 to 8 bits and larger gaps."""
    places: dict[str, tuple[int, list[int]]] = {
        "first": (20, [0]),
        "last": (20, [19]),
        "first-and-last": (20, [0, 19]),
        "neighbours": (40, [7, 8, 9]),
        **{f"gap-{bits}-bits": (max(30, (1 << bits) + 2), [(1 << bits) - 1]) for bits in range(1, 9)},
        "gap-256": (300, [256]),
        "gap-510": (512, [510]),
        "gap-255-then-256": (512, [255, 511]),
        "thirty-patches": (310, list(range(3, 303, 10))),
        "thirty-one-patches": (320, list(range(0, 310, 10))),
    }
    for name, (length, patched) in places.items():
        values = [number % 4 for number in range(length)]
        for turn, at in enumerate(patched):
            values[at] = 64 + turn
        yield recipe(
            _name(RunKind.PATCHED_BASE, f"places/{name}"), _patched(values), _spec(RunKind.PATCHED_BASE)
        )
    lengths = [number % 4 for number in range(20)]
    lengths[13] = 300
    run = Run(RunKind.PATCHED_BASE)
    plan = column_plan(STRING, [b"a" * length for length in lengths], Column(length_runs=(run,)))
    yield recipe(_name(RunKind.PATCHED_BASE, "unsigned"), plan, _spec(RunKind.PATCHED_BASE))


def _delta_widths() -> Iterator[Recipe]:
    """Yield deltas of every width, up and down, except 1 bit, which does not exist."""
    for step, width in enumerate(WIDTHS):
        if width == 1:
            continue
        large = min((1 << width) - 1, _MOST)
        up = [-(1 << 63), 1 - (1 << 63), 1 - (1 << 63) + large]
        up += [up[-1], up[-1] + (width < 64), up[-1] + (width < 64)]
        rows = [(value, -1 - value, b"a" * at) for at, value in enumerate(up)]
        run = Run(RunKind.DELTA)
        lengths = Run(RunKind.DELTA, extra_width=step)
        both = Column(data_runs=(run,))
        columns = (Column(), both, both, Column(length_runs=(lengths,)))
        types = struct_of(up=LONG, down=LONG, unsigned=STRING)
        plan = FilePlan(types, tuple(rows), columns=columns)
        exact = Streams(
            {
                Place(0, 1, StreamKind.DATA): delta(up, width),
                Place(0, 2, StreamKind.DATA): delta([-1 - value for value in up], width),
            }
        )
        yield recipe(_name(RunKind.DELTA, f"width-{width}"), plan, _spec(RunKind.DELTA), tamper=exact)


def _delta_steps() -> Iterator[Recipe]:
    """Yield fixed deltas, bases at the limits, and falling unsigned values."""
    values: dict[str, list[int]] = {
        "fixed-1": list(range(20)),
        "fixed-minus-1": list(range(20, 0, -1)),
        "fixed-0": [77] * 20,
        "fixed-0-negative": [-77] * 20,
        "fixed-large": [number * (1 << 58) for number in range(-20, 20)],
        "from-least": [-(1 << 63) + number for number in range(12)],
        "to-most": [_MOST - 11 + number for number in range(12)],
        "from-most-down": [_MOST - number * 3 for number in range(12)],
        "across-zero": list(range(-6, 7)),
        "equal-neighbours": [1, 2, 2, 2, 3, 3, 9, 9, 9],
        "whole-range": [-(1 << 62), (1 << 62) - 1, _MOST],
    }
    for name, numbers in values.items():
        plan = column_plan(LONG, numbers, Column(data_runs=(Run(RunKind.DELTA),)))
        yield recipe(_name(RunKind.DELTA, name), plan, _spec(RunKind.DELTA))
    falling: dict[str, list[int]] = {
        "unsigned-down": [30, 20, 13, 9, 4, 1, 0],
        "unsigned-down-fixed": list(range(12, 0, -1)),
        "unsigned-zero": [0] * 20,
    }
    for name, numbers in falling.items():
        rows = [[None] * number for number in numbers]
        plan = column_plan(list_of(LONG), rows, Column(length_runs=(Run(RunKind.DELTA),)))
        yield recipe(_name(RunKind.DELTA, name), plan, _spec(RunKind.DELTA))


def _lengths() -> Iterator[Recipe]:
    """Yield runs of the least and the greatest length, and values for one more than that."""
    for count in _LENGTHS:
        contents: dict[RunKind, list[int]] = {
            RunKind.DIRECT: [number * 7 % 13 - 6 for number in range(count)],
            RunKind.DELTA: [number + number // 3 for number in range(count)],
        }
        if count not in (1, 2, 512):
            contents[RunKind.CHOSEN] = [3] * count
        if 3 <= count <= 11:
            contents[RunKind.SHORT_REPEAT] = [-3] * count
        for kind, values in contents.items():
            plan = column_plan(LONG, values, Column(data_runs=(Run(kind),)))
            name = _name(kind, f"length-{count}") if kind is not RunKind.CHOSEN else f"rle-v2/equal/{count}"
            yield recipe(name, plan, _spec(kind) if kind is not RunKind.CHOSEN else _ANY)


_ANY = "ORCv1.md, Integer Run Length Encoding, version 2"


def _mixed() -> Iterator[Recipe]:
    """Yield all kinds of runs one after the other, and all kinds with short lengths."""
    values: list[Any] = [*range(30), *[5] * 7, *(number * 37 % 101 for number in range(40)), *[9] * 30]
    values += [number % 3 for number in range(20)] + [-(1 << 63), _MOST] + list(range(50, 20, -2))
    yield recipe("rle-v2/mixed/chosen", column_plan(LONG, values), _ANY)
    kinds = (RunKind.DELTA, RunKind.SHORT_REPEAT, RunKind.DIRECT, RunKind.PATCHED_BASE)
    for length in (1, 3, 7, 10, 20):
        runs = tuple(Run(kind, length) for kind in kinds)
        yield column_recipe(f"rle-v2/mixed/runs-of-{length}", _ANY, LONG, values, Column(data_runs=runs))
