"""Statistics: every form of every type, wide, short, left out, with queries at their bounds."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from corpora import tagged
from corpora.build.orc import samples
from corpora.build.orc.additions import Geospatial
from corpora.build.orc.chars import probed
from corpora.build.orc.schemas import LONG, STRING, column_plan, column_recipe, list_of, nested, plan, recipe
from corpora.build.recipe import Recipe, slug
from corpora.build.samples import DOUBLE_NANS, FLOAT_NANS, INFINITY
from corpora.queries import Compare, Filter
from reference_impl.orc.plan import Column, Index, Statistics
from reference_impl.orc.schema import TypeKind
from reference_impl.orc.statistics import TIMES
from reference_impl.orc.statistics_schema import BoundingBox, GeospatialStatistics

_SPEC = "ORCv1.md, Column Statistics"
_SINGLE = [1.5, -1.5, 0.25, 3.0, 2.0**-126]
_RISING: dict[TypeKind, list[Any]] = {
    TypeKind.BOOLEAN: [False, False, True, True],
    TypeKind.FLOAT: _SINGLE,
    TypeKind.DOUBLE: [0.1, -0.1, 1e300, -1e300, 2.0],
    TypeKind.STRING: [b"", b"a", b"ab", b"b", "é".encode(), "日本".encode()],
    TypeKind.VARCHAR: [b"", b"a", b"ab", b"b", "é".encode()],
    TypeKind.CHAR: [b"     ", b"a    ", b"ab   ", b"b    "],
    TypeKind.DECIMAL: [0, 5, -5, 1500, -1500, 10**20],
    TypeKind.TIMESTAMP: [(0, 0), (0, 1), (-1, 999_999), (5, 999_999_999), (1_700_000_000, 123_456_789)],
    TypeKind.TIMESTAMP_INSTANT: [
        (0, 0),
        (0, 1),
        (-1, 999_999),
        (5, 999_999_999),
        (1_700_000_000, 123_456_789),
    ],
}
_FORMS: dict[str, Statistics | None] = {
    "full": Statistics(bytes_on_disk=True),
    "none": None,
    "count-only": Statistics(typed=False),
    "no-bounds": Statistics(bounds=False, sum=False),
    "widened": Statistics(widen=3),
}


def recipes() -> Iterator[Recipe]:
    """Yield the forms."""
    for kind, type_ in samples.TYPES.items():
        values = _RISING.get(kind, list(samples.VALUES[kind]))
        for name, form in _FORMS.items():
            layout = Column(statistics=form, index=Index(form))
            file = column_plan(type_, [*values, None, values[0]], layout, row_index_stride=4)
            every = 3 if name == "full" else 8
            yield probed(recipe(f"statistics/{slug(kind.name)}/{name}", file, _SPEC, every=every))
    yield from _texts()
    yield from _times()
    yield from _floats()
    yield from _integers()
    yield from _places()
    yield from _geospatial()
    yield _doubled_names()


def _doubled_names() -> Recipe:
    """Return two columns of one name, with one of another name and other bounds behind them."""
    root = nested(TypeKind.STRUCT, LONG, LONG, LONG, field_names=("x", "x", "y"))
    equal = Filter(Compare(("y",), "=", tagged.integer(64), "7"))
    file = plan(root, [(1, 2, 7), (3, 4, 8)])
    return recipe("statistics/doubled-names", file, _SPEC, queries=(equal,))


def _texts() -> Iterator[Recipe]:
    """Yield truncated bounds: `lower_bound` and `upper_bound`."""
    spec = "orc_proto.proto, StringStatistics.lower_bound"
    values = [
        *(b"abcdefgh", b"abcdefgz", b"abz", "é日本語".encode(), b"b"),
        *(b"zzzzzzz", "\U0010ffff\U0010ffff".encode()),
    ]
    for most in (1, 2, 7):
        for name, part in (("low", values[:3]), ("mixed", values[:6]), ("no-upper-bound", values[-1:])):
            form = Statistics(truncate=most)
            file = column_plan(
                STRING, [*part, None, b"m"], Column(statistics=form, index=Index(form)), row_index_stride=3
            )
            yield recipe(f"statistics/string/cut-to-{most}/{name}", file, spec, probed=("x",))


def _times() -> Iterator[Recipe]:
    """Yield timestamps with milliseconds only, with the older pair of bounds, before 1970, in other zones."""
    forms = {
        "no-nanos": Statistics(nanos=False),
        "local-too": Statistics(local=True),
        "local-only": Statistics(local=True, utc=False),
        "neither": Statistics(utc=False),
    }
    contents: dict[str, list[Any]] = {
        "after-1970": [(5, 1_999_999), (5, 1_000_000), (5, 999_999), (6, 0)],
        "before-1970": [(-5, 999_999), (-5, 999_999_999), (-6, 1), (-6, 0)],
        "within-a-millisecond": [(7, 1), (7, 2), (7, 999_999)],
    }
    for kind in TIMES:
        for zone in ("UTC", "America/Los_Angeles"):
            for name, form in (*forms.items(), ("full", Statistics())):
                for which, values in contents.items():
                    if zone != "UTC" and (which != "before-1970" or name not in ("full", "local-only")):
                        continue
                    if name in ("neither", "local-too", "local-only") and which != "before-1970":
                        continue
                    layout = Column(statistics=form, index=Index(form))
                    file = column_plan(
                        samples.TYPES[kind], [None, *values], layout, writer_timezone=zone, row_index_stride=2
                    )
                    place = f"{slug(kind.name)}/{name}/{which}" + "-los-angeles" * (zone != "UTC")
                    yield recipe(f"statistics/{place}", file, _SPEC, probed=("x",))


def _floats() -> Iterator[Recipe]:
    """Yield NaN, zeros of both signs and infinities; no reader may lose their rows by statistics."""
    infinity = INFINITY
    for kind, nans in ((TypeKind.FLOAT, FLOAT_NANS), (TypeKind.DOUBLE, DOUBLE_NANS)):
        contents: dict[str, list[Any]] = {
            "nan": [1.0, nans[0], 2.0],
            "nan-first": [nans[1], 1.0, 2.0],
            "nan-only": [nans[0], nans[0]],
            "negative-zero": [-0.0, -0.0],
            "positive-zero": [0.0, 0.0],
            "both-zeros": [0.0, -0.0],
            "infinities": [infinity, -infinity, 0.5],
            "infinity-only": [infinity, infinity],
            "nan-in-second-group": [1.0, 2.0, 3.0, 4.0, nans[0], 5.0, 6.0],
        }
        for name, values in contents.items():
            if kind is TypeKind.FLOAT and name not in ("nan", "both-zeros", "infinities"):
                continue
            file = column_plan(samples.TYPES[kind], [*values, None], row_index_stride=4)
            yield recipe(f"statistics/{slug(kind.name)}/{name}", file, _SPEC, probed=("x",), every=3)
    file = column_plan(samples.TYPES[TypeKind.DOUBLE], [1.7e308, 1.7e308])
    yield recipe("statistics/double/sum-overflows", file, _SPEC, probed=("x",))


def _integers() -> Iterator[Recipe]:
    most = (1 << 63) - 1
    contents: dict[str, list[int | None]] = {
        "sum-overflows": [most, 1],
        "sum-overflows-and-comes-back": [most, 1, -5],
        "sum-overflows-down": [-most - 1, -1],
        "sum-at-limit": [most - 1, 1],
        "one-value": [42],
        "all-null": [None, None],
        "groups-apart": [*range(5), *range(100, 105), *range(-50, -45)],
    }
    for name, values in contents.items():
        yield column_recipe(f"statistics/long/{name}", _SPEC, LONG, values, row_index_stride=5, probed=("x",))


def _places() -> Iterator[Recipe]:
    """Yield statistics in only some of the three places, and statistics of nested types."""
    values = [*range(5), None, *range(100, 105)]
    for name, of_file, of_stripes in (
        ("no-file-statistics", False, True),
        ("no-stripe-statistics", True, False),
        ("neither", False, False),
    ):
        file = column_plan(LONG, values, row_index_stride=4, stripes=(6, 5))
        file = replace(file, file_statistics=of_file, stripe_statistics=of_stripes)
        yield recipe(f"statistics/places/{name}", file, "ORCv1.md, File Metadata", probed=("x",))
    for name, layout in {
        "row-groups-only": Column(statistics=None),
        "stripes-only": Column(index=Index(None)),
        "no-index": Column(index=None),
    }.items():
        file = column_plan(LONG, values, layout, row_index_stride=4, stripes=(6, 5))
        yield recipe(f"statistics/places/{name}", file, _SPEC, probed=("x",))
    spec = "orc_proto.proto, CollectionStatistics"
    form = Statistics(bytes_on_disk=True)
    lists: dict[str, list[list[int] | None]] = {
        "lengths": [[1], [], [1, 2, 3], None],
        "all-empty": [[], []],
        "all-null": [None],
    }
    for name, rows in lists.items():
        file = column_plan(list_of(LONG), rows, Column(statistics=form, index=Index(form)))
        yield recipe(f"statistics/list/{name}", file, spec)
    for (kind, type_), name in product(samples.NESTED.items(), ("none", "count-only", "no-bounds")):
        layout = Column(statistics=_FORMS[name], index=Index(_FORMS[name]))
        file = column_plan(type_, [*samples.VALUES[kind], None], layout, row_index_stride=3)
        yield recipe(f"statistics/{slug(kind.name)}/{name}", file, spec)


def _geospatial() -> Iterator[Recipe]:
    """Yield bounding boxes of two and of four dimensions, and types of geometries."""
    spec = "orc_proto.proto, GeospatialStatistics"
    flat = BoundingBox(xmin=0.0, xmax=1.0, ymin=0.0, ymax=2.0)
    for name, geospatial in {
        "box-xy": GeospatialStatistics(bbox=flat, geospatial_types=(1, 2)),
        "box-xyzm": GeospatialStatistics(bbox=replace(flat, zmin=0.0, zmax=0.0, mmin=0.0, mmax=0.0)),
        "types-only": GeospatialStatistics(geospatial_types=(1, 2)),
        "empty-box": GeospatialStatistics(bbox=BoundingBox()),
    }.items():
        for kind in (TypeKind.GEOMETRY, TypeKind.GEOGRAPHY):
            file = column_plan(samples.TYPES[kind], samples.VALUES[kind])
            yield recipe(f"statistics/{slug(kind.name)}/{name}", file, spec, tamper=Geospatial(geospatial))
    statistics = Statistics(geospatial=True)
    points = ((-1.0, 2.0, 3.0, 4.0), (5.0, -6.0, 7.0, -8.0))  # x, y, z, m
    spaces = [struct.pack("<BI4d", 1, 3001, *point) for point in points]
    for kind in (TypeKind.GEOMETRY, TypeKind.GEOGRAPHY):
        values = [*samples.VALUES[kind], None, *spaces, None, None]
        layout = Column(statistics=statistics, index=Index(statistics))
        stripes = (len(values) - 4, 2, 2)
        file = column_plan(samples.TYPES[kind], values, layout, row_index_stride=2, stripes=stripes)
        yield recipe(f"statistics/{slug(kind.name)}/written", file, spec)
