"""Checks of column chunks: their metadata against their pages (parquet.thrift, ColumnMetaData)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reference_impl.byte_arrays import ByteArrays
from reference_impl.errors import ReferenceError_
from reference_impl.parquet.chunk import size_errors, uncompressed_size
from reference_impl.parquet.encodings.dispatch import DICTIONARY_ENCODINGS
from reference_impl.parquet.orders import key, raws, type_order
from reference_impl.parquet.page_walk import Page
from reference_impl.parquet.schema import ColumnMetaData, CompressionCodec, Encoding, PageType, Type
from reference_impl.parquet.validate.measure import comparable
from reference_impl.parquet.validate.scan import Chunk
from reference_impl.validation import Report
from reference_impl.wire import thrift
from reference_impl.wire.enums import name_of

_LARGEST_METADATA = 1 << 16
_HEADERS = {
    PageType.DATA_PAGE: "data_page_header",
    PageType.INDEX_PAGE: "index_page_header",
    PageType.DICTIONARY_PAGE: "dictionary_page_header",
    PageType.DATA_PAGE_V2: "data_page_header_v2",
}


def check(chunk: Chunk, report: Report) -> None:
    """Check the metadata of a chunk and the headers of its pages."""
    meta = chunk.meta
    if meta.codec == CompressionCodec.LZ4:
        report.add("PQ-CODEC-004", chunk.path, chunk.at, "the codec is LZ4, not LZ4_RAW")
    _file_offset(chunk, report)
    for number, page in enumerate(chunk.pages):
        _page(page, (*chunk.path, f"page[{number}]"), report)
    if not chunk.walked:
        return
    report.note_all(size_errors(chunk.meta, sum(map(uncompressed_size, chunk.pages))), chunk.path)
    _offsets(chunk, report)
    _encodings(chunk, report)
    _encoding_stats(chunk, report)
    _dictionary(chunk, report)
    if chunk.whole:
        _size_statistics(chunk, report)


def _file_offset(chunk: Chunk, report: Report) -> None:
    """Check that a file_offset other than 0 is that of a copy of the metadata."""
    at = chunk.chunk.file_offset
    if not at:
        return
    try:
        raw = bytes(chunk.file.data[at : at + _LARGEST_METADATA]) if at > 0 else b""
        copy, _ = thrift.decode(ColumnMetaData, raw)
    except ReferenceError_:
        copy = None
    if copy is None or copy.path_in_schema != chunk.meta.path_in_schema:
        message = f"file_offset is {at}, where no ColumnMetaData stands"
        report.add("PQ-CHUNK-010", chunk.path, chunk.at, message)


def _page(page: Page, path: tuple[str, ...], report: Report) -> None:
    header = page.header
    wanted = _HEADERS.get(PageType(header.type)) if isinstance(header.type, PageType) else None
    extra = [name for name in _HEADERS.values() if name != wanted and getattr(header, name) is not None]
    if wanted is not None and extra:
        message = f"a page of type {name_of(header.type)} with {', '.join(extra)}"
        report.add("PQ-PAGE-014", path, page.offset, message)
    data = header.data_page_header or header.data_page_header_v2
    if data is not None and data.encoding == Encoding.PLAIN_DICTIONARY:
        report.add("PQ-DICT-004", path, page.offset, "a data page says PLAIN_DICTIONARY, not RLE_DICTIONARY")
    inner = header.dictionary_page_header
    if inner is not None and inner.encoding == Encoding.PLAIN_DICTIONARY:
        report.add("PQ-DICT-005", path, page.offset, "a dictionary page says PLAIN_DICTIONARY, not PLAIN")


def _offsets(chunk: Chunk, report: Report) -> None:
    """Check the offsets of the first pages in the metadata."""
    meta, dictionary = chunk.meta, chunk.dictionary_page
    offset = meta.dictionary_page_offset
    if dictionary is None and offset is not None:
        message = f"dictionary_page_offset is {offset}, but there is no dictionary page"
        report.add("PQ-CHUNK-012", chunk.path, chunk.at, message)
    elif dictionary is not None and offset is None:
        report.add("PQ-CHUNK-011", chunk.path, chunk.at, "there is a dictionary page, but no offset of it")
        return  # then data_page_offset is that of the dictionary page
    elif dictionary is not None and offset != dictionary.offset:
        message = f"dictionary_page_offset is {offset}, but the dictionary page begins at {dictionary.offset}"
        report.add("PQ-CHUNK-012", chunk.path, chunk.at, message)
        return
    first = chunk.data_pages[0].offset if chunk.data_pages else None
    if first is not None and meta.data_page_offset != first:
        message = f"data_page_offset is {meta.data_page_offset}, but the first data page begins at {first}"
        report.add("PQ-CHUNK-013", chunk.path, chunk.at, message)


def _encodings(chunk: Chunk, report: Report) -> None:
    listed = chunk.meta.encodings
    if not listed:
        if chunk.data_pages:
            report.add("PQ-CHUNK-014", chunk.path, chunk.at, "the list of encodings is empty")
        return
    if len(set(listed)) < len(listed):
        names = ", ".join(name_of(encoding) for encoding in listed)
        report.add("PQ-CHUNK-015", chunk.path, chunk.at, f"encodings are {names}")
    used: set[Encoding | int] = set()
    dictionary = chunk.dictionary_page
    if dictionary is not None and dictionary.header.dictionary_page_header is not None:
        used.add(dictionary.header.dictionary_page_header.encoding)
    for page in chunk.data_pages:
        used |= _level_encodings(chunk, page)
    if set(DICTIONARY_ENCODINGS) & set(listed):  # the same encoding under two numbers
        used -= set(DICTIONARY_ENCODINGS)
    if missing := used - set(listed):
        names = ", ".join(sorted(name_of(encoding) for encoding in missing))
        message = f"{names} of the dictionary page or of levels is not among the encodings"
        report.add("PQ-CHUNK-014", chunk.path, chunk.at, message)


def _level_encodings(chunk: Chunk, page: Page) -> set[Encoding | int]:
    node, header = chunk.node, page.header.data_page_header
    if header is None:  # levels of v2 are always RLE
        return set()
    definition = {header.definition_level_encoding} if node.definition_level else set()
    return definition | ({header.repetition_level_encoding} if node.repetition_level else set())


def _encoding_stats(chunk: Chunk, report: Report) -> None:
    if chunk.meta.encoding_stats is None:
        return
    stated: Counter[tuple[int, int]] = Counter()
    for stats in chunk.meta.encoding_stats:
        stated[int(stats.page_type), _same(stats.encoding)] += stats.count
    counted: Counter[tuple[int, int]] = Counter()
    for page in chunk.pages:
        header = page.header.data_page_header or page.header.data_page_header_v2
        header_or_dictionary = page.header.dictionary_page_header or header
        if header_or_dictionary is not None:
            counted[int(page.header.type), _same(header_or_dictionary.encoding)] += 1
    # Some writers list unused encodings with a count of 0, which is true.
    if +stated != +counted:
        message = f"encoding_stats has {_counted(stated)}, but the chunk has {_counted(counted)}"
        report.add("PQ-CHUNK-016", (*chunk.path, "encoding_stats"), chunk.at, message)


def _same(encoding: Encoding | int) -> int:
    return int(Encoding.RLE_DICTIONARY if encoding == Encoding.PLAIN_DICTIONARY else encoding)


def _counted(counts: Counter[tuple[int, int]]) -> str:
    names = (
        f"{count} × {PageType(kind).name if kind in list(PageType) else kind} "
        f"{Encoding(encoding).name if encoding in list(Encoding) else encoding}"
        for (kind, encoding), count in sorted(counts.items())
    )
    return ", ".join(names) or "no pages"


def _dictionary(chunk: Chunk, report: Report) -> None:
    page = chunk.dictionary_page
    header = page.header.dictionary_page_header if page is not None else None
    if page is None or header is None or not header.is_sorted or chunk.dictionary is None:
        return
    order = chunk.order if comparable(chunk.order) else type_order(chunk.node)
    if not comparable(order):
        return
    keys = [key(order, raw) for raw in raws(chunk.dictionary)]
    if any(after < before for before, after in pairwise(keys)):
        message = "is_sorted is true, and the dictionary is not sorted"
        report.add("PQ-DICT-006", chunk.path, page.offset, message)


def _size_statistics(chunk: Chunk, report: Report) -> None:
    stated = chunk.meta.size_statistics
    if stated is None:
        return
    path = (*chunk.path, "size_statistics")
    at, node = stated.begin, chunk.node
    assert node.physical is not None
    if stated.unencoded_byte_array_data_bytes is not None:
        if node.physical.type != Type.BYTE_ARRAY:
            message = f"unencoded_byte_array_data_bytes of a column of {node.physical}"
            report.add("PQ-SIZE-001", path, at, message)
        else:
            size = sum(unencoded(page.entries.values) for page in chunk.data)
            if stated.unencoded_byte_array_data_bytes != size:
                message = (
                    f"unencoded_byte_array_data_bytes is {stated.unencoded_byte_array_data_bytes}, not {size}"
                )
                report.add("PQ-SIZE-002", path, at, message)
    count = sum(page.entries.count for page in chunk.data)
    for rule, name in (("PQ-SIZE-003", "repetition"), ("PQ-SIZE-004", "definition")):
        given = getattr(stated, f"{name}_level_histogram")
        levels = [getattr(page.entries, name) for page in chunk.data]
        expected = histogram(levels, getattr(node, f"{name}_level"))
        if differs(given, expected, count):
            report.add(rule, path, at, f"{name}_level_histogram is {given!r:.200}, not {expected}")


def unencoded(values: object) -> int:
    """Return the bytes of byte arrays without their lengths."""
    return int(values.lengths.sum()) if isinstance(values, ByteArrays) else 0


def histogram(parts: Sequence[NDArray[np.unsignedinteger] | None], most: int) -> list[int] | None:
    """Return how often each level occurs in the parts, None if the maximum level is 0."""
    if not most:
        return None
    total = np.zeros(most + 1, np.int64)
    for part in parts:
        if part is not None:
            total += np.bincount(part, minlength=most + 1)
    return [int(count) for count in total]


def differs(stated: list[int] | None, expected: list[int] | None, count: int) -> bool:
    """Return whether a histogram is wrong; for a maximum of 0 it is empty or counts all entries."""
    if stated is None:
        return False
    if expected is None:
        return bool(stated) and stated != [count]
    return stated != expected
