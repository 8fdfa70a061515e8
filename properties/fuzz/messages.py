"""Targets of one message each: structs of Thrift, messages of Protocol Buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Any, TypeVar

from properties.fuzz import cut_orc, cut_parquet, inputs
from properties.fuzz.claims import attempt, holds, same
from properties.fuzz.targets import Table
from properties.strategies.mutations import protobuf as protobuf_fields
from properties.strategies.mutations import thrift as thrift_fields
from reference_impl.orc import bloom as orc_bloom
from reference_impl.orc import types
from reference_impl.orc.index import BLOOM_KINDS
from reference_impl.orc.schema import BloomFilterIndex, Footer, PostScript, RowIndex, StreamKind, StripeFooter
from reference_impl.parquet import bloom, shape, tree
from reference_impl.parquet.page_structs import BloomFilterHeader, ColumnIndex, OffsetIndex, PageHeader
from reference_impl.parquet.schema import ColumnChunk, FileMetaData
from reference_impl.wire import protobuf, thrift
from reference_impl.wire.table import Struct

S = TypeVar("S", bound=Struct)
TABLE = Table()
_BITSET = 512
_FILTERS = 16
# The invariant of every message, which those of single messages continue.
_INVARIANT = (
    "Any bytes decode to a {}, or raise a documented error. A decoded message survives writing and reading"
)
_PACKED = f"{_INVARIANT}, with packed lists and without."


def read_thrift(cls: type[S], data: bytes) -> S | None:
    """Return a struct of Thrift for which the invariant holds, None if it cannot be read.

    Reading its bytes with and without the ranges of fields must give the same; and written bytes must have
    the length that reading them reports.
    """
    decoded = attempt(thrift.decode, cls, data)
    if decoded is None:
        return None
    value, size = decoded
    holds(0 < size <= len(data), f"a struct of {size} bytes in {len(data)}")
    same(thrift.decode(cls, data[:size], keep_spans=True)[0], value, "read alone, with spans")
    written = thrift.encode(value)
    again, used = thrift.decode(cls, written)
    same(used, len(written), "bytes written and bytes read")
    same(again, value, "read, written and read")
    same(thrift.decode(cls, thrift.encode(value, long_headers=True))[0], value, "with long headers")
    return value


def read_protobuf(cls: type[S], data: bytes) -> S | None:
    """Return a message for which the invariant holds, None if it cannot be read.

    With the ranges of fields, and when it is written without packed lists, it must be read to the same.
    """
    value = attempt(protobuf.decode, cls, data)
    if value is None:
        return None
    same(protobuf.decode(cls, data, keep_spans=True), value, "read with spans")
    same(protobuf.decode(cls, protobuf.encode(value)), value, "read, written and read")
    same(protobuf.decode(cls, protobuf.encode(value, unpacked=True)), value, "with unpacked lists")
    return value


def _change_thrift(cls: type[Struct]) -> Callable[[bytes, Random], bytes]:
    return lambda data, random: thrift_fields.mutate(data, cls, random)


def _change_protobuf(cls: type[Struct]) -> Callable[[bytes, Random], bytes]:
    return lambda data, random: protobuf_fields.mutate(data, cls, random)


def _parquet_chunks() -> Iterator[tuple[Any, ColumnChunk]]:
    for file in cut_parquet.opened():
        for group in file.metadata.row_groups:
            for chunk in group.columns:
                yield file.data, chunk


def page_headers() -> list[bytes]:
    """Return the headers of all pages of the checked-in files."""
    return inputs.some(
        cut.raw[page.offset - cut.start : page.body_offset - cut.start]
        for cut in cut_parquet.chunks()
        for page in cut_parquet.pages(cut)
    )


def _indexes(name: str) -> list[bytes]:
    """Return the column indexes or offset indexes of chunks."""
    return inputs.some(
        bytes(data[start:][:length])
        for data, chunk in _parquet_chunks()
        if (start := getattr(chunk, f"{name}_offset")) and (length := getattr(chunk, f"{name}_length"))
    )


def _bloom_headers() -> list[bytes]:
    """Return headers, each with a part of its bitset."""
    return inputs.some(
        bytes(data[chunk.meta_data.bloom_filter_offset :][:_BITSET])
        for data, chunk in _parquet_chunks()
        if chunk.meta_data is not None and chunk.meta_data.bloom_filter_offset
    )


def parquet_footers() -> list[bytes]:
    """Return the footers of the checked-in Parquet files."""
    return inputs.some(bytes(file.data[file.footer_start : -8]) for file in cut_parquet.opened())


def orc_footers() -> list[bytes]:
    """Return the footers of the checked-in ORC files, decompressed."""
    return inputs.some(bytes(file.tail.footer_stream.data) for file in cut_orc.opened())


def stripe_footers() -> list[bytes]:
    """Return the stripe footers of the checked-in files, decompressed."""
    return inputs.some(bytes(stripe.footer_stream.data) for _, stripe in cut_orc.stripes())


def _postscripts() -> list[bytes]:
    return inputs.some(bytes(file.data[file.tail.postscript_start : -1]) for file in cut_orc.opened())


def _streams(kinds: Sequence[StreamKind]) -> list[bytes]:
    return inputs.some(stream.data for stream in cut_orc.streams() if stream.kind in kinds)


for _name, _summary, _struct, _seeds in (
    ("parquet_page_header", "Header of a page.", PageHeader, page_headers),
    (
        "parquet_column_index",
        "Column index of a chunk (PageIndex.md).",
        ColumnIndex,
        partial(_indexes, "column_index"),
    ),
    (
        "parquet_offset_index",
        "Offset index of a chunk (PageIndex.md).",
        OffsetIndex,
        partial(_indexes, "offset_index"),
    ),
):
    _invariant = f"{_INVARIANT.format(_struct.__name__)}."
    TABLE.target(_name, _summary, _invariant, _seeds, _change_thrift(_struct))(partial(read_thrift, _struct))

for _name, _summary, _message, _seeds in (
    ("orc_postscript", "Postscript of a file (ORCv1.md).", PostScript, _postscripts),
    ("orc_stripe_footer", "Stripe footer of a stripe (ORCv1.md).", StripeFooter, stripe_footers),
    (
        "orc_row_index",
        "Row index of a column (ORCv1.md).",
        RowIndex,
        partial(_streams, [StreamKind.ROW_INDEX]),
    ),
):
    _invariant = _PACKED.format(_message.__name__)
    _check = partial(read_protobuf, _message)
    TABLE.target(_name, _summary, _invariant, _seeds, _change_protobuf(_message))(_check)


@TABLE.target(
    "parquet_footer",
    "Footer of a Parquet file: FileMetaData, and the schema in it.",
    f"{_INVARIANT.format('FileMetaData')}; its schema is a tree, with the levels that "
    "its paths imply, or a documented error.",
    parquet_footers,
    _change_thrift(FileMetaData),
)
def check_parquet_footer(data: bytes) -> None:
    """Read the bytes as a footer, and its schema as a tree."""
    footer = read_thrift(FileMetaData, data)
    root = attempt(tree.build, footer.schema) if footer is not None else None
    if root is None:
        return
    leaves = list(root.leaves())
    holds([leaf.index for leaf in leaves] == list(range(len(leaves))), "leaves are numbered in order")
    for leaf in leaves:
        holds(leaf.repetition_level <= leaf.definition_level <= len(leaf.path), "levels fit the path")
    for node in root.children:
        shaped = attempt(shape.shape_of, node)
        below = [leaf.index for leaf in node.leaves()]
        holds(
            shaped is None or [leaf.index for leaf in shape.leaves(shaped)] == below, "a shape has all leaves"
        )


@TABLE.target(
    "parquet_bloom_header",
    "Header of a Bloom filter, and the bitset behind it (BloomFilter.md).",
    f"{_INVARIANT.format('BloomFilterHeader')}; a filter of whole blocks behind it tests any value, "
    "and admits each value that was inserted.",
    _bloom_headers,
    _change_thrift(BloomFilterHeader),
)
def check_bloom_header(data: bytes) -> None:
    """Read the bytes as a header; the rest is a bitset."""
    header = read_thrift(BloomFilterHeader, data)
    if header is None or header.span is None:
        return
    bitset = data[header.span[1] :]
    bitset = bitset[: len(bitset) // bloom.BLOCK_BYTES * bloom.BLOCK_BYTES]
    if bitset:
        holds(bloom.might_contain(bytes([255] * len(bitset)), data), "a full filter admits everything")
        holds(not bloom.might_contain(bytes(len(bitset)), data), "an empty filter admits nothing")
        bloom.might_contain(bitset, data)


@TABLE.target(
    "orc_footer",
    "Footer of a file (ORCv1.md).",
    _PACKED.format("Footer"),
    orc_footers,
    _change_protobuf(Footer),
)
def check_orc_footer(data: bytes) -> None:
    """Read the bytes as a footer, and its types as a tree, whose ids are numbered in order."""
    footer = read_protobuf(Footer, data)
    root = attempt(types.build, footer.types) if footer is not None else None
    if root is not None and footer is not None:
        nodes = list(root.walk())
        same([node.id for node in nodes], list(range(len(footer.types))), "ids")
        holds(all(node.max_id == max(each.id for each in node.walk()) for node in nodes[:64]), "largest ids")


@TABLE.target(
    "orc_bloom_filter",
    'Bloom filters of a column (ORCv1.md, "Bloom Filter Index").',
    f"{_INVARIANT.format('BloomFilterIndex')}. A filter with words tests any hash, in time that does "
    "not depend on its number of functions.",
    partial(_streams, BLOOM_KINDS),
    _change_protobuf(BloomFilterIndex),
)
def check_bloom_filter(data: bytes) -> None:
    """Read the bytes as filters, and test the first of them for a hash."""
    index = read_protobuf(BloomFilterIndex, data)
    hashed = orc_bloom.of_bytes(data)
    for each in index.bloom_filter[:_FILTERS] if index is not None else ():
        words, functions = orc_bloom.words_of(each), each.num_hash_functions or 0
        if words:
            full = [(1 << 64) - 1] * len(words)
            same(orc_bloom.might_contain(full, functions, hashed), True, "a full filter admits everything")
            orc_bloom.might_contain(words, functions, hashed)
