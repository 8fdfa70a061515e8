"""Statistics of chunks, in every form, for every ordered kind of column, and all column orders."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from corpora.build.areas.column_orders import recipes_of_orders
from corpora.build.kinds import KINDS, ORDERED, ColumnKind
from corpora.build.recipe import OPTIONAL, Recipe, column_plan, group, leaf, schema
from corpora.queries import Filter, IsNull
from reference_impl.parquet.plan import Column, FilePlan, Page, Row, Sides, Statistics, Truth
from reference_impl.parquet.schema import ColumnChunk, ConvertedType, Type
from reference_impl.parquet.statistics_structs import BoundingBox, GeospatialStatistics
from reference_impl.parquet.tamper import Place, Tamper

_SPEC = "parquet.thrift, Statistics"
_FORMS = {
    "modern": Statistics(),
    "deprecated": Statistics(False, deprecated=True),
    "both": Statistics(deprecated=True, distinct_count=True, exact=Truth.STATED),
    "wide": Statistics(null_count=False, exact=Truth.DENIED, widen=2),
}
# Forms with the same effect for every type, used for a few types.
_RARE = {
    "absent": None,
    "counts-only": Statistics(modern=False),
    "no-null-count": Statistics(null_count=False),
    "denied": Statistics(exact=Truth.DENIED),
    "distinct": Statistics(distinct_count=True),
    "everything-wide": Statistics(deprecated=True, distinct_count=True, exact=Truth.STATED, widen=1),
    "least-alone": Statistics(sides=Sides.LEAST),
    "greatest-alone": Statistics(sides=Sides.GREATEST),
}
_RARE_KINDS = ("int32", "uint-64", "double", "string", "decimal-5-2/fixed-4", "timestamp-micros-utc")
_CUT = {
    "truncated-1": Statistics(truncate=1),
    "truncated-2-told": Statistics(truncate=2, exact=Truth.STATED),
    "truncated-3-both": Statistics(truncate=3, deprecated=True, exact=Truth.STATED),
    "truncated-16": Statistics(truncate=16, exact=Truth.STATED),
}
_CUT_KINDS = ("byte-array", "string", "enum")
_POINTS = ((-1.0, 2.0, 3.0, 4.0), (5.0, -6.0, 7.0, -8.0))  # x, y, z, m
_FLOATS = ("float", "double", "float16")


def _chunks() -> Iterator[Recipe]:
    """Yield kinds × forms."""
    for kind in ORDERED:
        for name, statistics in _FORMS.items():
            yield recipe(kind, name, statistics)
        if kind.name in _RARE_KINDS:
            for name, rare in _RARE.items():
                yield recipe(kind, name, rare)
        if kind.name in _CUT_KINDS:
            for name, statistics in _CUT.items():
                yield recipe(kind, name, statistics, ("parquet/statistics/truncated",))
        yield _of_pages(kind)
        if kind.name in _FLOATS:
            yield recipe(kind, "nan-count", Statistics(nan_count=True))
    yield from _nested()
    yield _noncharacters()
    yield from _geospatial()
    yield from _short_bounds()


def spread(values: tuple[Any, ...]) -> list[list[Any]]:
    """Return four row groups: low values, nulls and high values, only nulls, and all values."""
    half = len(values) // 2
    return [list(values[:half]), [None, *values[half:], None], [None, None], list(values)]


def recipe(
    kind: ColumnKind, name: str, statistics: Statistics | None, features: tuple[str, ...] = ()
) -> Recipe:
    """Return a recipe of one column in four row groups."""
    groups = spread(kind.values)
    rows: tuple[Row, ...] = tuple({"x": value} for part in groups for value in part)
    plan = FilePlan(
        schema(leaf("x", repetition=OPTIONAL, **kind.fields)),
        rows,
        (Column((Page(version=1 + len(kind.name) % 2),), statistics=statistics),),
        row_groups=tuple(map(len, groups)),
    )
    return Recipe(f"statistics/{kind.name}/{name}", plan, _SPEC, features=features, probed=("x",))


def _of_pages(kind: ColumnKind) -> Recipe:
    """Return statistics only in the headers of pages, which have three values."""
    values = [*kind.values[:4], None, None, None, *kind.values[4:]]
    layout = Column((Page(3, version=1 + len(kind.name) % 2, statistics=Statistics()),))
    plan = column_plan(leaf("x", repetition=OPTIONAL, **kind.fields), values, layout)
    spec = "parquet.thrift, DataPageHeader.statistics"
    return Recipe(f"statistics/{kind.name}/pages", plan, spec, probed=("x",))


def _nested() -> Iterator[Recipe]:
    """Yield a field of structs, whose null_count includes the null structs."""
    rows: list[Row] = [{"s": None}, {"s": {"x": None}}, *({"s": {"x": n}} for n in range(4)), {"s": None}]
    rows += [{"s": {"x": n}} for n in (10, 11)]
    field = group("s", OPTIONAL, leaf("x", Type.INT32, OPTIONAL))
    for name, statistics in _FORMS.items():
        plan = FilePlan(schema(field), tuple(rows), (Column(statistics=statistics),), row_groups=(3, 4, 2))
        yield Recipe(f"statistics/in-struct/{name}", plan, _SPEC, probed=("s", "x"))


def _noncharacters() -> Recipe:
    """Return bounds of text with U+FFFE and U+FFFF, which UTF-8 has like any other character."""
    texts = [["a\ufffe", "a\ufffec"], ["b\uffff", "b\uffffc"]]
    field = leaf("x", Type.BYTE_ARRAY, converted_type=ConvertedType.UTF8)
    rows = tuple({"x": text.encode()} for part in texts for text in part)
    plan = FilePlan(schema(field), rows, (Column(statistics=Statistics()),), row_groups=(2, 2))
    return Recipe("statistics/string/noncharacters", plan, _SPEC, probed=("x",))


def _short_bounds() -> Iterator[Recipe]:
    """Yield bounds of fixed-length columns that are shorter than the values."""
    reason = (
        "bounds are PLAIN, so bounds of FIXED_LEN_BYTE_ARRAY have its length; writers that truncate bounds "
        "of byte arrays have truncated these, too, and their bytes are correct bounds"
    )
    for kind in ORDERED:
        if kind.name in {"fixed", "uuid"}:
            # One query only: a reader that hangs or dies would do so for each.
            short = recipe(kind, "short", Statistics())
            short = replace(short, probed=None, queries=(Filter(IsNull(("x",))),), tamper=ShortBounds(2))
            yield replace(short, either=reason, level="SHOULD")


def _geospatial() -> Iterator[Recipe]:
    """Yield bounding boxes of two and of four dimensions, and the types of the shapes."""
    plane = BoundingBox(xmin=0.0, xmax=1.0, ymin=0.0, ymax=2.0)
    space = replace(plane, zmin=0.0, zmax=0.0, mmin=-1.0, mmax=1.0)
    forms = {
        "box": GeospatialStatistics(bbox=plane),
        "box-of-the-future": GeospatialStatistics(bbox=plane),  # with fields that a later version may add
        "box-of-four": GeospatialStatistics(bbox=space, geospatial_types=[1, 2]),
        "types-only": GeospatialStatistics(geospatial_types=[1, 2]),
        "nothing-said": GeospatialStatistics(geospatial_types=[]),
    }
    for kind in KINDS:
        if kind.name not in {"geometry", "geography"}:
            continue
        for name, statistics in forms.items():
            plan = column_plan(leaf("x", repetition=OPTIONAL, **kind.fields), (*kind.values, None))
            case = f"statistics/{kind.name}/{name}"
            plan = replace(plan, unknown_fields=name == "box-of-the-future")
            tamper = Geospatial(statistics)
            yield Recipe(case, plan, "Geospatial.md, Statistics", tamper=tamper, probed=("x",))
        spaces = [struct.pack("<BI4d", 1, 3001, *point) for point in _POINTS]
        nowhere = struct.pack("<BI2d", 1, 1, math.nan, math.nan)  # an empty point
        rows = tuple({"x": value} for value in (*kind.values, None, *spaces, nowhere, None, None))
        sizes = (len(kind.values) + 1, len(spaces) + 1, 2)
        plan = FilePlan(
            schema(leaf("x", repetition=OPTIONAL, **kind.fields)),
            rows,
            (Column((Page(2),), geospatial_statistics=True),),
            row_groups=sizes,
        )
        yield Recipe(f"statistics/{kind.name}/written", plan, "Geospatial.md, Statistics", probed=("x",))


@dataclass(frozen=True)
class ShortBounds(Tamper):
    """Shortens the bounds of each chunk to `most` bytes, and raises the upper bound."""

    most: int

    def chunk(self, place: Place, chunk: ColumnChunk) -> ColumnChunk:
        """Cut the bounds."""
        del place
        meta = chunk.meta_data
        assert meta is not None
        stats = meta.statistics
        if stats is None or stats.min_value is None or stats.max_value is None:
            return chunk
        high = stats.max_value[: self.most].rstrip(b"\xff")
        upper = high[:-1] + bytes([high[-1] + 1]) if high else None
        cut = replace(stats, min_value=stats.min_value[: self.most], max_value=upper)
        return replace(chunk, meta_data=replace(meta, statistics=cut))


@dataclass(frozen=True)
class DeprecatedBounds(Tamper):
    """Gives each chunk `min` and `max` that an old writer found, byte by byte in signed order."""

    low: bytes
    high: bytes

    def chunk(self, place: Place, chunk: ColumnChunk) -> ColumnChunk:
        """Set the bounds where the chunk has any."""
        del place
        meta = chunk.meta_data
        if meta is None or meta.statistics is None:
            return chunk
        bounds = replace(meta.statistics, min=self.low, max=self.high)
        return replace(chunk, meta_data=replace(meta, statistics=bounds))


@dataclass(frozen=True)
class Geospatial(Tamper):
    """Adds geospatial statistics to each chunk (Geospatial.md)."""

    statistics: GeospatialStatistics

    def chunk(self, place: Place, chunk: ColumnChunk) -> ColumnChunk:
        """Add the statistics."""
        del place
        assert chunk.meta_data is not None
        return replace(chunk, meta_data=replace(chunk.meta_data, geospatial_statistics=self.statistics))


def recipes() -> Iterator[Recipe]:
    """Yield kinds × forms, and floats × orders × contents."""
    return chain(_chunks(), recipes_of_orders())
