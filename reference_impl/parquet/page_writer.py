"""Writing pages: the inverse of `page.py`. A page is a header and compressed sections."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reference_impl.byte_arrays import ByteArrays
from reference_impl.compression import compress
from reference_impl.errors import UsageError
from reference_impl.parquet import plan, statistics
from reference_impl.parquet.encodings import (
    alp,
    bit_packed,
    byte_stream_split,
    delta_binary_packed,
    delta_byte_array,
    delta_length_byte_array,
    dictionary,
    plain,
    rle,
)
from reference_impl.parquet.encodings.dispatch import DICTIONARY_ENCODINGS
from reference_impl.parquet.encryption import modules
from reference_impl.parquet.encryption.modules import ModuleKind
from reference_impl.parquet.encryption.sealing import sealer
from reference_impl.parquet.page_layout import runs_of
from reference_impl.parquet.page_structs import (
    DataPageHeader,
    DataPageHeaderV2,
    DictionaryPageHeader,
    PageHeader,
)
from reference_impl.parquet.schema import CompressionCodec, Empty, Encoding, PageType, Type
from reference_impl.parquet.shred import Entries, array
from reference_impl.parquet.statistics import Order
from reference_impl.parquet.statistics_structs import Statistics as StatisticsStruct
from reference_impl.parquet.tamper import DICTIONARY, INDEX_PAGE, Place, Tamper
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Physical, Values
from reference_impl.wire import thrift
from reference_impl.wire.enums import name_of
from reference_impl.wire.unknown import THRIFT, with_fields


@dataclass(frozen=True)
class Written:
    """A stored page; `uncompressed` counts header and body, `rows` the rows that begin in the page."""

    data: bytes
    header: PageHeader
    uncompressed: int
    rows: int


class PageWriter:
    """Writes the pages of a column chunk."""

    def __init__(  # noqa: PLR0917 - all that determines a chunk
        self,
        file: plan.FilePlan,
        layout: plan.Column,
        node: Node,
        order: Order,
        row_group: int,
        tamper: Tamper,
    ) -> None:
        if node.physical is None:
            raise TypeError("not a leaf column")
        self.file = file
        self.layout = layout
        self.node = node
        self.physical: Physical = node.physical
        self.order = order
        self.row_group = row_group
        self.tamper = tamper
        self.sealer = sealer(file, tamper)
        self.key = None if self.sealer is None else self.sealer.key(node.index)

    def dictionary(self, raws: Sequence[bytes], *, is_sorted: bool | None) -> Written:
        """Write the dictionary page of these values."""
        wanted = self.layout.dictionary or plan.Dictionary()
        place = self._place(DICTIONARY)
        body = self.tamper.section(place, "values", plain.encode(array(self.physical, raws), self.physical))
        header = PageHeader(
            type=PageType.DICTIONARY_PAGE,
            uncompressed_page_size=len(body),
            compressed_page_size=0,
            dictionary_page_header=DictionaryPageHeader(
                num_values=len(raws),
                encoding=_name_of_dictionary(wanted),
                is_sorted=is_sorted,
            ),
        )
        return self._sealed(place, header, self._compressed(body), crc=wanted.crc, rows=0)

    def data(self, number: int, page: plan.Page, entries: Entries, indices: Sequence[int] | None) -> Written:
        """Write data page `number`; `indices` replace the values if the encoding is that of a dictionary.

        Raises UsageError for a page that its plan cannot describe.
        """
        place = self._place(number)
        values = array(self.physical, entries.values)
        levels = [
            self._levels(place, page, "repetition", entries.repetition, self.node.repetition_level),
            self._levels(place, page, "definition", entries.definition, self.node.definition_level),
        ]
        body = self.tamper.section(place, "values", self._values(page, values, indices))
        stats = None
        if page.statistics is not None:
            nulls = len(entries) - len(entries.values)
            stats = statistics.make(page.statistics, self.node, self.order, values, nulls)
        rows = entries.repetition.count(0)
        if page.version == 1:
            header, stored = self._v1(page, len(entries), levels, body, stats)
        else:
            header, stored = self._v2(page, entries, rows, levels, body, stats)
        return self._sealed(place, header, stored, crc=page.crc, rows=rows)

    def index(self, wanted: plan.IndexPage) -> Written:
        """Write an index page; raises UsageError in an encrypted column: Encryption.md has no such module."""
        if self.key is not None:
            raise UsageError("an index page in an encrypted column")
        place = self._place(INDEX_PAGE)
        header = PageHeader(
            type=PageType.INDEX_PAGE,
            uncompressed_page_size=len(wanted.body),
            compressed_page_size=0,
            index_page_header=Empty(),
        )
        return self._sealed(place, header, self._compressed(wanted.body), crc=False, rows=0)

    def _place(self, page: int) -> Place:
        return Place(self.row_group, self.node.index, page)

    def _levels(self, place: Place, page: plan.Page, name: str, levels: list[int], most: int) -> bytes:
        if most == 0:
            return self.tamper.section(place, name, b"")
        width = most.bit_length()
        level_array = np.array(levels, np.uint16)
        if page.legacy_levels:
            if page.version != 1:
                raise UsageError("levels in BIT_PACKED exist in v1 pages only")
            return self.tamper.section(place, name, bit_packed.encode(level_array, width))
        runs = runs_of(page.levels, level_array)
        write = rle.encode_prefixed if page.version == 1 else rle.encode
        return self.tamper.section(place, name, write(level_array, width, runs=runs, padding=page.padding))

    def _values(self, page: plan.Page, values: Values, indices: Sequence[int] | None) -> bytes:
        layout = vars(page.delta)
        encoding = page.encoding
        if encoding in DICTIONARY_ENCODINGS:
            return self._indices(page, indices)
        if encoding == Encoding.PLAIN:
            return plain.encode(values, self.physical)
        if encoding == Encoding.DELTA_BYTE_ARRAY:
            return delta_byte_array.encode(values, **layout)
        if isinstance(values, ByteArrays):
            if encoding == Encoding.DELTA_LENGTH_BYTE_ARRAY:
                return delta_length_byte_array.encode(values, **layout)
        elif encoding == Encoding.RLE and self.physical.type == Type.BOOLEAN:
            bits = values.view(np.uint8)
            return rle.encode_prefixed(bits, 1, runs=runs_of(page.indices, bits), padding=page.padding)
        elif encoding == Encoding.DELTA_BINARY_PACKED and self.physical.type in (Type.INT32, Type.INT64):
            return delta_binary_packed.encode(values.astype(values.dtype), **layout)
        elif encoding == Encoding.BYTE_STREAM_SPLIT and self.physical.type != Type.BOOLEAN:
            return byte_stream_split.encode(values)
        elif encoding == Encoding.ALP and self.physical.type in (Type.FLOAT, Type.DOUBLE):
            return alp.encode(values.astype(values.dtype), **vars(page.alp))
        raise UsageError(f"{self.physical} in encoding {name_of(encoding)}")

    def _indices(self, page: plan.Page, indices: Sequence[int] | None) -> bytes:
        if indices is None or self.layout.dictionary is None:
            raise UsageError("a page of dictionary indices in a chunk without a dictionary")
        index_array = np.array(indices, np.int64)
        width = int(index_array.max()).bit_length() if len(index_array) else 0
        width += self.layout.dictionary.index_width_extra
        runs = runs_of(page.indices, index_array)
        return dictionary.encode_indices(index_array, width=width, runs=runs, padding=page.padding)

    def _compressed(self, body: bytes) -> bytes:
        layout = self.layout
        if layout.codec == CompressionCodec.UNCOMPRESSED:
            return body
        return compress(layout.codec, body, level=layout.level, parts=layout.parts, streamed=layout.streamed)

    def _encoding(self, page: plan.Page) -> Encoding:
        if page.encoding not in DICTIONARY_ENCODINGS or self.layout.dictionary is None:
            return page.encoding
        old = self.layout.dictionary.plain_dictionary
        return Encoding.PLAIN_DICTIONARY if old else Encoding.RLE_DICTIONARY

    def _v1(
        self, page: plan.Page, count: int, levels: list[bytes], body: bytes, stats: StatisticsStruct | None
    ) -> tuple[PageHeader, bytes]:
        whole = b"".join((*levels, body))
        header = DataPageHeader(
            num_values=count,
            encoding=self._encoding(page),
            definition_level_encoding=_encoding_of_levels(page, self.node.definition_level),
            repetition_level_encoding=_encoding_of_levels(page, self.node.repetition_level),
            statistics=stats,
        )
        page_header = PageHeader(
            type=PageType.DATA_PAGE,
            uncompressed_page_size=len(whole),
            compressed_page_size=0,
            data_page_header=header,
        )
        return page_header, self._compressed(whole)

    def _v2(  # noqa: PLR0917 - the parts of a page
        self,
        page: plan.Page,
        entries: Entries,
        rows: int,
        levels: list[bytes],
        body: bytes,
        stats: StatisticsStruct | None,
    ) -> tuple[PageHeader, bytes]:
        header = DataPageHeaderV2(
            num_values=len(entries),
            num_nulls=len(entries) - len(entries.values),
            num_rows=rows,
            encoding=self._encoding(page),
            definition_levels_byte_length=len(levels[1]),
            repetition_levels_byte_length=len(levels[0]),
            is_compressed=page.compressed,
            statistics=stats,
        )
        before = b"".join(levels)
        page_header = PageHeader(
            type=PageType.DATA_PAGE_V2,
            uncompressed_page_size=len(before) + len(body),
            compressed_page_size=0,
            data_page_header_v2=header,
        )
        is_bare = page.compressed is False or (page.bare_empty and not body)
        stored = body if is_bare else self._compressed(body)
        return page_header, before + stored

    def _sealed(self, place: Place, header: PageHeader, stored: bytes, *, crc: bool, rows: int) -> Written:
        stored = self.tamper.stored(place, stored)
        if self.key is not None:
            kind = ModuleKind.DICTIONARY_PAGE if place.page == DICTIONARY else ModuleKind.DATA_PAGE
            stored = self._module(kind, place, stored)
        header.compressed_page_size = len(stored)
        if crc:  # "the standard CRC32 checksum … on all binary data that is stored"; an i32 on the wire
            unsigned = zlib.crc32(stored)
            header.crc = unsigned - (unsigned >> 31 << 32)
        if self.file.unknown_fields:
            header = with_fields(header, THRIFT)
        header = self.tamper.page_header(place, header)
        head = thrift.encode(header, long_headers=self.file.long_headers)
        if self.key is not None and self.sealer is not None:
            kind = (
                ModuleKind.DICTIONARY_PAGE_HEADER if place.page == DICTIONARY else ModuleKind.DATA_PAGE_HEADER
            )
            head = self._module(kind, place, head + bytes(self.sealer.encryption.padding))
        data = self.tamper.page(place, head + stored)
        return Written(data, header, len(head) + header.uncompressed_page_size, rows)

    def _module(self, kind: ModuleKind, place: Place, plain: bytes) -> bytes:
        assert self.sealer is not None
        assert self.key is not None
        where = modules.Place(place.row_group, place.leaf, max(place.page, 0))
        return self.sealer.module(kind, where, plain, self.key)


def _name_of_dictionary(wanted: plan.Dictionary) -> Encoding:
    old = wanted.plain_dictionary_page
    old = wanted.plain_dictionary if old is None else old
    return Encoding.PLAIN_DICTIONARY if old else Encoding.PLAIN


def _encoding_of_levels(page: plan.Page, most: int) -> Encoding:
    is_old = page.legacy_levels or (page.bit_packed_absent and not most)
    return Encoding.BIT_PACKED if is_old else Encoding.RLE
