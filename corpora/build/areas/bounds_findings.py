"""The smallest files of findings about bounds, of readers that use them where all columns have statistics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from corpora import tagged
from corpora.build.areas.finding_plan import finding, row_and_x
from corpora.build.recipe import Recipe
from corpora.queries import Compare, Filter, IsNull
from reference_impl.parquet.plan import FilePlan, Statistics
from reference_impl.parquet.schema import Empty, LogicalType, TimestampType, TimeUnit, Type

_SPEC = "parquet.thrift, ColumnOrder.TYPE_ORDER"
_NANOS = 1_600_000_000_000_000_000  # 2020-09-13 12:26:40
_NAN = float("nan")


def recipes() -> Iterator[Recipe]:
    """Yield the cases."""
    units = (
        ("nanoseconds-of-2020", "ns", TimeUnit(NANOS=Empty()), _NANOS),
        ("microseconds-of-1970", "us", TimeUnit(MICROS=Empty()), 1_000_000),
    )
    for name, unit, member, count in units:
        moment = LogicalType(TIMESTAMP=TimestampType(isAdjustedToUTC=True, unit=member))
        plan = _plan(Type.INT64, count, count + 1_000_000, element={"logicalType": moment})
        same = Filter(Compare(("x",), "=", tagged.timestamp(unit, utc=True), str(count)))
        yield finding(f"bounds-of-{name}", plan, "LogicalTypes.md, TIMESTAMP", queries=(same,))
    plan = _plan(Type.DOUBLE, 1.0, _NAN)
    greater = Filter(Compare(("x",), ">", tagged.floating(64), "3ff0000000000000"))
    other = Filter(Compare(("x",), "!=", tagged.floating(64), "3ff0000000000000"))
    less = Filter(Compare(("x",), "<", tagged.floating(64), "4000000000000000"))
    yield finding("nan-beside-bounds", plan, _SPEC, queries=(greater, other, less))
    plan = _plan(Type.INT32, 1, None, 2, statistics=Statistics(null_count=False))
    null = Filter(IsNull(("x",)))
    at_least = Filter(Compare(("x",), ">=", tagged.integer(32), "1"))
    yield finding(
        "nulls-not-counted", plan, "parquet.thrift, Statistics.null_count", queries=(null, at_least)
    )


def _plan(kind: Type, *values: Any, statistics: Statistics | None = None, **more: Any) -> FilePlan:
    """Return a plan of `row` and `x`, both with bounds."""
    plan = row_and_x(kind, *values, statistics=statistics or Statistics(), **more)
    row, x = plan.columns
    return replace(plan, columns=(replace(row, statistics=Statistics()), x))
