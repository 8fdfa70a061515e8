"""Decimals: varints of every length, every precision and scale, scales of single values."""

from __future__ import annotations

from collections.abc import Iterator

from corpora.build.orc import samples
from corpora.build.orc.schemas import Types, column_plan, column_recipe, leaf, recipe, versions
from corpora.build.recipe import Recipe
from reference_impl.orc.encodings.runs import Run, RunKind
from reference_impl.orc.plan import Column
from reference_impl.orc.schema import TypeKind

_SPEC = samples.clause(TypeKind.DECIMAL)
_FORMS = (
    (1, 0),
    (1, 1),
    (2, 1),
    (9, 4),
    (10, 10),
    (18, 0),
    (18, 18),
    (19, 0),
    (19, 9),
    (37, 5),
    (38, 0),
    (38, 38),
)
_MOST = 10**38 - 1


def recipes() -> Iterator[Recipe]:
    """Yield the forms, in both versions where the versions differ for scales."""
    for precision, scale in _FORMS:
        most = 10**precision - 1
        values = [0, most, -most, None, most // 3, 1, -1]
        plan = column_plan(decimal(precision, scale), values)
        yield recipe(f"decimal/precision-{precision}-scale-{scale}", plan, _SPEC, probed=("x",))
    varints = {"short": range(1, 10), "of-10": range(10, 11), "long": range(11, 20), "all": range(1, 20)}
    for name, sizes in varints.items():
        values = [value for size in sizes for value in _of_size(size)]
        yield recipe(f"decimal/varint/{name}", versions(decimal(38, 0), values), _SPEC)
    yield from _scales()
    for count in (1, 3):
        yield column_recipe(
            f"decimal/count/{count}", _SPEC, decimal(10, 2), [number * 37 for number in range(count)]
        )


def _of_size(size: int) -> list[int]:
    """Return the limits of the numbers whose varints have `size` bytes."""
    low, high = 1 << max(0, 7 * (size - 1) - 1), min((1 << 7 * size - 1) - 1, _MOST)
    low = min(low, 1 << 125)
    return [low, high, -low - 1, -high]


def decimal(precision: int, scale: int) -> Types:
    """Return a decimal type."""
    return leaf(TypeKind.DECIMAL, precision=precision, scale=scale)


def _scales() -> Iterator[Recipe]:
    """Yield values with a scale other than that of the type: readers rescale ("the scale is stored")."""
    scaled: dict[str, list[tuple[int, int] | None]] = {
        "smaller": [(1, 0), (12, 1), (-5, 0), (123, 2)],
        "larger": [(1000, 4), (-25_00, 4), (0, 10), (1_00, 3)],
        "zero": [(0, 0), (0, 2), (0, 5), (0, 38)],
        "mixed": [(1, 0), (100, 2), (10, 1), (10_000, 4), None, (-7, 0)],
        "largest": [(10**37, 37), (-(10**37), 37)],
    }
    for name, values in scaled.items():
        yield recipe(f"decimal/scales/{name}", versions(decimal(12, 2), values), _SPEC)
    runs = (Run(RunKind.DIRECT, 1), Run(RunKind.SHORT_REPEAT), Run(RunKind.DELTA, 3))
    plan = column_plan(decimal(12, 2), [number * 11 for number in range(12)], Column(secondary_runs=runs))
    yield recipe("decimal/scales/runs", plan, _SPEC)
