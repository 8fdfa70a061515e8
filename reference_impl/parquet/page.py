"""Pages: walking a column chunk, checksums, and decoding one page.

README.md of parquet-format, "Data Pages" and "Checksumming"; the bytes in brackets are compressed together:

* data page v1: `[ repetition levels | definition levels | values ]`
* data page v2: `repetition levels | definition levels | [ values ]`, or nothing compressed
* dictionary page: `[ PLAIN values ]`
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reference_impl.compression import decompress
from reference_impl.cursor import Cursor
from reference_impl.errors import LimitExceeded, Malformed, Unsupported, located, raise_first
from reference_impl.limits import Limits
from reference_impl.parquet.encodings import bit_packed, dictionary, plain, rle
from reference_impl.parquet.encodings.dispatch import DECODERS, DICTIONARY_ENCODINGS
from reference_impl.parquet.encryption.modules import HEAD, ModuleKind
from reference_impl.parquet.encryption.opening import ChunkCipher
from reference_impl.parquet.page_structs import PageHeader
from reference_impl.parquet.schema import CompressionCodec, Encoding, PageType
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Values
from reference_impl.wire import thrift

Levels = NDArray[np.unsignedinteger] | None


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
    def body_base(self) -> int:
        """The offset of `body`."""
        return self.body_offset if self.sealed is None else self.body_offset + HEAD


@dataclass(frozen=True)
class Entries:
    """The decoded entries of a data page; levels are None where the maximum level is 0."""

    count: int
    definition: Levels
    repetition: Levels
    values: Values


def walk(
    chunk: bytes, base: int, cipher: ChunkCipher | None = None, first: int = 0, *, verify_crc: bool = True
) -> Iterator[Page]:
    """Yield the pages of a column chunk at absolute offset `base`; the chunk ends with a page.

    `cipher` opens encrypted pages; `first` is then the ordinal of the first data page, if `chunk` begins
    with a later page of the chunk. Raises Malformed (PQ-THRIFT-*, PQ-PAGE-001 to -004) if a page
    does not fit the chunk, and for encrypted pages PQ-CRYPT-*.
    """
    pos, number, ordinal = 0, 0, first
    while pos < len(chunk):
        with located(f"page[{number}]"):
            header, body = _header(chunk, base, pos, cipher, ordinal)
            stored = header.compressed_page_size
            if not 0 <= stored <= len(chunk) - body:
                message = f"compressed_page_size is {stored}, the chunk has {len(chunk) - body} bytes left"
                raise Malformed(message, offset=base + pos, rule="PQ-PAGE-001")
            if header.uncompressed_page_size < 0:
                message = f"uncompressed_page_size is {header.uncompressed_page_size}"
                raise Malformed(message, offset=base + pos, rule="PQ-PAGE-002")
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


class PageDecoder:
    """Decodes the pages of a column chunk with its dictionary."""

    def __init__(self, node: Node, codec: CompressionCodec | int, limits: Limits) -> None:
        if node.physical is None:
            raise TypeError("not a leaf column")
        if not isinstance(codec, CompressionCodec):
            raise Unsupported(f"compression codec {codec} is not known")
        self.node = node
        self.physical = node.physical
        self.codec = codec
        self.limits = limits
        self.dictionary: Values | None = None

    def load_dictionary(self, page: Page) -> None:
        """Read the dictionary page; raises Malformed (PQ-DICT-*, PQ-PLAIN-*) and the codec's errors."""
        header = page.header.dictionary_page_header
        if header is None:
            raise self._fail(page, "PQ-PAGE-004", "a dictionary page without its header")
        if header.encoding not in (Encoding.PLAIN, Encoding.PLAIN_DICTIONARY):
            name = getattr(header.encoding, "name", header.encoding)
            raise self._fail(page, "PQ-PAGE-005", f"a dictionary page in encoding {name}")
        count = self._count(page, header.num_values)
        cursor = self._body(page)
        self.dictionary = plain.decode(cursor, self.physical, count)
        self._finished(cursor, "dictionary")

    def entries(self, page: Page) -> Entries:
        """Decode a data page; raises the errors of the encodings, levels and codec it uses."""
        if page.header.type == PageType.DATA_PAGE:
            return self._v1(page)
        return self._v2(page)

    def _v1(self, page: Page) -> Entries:
        header = page.header.data_page_header
        if header is None:
            raise self._fail(page, "PQ-PAGE-004", "a data page without its header")
        count = self._count(page, header.num_values)
        cursor = self._body(page)
        node = self.node
        repetition = self._levels_v1(cursor, header.repetition_level_encoding, node.repetition_level, count)
        definition = self._levels_v1(cursor, header.definition_level_encoding, node.definition_level, count)
        values = self._values(cursor, header.encoding, count, definition)
        return Entries(count, definition, repetition, values)

    def _v2(self, page: Page) -> Entries:
        header = page.header.data_page_header_v2
        if header is None:
            raise self._fail(page, "PQ-PAGE-004", "a data page without its header")
        count = self._count(page, header.num_values)
        sizes = (header.repetition_levels_byte_length, header.definition_levels_byte_length)
        total = page.header.uncompressed_page_size
        if min(sizes) < 0 or sum(sizes) > min(len(page.body), total):
            message = f"levels of {sizes[0]} and {sizes[1]} bytes do not fit a page of {len(page.body)}"
            raise self._fail(page, "PQ-PAGE-006", message)
        levels = Cursor(page.body[: sum(sizes)], base=page.body_base)
        repetition = self._levels_v2(levels, sizes[0], self.node.repetition_level, count)
        definition = self._levels_v2(levels, sizes[1], self.node.definition_level, count)
        stored = page.body[sum(sizes) :]
        if header.is_compressed is not False:  # "If missing it is considered compressed"
            stored = self._inflate(page, stored, total - sum(sizes))
        elif len(stored) != total - sum(sizes):
            message = f"{len(stored)} bytes of values, {total - sum(sizes)} declared, and not compressed"
            raise self._fail(page, "PQ-PAGE-007", message)
        cursor = Cursor(stored, base=page.body_base + sum(sizes))
        values = self._values(cursor, header.encoding, count, definition)
        self._check_v2(page, count, len(values), repetition)
        return Entries(count, definition, repetition, values)

    def _check_v2(self, page: Page, count: int, present: int, repetition: Levels) -> None:
        header = page.header.data_page_header_v2
        assert header is not None
        # num_nulls counts every entry that stores no value: "Number of non-null = num_values - num_nulls
        # which is also the number of values in the data section".
        if header.num_nulls != count - present:
            message = f"num_nulls is {header.num_nulls}, but {count - present} entries have no value"
            raise self._fail(page, "PQ-PAGE-008", message)
        rows = count if repetition is None else int(np.count_nonzero(repetition == 0))
        if header.num_rows != rows:
            message = f"num_rows is {header.num_rows}, but {rows} rows begin here"
            raise self._fail(page, "PQ-PAGE-009", message)
        if repetition is not None and count and repetition[0] != 0:
            raise self._fail(page, "PQ-PAGE-010", "a v2 page must begin at a row boundary")

    def _count(self, page: Page, count: int) -> int:
        if count < 0:
            raise self._fail(page, "PQ-PAGE-011", f"num_values is {count}")
        if count > self.limits.values:
            message = f"a page of {count} values; the limit is {self.limits.values}"
            raise LimitExceeded(message, offset=page.offset)
        return count

    def _body(self, page: Page) -> Cursor:
        body = self._inflate(page, page.body, page.header.uncompressed_page_size)
        return Cursor(body, base=page.body_base)

    def _inflate(self, page: Page, stored: memoryview, size: int) -> memoryview:
        if size > self.limits.page_bytes:
            message = f"a page of {size} bytes; the limit is {self.limits.page_bytes}"
            raise LimitExceeded(message, offset=page.offset)
        if not stored and not size:  # no values: codecs need not write a frame
            return stored
        return memoryview(decompress(self.codec, stored, size, base=page.body_base))

    def _levels_v1(self, cursor: Cursor, encoding: Encoding | int, most: int, count: int) -> Levels:
        if most == 0:  # "For data that is required, the definition levels are skipped"
            return None
        if encoding == Encoding.RLE:
            levels = rle.decode_prefixed(cursor, most.bit_length(), count)
        elif encoding == Encoding.BIT_PACKED:
            levels = bit_packed.decode(cursor, most.bit_length(), count)
        else:
            name = getattr(encoding, "name", encoding)
            raise cursor.fail(f"levels in encoding {name}", rule="PQ-PAGE-012")
        return _narrow(levels, most)

    def _levels_v2(self, cursor: Cursor, size: int, most: int, count: int) -> Levels:
        section = Cursor(cursor.take(size), base=cursor.offset - size)
        if most == 0:
            return None
        levels = rle.decode(section, most.bit_length(), count)
        self._finished(section, "levels")
        return _narrow(levels, most)

    def _values(self, cursor: Cursor, encoding: Encoding | int, count: int, definition: Levels) -> Values:
        if definition is not None:
            count = int(np.count_nonzero(definition == self.node.definition_level))
        name = getattr(encoding, "name", encoding)
        if encoding in DICTIONARY_ENCODINGS:
            if self.dictionary is None:
                raise cursor.fail("a page of dictionary indices, but no dictionary page", rule="PQ-DICT-000")
            indices = dictionary.decode_indices(cursor, count)
            values = dictionary.lookup(self.dictionary, indices, limit=self.limits.page_bytes)
        elif encoding in DECODERS:
            decode, types = DECODERS[encoding]
            # The other encodings check the type by their own rules.
            if encoding in (Encoding.RLE, Encoding.BIT_PACKED) and self.physical.type not in types:
                message = f"encoding {name} is not defined for {self.physical}"
                raise cursor.fail(message, rule="PQ-ENCODING-001")
            values = decode(cursor, self.physical, count)
        else:  # README.md, "Extensibility": encodings are an enum and more can be added
            raise Unsupported(f"encoding {name} is not implemented", offset=cursor.offset)
        self._finished(cursor, "values")
        return values

    def _finished(self, cursor: Cursor, what: str) -> None:
        if cursor.remaining:  # README.md, "Data Pages": "No padding is allowed in the data page."
            raise cursor.fail(f"{cursor.remaining} bytes are left behind the {what}", rule="PQ-PAGE-013")

    def _fail(self, page: Page, rule: str, message: str) -> Malformed:
        return Malformed(message, offset=page.offset, rule=rule)


def _narrow(levels: NDArray[np.generic], most: int) -> NDArray[np.unsignedinteger]:
    dtype = np.uint8 if most < 128 else np.uint16
    return levels.astype(dtype, copy=False)
