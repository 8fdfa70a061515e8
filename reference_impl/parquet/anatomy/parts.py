"""The parts of a file. They are mutable, and `copy` returns an anatomy that can be edited on its own.

`at` is the offset of a part in the original file: parts are written in that order again, and parts
of one offset in the order of the footer.

`lies` has by how much a number is wrong, by the name of its field: numbers that follow from the parts (sizes,
offsets) are computed, and this error is added. A field that is absent stays absent.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from reference_impl.parquet.file import MAGIC
from reference_impl.parquet.page_structs import BloomFilterHeader, ColumnIndex, OffsetIndex, PageHeader
from reference_impl.parquet.schema import ColumnChunk, FileMetaData, PageType, RowGroup
from reference_impl.wire import thrift
from reference_impl.wire.table import Struct

Lies = dict[str, int]
S = TypeVar("S", bound="Struct")


def changed(struct: S, **fields: Any) -> S:
    """Return a struct with other fields, by names that the type checker does not know."""
    return replace(struct, **fields)


@dataclass(slots=True)
class PagePart:
    """A page: its header, and the stored bytes behind it.

    `raw` has the bytes of the header in the file, which are written again; changes of the page set it to None
    (`edited` does), and then `compressed_page_size` and an existing `crc` follow from `stored`.
    """

    header: PageHeader
    stored: bytes
    raw: bytes | None = None
    lies: Lies = field(default_factory=dict)

    @property
    def is_data(self) -> bool:
        """Whether the page is a data page, not a dictionary, index or unknown page."""
        return self.header.type in (PageType.DATA_PAGE, PageType.DATA_PAGE_V2)

    def edited(self, stored: bytes | None = None, **fields: Any) -> PagePart:
        """Return the page with other bytes, or other fields of its header, which is then written anew."""
        body = self.stored if stored is None else stored
        return PagePart(replace(self.header, **fields), body, lies=dict(self.lies))


@dataclass(slots=True)
class Beside:
    """A part beside the data: a column index, an offset index, or a Bloom filter.

    `struct` is its header or the whole part, None if it could not be read; `data` are the bytes behind
    (a bitset). `raw`, if set, is written instead of the struct: changes of the struct set it to None.
    """

    at: int
    struct: ColumnIndex | OffsetIndex | BloomFilterHeader | None
    data: bytes = b""
    raw: bytes | None = None
    lies: Lies = field(default_factory=dict)


@dataclass(slots=True)
class Chunk:
    """A column chunk: its entry in the footer, its pages, indexes and Bloom filter.

    `at` None: it has no bytes of its own here (it is in another file, outside of this file, or overlaps other
    parts), and its metadata is written unchanged. `rest` are the bytes behind the last readable page.
    `behind`: `file_offset` points behind the chunk, where old writers put a copy of its metadata.
    """

    chunk: ColumnChunk
    at: int | None = None
    pages: list[PagePart] = field(default_factory=list)
    rest: bytes = b""
    column_index: Beside | None = None
    offset_index: Beside | None = None
    bloom: Beside | None = None
    behind: bool = False
    lies: Lies = field(default_factory=dict)

    def beside(self) -> list[Beside]:
        """Return the indexes and the Bloom filter that the chunk has."""
        return [part for part in (self.column_index, self.offset_index, self.bloom) if part is not None]


@dataclass(slots=True)
class Group:
    """A row group; the columns of `group` are replaced by those of `chunks`."""

    group: RowGroup
    chunks: list[Chunk]
    lies: Lies = field(default_factory=dict)


@dataclass(slots=True)
class Stretch:
    """Bytes that belong to no part of the footer."""

    at: int
    data: bytes


@dataclass(slots=True)
class Anatomy:
    """A file; the row groups of `metadata` are replaced by those of `groups`.

    `trailer` is behind the footer and counted in its length (the signature of an encrypted file);
    `footer`, if set, is written instead of metadata and trailer. `long_headers`: the long form of
    Thrift's field headers. Lies: `footer_length`.
    """

    metadata: FileMetaData
    groups: list[Group]
    stretches: list[Stretch] = field(default_factory=list)
    trailer: bytes = b""
    footer: bytes | None = None
    head: bytes = MAGIC
    tail: bytes = MAGIC
    long_headers: bool = False
    lies: Lies = field(default_factory=dict)

    def encoded(self, struct: Struct) -> bytes:
        """Return a struct as bytes, with the header form of this file."""
        return thrift.encode(struct, long_headers=self.long_headers)

    def chunks(self) -> list[Chunk]:
        """Return all chunks, in the order of the footer."""
        return [chunk for group in self.groups for chunk in group.chunks]

    def copy(self) -> Anatomy:
        """Return an anatomy with copies of all parts (bytes and structs, which edits replace, are shared)."""
        return replace(
            self,
            groups=[
                Group(group.group, [_copy_chunk(chunk) for chunk in group.chunks], dict(group.lies))
                for group in self.groups
            ],
            stretches=[replace(stretch) for stretch in self.stretches],
            lies=dict(self.lies),
        )


def _copy_chunk(chunk: Chunk) -> Chunk:
    return replace(
        chunk,
        pages=[replace(page, lies=dict(page.lies)) for page in chunk.pages],
        column_index=_copy_beside(chunk.column_index),
        offset_index=_copy_beside(chunk.offset_index),
        bloom=_copy_beside(chunk.bloom),
        lies=dict(chunk.lies),
    )


def _copy_beside(part: Beside | None) -> Beside | None:
    return None if part is None else replace(part, lies=dict(part.lies))
