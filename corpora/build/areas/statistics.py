"""Statistics of chunks, in every form, for every ordered kind of column, and all column orders."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import Any

from corpora.build import samples
from corpora.build.kinds import KINDS, ORDERED, ColumnKind
from corpora.build.recipe import OPTIONAL, Recipe, column_plan, group, leaf, schema
from corpora.queries import Filter, IsNull
from reference_impl.parquet.plan import Column, FilePlan, Index, Page, Row, Sides, Statistics, Truth
from reference_impl.parquet.schema import ColumnChunk, ColumnOrder, ConvertedType, Empty, LogicalType, Type
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
        "bounds are PLAIN, so those of FIXED_LEN_BYTE_ARRAY have its length; writers that cut byte arrays "
        "have cut these too, and what the bounds say is true of their bytes"
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


_ORDER_SPEC = "parquet.thrift, ColumnOrder"
_TYPE_ORDER = ColumnOrder(TYPE_ORDER=Empty())
_TOTAL = ColumnOrder(IEEE_754_TOTAL_ORDER=Empty())
_INT96 = ColumnOrder(INT96_TIMESTAMP_ORDER=Empty())
_PLAIN = Statistics()
_COUNTED = Statistics(nan_count=True)  # which is mandatory in total order
_OLD = Statistics(False, deprecated=True)
_FUTURE = ColumnOrder(unknown=((40, 12, b"\x00"),))  # an unknown member: an empty struct
_FLOAT_FIELDS: dict[str, tuple[str, dict[str, Any]]] = {
    "float": ("<f", {"kind": Type.FLOAT}),
    "double": ("<d", {"kind": Type.DOUBLE}),
    "float16": (
        "<e",
        {"kind": Type.FIXED_LEN_BYTE_ARRAY, "type_length": 2, "logicalType": LogicalType(FLOAT16=Empty())},
    ),
}
_NANS = {
    "<f": samples.FLOAT_NANS[:2],
    "<d": samples.DOUBLE_NANS[:2],
    "<e": (struct.pack("<H", 0x7E00), struct.pack("<H", 0xFE00)),
}
# Row groups of two pages each: `N` and `n` are the NaN of either sign.
_CONTENTS: dict[str, tuple[tuple[Any, ...], ...]] = {
    "negative-zero": ((-0.0, -0.0, 1.0, 2.0), (-1.0, -0.0, -3.0, -2.0)),
    "positive-zero": ((0.0, 0.0, 1.0, 2.0), (-1.0, 0.0, -3.0, -2.0)),
    "both-zeros": ((-0.0, 0.0, 0.0, -0.0), (1.0, 2.0, 3.0, 4.0)),
    "nan-among": ((1.0, "N", 2.0, 3.0), (-1.0, -2.0, "n", -3.0)),
    "nan-first": (("N", 1.0, 2.0, 3.0), ("n", 5.0, 6.0, 7.0)),
    "nan-only": (("N", "N", "n", "N"), (1.0, 2.0, 3.0, 4.0)),
    "nan-page": (("N", "N", 1.0, 2.0), (3.0, 4.0, "n", "n")),
    "infinities": ((-samples.INFINITY, 1.0, 2.0, samples.INFINITY), ("N", None, 3.0, None)),
    "nulls-only": ((None, None, None), (1.0, 2.0)),
    "nulls-and-nan": ((None, "N", None, None), (None, 1.0, None, "n")),
}


def _orders() -> Iterator[Recipe]:
    """Yield floats × orders × contents, INT96, and all orders that readers cannot use."""
    for (name, (form, fields)), (content, given) in product(_FLOAT_FIELDS.items(), _CONTENTS.items()):
        values = [_values(form, group) for group in given]
        yield _order(f"{name}/type/{content}", fields, values, (_TYPE_ORDER,), _PLAIN)
        yield _order(f"{name}/total/{content}", fields, values, (_TOTAL,), _COUNTED)
        if content in {"both-zeros", "infinities"}:
            for case, modern in (("total-deprecated", False), ("total-both", True)):
                statistics = Statistics(nan_count=True, modern=modern, deprecated=True)
                yield _order(f"{name}/{case}/{content}", fields, values, (_TOTAL,), statistics)
        if name == "double":
            yield _order(f"{name}/type-nan-count/{content}", fields, values, (_TYPE_ORDER,), _COUNTED)
            yield _order(f"{name}/absent/{content}", fields, values, None, _PLAIN)
    yield from _timestamps()
    for kind in ORDERED:
        if kind.name in {"int32", "uint-32", "string", "double", "decimal-5-2/fixed-4"}:
            groups = [list(kind.values[:4]), list(kind.values[4:])]
            yield _order(f"{kind.name}/absent/values", kind.fields, groups, None)
            yield _order(f"{kind.name}/absent/deprecated", kind.fields, groups, None, _OLD)
            yield _order(f"{kind.name}/unknown/values", kind.fields, groups, (_FUTURE,))


def _values(form: str, group: tuple[Any, ...]) -> list[Any]:
    signs = dict(zip("Nn", _NANS[form], strict=True))
    values = [signs.get(value, value) if isinstance(value, str) else value for value in group]
    if form != "<e":
        return values
    return [struct.pack(form, value) if isinstance(value, float) else value for value in values]


def _order(
    name: str,
    fields: dict[str, Any],
    groups: list[list[Any]],
    orders: tuple[ColumnOrder, ...] | None,
    statistics: Statistics = _PLAIN,
) -> Recipe:
    index = Index(statistics=statistics) if statistics.modern else None
    layout = Column((Page(2, statistics=statistics),), statistics=statistics, index=index)
    rows = tuple({"x": value} for group in groups for value in group)
    plan = FilePlan(
        schema(leaf("x", repetition=OPTIONAL, **fields)),
        rows,
        (layout,),
        row_groups=tuple(map(len, groups)),
        column_orders=orders,
    )
    return Recipe(f"order/{name}", plan, _ORDER_SPEC, probed=("x",))


def _timestamps() -> Iterator[Recipe]:
    """Yield INT96 columns with bounds in the order of time, and in the undefined type order."""
    values = sorted(samples.VALUES[Type.INT96], key=lambda raw: struct.unpack("<qi", raw)[::-1])
    groups = [values[:2], values[2:], [*values[1:3], None], [None]]
    for name, orders in {"time": (_INT96,), "type": (_TYPE_ORDER,), "absent": None}.items():
        yield _order(f"int96/{name}/values", {"kind": Type.INT96}, groups, orders)


def recipes() -> Iterator[Recipe]:
    """Yield kinds × forms, and floats × orders × contents."""
    return chain(_chunks(), _orders())
