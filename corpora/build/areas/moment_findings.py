"""The smallest files of confirmed findings about filters of dates and timestamps as other types of time."""

from __future__ import annotations

from collections.abc import Iterator

from corpora.build.areas.finding_plan import finding, row_and_x
from corpora.build.recipe import Recipe
from corpora.predicates import Computed
from corpora.queries import Filter
from corpora.tagged import timestamp
from reference_impl.parquet.schema import ConvertedType, Empty, LogicalType, TimestampType, TimeUnit, Type

_MILLIS = {
    "converted_type": ConvertedType.TIMESTAMP_MILLIS,
    "logicalType": LogicalType(TIMESTAMP=TimestampType(isAdjustedToUTC=False, unit=TimeUnit(MILLIS=Empty()))),
}


def recipes() -> Iterator[Recipe]:
    """Yield the cases."""
    plan = row_and_x(Type.INT64, -2, 0, 1, 5, element=_MILLIS)
    micros = timestamp("us", utc=False)
    queries = tuple(
        Filter(Computed(("x",), "cast", "timestamp(us)", op, micros, "1")) for op in ("<", "=", ">=")
    )
    yield finding("moment-between-units", plan, "LogicalTypes.md, TIMESTAMP", queries=queries)
