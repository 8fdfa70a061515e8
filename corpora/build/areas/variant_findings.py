"""The smallest files of confirmed findings about VARIANT."""

from __future__ import annotations

from collections.abc import Iterator

from corpora import tagged
from corpora.build import variants
from corpora.build.recipe import OPTIONAL, REPEATED, Recipe, group, leaf, list_group, schema
from corpora.queries import Compare, Filter, NullSafe, SchemaOf, ToJson
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import Type
from reference_impl.variant.shredding import V1, Leaf, Level
from reference_impl.variant.values import Primitive, object_of

_ROW = leaf("row", Type.INT32)
_SPEC = "LogicalTypes.md, VARIANT"


def recipes() -> Iterator[Recipe]:
    """Yield the cases."""
    # By UTF-16, U+10000 (d800 dc00) comes before U+FFFD; by the bytes of UTF-8, after it (f0..., ef...).
    names = ("\ufffd", "\U00010000")
    level = Level(V1, fields=tuple((name, Level(V1, True, Leaf("int32"))) for name in names))
    value = object_of((name, Primitive("int32", number)) for number, name in enumerate(names))
    fields = schema(_ROW, variants.elements("x", OPTIONAL, level))
    plan = FilePlan(fields, ({"row": 0, "x": variants.row(level, value)},))
    spec = "VariantEncoding.md, Object field ID order and uniqueness"
    yield Recipe("findings/variant-names-by-bytes", plan, spec)
    nothing = Filter(Compare(("row",), ">", tagged.integer(32), "0"))
    nested = schema(_ROW, group("x", OPTIONAL, variants.elements("v", OPTIONAL, level)))
    plan = FilePlan(nested, ({"row": 0, "x": {"v": variants.row(level, value)}},))
    yield Recipe("findings/variant-without-rows", plan, _SPEC, queries=(nothing,))
    whole = {"row": 0, "x": variants.row(Level(V1), value)}
    fields = schema(_ROW, variants.elements("x", OPTIONAL, Level(V1)))
    yield Recipe(
        "findings/variant-names-of-a-schema", FilePlan(fields, (whole,)), spec, queries=(SchemaOf(("x",)),)
    )
    rows = (Primitive("decimal4", 1, 9), Primitive("decimal4", 1, 10))
    plan = FilePlan(
        fields, tuple({"row": at, "x": variants.row(Level(V1), value)} for at, value in enumerate(rows))
    )
    spec = "VariantEncoding.md, Encoding types (decimal4: 1-byte scale in range [0, 38])"
    yield Recipe("findings/variant-decimal-of-scale-10", plan, spec, queries=(ToJson(("x",)),))
    fields = schema(
        _ROW,
        group("x", OPTIONAL, variants.elements("v", OPTIONAL, Level(V1)), leaf("y", Type.INT32, OPTIONAL)),
    )
    seven = variants.row(Level(V1), Primitive("int32", 7))
    beside = ({"row": 0, "x": {"v": seven, "y": None}}, {"row": 1, "x": {"v": seven, "y": 5}})
    null = Filter(NullSafe(("x", "y"), tagged.integer(32), None))
    yield Recipe(
        "findings/variant-beside-null", FilePlan(fields, beside), "README.md, Nulls", queries=(null,)
    )
    numbers = list_group("v", OPTIONAL, group("list", REPEATED, leaf("element", Type.INT32, OPTIONAL)))
    fields = schema(_ROW, group("x", OPTIONAL, numbers, leaf("y", Type.INT32, OPTIONAL)))
    values = {"list": [{"element": 7}]}
    beside = ({"row": 0, "x": {"v": values, "y": None}}, {"row": 1, "x": {"v": values, "y": 5}})
    yield Recipe("findings/list-beside-null", FilePlan(fields, beside), "README.md, Nulls", queries=(null,))
