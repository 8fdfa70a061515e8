"""Runs of bytes and of booleans, also in PRESENT streams, at every length with an edge."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from corpora.build.orc import samples
from corpora.build.orc.schemas import INT, column_plan, column_recipe, recipe, union_of
from corpora.build.recipe import Recipe
from reference_impl.orc.encodings.runs import Run, RunKind
from reference_impl.orc.plan import Column, Present
from reference_impl.orc.schema import TypeKind

_BYTES = "ORCv1.md, Byte Run Length Encoding"
_BITS = "ORCv1.md, Boolean Run Length Encoding"
_BYTE, _BOOLEAN = samples.TYPES[TypeKind.BYTE], samples.TYPES[TypeKind.BOOLEAN]
_COUNTS = (1, 7, 8, 9, 16, 17, 65)


def recipes() -> Iterator[Recipe]:
    """Yield the runs."""
    return chain(_of_bytes(), _of_bits(), _present())


def _of_bytes() -> Iterator[Recipe]:
    for count in (1, 2, 3, 127, 128, 129):
        values = [number * 7 % 13 - 6 for number in range(count)]
        plan = column_plan(_BYTE, values, Column(data_runs=(Run(RunKind.LITERALS),)))
        yield recipe(f"byte-rle/literals/{count}", plan, _BYTES)
    for count in (3, 4, 129, 130, 131, 133):
        plan = column_plan(_BYTE, [-1] * count, Column(data_runs=(Run(RunKind.REPEAT),)))
        yield recipe(f"byte-rle/run/{count}", plan, _BYTES)
    mixed = [1, 1, 1, 2, 3, 3, 3, 3, -128, 127, 0, 0, 5, 5, 5]
    yield column_recipe("byte-rle/mixed/chosen", _BYTES, _BYTE, mixed)
    for length in (1, 2, 5):
        runs = (Run(RunKind.LITERALS, length), Run(RunKind.REPEAT, length))
        yield column_recipe(f"byte-rle/mixed/runs-of-{length}", _BYTES, _BYTE, mixed, Column(data_runs=runs))
    tags = [(number // 4 % 2, number) for number in range(20)]
    yield recipe("byte-rle/union-tags", column_plan(union_of(INT, INT), tags), "ORCv1.md, Union Columns")
    many = [(number * 7 % 140, number % 2 == 0) for number in range(40)]
    bare = Column(statistics=None, index=None)
    plan = column_plan(union_of(*[_BOOLEAN] * 140), many, bare)
    yield recipe("byte-rle/union-of-140", plan, "ORCv1.md, Union Columns")


def _of_bits() -> Iterator[Recipe]:
    for count in _COUNTS:
        values = [number * number % 3 == 0 for number in range(count)]
        yield recipe(f"boolean-rle/count/{count}", column_plan(_BOOLEAN, values), _BITS)
    for name, values in {
        "all-true": [True] * 40,
        "all-false": [False] * 40,
        "long-run": [True] * 1048,
        "longer-than-a-run": [False] * 1049,
        "alternating": [number % 2 == 0 for number in range(40)],
        "one-in-last-byte": [False] * 32 + [True],
    }.items():
        yield recipe(f"boolean-rle/{name}", column_plan(_BOOLEAN, values), _BITS)
        plan = column_plan(_BOOLEAN, values[:100], Column(data_runs=(Run(RunKind.LITERALS),)))
        yield recipe(f"boolean-rle/literals/{name}", plan, _BITS)


def _present() -> Iterator[Recipe]:
    for count in _COUNTS:
        values = [number if number * number % 3 else None for number in range(count)]
        yield recipe(f"present/count/{count}", column_plan(INT, values), _BITS)
    contents: dict[str, list[int | None]] = {
        "all-null": [None] * 40,
        "one-null": [None],
        "only-last": [None] * 32 + [5],
        "only-first": [5] + [None] * 32,
        "all-but-last": [*range(32), None],
        "alternating": [number if number % 2 else None for number in range(33)],
        "long-runs": [1] * 200 + [None] * 200,
    }
    for name, values in contents.items():
        yield recipe(f"present/{name}", column_plan(INT, values), _BITS)
        runs = (Run(RunKind.LITERALS, 2), Run(RunKind.REPEAT))
        yield column_recipe(f"present/runs/{name}", _BITS, INT, values, Column(rle=1, present_runs=runs))
    for kind in (TypeKind.INT, TypeKind.STRING, TypeKind.BOOLEAN, TypeKind.TIMESTAMP, TypeKind.DECIMAL):
        layout = Column(present=Present.ALWAYS)
        plan = column_plan(samples.TYPES[kind], samples.VALUES[kind], layout)
        yield recipe(f"present/of-no-nulls/{kind.name.lower()}", plan, samples.clause(kind))
