"""Faults of offset indexes and Bloom filters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from corpora.build.recipe import leaf
from properties.strategies.faults.edit import Change
from properties.strategies.faults.edits import FOUR_ROWS, LISTS, TWO_PAGES, X, edit, ints, table
from properties.strategies.faults.fault import Fault, File, at, fields, one_less, one_more, put
from properties.strategies.faults.levels import levels
from properties.strategies.faults.places import LONGER_THAN_ANY_FILE, blooms_of_values, chunks, offset_indexes
from reference_impl.parquet.page_structs import BloomFilterHash
from reference_impl.parquet.plan import Bloom, Column, Index, Page
from reference_impl.parquet.schema import Type

_THREE = ints((1, 2, 3), Column((Page(1),), index=Index()))
_SECOND = X._replace(page=1)
_TEXTS = table(leaf("x", Type.BYTE_ARRAY), (b"a", b"bc", b"d"), Column((Page(2),), index=Index(sizes=True)))


def _location(number: int, **changes: Any) -> Change:
    """Return the change of the location of a page."""
    return fields(page_locations=at(number, fields(**changes)))


_FILTER = ints(column=Column(bloom=Bloom()))
_HASH = BloomFilterHash(unknown=((2, 12, b"\0"),))
_NO_LENGTH = ints(column=Column(bloom=Bloom(length=False)))

FAULTS = (
    Fault(
        "PQ-INDEX-001/index-into-the-footer",
        "the last offset index ends one byte behind the beginning of the footer",
        File(TWO_PAGES, edit(placed_chunk=fields(offset_index_length=one_more))),
        "it ends where the footer begins",
        places=offset_indexes(
            what="an offset index is longer than the file",
            placed_chunk=fields(offset_index_length=LONGER_THAN_ANY_FILE),
        ),
    ),
    Fault(
        "PQ-INDEX-020/page-beyond-its-chunk",
        "the last page of an offset index ends one byte behind its chunk",
        File(TWO_PAGES, edit(offset_index=_location(-1, compressed_page_size=one_more))),
        "it ends where its chunk does",
    ),
    Fault(
        "PQ-INDEX-028/page-not-listed",
        "an offset index leaves out the last page",
        File(FOUR_ROWS, edit(offset_index=fields(page_locations=lambda pages: pages[:-1]))),
        "it has all pages",
        places=offset_indexes(),
    ),
    Fault(
        "PQ-INDEX-029/page-one-byte-later",
        "an offset index says that a page begins one byte behind its header",
        File(FOUR_ROWS, edit(offset_index=_location(-1, offset=one_more, compressed_page_size=one_less))),
        "it says where the header begins",
        places=offset_indexes(),
    ),
    Fault(
        "PQ-INDEX-030/size-without-header",
        "an offset index counts one byte less than a page has with its header",
        File(FOUR_ROWS, edit(offset_index=_location(-1, compressed_page_size=one_less))),
        "it counts header and body",
        places=offset_indexes(),
    ),
    Fault(
        "PQ-INDEX-031/page-inside-a-row",
        "a page begins inside a row, and there is an offset index",
        File(LISTS, edit(_SECOND, repetition=levels(1, 0))),
        "it begins with a row",
    ),
    Fault(
        "PQ-INDEX-032/first-row-too-late",
        "an offset index says that the second page begins one row later than it does",
        File(FOUR_ROWS, edit(offset_index=_location(1, first_row_index=one_more))),
        "it says with which row of the row group it begins",
        File(replace(FOUR_ROWS, row_groups=(0, 4))),
        places=offset_indexes(2),
    ),
    Fault(
        "PQ-INDEX-033/page-of-no-rows",
        "an empty page and the page behind it begin with the same row",
        File(ints((1, 2, 3), Column((Page(1), Page(0), Page()), index=Index()))),
        "each page begins with a row of its own",
        File(_THREE),
    ),
    Fault(
        "PQ-INDEX-034/lengths-counted",
        "unencoded_byte_array_data_bytes counts the length in front of a byte array",
        File(_TEXTS, edit(offset_index=fields(unencoded_byte_array_data_bytes=at(0, put(8))))),
        "it counts bytes only",
    ),
    Fault(
        "PQ-BLOOM-001/filter-in-the-magic",
        "a Bloom filter begins inside the leading magic number",
        File(_FILTER, edit(placed_chunk=fields(meta_data=fields(bloom_filter_offset=3)))),
        "it is the last thing before the footer",
        places=chunks(lambda meta: meta.bloom_filter_offset is not None),
    ),
    Fault(
        "PQ-BLOOM-002/filter-one-byte-longer",
        "a Bloom filter has one byte less than bloom_filter_length says",
        File(_FILTER, edit(placed_chunk=fields(meta_data=fields(bloom_filter_length=one_more)))),
        "it has as many",
        places=chunks(lambda meta: meta.bloom_filter_length is not None),
    ),
    Fault(
        "PQ-BLOOM-005/value-not-admitted",
        "a Bloom filter says that a value is not there, and it is",
        File(_FILTER, edit(bloom=lambda pair: (pair[0], bytes(len(pair[1]))))),
        "it says that every value is there",
        File(_FILTER, edit(bloom=lambda pair: (pair[0], b"\xff" * 32))),
        places=blooms_of_values(),
    ),
    Fault(
        "PQ-BLOOM-003/part-of-a-block",
        "a Bloom filter has 33 bytes",
        File(_FILTER, edit(bloom=lambda pair: (replace(pair[0], numBytes=33), pair[1] + b"\0"))),
        "it has 32, one block",
    ),
    Fault(
        "PQ-BLOOM-004/hash-two",
        "the hash of a Bloom filter is one of a later revision",
        File(_FILTER, edit(bloom=lambda pair: (replace(pair[0], hash=_HASH), pair[1]))),
        "it is XXHASH, and bits are set that no value needs",
        File(_FILTER, edit(bloom=lambda pair: (pair[0], b"\xff" * 32))),
    ),
    Fault(
        "PQ-BLOOM-006/no-length",
        "a Bloom filter has no bloom_filter_length",
        File(_NO_LENGTH),
        "it has one",
        File(_FILTER),
    ),
)
