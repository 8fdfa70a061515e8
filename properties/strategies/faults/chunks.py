"""Faults of column chunks: metadata that contradict schema, place and pages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from corpora.build.recipe import group, leaf
from properties.strategies.faults.edit import Changes
from properties.strategies.faults.edits import (
    OPTIONAL,
    REPEATED,
    ParquetScene,
    X,
    edit,
    ints,
    metadata,
    table,
)
from properties.strategies.faults.fault import Fault, File, Places, at, fields, one_less, one_more
from properties.strategies.faults.levels import levels
from properties.strategies.faults.logical import both, column, integer
from properties.strategies.faults.places import LONGER_THAN_ANY_FILE, chunks, encoded_alone, pages
from reference_impl.parquet.page_structs import DictionaryPageHeader, PageHeader
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Page
from reference_impl.parquet.schema import (
    ColumnChunk,
    CompressionCodec,
    ConvertedType,
    Encoding,
    PageType,
    Type,
)
from reference_impl.parquet.tamper import DICTIONARY, Place
from reference_impl.wire import thrift

_PLAIN = ints()
_INDEXED = Page(None, Encoding.RLE_DICTIONARY)
_DICTIONARY = ints((1, 2, 1, 2), Column((_INDEXED,), dictionary=Dictionary()))
_DICTIONARY_HEADER = PageHeader(
    type=PageType.DICTIONARY_PAGE,
    uncompressed_page_size=8,
    compressed_page_size=8,
    dictionary_page_header=DictionaryPageHeader(num_values=2, encoding=Encoding.PLAIN),
)
_FALLBACK = ints((1, 2, 1, 2), Column((replace(_INDEXED, entries=2), Page()), dictionary=Dictionary()))
_COUNTED = ints(column=Column(encoding_stats=True))
_DOTTED = table(leaf("a.b", Type.INT32), (1, 2, 3))
_LISTS = table(leaf("x", Type.INT32, REPEATED), ([1], [2, 3]))
_SNAPPY = ints([7] * 40, Column(codec=CompressionCodec.SNAPPY))
_EMPTY = ints((1, 2), Column(no_empty_page=True), row_groups=(2, 0))


def _with(plan: FilePlan, **changes: Any) -> File:
    """Return a file with changes of fields of the metadata of `x`."""
    return File(plan, edit(chunk=metadata(**changes)))


def _twice(chunk: ColumnChunk) -> ColumnChunk:
    """Return a chunk with the size of its dictionary page, which occurs twice, counted twice."""
    meta = chunk.meta_data
    assert meta is not None
    assert meta.dictionary_page_offset is not None
    size = (meta.data_page_offset - meta.dictionary_page_offset) // 2
    return replace(
        chunk, meta_data=replace(meta, total_uncompressed_size=meta.total_uncompressed_size + size)
    )


def _without_encoding(scene: ParquetScene, place: Place) -> Changes:
    """Return the change that removes the encoding of a page from the list of its chunk."""
    encoding = scene.data_header(place).encoding

    def removed(encodings: list[Encoding]) -> list[Encoding]:
        return [listed for listed in encodings if listed != encoding] or [Encoding.BIT_PACKED]

    return {"chunk": metadata(encodings=removed)}


def _without_header(chunk: ColumnChunk) -> ColumnChunk:
    """Return a chunk whose compressed size leaves out the header of its dictionary page."""
    meta = chunk.meta_data
    assert meta is not None
    size = len(thrift.encode(_DICTIONARY_HEADER))
    return replace(chunk, meta_data=replace(meta, total_compressed_size=meta.total_compressed_size - size))


FAULTS = (
    Fault(
        "PQ-CHUNK-001/chunk-without-metadata",
        "an empty chunk has no metadata",
        File(_EMPTY, edit(Place(1, 1), placed_chunk=fields(meta_data=None))),
        "an empty chunk has metadata, which say that it has no bytes",
    ),
    Fault(
        "PQ-CHUNK-002/float-for-int32",
        "a chunk has the type FLOAT, its column in the schema INT32",
        _with(_PLAIN, type=lambda type_: Type.INT32 if type_ == Type.FLOAT else Type.FLOAT),
        "both have INT32, which the schema annotates as an integer of 8 bits",
        column(Type.INT32, 1, 2, 3, **both(integer(8), ConvertedType.INT_8)),
        places=chunks(),
    ),
    Fault(
        "PQ-CHUNK-003/path-cut-at-the-dot",
        "a chunk has the path a, b; its column is called a.b",
        _with(_DOTTED, path_in_schema=["a", "b"]),
        "the path is a.b in one piece",
        places=chunks(
            what="the path has a further part", chunk=metadata(path_in_schema=lambda path: [*path, "x"])
        ),
    ),
    Fault(
        "PQ-CHUNK-004/chunk-into-the-footer",
        "the last chunk ends one byte behind the beginning of the footer",
        _with(_PLAIN, total_compressed_size=one_more),
        "it ends where the footer begins",
        places=chunks(
            what="a chunk is longer than the file",
            chunk=metadata(total_compressed_size=LONGER_THAN_ANY_FILE),
            row_group=fields(total_compressed_size=None),
        ),
    ),
    Fault(
        "PQ-CHUNK-005/dictionary-twice",
        "a chunk begins with two dictionary pages",
        File(_DICTIONARY, edit(X._replace(page=DICTIONARY), page=lambda data: data * 2, chunk=_twice)),
        "behind the dictionary page stand a page of indices and one of plain values",
        File(_FALLBACK),
    ),
    Fault(
        "PQ-CHUNK-006/one-value-more",
        "a chunk counts one value more than its pages",
        _with(_PLAIN, num_values=one_more),
        "it counts an empty list and a null as values",
        File(table(group("x", OPTIONAL, leaf("y", Type.INT32, REPEATED)), (None, {"y": []}, {"y": [1, 2]}))),
        places=chunks(),
    ),
    Fault(
        "PQ-CHUNK-007/size-without-header",
        "the uncompressed size of a chunk leaves out one byte",
        _with(_SNAPPY, total_uncompressed_size=one_less),
        "it counts the page's header, and its body before compression",
        places=chunks(lambda meta: meta.total_uncompressed_size > 0),
    ),
    Fault(
        "PQ-CHUNK-008/encoding-not-listed",
        "the encodings of a chunk leave out PLAIN, which its page has",
        _with(_PLAIN, encodings=[Encoding.RLE, Encoding.DELTA_BINARY_PACKED]),
        "they contain PLAIN, and two that no page has",
        _with(_PLAIN, encodings=[Encoding.RLE, Encoding.DELTA_BINARY_PACKED, Encoding.PLAIN]),
        places=Places(pages(encoded_alone).of, "the encoding of a page is not listed", _without_encoding),
    ),
    Fault(
        "PQ-CHUNK-009/one-row-less",
        "a repeated column has one row, the row group two",
        File(_LISTS, edit(repetition=levels(0, 1, 1))),
        "it has two, the first of them with two of the three values",
        File(table(leaf("x", Type.INT32, REPEATED), ([1, 2], [3]))),
    ),
    Fault(
        "PQ-CHUNK-010/file-offset-of-the-chunk",
        "file_offset is where the chunk begins, and no copy of its metadata stands there",
        File(_PLAIN, edit(chunk=lambda chunk: fields(file_offset=chunk.meta_data.data_page_offset)(chunk))),
        "it is 0",
    ),
    Fault(
        "PQ-CHUNK-011/dictionary-not-told",
        "there is a dictionary page, and no dictionary_page_offset",
        File(ints((1, 2, 1), Column((_INDEXED,), dictionary=Dictionary(offset=False)))),
        "there are both",
        File(_DICTIONARY),
    ),
    Fault(
        "PQ-CHUNK-012/dictionary-told",
        "dictionary_page_offset is that of a data page",
        File(
            _PLAIN,
            edit(
                chunk=lambda chunk: metadata(dictionary_page_offset=chunk.meta_data.data_page_offset)(chunk)
            ),
        ),
        "it is that of a dictionary page",
        File(_DICTIONARY),
    ),
    Fault(
        "PQ-CHUNK-013/data-page-one-byte-earlier",
        "data_page_offset is that of the last byte of the dictionary page",
        _with(_DICTIONARY, data_page_offset=lambda offset: offset - 1),
        "it is that of the first data page",
    ),
    Fault(
        "PQ-CHUNK-014/levels-not-listed",
        "the encodings of a chunk leave out RLE, which its levels have",
        _with(ints((1, None, 3)), encodings=[Encoding.PLAIN]),
        "they leave it out in a chunk without levels",
        File(_PLAIN),
    ),
    Fault(
        "PQ-CHUNK-015/encoding-listed-twice",
        "the encodings of a chunk are PLAIN and PLAIN",
        _with(_PLAIN, encodings=[Encoding.PLAIN, Encoding.PLAIN]),
        "PLAIN is that of the dictionary and of a data page, and stands there once",
        File(_FALLBACK),
    ),
    Fault(
        "PQ-CHUNK-016/two-pages-of-one",
        "encoding_stats count two data pages, and there is one",
        _with(_COUNTED, encoding_stats=at(0, fields(count=one_more))),
        "they count one",
        places=chunks(lambda meta: bool(meta.encoding_stats)),
    ),
    Fault(
        "PQ-CHUNK-017/dictionary-header-not-counted",
        "the compressed size of a chunk leaves out the header of its dictionary page",
        File(_DICTIONARY, edit(chunk=_without_header)),
        "it counts it",
    ),
)
