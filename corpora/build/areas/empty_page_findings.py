"""The smallest files of confirmed findings about data pages without values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from corpora.build.recipe import (
    OPTIONAL,
    REPEATED,
    REQUIRED,
    Recipe,
    group,
    leaf,
    list_group,
    schema,
)
from corpora.queries import Batches, Compare, CountRows, Filter
from corpora.tagged import integer
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Page
from reference_impl.parquet.schema import CompressionCodec, Empty, Encoding, LogicalType, Type

_SPEC = "parquet.thrift, DataPageHeader.num_values"
_ROW = leaf("row", Type.INT32)


def recipes() -> Iterator[Recipe]:
    """Yield the cases."""
    inner = group("s", OPTIONAL, leaf("y", Type.INT64, OPTIONAL))
    outer = group("d", REQUIRED, leaf("x", Type.INT32), inner)
    layouts = (Column(), Column(), Column((Page(0), Page())))
    plan = FilePlan(schema(_ROW, outer), ({"row": 0, "d": {"x": 1, "s": {"y": 2}}},), layouts)
    yield Recipe("findings/empty-page-in-struct", plan, _SPEC)
    element = leaf("element", Type.INT32, OPTIONAL)
    lists = schema(_ROW, list_group("x", OPTIONAL, group("list", REPEATED, element)))
    lengths = ((1, 2), (3,))
    held = tuple(
        {"row": row, "x": {"list": [{"element": value} for value in values]}}
        for row, values in enumerate(lengths)
    )
    plan = FilePlan(lists, held, (Column(), Column((Page(1), Page(0), Page()))))
    yield Recipe("findings/list-around-an-empty-page", plan, _SPEC)
    unknown = leaf("element", Type.BYTE_ARRAY, OPTIONAL, logicalType=LogicalType(UNKNOWN=Empty()))
    lists = schema(_ROW, list_group("x", OPTIONAL, group("list", REPEATED, unknown)))
    held = tuple({"row": row, "x": {"list": [{"element": None}]}} for row in range(2))
    plan = FilePlan(lists, held, (Column(), Column((Page(1), Page()))))
    yield Recipe("findings/lists-of-nulls-in-two-pages", plan, "LogicalTypes.md, UNKNOWN")
    yield Recipe("findings/two-empty-pages", _plan(3, Page(1), Page(0), Page(0), Page()), _SPEC)
    compressed = Column((Page(1), Page(0), Page()), CompressionCodec.GZIP)
    plan = replace(_plan(3), columns=(Column(), compressed))
    yield Recipe("findings/empty-page-of-gzip", plan, _SPEC)
    deltas = (Page(rows, encoding=Encoding.DELTA_BINARY_PACKED) for rows in (1, 0, None))
    yield Recipe("findings/empty-page-of-deltas", _plan(3, *deltas), _SPEC)
    indices = (Page(rows, encoding=Encoding.RLE_DICTIONARY) for rows in (2, 0, None))
    plan = _plan(4, *indices)
    plan = replace(plan, columns=(Column(), replace(plan.columns[1], dictionary=Dictionary())))
    yield Recipe("findings/indices-behind-empty-page", plan, _SPEC)
    queries = (Batches(2), Batches(3))
    plan = _plan(4, Page(2), Page(0), Page())
    yield Recipe("findings/batch-ends-at-empty-page", plan, _SPEC, queries=queries)
    alone = schema(leaf("x", Type.INT32))
    plan = FilePlan(alone, tuple({"x": value} for value in (1, 2)), (Column((Page(0), Page())),))
    yield Recipe("findings/empty-page-first-of-all", plan, _SPEC)
    plan = replace(plan, columns=(Column((Page(0), Page(0), Page())),))
    some = Filter(Compare(("x",), ">", integer(32), "1"))
    yield Recipe(
        "findings/two-empty-pages-first-of-all", plan, _SPEC, queries=(some, CountRows(some.predicate))
    )


def _plan(rows: int, *pages: Page) -> FilePlan:
    """Return a plan of `row`, from 0, and of a required column `x`, from 1, in these pages."""
    fields = schema(_ROW, leaf("x", Type.INT32))
    return FilePlan(
        fields, tuple({"row": row, "x": row + 1} for row in range(rows)), (Column(), Column(pages))
    )
