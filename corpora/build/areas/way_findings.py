"""The smallest files of findings that show in a documented way of reading other than the default."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from corpora.build.areas.finding_plan import finding, row_and_x
from corpora.build.recipe import OPTIONAL, REPEATED, REQUIRED, Recipe, group, leaf, list_group, schema
from corpora.queries import Compare, Filter, In
from corpora.tagged import BYTES, integer
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Page
from reference_impl.parquet.schema import ConvertedType, Empty, Encoding, LogicalType, Type


def recipes() -> Iterator[Recipe]:
    """Yield the cases."""
    page = Page(encoding=Encoding.RLE_DICTIONARY)
    twice = Dictionary(duplicates=True)  # two entries of each value: a, b and c are read by 0, 1, 2 and 4
    plan = row_and_x(
        Type.BYTE_ARRAY, b"a", b"a", b"b", b"c", repetition=REQUIRED, page=page, dictionary=twice
    )
    yield finding("dictionary-twice", plan, "Encodings.md, Dictionary Encoding")
    plan = row_and_x(Type.INT32, None, None, page=page, dictionary=Dictionary())
    yield finding("nulls-with-dictionary", plan, "Encodings.md, Dictionary Encoding")
    # The first page has no values, so nothing follows its levels.
    pages = tuple(Page(entries, version=2, compressed=False) for entries in (2, None))
    plan = row_and_x(Type.INT32, None, None, 1, 2, element={"converted_type": ConvertedType.DATE})
    plan = replace(plan, columns=(plan.columns[0], replace(plan.columns[1], pages=pages)))
    yield finding("nulls-alone-in-v2", plan, "README.md, Nulls; parquet.thrift, DataPageHeaderV2")
    plan = row_and_x(Type.INT32, 1, 2, repetition=REQUIRED, page=Page(version=2))
    yield finding("row-group-of-v2", plan, "parquet.thrift, DataPageHeaderV2")
    page = replace(page, version=2)
    plan = row_and_x(
        *(Type.INT32, 5, 6, 7), repetition=REQUIRED, page=page, dictionary=Dictionary(), encoding_stats=True
    )
    yield finding("categories-of-v2", plan, "Encodings.md, Dictionary Encoding")
    later = Filter(Compare(("row",), ">", integer(32), "0"))
    yield finding("row-filter-of-v2", plan, "parquet.thrift, DataPageHeaderV2", queries=(later,))
    deltas = Page(encoding=Encoding.DELTA_BINARY_PACKED, version=2)
    plan = row_and_x(Type.INT32, 1, 2, 3, 4, repetition=REQUIRED, page=deltas)
    last = Filter(Compare(("row",), "=", integer(32), "3"))
    yield finding("row-filter-of-deltas", plan, "Encodings.md, Delta Encoding", queries=(last,))
    yield from _in_lists()
    plan = FilePlan(schema(leaf("x", Type.INT32, OPTIONAL)), ({"x": 1}, {"x": None}))
    yield finding("index-of-nulls", plan, "parquet.thrift, FieldRepetitionType.OPTIONAL")
    rows = tuple({"x": value} for value in range(4))
    plan = FilePlan(schema(leaf("x", Type.INT32)), rows, (Column((deltas,)),))
    yield finding("index-of-deltas", plan, "Encodings.md, Delta Encoding")
    null = leaf("element", Type.INT32, OPTIONAL, logicalType=LogicalType(UNKNOWN=Empty()))
    fields = schema(list_group("x", OPTIONAL, group("list", REPEATED, null)))
    plan = FilePlan(fields, ({"x": {"list": [{"element": None}] * 3}},))
    yield finding("list-of-nulls", plan, "LogicalTypes.md, UNKNOWN (always null)")


def _in_lists() -> Iterator[Recipe]:
    """Yield the cases of lists of constants."""
    plan = row_and_x(Type.BYTE_ARRAY, b"a", b"a\0", b"b", repetition=REQUIRED)
    ends_in_zero = Filter(In(("x",), BYTES, (b"a\0".hex(),)))
    yield finding("in-list-of-zero-bytes", plan, "README.md, Types (BYTE_ARRAY)", queries=(ends_in_zero,))
    # A reader that keeps few rows back returns the many of the second row group first.
    plan = replace(row_and_x(Type.INT32, *[5] * 66, repetition=REQUIRED), row_groups=(1, 65))
    five = Filter(In(("x",), integer(32), ("5", "107", "207", "307", "407")))
    yield finding("in-list-of-row-groups", plan, "README.md, Glossary (row group)", queries=(five,))
