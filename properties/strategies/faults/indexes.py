"""Faults of column indexes and offset indexes."""

from __future__ import annotations

from properties.strategies.faults.fault import Fault, Made, at, chunk, edit, fields, ints
from reference_impl.parquet.plan import Column, Index, Page, Statistics

_TWO_PAGES = ints((1, 2, 3), Column((Page(2),), index=Index()))
_UNCOUNTED = ints((1, 2, 3), Column((Page(2),), index=Index(statistics=Statistics(null_count=False))))


FAULTS = (
    Fault(
        "PQ-INDEX-001",
        "index-into-the-footer",
        "the last offset index ends one byte behind the beginning of the footer",
        Made(_TWO_PAGES, edit(row_group=chunk(offset_index_length=lambda size: size + 1))),
        "it ends where the footer begins",
        Made(_TWO_PAGES),
    ),
    Fault(
        "PQ-INDEX-002",
        "column-index-too-long",
        "the length of a column index counts one byte of the offset index behind it",
        Made(_TWO_PAGES, edit(row_group=chunk(column_index_length=lambda size: size + 1))),
        "it ends where the offset index begins",
        Made(_TWO_PAGES),
    ),
    Fault(
        "PQ-INDEX-003",
        "null-counts-of-one-page",
        "null_counts has one element, and the column index two pages",
        Made(_TWO_PAGES, edit(column_index=fields(null_counts=[0]))),
        "null_counts is not there",
        Made(_UNCOUNTED),
    ),
    Fault(
        "PQ-INDEX-020",
        "page-beyond-its-chunk",
        "the last page of an offset index ends one byte behind its chunk",
        Made(
            _TWO_PAGES,
            edit(
                offset_index=fields(page_locations=at(1, fields(compressed_page_size=lambda size: size + 1)))
            ),
        ),
        "it ends where its chunk does",
        Made(_TWO_PAGES),
    ),
)
