"""The hybrid of RLE and bit-packing: levels, dictionary indices and booleans, with all ways to form runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from corpora.build.recipe import OPTIONAL, Recipe, column_plan, column_recipe, leaf
from reference_impl.parquet.plan import Column, Dictionary, Page, Runs
from reference_impl.parquet.schema import Encoding, Type

_SPEC = "Encodings.md, Run Length Encoding / Bit-Packing Hybrid"
_COUNTS = (1, 7, 8, 9, 17, 64, 65, 130)
_SIZES = (1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 128, 129, 256, 257)
_EXTRA = (1, 3, 7, 8, 15, 16, 23, 24, 31)


def recipes() -> Iterator[Recipe]:
    """Yield the recipes."""
    for runs, count in product(Runs, _COUNTS):
        for version in (1, 2):
            yield _levels(runs, count, version)
        yield _indices(runs, count)
        yield _booleans(runs, count)
    yield from _widths()


def _pattern(number: int) -> int:
    """Return a number of a sequence of 0, 1 and 2 with short and long repetitions."""
    return (number // 9 + number // 30) % 3 if number % 60 > 15 else number % 3


def _levels(runs: Runs, count: int, version: int) -> Recipe:
    values = [n if _pattern(n) else None for n in range(count)]
    layout = Column((Page(None, version=version, levels=runs),))
    plan = column_plan(leaf("x", Type.INT32, OPTIONAL), values, layout)
    return Recipe(f"runs/levels/{runs}/{count}/v{version}", plan, _SPEC)


def _indices(runs: Runs, count: int) -> Recipe:
    values = [(10, 20, 30)[_pattern(n)] for n in range(count)]
    page = Page(None, Encoding.RLE_DICTIONARY, version=1 + count % 2, indices=runs)
    layout = Column((page,), dictionary=Dictionary())
    return column_recipe(f"runs/indices/{runs}/{count}", _SPEC, leaf("x", Type.INT32), values, layout)


def _booleans(runs: Runs, count: int) -> Recipe:
    values = [_pattern(n) == 1 for n in range(count)]
    layout = Column((Page(None, Encoding.RLE, version=1 + count % 2, indices=runs),))
    return column_recipe(f"runs/boolean/{runs}/{count}", _SPEC, leaf("x", Type.BOOLEAN), values, layout)


def _widths() -> Iterator[Recipe]:
    """Yield indices of every width for small dictionaries, and wider than needed."""
    for size in _SIZES:
        values = [number * 7 % size for number in range(size)] if size % 7 else list(range(size))
        page = Page(None, Encoding.RLE_DICTIONARY, version=1 + size % 2)
        layout = Column((page,), dictionary=Dictionary())
        plan = column_plan(leaf("x", Type.INT32), (*values, values[0], values[-1]), layout)
        yield Recipe(f"runs/index-width/size-{size}", plan, _SPEC)
    for extra, runs in product(_EXTRA, (Runs.PACKED, Runs.RLE)):
        letters = [(b"a", b"b")[_pattern(n) % 2] for n in range(40)]
        page = Page(None, Encoding.RLE_DICTIONARY, indices=runs)
        layout = Column((page,), dictionary=Dictionary(index_width_extra=extra))
        plan = column_plan(leaf("x", Type.BYTE_ARRAY), letters, layout)
        notes = "the width byte may say more than the indices need"
        yield Recipe(f"runs/index-width/{extra + 1}-bits/{runs}", plan, _SPEC, notes=notes)
