"""The parts of a file. They are mutable, and `copy` answers an anatomy that can be edited on its own.

`at` is where a part began in the file that was taken apart: parts are laid out in that order again, and those
of one `at` in the order of the footer.

`lies` says by how much a number differs from the truth, by the name of its field: numbers that follow from
the parts (sizes, offsets) are computed, and the lie is added. A field that is absent stays absent.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from reference_impl.parquet.schema import (
    BloomFilterHeader,
    ColumnChunk,
    ColumnIndex,
    FileMetaData,
    OffsetIndex,
    PageHeader,
    PageType,
    RowGroup,
)
from reference_impl.wire import thrift

if TYPE_CHECKING:
    from reference_impl.wire.table import Struct

Lies = dict[str, int]
S = TypeVar("S", bound="Struct")
MAGIC = b"PAR1"


def changed(struct: S, **fields: Any) -> S:
    """Return a struct with other fields, named where their types are not known."""
    return replace(struct, **fields)


@dataclass(slots=True)
class PagePart:
    """A page: header, and the bytes stored behind it.

    `raw` is the header as it stood in the file, and is written as it is; who changes the page sets it to None
    (`edited` does), and then `compressed_page_size` and a `crc` that is there follow from `stored`.
    """

    header: PageHeader
    stored: bytes
    raw: bytes | None = None
    lies: Lies = field(default_factory=dict)

    @property
    def is_data(self) -> bool:
        """Return whether the page holds data, as opposed to a dictionary, an index, or what no one knows."""
        return self.header.type in (PageType.DATA_PAGE, PageType.DATA_PAGE_V2)

    def edited(self, stored: bytes | None = None, **fields: Any) -> PagePart:
        """Return the page with other bytes, or other fields of its header; an override of it is given up."""
        kept = self.stored if stored is None else stored
        return PagePart(replace(self.header, **fields), kept, lies=dict(self.lies))


@dataclass(slots=True)
class Beside:
    """What stands beside the data: a column index, an offset index, or a Bloom filter.

    `struct` is its header or the whole of it, None if it could not be read; `data` is what stands behind it
    (a bitset). `raw` is written instead of the struct, if it is set: who changes the struct sets it to None.
    """

    at: int
    struct: ColumnIndex | OffsetIndex | BloomFilterHeader | None
    data: bytes = b""
    raw: bytes | None = None
    lies: Lies = field(default_factory=dict)


@dataclass(slots=True)
class Chunk:
    """A column chunk: what the footer says about it, its pages, and what stands beside them.

    `at` None: it has no bytes of its own here (in another file, outside of this one, on top of other parts),
    and its metadata is written as it is. `rest` is what stands behind the last page that could be read.
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
        """Return what stands beside the pages."""
        return [part for part in (self.column_index, self.offset_index, self.bloom) if part is not None]


@dataclass(slots=True)
class Group:
    """A row group; of `group`, the columns are those of `chunks`."""

    group: RowGroup
    chunks: list[Chunk]
    lies: Lies = field(default_factory=dict)


@dataclass(slots=True)
class Stretch:
    """Bytes that belong to nothing that the footer speaks of."""

    at: int
    data: bytes


@dataclass(slots=True)
class Anatomy:
    """A file; of `metadata`, the row groups are those of `groups`.

    `trailer` stands behind the footer and is counted by its length (the signature of an encrypted file);
    `footer` is written instead of the metadata and trailer, if it is set. `long_headers`: the long form of
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
        """Write a struct as this file writes them."""
        return thrift.encode(struct, long_headers=self.long_headers)

    def chunks(self) -> list[Chunk]:
        """Return all chunks, in the order of the footer."""
        return [chunk for group in self.groups for chunk in group.chunks]

    def copy(self) -> Anatomy:
        """Return an anatomy whose parts are its own (bytes and structs, which edits replace, are shared)."""
        return replace(
            self,
            groups=[
                Group(group.group, [_copy_chunk(chunk) for chunk in group.chunks], dict(group.lies))
                for group in self.groups
            ],
            stretches=[replace(one) for one in self.stretches],
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
