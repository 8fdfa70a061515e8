"""Faults of statistics: at all three levels, unless the rule compares levels."""

from __future__ import annotations

import struct
from typing import Any

from corpora.build.orc.samples import TYPES
from corpora.build.orc.schemas import INT, LONG, STRING, leaf, list_of
from corpora.build.samples import LINE, POINT
from properties.strategies.faults.edit import Change
from properties.strategies.faults.fault import Fault, File, fields
from properties.strategies.faults.orc.edits import edit, ints, table
from reference_impl.orc.plan import Column, Index, Statistics
from reference_impl.orc.schema import TypeKind
from reference_impl.orc.statistics_schema import DateStatistics
from reference_impl.orc.tamper import Tamper

_BOOLEANS = table(TYPES[TypeKind.BOOLEAN], (True, False, True))
_TEXTS = table(STRING, (b"b", b"a", b"c"))
_DECIMALS = table(leaf(TypeKind.DECIMAL, precision=9, scale=1), (15, -15, 20))
_TIMES = table(TYPES[TypeKind.TIMESTAMP_INSTANT], ((5, 1_999_999), (6, 0)))
_LISTS = table(list_of(INT), ([1], [2, 3], [4]))
_DOUBLES = table(TYPES[TypeKind.DOUBLE], (1.0, 0.5, 2.0))
_WIDE = Statistics(widen=1)
_SPATIAL = Statistics(geospatial=True)
_GEOMETRIES = Column(statistics=_SPATIAL, index=Index(_SPATIAL))
_POINTS = table(
    TYPES[TypeKind.GEOMETRY],
    [struct.pack("<BI2d", 1, 1, *point) for point in ((0.5, 1.0), (2.0, 3.0))],
    _GEOMETRIES,
)
_SHAPES = table(TYPES[TypeKind.GEOMETRY], (POINT, LINE), _GEOMETRIES)


def _at_all_levels(**changes: Any) -> Tamper:
    """Return the edit of the statistics of a column at all levels."""
    return edit(statistics=fields(**changes))


def _at(levels: tuple[str, ...], **changes: Any) -> File:
    """Return a file with changes of the statistics of integers at some levels."""
    return File(ints(), edit(levels=levels, statistics=fields(int_statistics=fields(**changes))))


def _ints(**changes: Change | int | None) -> Tamper:
    return _at_all_levels(int_statistics=fields(**changes))


FAULTS = (
    Fault(
        "ORC-STATS-001/minimum-above-a-value",
        "the minimum is 2, and there is 1",
        File(ints(), _ints(minimum=2)),
        "it is 1",
    ),
    Fault(
        "ORC-STATS-002/maximum-below-a-value",
        "the maximum is 3, and there is 4",
        File(ints(), _ints(maximum=3)),
        "it is 4",
    ),
    Fault(
        "ORC-STATS-003/nulls-counted",
        "numberOfValues counts a null",
        File(ints((1, None, 4)), _at_all_levels(number_of_values=3)),
        "it counts those that are not",
    ),
    Fault(
        "ORC-STATS-004/null-denied",
        "hasNull is false, and there is a null",
        File(ints((1, None, 4)), _at_all_levels(has_null=False)),
        "it is not there",
        File(ints((1, None, 4)), _at_all_levels(has_null=None)),
    ),
    Fault(
        "ORC-STATS-005/sum-of-others",
        "the sum is 8, that of the values 7",
        File(ints(), _ints(sum=8)),
        "there is none",
        File(ints(), _ints(sum=None)),
    ),
    Fault(
        "ORC-STATS-006/characters-counted",
        "the sum of strings counts characters",
        File(table(STRING, ("é".encode(), b"a")), _at_all_levels(string_statistics=fields(sum=2))),
        "it counts bytes",
    ),
    Fault(
        "ORC-STATS-007/two-buckets",
        "there are buckets of false and of true",
        File(_BOOLEANS, _at_all_levels(bucket_statistics=fields(count=(1, 2)))),
        "there is one, of true",
    ),
    Fault(
        "ORC-STATS-008/decimal-with-exponent",
        "the minimum of decimals is -15E-1",
        File(_DECIMALS, _at_all_levels(decimal_statistics=fields(minimum="-15E-1"))),
        "it is -1.500",
        File(_DECIMALS, _at_all_levels(decimal_statistics=fields(minimum="-1.500"))),
    ),
    Fault(
        "ORC-STATS-009/dates-of-integers",
        "a column of LONG has statistics of dates",
        File(ints(), _at_all_levels(date_statistics=DateStatistics(minimum=1, maximum=4))),
        "it has those of integers",
    ),
    Fault(
        "ORC-STATS-010/stripe-wider-than-its-groups",
        "the minimum of the stripe is that of no row group",
        _at(("stripe", "file"), minimum=0, sum=None),
        "it has none",
        _at(("stripe", "file"), minimum=None),
    ),
    Fault(
        "ORC-STATS-011/file-wider-than-its-stripes",
        "the minimum of the file is that of no stripe",
        _at(("file",), minimum=0),
        "it has none",
        _at(("file",), minimum=None),
    ),
    Fault(
        "ORC-STATS-012/minimum-and-bound",
        "there are a minimum and a lower bound",
        File(_TEXTS, _at_all_levels(string_statistics=fields(lower_bound="a"))),
        "there is a lower bound alone",
        File(_TEXTS, _at_all_levels(string_statistics=fields(lower_bound="a", minimum=None))),
    ),
    Fault(
        "ORC-STATS-013/seven-digits",
        "the nanoseconds of a minimum are 1,000,000, stored as one more",
        File(_TIMES, _at_all_levels(timestamp_statistics=fields(minimum_nanos=1_000_001))),
        "they are 999,999, stored as one more",
    ),
    Fault(
        "ORC-STATS-014/entries-of-others",
        "the lists have 5 entries together, and it says 4",
        File(
            table(list_of(INT), ([1], [2, 3], [4, 5])),
            _at_all_levels(collection_statistics=fields(total_children=4)),
        ),
        "it says 4, and there are 4",
        File(_LISTS),
    ),
    Fault(
        "ORC-STATS-015/sum-of-other-floats",
        "the sum is 3.0, that of the values 3.5",
        File(_DOUBLES, _at_all_levels(double_statistics=fields(sum=3.0))),
        "there is none",
        File(_DOUBLES, _at_all_levels(double_statistics=fields(sum=None))),
    ),
    Fault(
        "ORC-STATS-016/minimum-alone",
        "there is minimumUtc, and no maximumUtc",
        File(_TIMES, _at_all_levels(timestamp_statistics=fields(maximum_utc=None, maximum_nanos=None))),
        "there is neither",
        File(
            _TIMES,
            _at_all_levels(
                timestamp_statistics=fields(
                    minimum_utc=None, maximum_utc=None, minimum_nanos=None, maximum_nanos=None
                )
            ),
        ),
    ),
    Fault(
        "ORC-STATS-017/bounds-of-no-value",
        "minimum and maximum are one step away from every value",
        File(table(LONG, (1, 2, 4), Column(statistics=_WIDE, index=Index(_WIDE)))),
        "they are values",
        File(ints()),
    ),
    Fault(
        "ORC-STATS-018/null-that-is-not",
        "hasNull is true, and there is no null",
        File(ints(), _at_all_levels(has_null=True)),
        "it is not there",
        File(ints(), _at_all_levels(has_null=None)),
    ),
    Fault(
        "ORC-STATS-019/minimum-above-maximum",
        "the minimum is 4, the maximum 1",
        File(ints(), _ints(minimum=4, maximum=1)),
        "both are 1, and so are all values",
        File(ints((1, 1))),
    ),
    Fault(
        "ORC-STATS-020/sum-of-other-decimals",
        "the sum is 2.1, that of the values 2",
        File(_DECIMALS, _at_all_levels(decimal_statistics=fields(sum="2.1"))),
        "it is 2.0",
        File(_DECIMALS, _at_all_levels(decimal_statistics=fields(sum="2.0"))),
    ),
    Fault(
        "ORC-STATS-021/point-outside",
        "the bounding box ends at x 1.0, and a point is at 2.0",
        File(_POINTS, _at_all_levels(geospatial_statistics=fields(bbox=fields(xmax=1.0)))),
        "it begins at 2.0 and ends at 1.0, so that the points are outside of what is between these",
        File(_POINTS, _at_all_levels(geospatial_statistics=fields(bbox=fields(xmin=2.0, xmax=1.0)))),
    ),
    Fault(
        "ORC-STATS-022/lines-only",
        "the types are those of lines, and the geometries points",
        File(_POINTS, _at_all_levels(geospatial_statistics=fields(geospatial_types=(2,)))),
        "they are those of points and of lines, and there is one of each",
        File(_SHAPES, _at_all_levels(geospatial_statistics=fields(geospatial_types=(1, 2)))),
    ),
)
