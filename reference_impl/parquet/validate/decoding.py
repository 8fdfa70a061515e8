"""Decoding pages with checks of rules that bind writers, but not readers."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from numpy.typing import NDArray

from reference_impl import bits
from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed
from reference_impl.limits import Limits
from reference_impl.notes import Notes
from reference_impl.parquet.encodings.dispatch import DICTIONARY_ENCODINGS
from reference_impl.parquet.page import PageDecoder
from reference_impl.parquet.page_walk import Page
from reference_impl.parquet.schema import CompressionCodec, Encoding
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Values

if TYPE_CHECKING:
    import numpy as np

_DELTAS = {
    Encoding.DELTA_BINARY_PACKED: 1,  # consecutive sequences of deltas at the beginning
    Encoding.DELTA_LENGTH_BYTE_ARRAY: 1,
    Encoding.DELTA_BYTE_ARRAY: 2,
}
_GZIP = b"\x1f\x8b\x08"  # the first bytes of a member
_CHUNK = 1 << 15
_BYTES_OF_INT64 = 8


class Oddity(NamedTuple):
    """A broken rule that does not prevent reading."""

    rule: str
    offset: int
    message: str


class Noting(Notes):
    """Notes that call a function: a breach that the reader tolerates does not end a page's validation."""

    def __init__(self, note: Callable[[str, int, str], None]) -> None:
        super().__init__()
        self._note = note

    @property
    def path(self) -> tuple[str, ...]:
        """The path of fields to the value that is read."""
        return self._path

    def breach(self, error: Malformed) -> None:
        """Give the breach to the function."""
        assert error.rule is not None  # of `noted.NOTED`
        assert error.offset is not None  # of the page, or in it
        self._note(error.rule, error.offset, error.message)


class Inspecting(PageDecoder):
    """Decodes pages, and collects `oddities`, one per rule and page; the caller clears the list."""

    def __init__(self, node: Node, codec: CompressionCodec | int, limits: Limits) -> None:
        super().__init__(node, codec, limits, Noting(self._note))
        self.oddities: list[Oddity] = []

    def _inflate(self, page: Page, stored: memoryview, size: int) -> memoryview:
        body = super()._inflate(page, stored, size)
        several = self.codec == CompressionCodec.GZIP and bytes(stored).count(_GZIP) > 1  # perhaps
        if several and not _is_one_member(stored):
            self._note("PQ-CODEC-005", page.body_offset, "the page is several GZIP members")
        return body

    def _levels_v1(
        self, cursor: Cursor, encoding: Encoding | int, most: int, count: int
    ) -> NDArray[np.unsignedinteger] | None:
        start = cursor.pos
        levels = super()._levels_v1(cursor, encoding, most, count)
        if levels is None:
            return None
        width = most.bit_length()
        if encoding == Encoding.BIT_PACKED:
            self._note("PQ-BITPACKED-002", cursor.base + start, "levels are encoded as BIT_PACKED")
            unused = -(count * width) % 8
            if unused and cursor.data[cursor.pos - 1] & ((1 << unused) - 1):
                self._note("PQ-BITPACKED-003", cursor.offset - 1, "the last byte is not padded with zeros")
        else:
            start += 4
            self._runs(Cursor(cursor.data[start : cursor.pos], base=cursor.base + start), width, count)
        return levels

    def _levels_v2(
        self, cursor: Cursor, size: int, most: int, count: int
    ) -> NDArray[np.unsignedinteger] | None:
        start = cursor.pos
        levels = super()._levels_v2(cursor, size, most, count)
        section = Cursor(cursor.data[start : cursor.pos], base=cursor.base + start)
        if levels is not None:
            self._runs(section, most.bit_length(), count)
        elif size:
            self._note("PQ-PAGE-015", section.base, f"{size} bytes of levels, but the maximum level is 0")
        return levels

    def _values(
        self,
        cursor: Cursor,
        encoding: Encoding | int,
        count: int,
        definition: NDArray[np.unsignedinteger] | None,
    ) -> Values:
        start = cursor.pos
        values = super()._values(cursor, encoding, count, definition)
        again = Cursor(cursor.data[start:], base=cursor.base + start)
        if encoding in DICTIONARY_ENCODINGS and again.remaining:
            self._runs(again, again.u8(), len(values))
        elif encoding == Encoding.RLE:
            again.take(4)
            self._runs(again, 1, len(values))
        elif encoding in _DELTAS and again.remaining:
            for _ in range(_DELTAS[Encoding(encoding)]):
                self._deltas(again, _bits_of(values, Encoding(encoding)))
        return values

    def _note(self, rule: str, offset: int, message: str) -> None:
        if all(oddity.rule != rule for oddity in self.oddities):
            self.oddities.append(Oddity(rule, offset, message))

    def _runs(self, cursor: Cursor, width: int, count: int) -> None:
        """Check that the last bit-packed run is complete; the reader has decoded the runs."""
        while count > 0:
            start = cursor.offset
            header = cursor.uleb128(32)
            if not header & 1:
                cursor.take((width + 7) // 8)
                count -= header >> 1
                continue
            size = (header >> 1) * width
            if size > cursor.remaining:
                message = f"a bit-packed run of {size} bytes, {cursor.remaining} are there"
                self._note("PQ-RLE-007", start, message)
                return
            cursor.take(size)
            count -= header >> 1 << 3

    def _deltas(self, cursor: Cursor, bits_of_type: int) -> None:
        """Check min deltas and the padding of a sequence of deltas that the reader has decoded."""
        block_size, miniblocks = cursor.uleb128(64), cursor.uleb128(64)
        left = cursor.uleb128(64) - 1
        cursor.uleb128(64)
        values = block_size // miniblocks
        while left > 0:
            at = cursor.offset
            least = cursor.zigzag(64)
            if not -(1 << bits_of_type - 1) <= least < 1 << bits_of_type - 1:
                self._note("PQ-DBP-012", at, f"min delta {least} is no INT{bits_of_type}")
            at = cursor.offset
            widths = bytes(cursor.take(miniblocks))
            needed = min(miniblocks, -(-left // values))
            if any(widths[needed:]):
                self._note("PQ-DBP-011", at + needed, "a miniblock without values has bits")
            for width in widths[:needed]:
                body = cursor.take(values // 8 * width)
                if left < values and _padding(body, left * width):
                    self._note("PQ-DBP-010", cursor.offset - len(body), "the last miniblock is padded with 1")
                left -= values


def _bits_of(values: Values, encoding: Encoding) -> int:
    """Return the bits of the integers that deltas are of: the values, or lengths, which are INT32."""
    is_wide = encoding == Encoding.DELTA_BINARY_PACKED and getattr(values, "itemsize", 0) == _BYTES_OF_INT64
    return 64 if is_wide else 32


def _padding(body: memoryview, used: int) -> bool:
    """Return whether a bit behind the first `used` bits, LSB first, is set."""
    whole, rest = divmod(used, 8)
    return any(body[bits.size(used, 1) :]) or bool(rest and body[whole] >> rest)


def _is_one_member(stored: memoryview) -> bool:
    """Return whether a GZIP stream that the reader has decoded ends with its first member."""
    engine, at = zlib.decompressobj(wbits=31), 0
    while at < len(stored) and not engine.eof:
        chunk = stored[at : at + _CHUNK]
        engine.decompress(chunk)
        at += len(chunk) - len(engine.unused_data)
    return at == len(stored)
