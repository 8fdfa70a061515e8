"""Layouts: all physical choices of a plan that are legal for the column.

In each file most choices have their default, so that the choice that breaks a reader can be identified; the
choices that have not differ from file to file. `plain` is the layout of defaults, for comparison.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from properties.strategies import values
from properties.strategies.chances import all_but_one_in, choice, one_in
from reference_impl.compression import has_lzo
from reference_impl.parquet.encodings.dispatch import DELTA_ENCODINGS
from reference_impl.parquet.plan import (
    Bloom,
    Column,
    Delta,
    Dictionary,
    Index,
    IndexPage,
    Page,
    Runs,
    Sides,
    Statistics,
    Truth,
    Zeros,
)
from reference_impl.parquet.schema import CompressionCodec, Encoding, Type
from reference_impl.parquet.tree import Node

ENTRIES = (1, 2, 3, 5, 7, 8, 9, 10, 16, 20, 31, 32, 33, 50, 64, 100, 128, 129, 1024)
GEOSPATIAL = ("GEOMETRY", "GEOGRAPHY")
WITHOUT_ORDER = ("INTERVAL", "VARIANT", *GEOSPATIAL, "UNKNOWN")
_FLOATS = (Type.FLOAT, Type.DOUBLE)
# Encodings.md, "Supported Encodings".
_ENCODINGS: dict[Type, tuple[Encoding, ...]] = {
    Type.BOOLEAN: (Encoding.RLE,),
    Type.INT32: (Encoding.DELTA_BINARY_PACKED, Encoding.BYTE_STREAM_SPLIT),
    Type.INT64: (Encoding.DELTA_BINARY_PACKED, Encoding.BYTE_STREAM_SPLIT),
    Type.INT96: (),
    Type.FLOAT: (Encoding.BYTE_STREAM_SPLIT,),
    Type.DOUBLE: (Encoding.BYTE_STREAM_SPLIT,),
    Type.BYTE_ARRAY: (Encoding.DELTA_LENGTH_BYTE_ARRAY, Encoding.DELTA_BYTE_ARRAY),
    Type.FIXED_LEN_BYTE_ARRAY: (Encoding.DELTA_BYTE_ARRAY, Encoding.BYTE_STREAM_SPLIT),
}
_C = CompressionCodec
_CODECS = [_C.UNCOMPRESSED] * 5 + [_C.SNAPPY] * 4 + [_C.ZSTD] * 3
_CODECS += [_C.GZIP, _C.GZIP, _C.LZ4_RAW, _C.LZ4_RAW, _C.BROTLI, _C.LZ4]
# Of deltas: values of a block, and miniblocks in it.
_BLOCKS = ((128, 4), (128, 1), (128, 2), (256, 8), (256, 1), (1024, 32), (2048, 8), (4096, 8))
_NEW = 30  # one page in so many of those that can is in an encoding whose refusal hides the rest of a file
_LZO = 300  # one chunk in so many has a codec whose refusal hides the rest of a file
_EMPTY = 16  # one chunk in so many has pages without values in front of others
_ALL_BITS = (1 << 32) - 1
_TRUNCATE = (0, 0, 64, 16, 1, 2, 5, 63)


def plain() -> Column:
    """Return the layout of defaults: one PLAIN page, without statistics, indexes or Bloom filters."""
    return Column()


@st.composite
def columns(draw: st.DrawFn, node: Node) -> Column:
    """Return a layout for a leaf column; `writers.fitted` adapts the layout to a file."""
    if not all_but_one_in(draw, 8):
        return plain()
    dictionary = _dictionaries(draw, node) if one_in(draw, 3) else None
    pages = _pages(draw, node, dictionary)
    if dictionary and any(page.version == 2 for page in pages):
        # PLAIN_DICTIONARY was deprecated before v2 pages came.
        dictionary = replace(dictionary, plain_dictionary=False, plain_dictionary_page=None)
    codec = _C.LZO if has_lzo() and one_in(draw, _LZO) else choice(draw, _CODECS)
    column = Column(pages, codec, dictionary=dictionary)
    if codec in (_C.GZIP, _C.ZSTD, _C.LZ4) and one_in(draw, 6):
        column = replace(column, parts=2)
    if codec == _C.ZSTD and one_in(draw, 4):
        column = replace(column, streamed=True)
    if codec in (_C.GZIP, _C.ZSTD, _C.BROTLI) and one_in(draw, 6):
        column = replace(column, level=choice(draw, [1, 9]))
    if all_but_one_in(draw, 4):
        column = replace(column, statistics=statistics_of(draw, node))
    # parquet.thrift, OffsetIndex: each page begins with a row of its own, which one without values has not.
    if all_but_one_in(draw, 3) and not any(page.entries == 0 for page in pages):
        column = replace(column, index=_indexes(draw, node))
    if node.physical and node.physical.type != Type.BOOLEAN and one_in(draw, 5):
        bloom = Bloom(choice(draw, [1, 2, 3, 4, 32]), draw(st.booleans()))
        column = replace(column, bloom=bloom)
    if node.logical and node.logical.name in GEOSPATIAL and draw(st.booleans()):
        column = replace(column, geospatial_statistics=True)
    return _rare(draw, column)


def _rare(draw: st.DrawFn, column: Column) -> Column:
    """Return a layout with parts that a reader should ignore."""
    if one_in(draw, 4):
        column = replace(column, size_statistics=True)
    if one_in(draw, 4):
        column = replace(column, encoding_stats=True)
    if one_in(draw, 12):
        column = replace(column, gap=choice(draw, [1, 4, 17]))
    if one_in(draw, 16):
        column = replace(column, key_value_metadata=(("k", "v"), ("é", None)))
    if one_in(draw, 16):
        column = replace(column, no_empty_page=True)
    elif one_in(draw, 60):
        column = replace(
            column, index_page=IndexPage(choice(draw, [1, 2, 9]), choice(draw, [b"page", b"\0" * 40]))
        )
    return column


def encodings(node: Node) -> tuple[Encoding, ...]:
    """Return the encodings that are legal for a column, without those of dictionaries."""
    assert node.physical is not None
    return (Encoding.PLAIN, *_ENCODINGS[node.physical.type])


def _pages(draw: st.DrawFn, node: Node, dictionary: Dictionary | None) -> tuple[Page, ...]:
    """Return the pages of a chunk: one form for all, or a few that differ."""
    choices = encodings(node)
    version = choice(draw, [1, 1, 2])
    first = _one_page(draw, node, choices, version)
    pages = [first]
    if one_in(draw, 3):
        pages.append(_one_page(draw, node, choices, version))
        if one_in(draw, 3):
            pages.append(_one_page(draw, node, choices, choice(draw, [1, version])))
    if dictionary is not None:
        # All pages use the dictionary, or the first page does and the others "fall back" to another encoding,
        # or any of them, perhaps none: each page has an encoding of its own.
        way = choice(draw, [*["all"] * 3, *["first"] * 2, "any"])
        uses = [
            way == "all" or (draw(st.booleans()) if way == "any" else at == 0) for at in range(len(pages))
        ]
        pages = [
            replace(page, encoding=Encoding.RLE_DICTIONARY) if is_used else page
            for page, is_used in zip(pages, uses, strict=True)
        ]
    if one_in(draw, 5):
        statistics = statistics_of(draw, node)
        pages = [replace(page, statistics=statistics) for page in pages]
    return _with_empty(draw, tuple(pages)) if one_in(draw, _EMPTY) else tuple(pages)


def _with_empty(draw: st.DrawFn, pages: tuple[Page, ...]) -> tuple[Page, ...]:
    """Return pages with one or two empty pages before one of them; the last page holds all further values."""
    pages = (*pages, pages[-1])
    at = draw(st.integers(0, len(pages) - 1))
    empty = replace(pages[at], entries=0)
    return (*pages[:at], *[empty] * choice(draw, (1, 1, 2)), *pages[at:])


def _one_page(draw: st.DrawFn, node: Node, choices: tuple[Encoding, ...], version: int) -> Page:
    entries = choice(draw, (None, None, *ENTRIES))
    encoding = choice(draw, (Encoding.PLAIN, *choices))
    if node.physical is not None and node.physical.type in _FLOATS and one_in(draw, _NEW):
        encoding = Encoding.ALP
    page = Page(entries, encoding, version)
    if encoding in DELTA_ENCODINGS and draw(st.booleans()):
        page = replace(page, delta=deltas(draw))
    if node.definition_level and one_in(draw, 3):
        page = replace(page, levels=choice(draw, tuple(Runs)))
    if node.definition_level and version == 1 and one_in(draw, 250):
        page = replace(page, legacy_levels=True)
    if one_in(draw, 3):
        page = replace(page, indices=choice(draw, tuple(Runs)))
    if version == 1 and one_in(draw, 4):
        page = replace(page, bit_packed_absent=True)
    if one_in(draw, 4):
        page = replace(page, padding=choice(draw, [1, _ALL_BITS]))
    if version == 2 and draw(st.booleans()):
        page = replace(page, compressed=draw(st.booleans()))
    return replace(page, crc=True) if one_in(draw, 4) else page


def deltas(draw: st.DrawFn) -> Delta:
    """Return a layout of blocks: a block has a multiple of 128 values, a miniblock a multiple of 32."""
    block, miniblocks = choice(draw, _BLOCKS)
    return Delta(
        block,
        miniblocks,
        padding=choice(draw, [0, 0, 0, 1, (1 << 64) - 1]),
        unneeded_width=choice(draw, [0, 0, 0, 7, 255]),
        extra_bits=choice(draw, [0, 0, 0, 1, 5]),
    )


def _dictionaries(draw: st.DrawFn, node: Node) -> Dictionary:
    unused: tuple[Any, ...] = ()
    if one_in(draw, 4) and values.domain(node).edges[0] is not None:
        unused = tuple(draw(st.lists(values.edges(node), min_size=1, max_size=3)))
    return Dictionary(
        unused,
        duplicates=one_in(draw, 10),
        sorted_flag=choice(draw, [None, None, False, True]),
        plain_dictionary=one_in(draw, 4),
        plain_dictionary_page=draw(st.booleans()) if one_in(draw, 8) else None,
        offset=not one_in(draw, 10),
        index_width_extra=choice(draw, [0, 0, 0, 0, 0, 0, 1, 8]),
        crc=one_in(draw, 4),
    )


def is_float(node: Node) -> bool:
    """Return whether a column holds floats of any width."""
    assert node.physical is not None
    return node.physical.type in _FLOATS or (node.logical is not None and node.logical.name == "FLOAT16")


def _has_order(node: Node) -> bool:
    return node.logical is None or node.logical.name not in WITHOUT_ORDER


def statistics_of(draw: st.DrawFn, node: Node) -> Statistics:
    """Return a form of statistics; a column without an order has counts only."""
    assert node.physical is not None
    statistics = Statistics(null_count=not one_in(draw, 6), distinct_count=one_in(draw, 8))
    forms = [(True, False)] * 5 + [(True, True), (False, True), (False, False)]
    modern, deprecated = choice(draw, forms)
    if not _has_order(node):
        modern = deprecated = False
    statistics = replace(statistics, modern=modern, deprecated=deprecated)
    if is_float(node):
        zeros = Zeros.INWARD if one_in(draw, 4) else Zeros.OUTWARD
        statistics = replace(statistics, nan_count=all_but_one_in(draw, 3), zeros=zeros)
    if modern:
        exact, widen = choice(draw, tuple(Truth)), choice(draw, [0, 0, 0, 0, 1, 3])
        sides = choice(draw, tuple(Sides)) if one_in(draw, 6) else Sides.BOTH
        statistics = replace(statistics, exact=exact, widen=widen, sides=sides)
        # Of a FIXED_LEN_BYTE_ARRAY a bound is a value, which has its length (parquet.thrift, Statistics).
        if node.physical.type == Type.BYTE_ARRAY:
            statistics = replace(statistics, truncate=choice(draw, _TRUNCATE))
    return statistics


def _indexes(draw: st.DrawFn, node: Node) -> Index:
    statistics = statistics_of(draw, node)
    statistics = replace(statistics, modern=True, deprecated=False, distinct_count=False, exact=Truth.ABSENT)
    statistics = replace(statistics, sides=Sides.BOTH)  # PageIndex.md: min_values and max_values are required
    return Index(
        column=_has_order(node) and not one_in(draw, 5),
        statistics=statistics,
        ordered=not one_in(draw, 4),
        histograms=one_in(draw, 3),
        sizes=one_in(draw, 3),
    )
