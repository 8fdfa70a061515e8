"""Faults of offset indexes."""

from __future__ import annotations

from dataclasses import replace

from corpora.build.recipe import leaf
from properties.strategies.faults.common import Fault, Made, at, fields, put
from properties.strategies.faults.fault import REPEATED, X, chunk, edit, ints, table
from properties.strategies.faults.levels import levels
from reference_impl.parquet.plan import Column, Index, Page
from reference_impl.parquet.schema import Type

_TWO_PAGES = ints((1, 2, 3), Column((Page(2),), index=Index()))


_LAYOUT = Column((Page(2),), index=Index())
_PAGES = ints((1, 2, 5, 7), _LAYOUT)
_THREE = ints((1, 2, 3), Column((Page(1),), index=Index()))
_LISTS = table(
    leaf("x", Type.INT32, REPEATED), ([1], [2, 3]), Column((Page(1),), index=Index(histograms=True))
)
_SECOND = X._replace(page=1)
_TEXTS = table(leaf("x", Type.BYTE_ARRAY), (b"a", b"bc", b"d"), Column((Page(2),), index=Index(sizes=True)))

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
    Fault(
        "PQ-INDEX-028",
        "page-not-listed",
        "an offset index leaves out the last page",
        Made(_PAGES, edit(offset_index=fields(page_locations=lambda found: found[:-1]))),
        "it has all pages",
        Made(_PAGES),
    ),
    Fault(
        "PQ-INDEX-029",
        "page-one-byte-later",
        "an offset index says that a page begins one byte behind its header",
        Made(
            _PAGES,
            edit(
                offset_index=fields(
                    page_locations=at(
                        1,
                        fields(offset=lambda offset: offset + 1, compressed_page_size=lambda size: size - 1),
                    )
                )
            ),
        ),
        "it says where the header begins",
        Made(_PAGES),
    ),
    Fault(
        "PQ-INDEX-030",
        "size-without-header",
        "an offset index counts one byte less than a page has with its header",
        Made(
            _PAGES,
            edit(
                offset_index=fields(page_locations=at(1, fields(compressed_page_size=lambda size: size - 1)))
            ),
        ),
        "it counts header and body",
        Made(_PAGES),
    ),
    Fault(
        "PQ-INDEX-031",
        "page-inside-a-row",
        "a page begins inside a row, and there is an offset index",
        Made(_LISTS, edit(_SECOND, repetition=levels(1, 0))),
        "it begins with a row",
        Made(_LISTS),
    ),
    Fault(
        "PQ-INDEX-032",
        "first-row-too-late",
        "an offset index says that the second page begins one row later than it does",
        Made(
            _PAGES,
            edit(offset_index=fields(page_locations=at(1, fields(first_row_index=lambda row: row + 1)))),
        ),
        "it says with which row of the row group it begins",
        Made(replace(_PAGES, row_groups=(0, 4))),
    ),
    Fault(
        "PQ-INDEX-033",
        "page-of-no-rows",
        "an empty page and the page behind it begin with the same row",
        Made(ints((1, 2, 3), Column((Page(1), Page(0), Page()), index=Index()))),
        "each page begins with a row of its own",
        Made(_THREE),
    ),
    Fault(
        "PQ-INDEX-034",
        "lengths-counted",
        "unencoded_byte_array_data_bytes counts the length in front of a byte array",
        Made(_TEXTS, edit(offset_index=fields(unencoded_byte_array_data_bytes=at(0, put(8))))),
        "it counts bytes only",
        Made(_TEXTS),
    ),
)
