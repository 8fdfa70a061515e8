"""The smallest files of findings about dictionaries and page indexes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from corpora import tagged
from corpora.build.areas.finding_plan import ROW, finding, row_and_x
from corpora.build.recipe import OPTIONAL, REPEATED, Recipe, group, leaf, list_group, schema
from corpora.queries import Compare, CountRows, Filter, In
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Index, Page, Runs, Statistics, Zeros
from reference_impl.parquet.schema import Encoding, Type


def recipes() -> Iterator[Recipe]:
    """Yield the cases."""
    # The dictionary has no values: the page that refers to it holds nulls alone.
    pages = (Page(1), Page(encoding=Encoding.RLE_DICTIONARY))
    plan = row_and_x(Type.BYTE_ARRAY, b"a", None)
    layout = replace(plan.columns[1], pages=pages, dictionary=Dictionary())
    plan = replace(plan, columns=(plan.columns[0], layout))
    yield finding("empty-dictionary-behind-plain", plan, "Encodings.md, Dictionary Encoding")
    # Three indices of 3 bits, the rest of their group of 8 has 7, which the dictionary of 5 values has not.
    packed = Page(encoding=Encoding.RLE_DICTIONARY, indices=Runs.PACKED, padding=0xFF)
    element = leaf("element", Type.INT32, OPTIONAL)
    fields = schema(ROW, list_group("x", OPTIONAL, group("list", REPEATED, element)))
    rows = tuple({"row": row, "x": {"list": [{"element": value}]}} for row, value in enumerate((7, None, 7)))
    layout = Column((packed,), dictionary=Dictionary(unused=(1, 2, 3, 4)))
    plan = FilePlan(fields, rows, (Column(), layout))
    yield finding("indices-behind-the-last-of-a-list", plan, "Encodings.md, RLE / Bit-Packing Hybrid")
    yield from _indexes()


def _indexes() -> Iterator[Recipe]:
    index = Index(statistics=Statistics(zeros=Zeros.INWARD))
    plan = row_and_x(Type.DOUBLE, 0.0, index=index)
    zero = Filter(Compare(("x",), "=", tagged.floating(64), "8000000000000000"))
    spec = "parquet.thrift, ColumnOrder.TYPE_ORDER (a minimum of +0)"
    yield finding("zero-in-column-index", plan, spec, queries=(zero, CountRows(zero.predicate)))
    layout = Column(index=Index(column=False), no_empty_page=True)
    plan = FilePlan(schema(ROW), (), (layout,), row_groups=(0,))
    some = Filter(In(("row",), tagged.integer(32), ("0", "1")))
    yield finding("offset-index-without-pages", plan, "PageIndex.md", queries=(some,))
