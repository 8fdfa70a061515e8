"""Faults of pages: headers that do not fit the bytes behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from corpora.build.recipe import leaf
from properties.strategies.faults.edits import REPEATED, X, data_header, edit, ints, metadata, table
from properties.strategies.faults.fault import Fault, File, fields, miscounted, one_more, put
from properties.strategies.faults.levels import levels
from properties.strategies.faults.places import LONGER_THAN_ANY_FILE, encoded, is_data, is_v2, pages
from reference_impl.parquet.encodings.dispatch import DELTA_ENCODINGS, DICTIONARY_ENCODINGS
from reference_impl.parquet.page_structs import DictionaryPageHeader, PageHeader
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Page
from reference_impl.parquet.schema import CompressionCodec, Empty, Encoding, PageType, Type
from reference_impl.parquet.tamper import DICTIONARY, Place, Tamper
from reference_impl.wire import thrift

_PLAIN = ints()
_LAST = Place(1, 1)  # the chunk of an empty row group, with a page of no bytes
_EMPTY_PAGE = ints(row_groups=(3, 0))
_EMPTY_FIRST = ints(column=Column((Page(0), Page())))
_NULLS = ints((None,) * 3, Column((Page(version=2),)))
_SOME_NULLS = ints((1, None, 3))
_SQUEEZED = Column((Page(version=2, compressed=True),), CompressionCodec.SNAPPY)
_AS_IS = Column((Page(version=2, compressed=False),), CompressionCodec.SNAPPY)
_REPEATED = leaf("x", Type.INT32, REPEATED)
_LISTS = table(_REPEATED, ([], [1, 2], [3]), Column((Page(version=2),)))
_CHECKED = ints((1, 2, 3), Column((Page(crc=True),)))
_INDEXED = Column((Page(None, Encoding.RLE_DICTIONARY),), dictionary=Dictionary())
_V2 = ints(column=Column((Page(version=2),)))
_OTHER = DictionaryPageHeader(num_values=0, encoding=Encoding.PLAIN)
_TWO_PAGES = table(_REPEATED, ([1, 2], [3, 4]), Column((Page(1, version=2),)))


def _and_then(header: PageHeader) -> Tamper:
    """Return the edit that appends a page without bytes to the chunk of `x`."""
    raw = thrift.encode(header)
    more = metadata(total_uncompressed_size=lambda size: size + len(raw))
    return edit(page=lambda data: data + raw, chunk=more)


def _dictionary(values: Sequence[int], **changes: Any) -> File:
    """Return a file with changes of the header of its dictionary page."""
    return File(ints(values, _INDEXED), edit(X._replace(page=DICTIONARY), page_header=data_header(**changes)))


def _encoded(plan: FilePlan, encoding: Encoding, values: str) -> File:
    """Return a file whose page has this encoding in its header, and these values (in hexadecimal)."""
    return File(plan, edit(values=put(bytes.fromhex(values)), page_header=data_header(encoding=encoding)))


_INDEX_PAGE = PageHeader(
    type=PageType.INDEX_PAGE, uncompressed_page_size=0, compressed_page_size=0, index_page_header=Empty()
)

FAULTS = (
    Fault(
        "PQ-PAGE-001/page-beyond-its-chunk",
        "the last page says that it has one byte, but the chunk ends before it",
        File(_EMPTY_PAGE, edit(_LAST, page_header=fields(compressed_page_size=1))),
        "it has no bytes",
        places=pages(
            what="a page is longer than its chunk",
            page_header=fields(compressed_page_size=LONGER_THAN_ANY_FILE),
        ),
    ),
    Fault(
        "PQ-PAGE-002/uncompressed-below-zero",
        "the uncompressed size of an empty page is -1",
        File(_EMPTY_PAGE, edit(_LAST, page_header=fields(uncompressed_page_size=-1))),
        "it is 0",
    ),
    Fault(
        "PQ-PAGE-003/one-bit-of-the-checksum",
        "one bit of a page's checksum is wrong",
        File(_CHECKED, edit(page_header=fields(crc=lambda crc: crc ^ 1))),
        "the checksum is right, and negative as an i32",
        places=pages(lambda scene, place: scene.headers[place].crc is not None),
    ),
    Fault(
        "PQ-PAGE-004/data-page-without-its-header",
        "a page of the type DATA_PAGE has no data_page_header",
        File(
            _PLAIN,
            edit(
                page_header=fields(data_page_header=None, data_page_header_v2=None),
                chunk=metadata(encoding_stats=None),
            ),
        ),
        "an index page, which no reader needs, stands behind the data page",
        File(_PLAIN, _and_then(_INDEX_PAGE)),
        places=pages(is_data),
    ),
    Fault(
        "PQ-PAGE-005/dictionary-of-indices",
        "the dictionary page says that it is encoded as RLE_DICTIONARY",
        _dictionary((1, 2, 1), encoding=Encoding.RLE_DICTIONARY),
        "it says PLAIN, and the data page RLE_DICTIONARY",
    ),
    Fault(
        "PQ-PAGE-006/levels-beyond-the-page",
        "the definition levels of a v2 page of nulls have one byte more than the page",
        File(_NULLS, edit(page_header=data_header(definition_levels_byte_length=one_more))),
        "they take the whole page",
        places=pages(
            is_v2,
            "the levels are longer than the page",
            page_header=data_header(definition_levels_byte_length=LONGER_THAN_ANY_FILE),
        ),
    ),
    Fault(
        "PQ-PAGE-007/compressed-but-denied",
        "a v2 page says that it is not compressed, but is",
        File(ints([7] * 40, _SQUEEZED), edit(page_header=data_header(is_compressed=False))),
        "it says so, and is not, though the chunk has a codec",
        File(ints([7] * 40, _AS_IS)),
    ),
    Fault(
        "PQ-PAGE-008/empty-list-not-counted",
        "num_nulls of a v2 page leaves out the entry that stands for an empty list",
        File(_LISTS, edit(page_header=data_header(num_nulls=miscounted))),
        "it counts it",
        places=pages(is_v2),
    ),
    Fault(
        "PQ-PAGE-009/values-for-rows",
        "num_rows of a v2 page is the number of its values",
        File(_LISTS, edit(page_header=data_header(num_rows=one_more))),
        "it is the number of rows that begin in it",
        places=pages(is_v2),
    ),
    Fault(
        "PQ-PAGE-010/page-inside-a-row",
        "a v2 page begins inside a row",
        File(_TWO_PAGES, edit(X._replace(page=1), repetition=levels(1, 0, prefixed=False))),
        "a v1 page does",
        File(table(_REPEATED, ([1, 2, 3], [4]), Column((Page(2),)))),
    ),
    Fault(
        "PQ-PAGE-011/values-below-zero",
        "an empty page says that it has -1 values",
        File(_EMPTY_FIRST, edit(page_header=data_header(num_values=-1), chunk=metadata(num_values=2))),
        "it says that it has 0",
        places=pages(what="a page has -1 values", page_header=data_header(num_values=-1)),
    ),
    Fault(
        "PQ-PAGE-012/levels-in-plain",
        "the definition levels of a page say that they are encoded as PLAIN",
        File(_SOME_NULLS, edit(page_header=data_header(definition_level_encoding=Encoding.PLAIN))),
        "its repetition levels, of which there are none, say so",
        File(_SOME_NULLS, edit(page_header=data_header(repetition_level_encoding=Encoding.PLAIN))),
    ),
    Fault(
        "PQ-PAGE-013/byte-behind-the-values",
        "a byte stands behind the values of a page",
        File(_PLAIN, edit(values=lambda data: data + b"\0")),
        "the last group of bit-packed booleans holds more than the page, inside of the size that they give",
        File(table(leaf("x", Type.BOOLEAN), (True, False, True), Column((Page(None, Encoding.RLE),)))),
        places=pages(encoded(Encoding.PLAIN, Encoding.RLE, *DELTA_ENCODINGS, *DICTIONARY_ENCODINGS)),
    ),
    Fault(
        "PQ-ENCODING-001/rle-for-int32",
        "a page of INT32 is encoded as RLE",
        _encoded(_PLAIN, Encoding.RLE, "02000000 06 01"),
        "a page of BOOLEAN is",
        File(table(leaf("x", Type.BOOLEAN), (True,) * 3, Column((Page(None, Encoding.RLE),)))),
    ),
    Fault(
        "PQ-DICT-000/no-dictionary",
        "a page of dictionary indices stands in a chunk without a dictionary page",
        _encoded(_PLAIN, Encoding.RLE_DICTIONARY, "01 06 00"),
        "there is a dictionary page",
        File(ints((1, 2, 1), _INDEXED)),
    ),
    Fault(
        "PQ-PAGE-014/two-headers",
        "a data page has a dictionary_page_header, too",
        File(_PLAIN, edit(page_header=fields(dictionary_page_header=_OTHER))),
        "it has a data_page_header only",
    ),
    Fault(
        "PQ-PAGE-015/levels-of-a-required-column",
        "a v2 page of a required column has repetition levels",
        File(_V2, edit(repetition=put(bytes.fromhex("06 00")))),
        "it has sections of no bytes",
    ),
    Fault(
        "PQ-DICT-004/plain-dictionary-data",
        "a data page says that it is encoded as PLAIN_DICTIONARY",
        File(ints((1, 2, 1), _INDEXED), edit(page_header=data_header(encoding=Encoding.PLAIN_DICTIONARY))),
        "it says RLE_DICTIONARY",
    ),
    Fault(
        "PQ-DICT-005/plain-dictionary-values",
        "a dictionary page says that it is encoded as PLAIN_DICTIONARY",
        _dictionary((1, 2, 1), encoding=Encoding.PLAIN_DICTIONARY),
        "it says PLAIN",
    ),
    Fault(
        "PQ-DICT-006/not-sorted",
        "is_sorted is true of a dictionary of 2 and 1",
        _dictionary((2, 1, 2), is_sorted=True),
        "it is true of one of 1 and 2",
        _dictionary((1, 2, 1), is_sorted=True),
    ),
)
