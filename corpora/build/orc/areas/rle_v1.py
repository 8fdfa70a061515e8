"""Integers, version 1: runs and literals of every length, step and size of a number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpora.build.orc.schemas import LONG, STRING, column_plan, column_recipe, list_of, recipe
from corpora.build.recipe import Recipe
from reference_impl.orc.encodings.runs import Run, RunKind
from reference_impl.orc.plan import Column

_SPEC = "ORCv1.md, Integer Run Length Encoding, version 1"
_VARINT = "ORCv1.md, Base 128 Varint"
_MOST = (1 << 63) - 1


def recipes() -> Iterator[Recipe]:
    """Yield the runs."""
    literals = Run(RunKind.LITERALS, 128)
    for count in (1, 2, 3, 127, 128, 129):
        yield _numbers(f"literals/{count}", [number * 7 % 13 - 6 for number in range(count)], literals)
    for count in (3, 4, 129, 130, 131, 133):
        yield _numbers(f"run/{count}", list(range(count)), Run(RunKind.REPEAT))
    for step in (-128, -127, -1, 0, 1, 126, 127):
        yield _numbers(f"step/{step}", [40 + number * step for number in range(9)], Run(RunKind.REPEAT))
    for name, values in _EDGES.items():
        yield _numbers(f"edge/{name}", values, Run())
    yield from _varints()
    yield from _unsigned()


def _numbers(name: str, values: Sequence[int], run: Run) -> Recipe:
    return column_recipe(f"rle-v1/{name}", _SPEC, LONG, values, Column(rle=1, data_runs=(run,)))


_EDGES: dict[str, list[int]] = {
    "step-too-large": [0, 128, 256, 384, 512],
    "step-too-small": [0, -129, -258, -387],
    "from-least": [-(1 << 63) + number for number in range(5)],
    "to-most": [_MOST - 4 + number for number in range(5)],
    "limits": [_MOST, -(1 << 63), _MOST, -(1 << 63)],
    "run-literals-run": [1, 2, 3, 4, 9, 7, 30, 5, 5, 5, 5, 5],
    "literals-of-equal": [6, 6, 1, 1, 4, 4],
}


def _varints() -> Iterator[Recipe]:
    """Yield numbers that take 1 to 10 bytes, at both ends of each size."""
    values = []
    for size in range(1, 11):
        low, high = 1 << max(0, 7 * (size - 1) - 1), min((1 << 7 * size - 1) - 1, _MOST)
        values += [low, high, -low - 1, -high - 1]
    for name, part in {
        "up-to-5-bytes": values[:20],
        "6-to-9-bytes": values[20:36],
        "10-bytes": values[36:],
    }.items():
        plan = column_plan(LONG, part, Column(rle=1, data_runs=(Run(RunKind.LITERALS, 128),)))
        yield recipe(f"rle-v1/varint/{name}", plan, _VARINT)


def _unsigned() -> Iterator[Recipe]:
    """Yield lengths: literals of one and of two bytes, runs up, down, and of equals."""
    lengths: dict[str, list[int]] = {
        "literals": [0, 127, 128, 5, 129, 1],
        "run-up": list(range(12)),
        "run-down": list(range(12, 0, -1)),
        "run-of-zero": [0] * 20,
        "run-by-127": [0, 127, 254, 381],
    }
    for name, values in lengths.items():
        plan = column_plan(STRING, [b"a" * length for length in values], Column(rle=1))
        yield recipe(f"rle-v1/unsigned/{name}", plan, _SPEC)
    plan = column_plan(list_of(LONG), [[1, 2], [], [3], [4, 5, 6]], Column(rle=1))
    yield recipe("rle-v1/unsigned/of-list", plan, _SPEC)
