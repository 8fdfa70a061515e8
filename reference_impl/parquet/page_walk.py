"""Stored pages: walking over the pages of a column chunk, and their checksums.

README.md of parquet-format, "Data Pages" and "Checksumming".
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from reference_impl.errors import Malformed, raise_first
from reference_impl.notes import STRICT, Notes
from reference_impl.parquet.encryption.modules import HEAD, ModuleKind
from reference_impl.parquet.encryption.opening import ChunkCipher
from reference_impl.parquet.page_structs import PageHeader
from reference_impl.parquet.schema import PageType
from reference_impl.wire import thrift


@dataclass(frozen=True)
class Page:
    """A stored page: header, absolute offsets of header and body, the compressed body.

    In an encrypted page, `body` is the plaintext of its module, and `sealed` the module in the file.
    """

    header: PageHeader
    offset: int
    body_offset: int
    body: memoryview
    sealed: memoryview | None = None

    @property
    def stored(self) -> memoryview:
        """The bytes behind the header, which sizes and checksums refer to."""
        return self.body if self.sealed is None else self.sealed

    @property
    def values(self) -> int:
        """The number of entries that the header of a data page states; 0 of another page."""
        header = self.header.data_page_header or self.header.data_page_header_v2
        return 0 if header is None else header.num_values

    @property
    def body_base(self) -> int:
        """The offset of `body`."""
        return self.body_offset if self.sealed is None else self.body_offset + HEAD


def walk(
    chunk: bytes,
    base: int,
    cipher: ChunkCipher | None = None,
    first: int = 0,
    notes: Notes = STRICT,
    *,
    verify_crc: bool = True,
) -> Iterator[Page]:
    """Yield the pages of a column chunk at absolute offset `base`; the chunk ends with a page.

    `cipher` opens encrypted pages; `first` is then the ordinal of the first data page, if `chunk` begins
    with a later page of the chunk. Raises Malformed (PQ-THRIFT-*, PQ-PAGE-001 to -004) if a page
    does not fit the chunk (PQ-PAGE-002 is a breach), and for encrypted pages PQ-CRYPT-*.
    """
    pos, number, ordinal = 0, 0, first
    while pos < len(chunk):
        with notes.located(f"page[{number}]"):
            header, body = _header(chunk, base, pos, cipher, ordinal)
            stored = header.compressed_page_size
            if not 0 <= stored <= len(chunk) - body:
                message = f"compressed_page_size is {stored}, the chunk has {len(chunk) - body} bytes left"
                raise Malformed(message, offset=base + pos, rule="PQ-PAGE-001")
            if header.uncompressed_page_size < 0:
                message = f"uncompressed_page_size is {header.uncompressed_page_size}"
                notes.breach(Malformed(message, offset=base + pos, rule="PQ-PAGE-002"))
            page = Page(header, base + pos, base + body, memoryview(chunk)[body : body + stored])
            if verify_crc:
                raise_first(crc_errors(page))
            if cipher is not None:
                page = _opened(page, cipher, ordinal)
        yield page
        pos, number = body + stored, number + 1
        ordinal += header.type != PageType.DICTIONARY_PAGE


def crc_errors(page: Page) -> Iterator[Malformed]:
    """Yield the error of a checksum that does not match the page's bytes."""
    # "The CRC computation therefore takes place after any compression and encryption steps".
    crc = page.header.crc
    if crc is not None and zlib.crc32(page.stored) != crc & 0xFFFFFFFF:
        yield Malformed("the page's CRC does not match its bytes", offset=page.offset, rule="PQ-PAGE-003")


def _header(
    chunk: bytes, base: int, pos: int, cipher: ChunkCipher | None, ordinal: int
) -> tuple[PageHeader, int]:
    """Read the page header at `pos`; return the header and where the page's body begins."""
    if cipher is None:
        header, size = thrift.decode(PageHeader, chunk, start=pos, base=base)
        return header, pos + size
    module, in_dictionary = cipher.page_header(chunk, base, pos, ordinal)
    header, _ = cipher.file.struct(PageHeader, module)
    if in_dictionary != (header.type == PageType.DICTIONARY_PAGE):
        message = "a page header whose module is that of another type of page"
        raise Malformed(message, offset=module.base, rule="PQ-CRYPT-015")
    return header, module.end


def _opened(page: Page, cipher: ChunkCipher, ordinal: int) -> Page:
    is_dictionary = page.header.type == PageType.DICTIONARY_PAGE
    kind = ModuleKind.DICTIONARY_PAGE if is_dictionary else ModuleKind.DATA_PAGE
    module = cipher.whole(kind, bytes(page.body), page.body_offset, page=ordinal)
    return replace(page, body=memoryview(module.plain), sealed=page.body)
