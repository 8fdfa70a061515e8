"""The smallest files of confirmed findings about filters: of casts of timestamps, and of dictionaries."""

from __future__ import annotations

from collections.abc import Iterator

from corpora.build.areas.finding_plan import finding, row_and_x
from corpora.build.recipe import Recipe
from corpora.predicates import Compare, Computed, IsNull, Not
from corpora.queries import Filter
from corpora.tagged import BOOL, DATE, integer, timestamp
from reference_impl.parquet.plan import Dictionary, Page, Statistics
from reference_impl.parquet.schema import (
    ConvertedType,
    Empty,
    Encoding,
    LogicalType,
    TimestampType,
    TimeUnit,
    Type,
)

_MILLIS = {
    "converted_type": ConvertedType.TIMESTAMP_MILLIS,
    "logicalType": LogicalType(TIMESTAMP=TimestampType(isAdjustedToUTC=False, unit=TimeUnit(MILLIS=Empty()))),
}
_SPEC = "LogicalTypes.md, TIMESTAMP"


def recipes() -> Iterator[Recipe]:
    """Yield the cases."""
    yield from _moments()
    page = Page(1, encoding=Encoding.RLE_DICTIONARY)
    plan = row_and_x(Type.BOOLEAN, False, True, True, page=page, dictionary=Dictionary())
    tests = (Not(IsNull(("x",))), Compare(("x",), "<=", BOOL, value=True))
    queries = tuple(Filter(test, ("row", "x")) for test in tests)
    spec = "Encodings.md, Dictionary Encoding"
    yield finding("filtered-dictionary-of-booleans", plan, spec, queries=queries)


def _moments() -> Iterator[Recipe]:
    of_nanos = TimestampType(isAdjustedToUTC=False, unit=TimeUnit(NANOS=Empty()))
    moments = {"logicalType": LogicalType(TIMESTAMP=of_nanos)}
    plan = row_and_x(Type.INT64, 0, 9_214_646_400_000_000_000, element=moments)
    year = Filter(Computed(("x",), "year", None, "=", integer(32), "2262"))
    yield finding("year-of-2262", plan, _SPEC, queries=(year,))
    # Of less than a day, to both sides of midnight.
    plan = row_and_x(Type.INT64, -1, 0, 1500, element=_MILLIS, statistics=Statistics())
    days = tuple(Filter(Computed(("x",), "cast", "date", op, DATE, "0")) for op in ("<", "=", ">="))
    yield finding("day-of-moments", plan, _SPEC, queries=days)
    plan = row_and_x(Type.INT64, -2, 0, 1, 5, element=_MILLIS)
    micros = timestamp("us", utc=False)
    queries = tuple(
        Filter(Computed(("x",), "cast", "timestamp(us)", op, micros, "1")) for op in ("<", "=", ">=")
    )
    yield finding("moment-between-units", plan, _SPEC, queries=queries)
    # Of two equal values, a filter of `!=` is decided by the bounds alone, as one of `<` beside the least is.
    of_utc = TimestampType(isAdjustedToUTC=True, unit=TimeUnit(MILLIS=Empty()))
    element = {**_MILLIS, "logicalType": LogicalType(TIMESTAMP=of_utc)}
    plan = row_and_x(Type.INT64, 0, 0, element=element, statistics=Statistics())
    micros = timestamp("us", utc=True)
    queries = tuple(
        Filter(Computed(("x",), "cast", "timestamp(us)", op, micros, "1")) for op in ("<", "!=", "<=", ">")
    )
    yield finding("moment-beside-bounds", plan, _SPEC, queries=queries)
