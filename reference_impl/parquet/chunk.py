"""Column chunks: their positions, checks of their metadata, and their entries."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from reference_impl.errors import LimitExceeded, Malformed, Unsupported, raise_first
from reference_impl.limits import Limits
from reference_impl.notes import STRICT, Notes
from reference_impl.parquet import types
from reference_impl.parquet.encodings.dispatch import DICTIONARY_ENCODINGS
from reference_impl.parquet.encryption.opening import ChunkCipher
from reference_impl.parquet.levels import LeafData
from reference_impl.parquet.page import Entries, PageDecoder
from reference_impl.parquet.page_walk import Page, walk
from reference_impl.parquet.schema import ColumnChunk, ColumnMetaData, PageType
from reference_impl.parquet.tree import Node
from reference_impl.wire.enums import name_of

DATA_PAGES = (PageType.DATA_PAGE, PageType.DATA_PAGE_V2)


def metadata(chunk: ColumnChunk, node: Node) -> ColumnMetaData:
    """Return the chunk's metadata after checking it against the schema.

    Raises Malformed (PQ-CHUNK-001 to -003) and Unsupported (still encrypted, or data in another file).
    """
    meta = chunk.meta_data
    if chunk.crypto_metadata is not None or chunk.encrypted_column_metadata is not None:
        raise Unsupported("the column is encrypted, and no keys were given", rule="PQ-CRYPT-000")
    if chunk.file_path is not None:
        # "There are no known reference implementations that will read externally stored column data": nor is
        # this one, which opens no file that another one names.
        raise Unsupported(f"the column's data is said to be in another file, {chunk.file_path!r:.80}")
    if meta is None:
        raise Malformed("the column chunk has no meta_data", offset=chunk.begin, rule="PQ-CHUNK-001")
    assert node.physical is not None
    if meta.type != node.physical.type:
        message = f"the chunk's type is {name_of(meta.type)}, the schema's is {node.physical}"
        raise Malformed(message, offset=meta.begin, rule="PQ-CHUNK-002")
    if tuple(meta.path_in_schema) != node.path:
        message = f"path_in_schema is {meta.path_in_schema}, the schema says {list(node.path)}"
        raise Malformed(message, offset=meta.begin, rule="PQ-CHUNK-003")
    return meta


def extent(meta: ColumnMetaData, end: int) -> tuple[int, int]:
    """Return the half-open byte range of the chunk; `end` is where the footer begins.

    Raises Malformed (PQ-CHUNK-004).
    """
    start, stop = claimed_extent(meta)
    if start < 4 or meta.total_compressed_size < 0 or stop > end:
        message = f"the chunk would lie at {start} to {stop}, outside of 4 to {end}"
        raise Malformed(message, offset=meta.begin, rule="PQ-CHUNK-004")
    return start, stop


def claimed_extent(meta: ColumnMetaData) -> tuple[int, int]:
    """Return the half-open byte range that the metadata give the chunk, which may lie outside of the file.

    A dictionary_page_offset that is absent, 0, or not before the first data page (all written by old
    writers) says that there is no dictionary page in front. A chunk without values may have a dictionary
    page and no data page; the required data_page_offset is then 0 (as Arrow C++ writes it).
    """
    start = meta.data_page_offset
    if not start and not meta.num_values and not meta.total_compressed_size:
        return 4, 4  # nor has it any bytes
    dictionary = meta.dictionary_page_offset or 0
    if 0 < dictionary < start or (dictionary and not start and not meta.num_values):
        start = dictionary
    return start, start + meta.total_compressed_size


def decode(  # noqa: PLR0917 - what a chunk is
    raw: bytes,
    base: int,
    node: Node,
    meta: ColumnMetaData,
    limits: Limits,
    cipher: ChunkCipher | None = None,
    notes: Notes = STRICT,
    *,
    verify_crc: bool = True,
    too_few: Callable[[], None] = lambda: None,
) -> LeafData:
    """Decode all entries of a chunk whose bytes are `raw`, at absolute offset `base`.

    `too_few` is called where the pages have too few values, and may raise. Breaches are given to `notes`
    (PQ-CHUNK-006 to -008). Raises Malformed (PQ-CHUNK-005), and whatever its pages raise.
    """
    decoder = PageDecoder(node, meta.codec, limits, notes)
    parts: list[Entries] = []
    total, size, value_bytes = 0, 0, 0
    for number, page in enumerate(walk(raw, base, cipher, notes=notes, verify_crc=verify_crc)):
        size += uncompressed_size(page)
        with notes.located(f"page[{number}]"):
            if page.header.type == PageType.DICTIONARY_PAGE:
                raise_first(dictionary_errors(page, number))
                decoder.load_dictionary(page)
            elif page.header.type in DATA_PAGES:
                notes.breach_all(encoding_errors(page, meta))
                raise_first(claim_errors(page, meta, limits))
                parts.append(decoder.entries(page))
                total += parts[-1].count
                value_bytes += parts[-1].values.nbytes
                check_limits(total, value_bytes, limits, page.offset)
            # Index pages hold no data, and "additional page types can be added and safely skipped".
    if total < meta.num_values:
        too_few()
    notes.breach_all(count_errors(meta, total))
    if not decoder.has_wrong_size:  # else nobody knows what the sum should be
        notes.breach_all(size_errors(meta, size))
    del decoder  # and its dictionary, before all values are copied into one array
    return join(node, parts)


def check_limits(count: int, value_bytes: int, limits: Limits, offset: int | None = None) -> None:
    """Raise LimitExceeded if a column has too many entries, or values of too many bytes."""
    if count > limits.values:
        raise LimitExceeded(f"more than {limits.values} values", offset=offset)
    if value_bytes > limits.column_bytes:
        raise LimitExceeded(f"values of more than {limits.column_bytes} bytes", offset=offset)


def uncompressed_size(page: Page) -> int:
    """Return the bytes that a page takes in total_uncompressed_size: its header, and its body inflated."""
    return page.body_offset - page.offset + page.header.uncompressed_page_size


def dictionary_errors(page: Page, number: int) -> Iterator[Malformed]:
    """Yield the error of a dictionary page at another place than the first of its chunk."""
    if number:  # "must be placed at the first position of the column chunk", "at most one"
        message = "a dictionary page that is not the first page of its chunk"
        yield Malformed(message, offset=page.offset, rule="PQ-CHUNK-005")


def claim_errors(page: Page, meta: ColumnMetaData, limits: Limits) -> Iterator[Malformed]:
    """Yield the error of a page that claims more values than its chunk and than the limit."""
    header = page.header.data_page_header or page.header.data_page_header_v2
    if header is not None and header.num_values > max(limits.values, meta.num_values):
        yield from count_errors(meta, header.num_values)


def count_errors(meta: ColumnMetaData, count: int) -> Iterator[Malformed]:
    """Yield the error of a num_values that is not the number of entries in the pages."""
    if count != meta.num_values:
        message = f"num_values is {meta.num_values}, but the pages hold {count}"
        yield Malformed(message, offset=meta.begin, rule="PQ-CHUNK-006")


def size_errors(meta: ColumnMetaData, size: int) -> Iterator[Malformed]:
    """Yield the error of a total_uncompressed_size that is not the size of the pages."""
    if size != meta.total_uncompressed_size:
        message = f"total_uncompressed_size is {meta.total_uncompressed_size}, but the pages take {size}"
        yield Malformed(message, offset=meta.begin, rule="PQ-CHUNK-007")


def value_errors(data: LeafData, offset: int) -> Iterator[Malformed]:
    """Yield the error of values in a column annotated UNKNOWN."""
    logical = data.node.logical
    if logical is not None and logical.name == "UNKNOWN" and len(data.values):
        message = "a column annotated UNKNOWN (always null) holds values"
        yield Malformed(message, offset=offset, rule="PQ-LOGICAL-007")


def row_errors(rows: int, wanted: int, offset: int) -> Iterator[Malformed]:
    """Yield the error of a column that has not the number of rows of its row group."""
    if rows != wanted:
        message = f"the row group has {wanted} rows, but the column has {rows}"
        yield Malformed(message, offset=offset, rule="PQ-CHUNK-009")


def encoding_errors(page: Page, meta: ColumnMetaData) -> Iterator[Malformed]:
    """Yield the error of a data page whose encoding the metadata does not list."""
    header = page.header.data_page_header or page.header.data_page_header_v2
    # An empty list (written by some old writers) promises nothing, and so cannot be wrong.
    if header is None or not meta.encodings or header.encoding in meta.encodings:
        return
    # PLAIN_DICTIONARY and RLE_DICTIONARY are one encoding with two numbers.
    if header.encoding in DICTIONARY_ENCODINGS and set(DICTIONARY_ENCODINGS) & set(meta.encodings):
        return
    name = name_of(header.encoding)
    message = f"the page's encoding {name} is not among the chunk's encodings"
    yield Malformed(message, offset=page.offset, rule="PQ-CHUNK-008")


def join(node: Node, parts: list[Entries] | list[LeafData]) -> LeafData:
    """Return all entries of the parts (pages of a chunk, or chunks of a column), in order."""
    assert node.physical is not None
    empty = np.zeros(0, np.uint8)
    definition = [empty] + [part.definition for part in parts if part.definition is not None]
    repetition = [empty] + [part.repetition for part in parts if part.repetition is not None]
    return LeafData(
        node,
        sum(part.count for part in parts),
        np.concatenate(definition) if node.definition_level else None,
        np.concatenate(repetition) if node.repetition_level else None,
        types.concat([part.values for part in parts], node.physical),
    )


def pages(raw: bytes, base: int, cipher: ChunkCipher | None = None) -> Iterator[Page]:
    """Yield the chunk's pages undecoded, without checking their CRC."""
    return walk(raw, base, cipher, verify_crc=False)
