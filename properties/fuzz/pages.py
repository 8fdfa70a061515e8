"""Targets of pages: behind a few bytes that describe their column, pages of either version.

    | type: 3 bits, byte length - 1: 5 bits | codec | definition level | repetition level | pages |

The levels are the maximum levels, modulo 8 and 4. The first page may be a dictionary page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from random import Random

import numpy as np

from properties.fuzz import cut_parquet, inputs
from properties.fuzz.bounds import limits
from properties.fuzz.claims import attempt, same
from properties.fuzz.targets import Table
from properties.strategies.mutations import thrift as fields
from reference_impl.parquet.encodings import plain, rle
from reference_impl.parquet.page import Entries, PageDecoder
from reference_impl.parquet.page_structs import DataPageHeader, DataPageHeaderV2, PageHeader
from reference_impl.parquet.page_walk import Page, walk
from reference_impl.parquet.schema import CompressionCodec, Encoding, PageType, SchemaElement
from reference_impl.parquet.tree import OPTIONAL, Node
from reference_impl.wire import thrift

TABLE = Table()
_HEAD = 4


def seeds(wanted: PageType) -> list[bytes]:
    """Return the dictionary and the first data page of chunks with data pages of a type."""
    return inputs.some(seed for cut in cut_parquet.chunks() if (seed := _seed(cut, wanted)))


def _seed(cut: cut_parquet.Cut, wanted: PageType) -> bytes:
    node, size = cut.node, 0
    for page in cut_parquet.pages(cut):
        size = page.body_offset - cut.start + len(page.body)
        if page.header.type == wanted:
            break
    else:
        return b""
    assert node.physical is not None
    head = [node.physical.type | (max(node.physical.length, 1) - 1 & 31) << 3, int(cut.meta.codec) & 0xFF]
    return bytes([*head, node.definition_level & 7, node.repetition_level & 3]) + cut.raw[:size]


def mutate(data: bytes, random: Random) -> bytes:
    """Change the header of the first page."""
    return data[:_HEAD] + fields.mutate(data[_HEAD:], PageHeader, random)


def check(data: bytes, wanted: PageType) -> None:
    """Read pages, and write each data page of the type as PLAIN pages of both versions, to be read again."""
    given = inputs.given(data[:1])
    codec, definition, repetition = data[1:_HEAD].ljust(3, b"\0")
    element = SchemaElement(name="c", type=given.physical.type)
    repetition = min(repetition % 4, definition % 8)
    node = Node(element, ("c",), OPTIONAL, definition % 8, repetition, physical=given.physical, index=0)
    known = next((each for each in CompressionCodec if each == codec), codec)
    decoder = attempt(PageDecoder, node, known, limits(data))
    if decoder is None:
        return
    for page in _walked(data[_HEAD:]):
        if page.header.type == PageType.DICTIONARY_PAGE:
            attempt(decoder.load_dictionary, page)
        elif page.header.type == wanted and (entries := attempt(decoder.entries, page)) is not None:
            _hold(node, entries)


def _walked(data: bytes) -> Iterator[Page]:
    pages = walk(data, 0, verify_crc=False)
    while (page := attempt(next, pages, None)) is not None:
        yield page


def _hold(node: Node, entries: Entries) -> None:
    for levels in (entries.definition, entries.repetition):
        same(entries.count, entries.count if levels is None else len(levels), "a level for each entry")
    starts = entries.repetition is None or not entries.count or entries.repetition[0] == 0
    for version in (1, 2) if starts else (1,):
        again = PageDecoder(node, CompressionCodec.UNCOMPRESSED, _ALL).entries(
            _written(node, entries, version)
        )
        same(again, entries, f"read, written as version {version}, and read")


_ALL = replace(limits(b""), values=1 << 31, page_bytes=1 << 31)


def _written(node: Node, entries: Entries, version: int) -> Page:
    assert node.physical is not None
    pairs = ((entries.repetition, node.repetition_level), (entries.definition, node.definition_level))
    encode = rle.encode_prefixed if version == 1 else rle.encode
    levels = [b"" if each is None else encode(each, most.bit_length()) for each, most in pairs]
    values = plain.encode(entries.values, node.physical)
    body = b"".join((*levels, values))
    begun = entries.count if entries.repetition is None else int(np.count_nonzero(entries.repetition == 0))
    header = PageHeader(
        type=PageType.DATA_PAGE if version == 1 else PageType.DATA_PAGE_V2,
        uncompressed_page_size=len(body),
        compressed_page_size=len(body),
    )
    if version == 1:
        header.data_page_header = DataPageHeader(
            num_values=entries.count,
            encoding=Encoding.PLAIN,
            definition_level_encoding=Encoding.RLE,
            repetition_level_encoding=Encoding.RLE,
        )
    else:
        header.data_page_header_v2 = DataPageHeaderV2(
            num_values=entries.count,
            num_nulls=entries.count - len(entries.values),
            num_rows=begun,
            encoding=Encoding.PLAIN,
            repetition_levels_byte_length=len(levels[0]),
            definition_levels_byte_length=len(levels[1]),
            is_compressed=False,
        )
    (page,) = walk(thrift.encode(header) + body, 0)
    return page


for _version, _wanted in ((1, PageType.DATA_PAGE), (2, PageType.DATA_PAGE_V2)):
    TABLE.target(
        f"parquet_page_v{_version}",
        f'Data page of version {_version} (README.md, "Data Pages"): any type, codec, encoding and level.',
        f"Any bytes are read as pages, or raise a documented error. A data page of version {_version} "
        "that was read survives writing as PLAIN pages of both versions and reading.",
        partial(seeds, _wanted),
        mutate,
    )(partial(check, wanted=_wanted))
