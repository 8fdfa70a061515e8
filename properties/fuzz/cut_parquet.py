"""The checked-in Parquet files, cut into inputs of targets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

from properties.fuzz import inputs
from properties.fuzz.bounds import limits
from properties.fuzz.claims import attempt
from reference_impl.cursor import Cursor
from reference_impl.errors import ReferenceError_
from reference_impl.parquet import chunk
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.page import PageDecoder
from reference_impl.parquet.page_walk import Page, walk
from reference_impl.parquet.schema import ColumnMetaData, Encoding, PageType
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Physical

WIDTHS = 33  # bits of levels and indices, modulo
INDICES = (Encoding.RLE_DICTIONARY, Encoding.PLAIN_DICTIONARY)
_PREFIX = 4


@dataclass(frozen=True)
class Section:
    """A decompressed part of a page: its `kind` is an encoding's number, or "level" and such a number."""

    kind: int | str
    physical: Physical
    most: int  # of levels, the maximum
    count: int
    data: bytes


class Cut(NamedTuple):
    """A column chunk as stored in its file."""

    node: Node
    meta: ColumnMetaData
    raw: bytes
    start: int


@cache
def opened() -> tuple[ParquetFile, ...]:
    """Return the files that can be opened."""
    attempts = (attempt(ParquetFile, data, limits=limits(data)) for data in inputs.files("parquet"))
    return tuple(file for file in attempts if file is not None)


@cache
def chunks() -> tuple[Cut, ...]:
    """Return the column chunks of these files."""
    return tuple(chain.from_iterable(map(_chunks, opened())))


def _chunks(file: ParquetFile) -> Iterator[Cut]:
    for group in range(len(file.metadata.row_groups)):
        for node in file.leaves:
            if meta := attempt(file.column_metadata, group, node.index):
                start, stop = attempt(chunk.extent, meta, file.footer_start) or (0, 0)
                yield Cut(node, meta, bytes(file.data[start:stop]), start)


def pages(cut: Cut) -> Iterator[Page]:
    """Yield the pages of a chunk, up to the first that cannot be read."""
    try:
        yield from walk(cut.raw, cut.start, verify_crc=False)
    except ReferenceError_:
        return


@cache
def sections() -> tuple[Section, ...]:
    """Return the levels and values of all pages that can be read."""
    cut_sections: list[Section] = []
    for cut in chunks():
        decoder = attempt(_Cutter, cut.node, cut.meta.codec, limits(cut.raw))
        if decoder is not None:
            for page in pages(cut):
                is_dictionary = page.header.type == PageType.DICTIONARY_PAGE
                attempt(decoder.load_dictionary if is_dictionary else decoder.entries, page)
            cut_sections += decoder.found
    return tuple(cut_sections)


def values(*encodings: int) -> list[Section]:
    """Return the values in one of these encodings."""
    return [section for section in sections() if section.kind in encodings]


def inputs_of(*encodings: Encoding, choice: int = 0) -> Callable[[], list[bytes]]:
    """Return a function that returns the inputs of all values in these encodings."""
    return lambda: inputs.some(
        inputs.put(section.physical, section.count, choice, section.data) for section in values(*encodings)
    )


def bit_packed_levels() -> list[bytes]:
    """Return the inputs of all levels in BIT_PACKED."""
    kind = f"level {int(Encoding.BIT_PACKED)}"
    return inputs.some(
        inputs.put(section.physical, section.count, section.most.bit_length(), section.data)
        for section in sections()
        if section.kind == kind
    )


def hybrids() -> list[bytes]:
    """Return the inputs of all levels, booleans and indices in runs."""
    kinds = (f"level {int(Encoding.RLE)}", Encoding.RLE, *INDICES)
    return inputs.some(_hybrid(section) for section in sections() if section.kind in kinds and section.data)


def _hybrid(section: Section) -> bytes:
    if section.kind in INDICES:
        width, body = section.data[0] % WIDTHS, section.data[1:]
    else:
        width, body = section.most.bit_length() or 1, section.data[_PREFIX:]
    return inputs.put(section.physical, section.count, width, body)


class _Cutter(PageDecoder):
    """Decodes pages, and collects the bytes of each part before they are decoded."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.found: list[Section] = []

    def _keep(self, kind: int | str, cursor: Cursor, most: int, count: int) -> None:
        self.found.append(Section(kind, self.physical, most, count, bytes(cursor.data[cursor.pos :])))

    def _levels_v1(self, cursor: Cursor, encoding: Any, most: int, count: int) -> Any:
        start = cursor.pos
        levels = super()._levels_v1(cursor, encoding, most, count)
        if levels is not None:
            data = bytes(cursor.data[start : cursor.pos])
            self.found.append(Section(f"level {int(encoding)}", self.physical, most, count, data))
        return levels

    def _values(self, cursor: Cursor, encoding: Any, count: int, definition: Any) -> Any:
        present = count if definition is None else int((definition == self.node.definition_level).sum())
        self._keep(int(encoding), cursor, 0, present)
        return super()._values(cursor, encoding, count, definition)
