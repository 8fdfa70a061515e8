"""Repetition and definition levels: depths, lengths, empty and null lists, all ends of pages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, product
from typing import Any

from corpora.build import samples
from corpora.build.recipe import (
    OPTIONAL,
    REPEATED,
    REQUIRED,
    Elements,
    Recipe,
    column_plan,
    group,
    leaf,
    list_group,
)
from reference_impl.parquet.plan import Column, Page, Runs
from reference_impl.parquet.schema import Type

_SPEC = "README.md, Nested Encoding"
_NULLS = "README.md, Nulls"
_LEGACY = "Encodings.md, Bit-packed"


def recipes() -> Iterator[Recipe]:
    """Yield the forms."""
    return chain(_structs(), _lists(), _cuts(), _legacy(), _nulls(), _lengths())


def _structs() -> Iterator[Recipe]:
    """Yield structs in structs: definition levels of 1 to 5 bits."""
    for depth in (1, 2, 3, 4, 6, 7, 8, 15, 16):
        field: Elements = leaf("x", Type.INT32, OPTIONAL)
        values: list[Any] = [7, None]
        for level in range(depth - 1):
            name = f"s{level}"
            inner = "x" if level == 0 else f"s{level - 1}"
            field = group(name, OPTIONAL, field)
            values = [*({inner: value} for value in values), None]
        for version in (1, 2):
            plan = column_plan(field, values, Column((Page(3, version=version),)))
            yield Recipe(f"levels/struct-depth/{depth}/v{version}", plan, _SPEC)


def _lists() -> Iterator[Recipe]:
    """Yield lists in lists: repetition levels of 1 to 3 bits."""
    for depth in (1, 2, 3, 4, 7):
        field = leaf("element", Type.INT32, OPTIONAL)
        values: list[Any] = [1, None, 2]
        for level in range(depth):
            name = "x" if level == depth - 1 else "element"
            field = list_group(name, OPTIONAL, group("list", REPEATED, field))
            wrapped: list[Any] = [{"list": [{"element": value} for value in part]} for part in _parts(values)]
            values = [*wrapped, None]
        for version in (1, 2):
            plan = column_plan(field, values, Column((Page(5, version=version),)))
            yield Recipe(f"levels/list-depth/{depth}/v{version}", plan, _SPEC)


def _parts(values: list[Any]) -> list[list[Any]]:
    return [values[:2], [], values[2:3], values[3:]] if len(values) > 3 else [values, [], values[:1]]


def _cuts() -> Iterator[Recipe]:
    """Yield nested columns in pages of few entries, which end inside of rows in v1, and with rows in v2."""
    for nesting, entries, version in product(samples.NESTINGS[1:], (1, 2, 3, 8), (1, 2)):
        layout = Column((Page(entries, version=version),))
        plan = samples.plan(nesting, {"kind": Type.INT32}, range(12), layout)
        yield Recipe(f"levels/page-of/{entries}/{nesting.name}/v{version}", plan, _SPEC)


def _legacy() -> Iterator[Recipe]:
    """Yield levels in the deprecated encoding BIT_PACKED."""
    for nesting, entries in product(samples.NESTINGS, (None, 7)):
        layout = Column((Page(entries, legacy_levels=True),))
        plan = samples.plan(nesting, {"kind": Type.INT64}, range(20), layout)
        name = "one-page" if entries is None else "pages-of-7"
        yield Recipe(f"levels/bit-packed/{nesting.name}/{name}", plan, _LEGACY, level="SHOULD")
    for count in (1, 7, 8, 9, 16, 17):
        values = [None if n % 3 == 1 else n for n in range(count)]
        layout = Column((Page(legacy_levels=True),))
        plan = column_plan(leaf("x", Type.INT32, OPTIONAL), values, layout)
        yield Recipe(f"levels/bit-packed/count/{count}", plan, _LEGACY, level="SHOULD")


def _nulls() -> Iterator[Recipe]:
    """Yield optional columns without nulls, with only nulls, and with pages of only nulls."""
    contents: dict[str, list[int | None]] = {
        "none": list(range(9)),
        "all": [None] * 9,
        "one": [None],
        "first-page": [None] * 4 + [1, 2, 3, 4, 5],
        "middle-page": [1, 2, 3, 4, None, None, None, None, 5],
        "last-page": [1, 2, 3, 4, None, None, None, None],
        "alternating": [None if n % 2 else n for n in range(18)],
    }
    for (name, values), version, runs in product(contents.items(), (1, 2), (Runs.RLE, Runs.PACKED)):
        layout = Column((Page(4, version=version, levels=runs),))
        plan = column_plan(leaf("x", Type.INT32, OPTIONAL), values, layout)
        yield Recipe(f"levels/nulls/{name}/v{version}/{runs}", plan, _NULLS, features=_ALL_NULL[name])


_ALL_NULL = {
    **dict.fromkeys(("none", "alternating"), ()),
    **dict.fromkeys(("all", "one", "first-page", "middle-page", "last-page"), ("parquet/levels/all-null",)),
}


def _lengths() -> Iterator[Recipe]:
    """Yield lists with numbers of elements around a group of 8 and a long run."""
    for length in (0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65):
        element = group("list", REPEATED, leaf("element", Type.INT32, REQUIRED))
        parts: list[list[int]] = [list(range(length)), [], [1], list(range(length))]
        values = [{"list": [{"element": n} for n in part]} for part in parts]
        for version in (1, 2):
            layout = Column((Page(version=version),))
            plan = column_plan(list_group("x", REQUIRED, element), values, layout)
            yield Recipe(f"levels/list-length/{length}/v{version}", plan, _SPEC)
