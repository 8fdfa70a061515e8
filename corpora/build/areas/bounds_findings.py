"""The smallest files of findings about bounds, of readers that use them where `row` has statistics, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from corpora import tagged
from corpora.aggregates import CountValues
from corpora.build.areas.finding_plan import finding, row_and_x
from corpora.build.recipe import Recipe
from corpora.column_queries import TopRows
from corpora.queries import Compare, Filter, IsNull, Not
from reference_impl.parquet.plan import Column, FilePlan, Statistics
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
    # The greatest value is in the second row group.
    plan = row_and_x(Type.INT32, 1, None, 2)
    plan = replace(plan, columns=(Column(statistics=Statistics()), plan.columns[1]), row_groups=(2, 1))
    greatest = TopRows(("x",), 1, descending=True)
    queries = (at_least, Filter(Not(IsNull(("x",)))), CountValues(("x",)), greatest)
    spec = "parquet.thrift, ColumnMetaData.statistics (optional)"
    yield finding("statistics-of-row-alone", plan, spec, queries=queries)


def _plan(kind: Type, *values: Any, statistics: Statistics | None = None, **more: Any) -> FilePlan:
    """Return a plan of `row` and `x`, both with bounds."""
    plan = row_and_x(kind, *values, statistics=statistics or Statistics(), **more)
    row, x = plan.columns
    return replace(plan, columns=(replace(row, statistics=Statistics()), x))
