"""The smallest files of confirmed findings about maps."""

from __future__ import annotations

from collections.abc import Iterator

from corpora.build.areas.finding_plan import ROW, finding
from corpora.build.recipe import OPTIONAL, REPEATED, Recipe, group, leaf, map_group, schema
from corpora.queries import Compare, Filter
from corpora.tagged import integer
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import ConvertedType, Empty, LogicalType, Type

_SPEC = "LogicalTypes.md, Maps"


def recipes() -> Iterator[Recipe]:
    """Yield the cases."""
    fields = schema(ROW, map_group("x", OPTIONAL, group("key_value", REPEATED, leaf("key", Type.INT32))))
    keys = ({"key_value": [{"key": 1}]}, None)
    plan = FilePlan(fields, tuple({"row": row, "x": value} for row, value in enumerate(keys)))
    yield finding("map-of-keys", plan, _SPEC)
    date = {"converted_type": ConvertedType.DATE, "logicalType": LogicalType(DATE=Empty())}
    value = group("value", OPTIONAL, leaf("d", Type.INT32, OPTIONAL, **date))
    entries = group("key_value", REPEATED, leaf("key", Type.INT32), value)
    rows = ({"row": 0, "x": {"key_value": [{"key": 1, "value": {"d": 2}}]}},)
    plan = FilePlan(schema(ROW, map_group("x", OPTIONAL, entries)), rows)
    nothing = Filter(Compare(("row",), ">", integer(32), "0"))
    yield Recipe("findings/map-of-dates-without-rows", plan, _SPEC, queries=(nothing,))
