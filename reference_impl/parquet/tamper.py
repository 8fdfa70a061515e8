"""Hooks that change a file while it is written, to break a rule on purpose."""

# ruff: noqa: ARG002 - the arguments are for those who override a hook
from __future__ import annotations

from typing import NamedTuple

from reference_impl.parquet.encryption import modules
from reference_impl.parquet.encryption.modules import ModuleKind
from reference_impl.parquet.page_structs import (
    BloomFilterHeader,
    ColumnIndex,
    FileCryptoMetaData,
    OffsetIndex,
    PageHeader,
)
from reference_impl.parquet.schema import ColumnChunk, FileMetaData, RowGroup

DICTIONARY = -1
INDEX_PAGE = -2


class Place(NamedTuple):
    """The place of a page: row group, leaf column, and number among the data pages of the chunk.

    Page -1 is the dictionary, -2 the index page.
    """

    row_group: int
    leaf: int
    page: int = 0


class Tamper:
    """Changes nothing; a fault overrides the hooks that it needs. Hooks are called in this order."""

    def section(self, place: Place, name: str, data: bytes) -> bytes:
        """Change `repetition`, `definition` or `values` of a page before compression.

        Levels of v1 have their size in front. Sizes in headers are computed from the result.
        """
        return data

    def stored(self, place: Place, data: bytes) -> bytes:
        """Change the bytes behind the header; `compressed_page_size` and a CRC follow."""
        return data

    def page_header(self, place: Place, header: PageHeader) -> PageHeader:
        """Change the header of a page."""
        return header

    def page(self, place: Place, data: bytes) -> bytes:
        """Change a whole page, header included; the sizes of its chunk follow."""
        return data

    def chunk(self, place: Place, chunk: ColumnChunk) -> ColumnChunk:
        """Change the metadata of a chunk before its indexes and Bloom filter are placed."""
        return chunk

    def nonce(self, kind: ModuleKind, place: modules.Place, nonce: bytes) -> bytes:
        """Change the nonce of an encrypted module, or of the signature of a footer."""
        return nonce

    def aad(self, kind: ModuleKind, place: modules.Place, aad: bytes) -> bytes:
        """Change the AAD of an encrypted module."""
        return aad

    def module(self, kind: ModuleKind, place: modules.Place, data: bytes) -> bytes:
        """Change an encrypted module, including its length, or a signature (kind FOOTER)."""
        return data

    def file_crypto(self, crypto: FileCryptoMetaData) -> FileCryptoMetaData:
        """Change the FileCryptoMetaData before an encrypted footer."""
        return crypto

    def bloom(
        self, place: Place, header: BloomFilterHeader, bitset: bytes
    ) -> tuple[BloomFilterHeader, bytes]:
        """Change a Bloom filter."""
        return header, bitset

    def column_index(self, place: Place, index: ColumnIndex) -> ColumnIndex | None:
        """Change a column index, or leave it out."""
        return index

    def offset_index(self, place: Place, index: OffsetIndex) -> OffsetIndex | None:
        """Change an offset index, or leave it out."""
        return index

    def row_group(self, number: int, group: RowGroup) -> RowGroup:
        """Change a row group and its chunks, when all places are known."""
        return group

    def footer(self, metadata: FileMetaData) -> FileMetaData:
        """Change the footer."""
        return metadata

    def footer_bytes(self, data: bytes) -> bytes:
        """Change the footer as it is stored; its length follows."""
        return data

    def whole(self, data: bytes) -> bytes:
        """Change the file."""
        return data


NOTHING = Tamper()
