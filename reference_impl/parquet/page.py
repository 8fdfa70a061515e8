"""Pages: decoding one page.

README.md of parquet-format, "Data Pages"; the bytes in brackets are compressed together:

* data page v1: `[ repetition levels | definition levels | values ]`
* data page v2: `repetition levels | definition levels | [ values ]`, or nothing compressed
* dictionary page: `[ PLAIN values ]`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reference_impl.cursor import Cursor
from reference_impl.errors import LimitExceeded, Malformed, Unsupported
from reference_impl.limits import Limits
from reference_impl.notes import STRICT, Notes
from reference_impl.parquet import claims
from reference_impl.parquet.encodings import bit_packed, delta_byte_array, dictionary, plain, rle
from reference_impl.parquet.encodings.dispatch import DECODERS, DICTIONARY_ENCODINGS
from reference_impl.parquet.encodings.rle import PREFIX
from reference_impl.parquet.inflating import UNKNOWN, inflate
from reference_impl.parquet.page_structs import DataPageHeader, DataPageHeaderV2
from reference_impl.parquet.page_walk import Page
from reference_impl.parquet.schema import CompressionCodec, Encoding, PageType
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Values
from reference_impl.wire.enums import name_of

Levels = NDArray[np.unsignedinteger] | None


@dataclass(frozen=True)
class Entries:
    """The decoded entries of a data page; levels are None where the maximum level is 0."""

    count: int
    definition: Levels
    repetition: Levels
    values: Values


class PageDecoder:
    """Decodes the pages of a column chunk with its dictionary."""

    def __init__(
        self, node: Node, codec: CompressionCodec | int, limits: Limits, notes: Notes = STRICT
    ) -> None:
        if node.physical is None:
            raise TypeError("not a leaf column")
        if not isinstance(codec, CompressionCodec):
            raise Unsupported(f"compression codec {codec} is not known")
        self.node = node
        self.physical = node.physical
        self.codec = codec
        self.limits = limits
        self.notes = notes
        self.dictionary: Values | None = None
        self.has_wrong_size = False  # a page whose declared size is not that of its body was met

    def load_dictionary(self, page: Page) -> None:
        """Read the dictionary page; raises Malformed (PQ-DICT-*, PQ-PLAIN-*) and the codec's errors."""
        header = page.header.dictionary_page_header
        if header is None:
            raise self._fail(page, "PQ-PAGE-004", "a dictionary page without its header")
        if header.encoding not in (Encoding.PLAIN, Encoding.PLAIN_DICTIONARY):
            name = name_of(header.encoding)
            raise self._fail(page, "PQ-PAGE-005", f"a dictionary page in encoding {name}")
        count = self._count(page, header.num_values)
        cursor = self._body(page)
        if count > self.limits.values:
            claims.check_plain(cursor, self.physical, count)
            raise LimitExceeded(f"a dictionary of {count} values", offset=page.offset)
        self.dictionary = plain.decode(cursor, self.physical, count)
        self._finished(cursor, "dictionary")

    def entries(self, page: Page) -> Entries:
        """Decode a data page; raises the errors of the encodings, levels and codec it uses."""
        is_v1 = page.header.type == PageType.DATA_PAGE
        header = page.header.data_page_header if is_v1 else page.header.data_page_header_v2
        if header is None:
            raise self._fail(page, "PQ-PAGE-004", "a data page without its header")
        count = self._count(page, header.num_values)
        if isinstance(header, DataPageHeader):
            return self._v1(page, header, count)
        return self._v2(page, header, count)

    def _v1(self, page: Page, header: DataPageHeader, count: int) -> Entries:
        cursor = self._body(page)
        node = self.node
        repetition_encoding, definition_encoding = (
            header.repetition_level_encoding,
            header.definition_level_encoding,
        )
        if count > self.limits.values:
            claims.check_levels(cursor, repetition_encoding, node.repetition_level, count)
            held = claims.check_levels(cursor, definition_encoding, node.definition_level, count)
            raise self._too_many(page, cursor, header.encoding, count, held)
        if node.definition_level and not count and not cursor.remaining:
            message = "a page without values, and without the size of its levels"
            self.notes.breach(cursor.fail(message, rule=PREFIX))
            levels = np.zeros(0, np.uint8)
            values = self._values(cursor, header.encoding, 0, levels)
            return Entries(0, levels, levels if node.repetition_level else None, values)
        repetition = self._levels_v1(cursor, repetition_encoding, node.repetition_level, count)
        definition = self._levels_v1(cursor, definition_encoding, node.definition_level, count)
        values = self._values(cursor, header.encoding, count, definition)
        return Entries(count, definition, repetition, values)

    def _v2(self, page: Page, header: DataPageHeaderV2, count: int) -> Entries:
        sizes = (header.repetition_levels_byte_length, header.definition_levels_byte_length)
        if min(sizes) < 0 or sum(sizes) > len(page.body):
            raise self._fail(page, "PQ-PAGE-006", self._beyond(page, sizes))
        levels = Cursor(page.body[: sum(sizes)], base=page.body_base)
        node = self.node
        if count > self.limits.values:
            claims.check_levels_v2(self._section(levels, sizes[0]), node.repetition_level, count)
            held = claims.check_levels_v2(self._section(levels, sizes[1]), node.definition_level, count)
            raise self._too_many(page, self._values_v2(page, header, sizes), header.encoding, count, held)
        repetition = self._levels_v2(levels, sizes[0], node.repetition_level, count)
        definition = self._levels_v2(levels, sizes[1], node.definition_level, count)
        values = self._values(self._values_v2(page, header, sizes), header.encoding, count, definition)
        self.notes.breach_all(v2_errors(page, header, count - len(values), repetition))
        return Entries(count, definition, repetition, values)

    def _values_v2(self, page: Page, header: DataPageHeaderV2, sizes: tuple[int, int]) -> Cursor:
        """Return the values of a v2 page, whose level sections lie within its body."""
        at = sum(sizes)
        stored, size = page.body[at:], page.header.uncompressed_page_size - at
        if size < 0:
            if page.header.uncompressed_page_size >= 0:
                self.notes.breach(self._fail(page, "PQ-PAGE-006", self._beyond(page, sizes)))
            size = UNKNOWN
        if header.is_compressed is not False:  # "If missing it is considered compressed"
            stored = self._inflate(page, stored, size)
        elif len(stored) != size != UNKNOWN:
            message = f"{len(stored)} bytes of values, {size} declared, and not compressed"
            error = self._fail(page, "PQ-PAGE-007", message)
            if self.codec != CompressionCodec.UNCOMPRESSED:  # or is_compressed is wrong, not the size
                raise error
            self.notes.breach(error)
            self.has_wrong_size = True
        return Cursor(stored, base=page.body_base + at)

    @staticmethod
    def _beyond(page: Page, sizes: tuple[int, int]) -> str:
        return f"levels of {sizes[0]} and {sizes[1]} bytes do not fit a page of {len(page.body)}"

    def _count(self, page: Page, count: int) -> int:
        if count < 0:
            raise self._fail(page, "PQ-PAGE-011", f"num_values is {count}")
        return count

    def _too_many(
        self, page: Page, cursor: Cursor, encoding: Encoding | int, count: int, held: int
    ) -> LimitExceeded:
        """Return the error of a page with more values than the limit; raise that of one without so many.

        `held`: the number of those that are not null.
        """
        if held:
            claims.check_values(cursor, encoding, self.physical, held)
        message = f"a page of {count} values; the limit is {self.limits.values}"
        return LimitExceeded(message, offset=page.offset)

    def _body(self, page: Page) -> Cursor:
        body = self._inflate(page, page.body, max(page.header.uncompressed_page_size, UNKNOWN))
        return Cursor(body, base=page.body_base)

    def _inflate(self, page: Page, stored: memoryview, size: int) -> memoryview:
        body = inflate(self.codec, stored, size, page.body_base, self.limits.page_bytes, self.notes)
        self.has_wrong_size |= len(body) != size
        return body

    def _levels_v1(self, cursor: Cursor, encoding: Encoding | int, most: int, count: int) -> Levels:
        if most == 0:  # "For data that is required, the definition levels are skipped"
            return None
        if encoding == Encoding.RLE:
            levels = rle.decode_prefixed(cursor, most.bit_length(), count)
        elif encoding == Encoding.BIT_PACKED:
            levels = bit_packed.decode(cursor, most.bit_length(), count)
        else:
            name = name_of(encoding)
            raise cursor.fail(f"levels in encoding {name}", rule="PQ-PAGE-012")
        return _narrow(levels, most)

    def _levels_v2(self, cursor: Cursor, size: int, most: int, count: int) -> Levels:
        section = self._section(cursor, size)
        if most == 0:
            return None
        levels = rle.decode(section, most.bit_length(), count)
        self._finished(section, "levels")
        return _narrow(levels, most)

    @staticmethod
    def _section(cursor: Cursor, size: int) -> Cursor:
        return Cursor(cursor.take(size), base=cursor.offset - size)

    def _values(self, cursor: Cursor, encoding: Encoding | int, count: int, definition: Levels) -> Values:
        if definition is not None:
            count = int(np.count_nonzero(definition == self.node.definition_level))
        name = name_of(encoding)
        if encoding in DICTIONARY_ENCODINGS:
            if self.dictionary is None:
                raise cursor.fail("a page of dictionary indices, but no dictionary page", rule="PQ-DICT-000")
            indices = dictionary.decode_indices(cursor, count)
            values = dictionary.lookup(self.dictionary, indices, limit=self.limits.page_bytes)
        elif encoding == Encoding.DELTA_BYTE_ARRAY:  # each value may repeat the whole value before it
            limit = self.limits.page_bytes
            values = delta_byte_array.decode(cursor, self.physical, count, limit=limit)
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
            message = f"{cursor.remaining} unused bytes follow the {what}"
            self.notes.breach(cursor.fail(message, rule="PQ-PAGE-013"))

    def _fail(self, page: Page, rule: str, message: str) -> Malformed:
        return Malformed(message, offset=page.offset, rule=rule)


def v2_errors(page: Page, header: DataPageHeaderV2, nulls: int, repetition: Levels) -> Iterator[Malformed]:
    """Yield the errors of the counts in the header of a v2 page, which its levels show."""
    # num_nulls counts every entry that stores no value: "Number of non-null = num_values - num_nulls
    # which is also the number of values in the data section".
    if header.num_nulls != nulls:
        message = f"num_nulls is {header.num_nulls}, but {nulls} entries have no value"
        yield Malformed(message, offset=page.offset, rule="PQ-PAGE-008")
    rows = header.num_values if repetition is None else int(np.count_nonzero(repetition == 0))
    if header.num_rows != rows:
        message = f"num_rows is {header.num_rows}, but {rows} rows begin here"
        yield Malformed(message, offset=page.offset, rule="PQ-PAGE-009")
    if repetition is not None and len(repetition) and repetition[0] != 0:
        message = "a v2 page must begin at a row boundary"
        yield Malformed(message, offset=page.offset, rule="PQ-PAGE-010")


def _narrow(levels: NDArray[np.generic], most: int) -> NDArray[np.unsignedinteger]:
    dtype = np.uint8 if most < 128 else np.uint16
    return levels.astype(dtype, copy=False)
