"""A bounded cursor: the only thing that indexes a buffer of untrusted bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager

from reference_impl.errors import Malformed

_U32 = struct.Struct("<I")


class Cursor:
    """Reads forward through `data`, never past its end.

    `base` is the absolute offset of `data[0]` in the file, so that errors name file offsets.
    Every `take` returns a view of `size` bytes or raises `Malformed` with `rule`.
    """

    __slots__ = ("base", "data", "end", "pos", "rule")

    def __init__(self, data: bytes | memoryview, *, base: int = 0, rule: str | None = None) -> None:
        self.data = memoryview(data)
        self.pos = 0
        self.end = len(self.data)
        self.base = base
        self.rule = rule

    @property
    def offset(self) -> int:
        """The absolute offset of the next byte."""
        return self.base + self.pos

    @property
    def remaining(self) -> int:
        """The number of bytes left."""
        return self.end - self.pos

    def fail(self, message: str, *, rule: str | None = None) -> Malformed:
        """Build (not raise) a `Malformed` at the current position."""
        return Malformed(message, offset=self.offset, rule=rule or self.rule)

    @contextmanager
    def obeying(self, rule: str) -> Iterator[None]:
        """Use `rule` for errors inside the block."""
        outer, self.rule = self.rule, rule
        try:
            yield
        finally:
            self.rule = outer

    def take(self, size: int, what: str = "bytes") -> memoryview:
        """Return the next `size` bytes; raises Malformed if fewer are left or `size` is negative."""
        if not 0 <= size <= self.end - self.pos:
            raise self.fail(f"{what}: {size} bytes wanted, {self.remaining} left")
        start = self.pos
        self.pos = start + size
        return self.data[start : self.pos]

    def u8(self, what: str = "byte") -> int:
        """Return the next byte."""
        if self.pos >= self.end:
            raise self.fail(f"{what}: 1 byte wanted, 0 left")
        value = self.data[self.pos]
        self.pos += 1
        return value

    def u32(self, what: str = "4-byte length") -> int:
        """Return the next four bytes as a little-endian unsigned integer."""
        (value,) = _U32.unpack(self.take(4, what))
        return int(value)

    def uleb128(self, bits: int, what: str = "varint") -> int:
        """Return an unsigned LEB128 integer of at most `bits` bits.

        Padding with needless continuation bytes is legal LEB128 and accepted as long as the encoding is
        no longer than the longest encoding of a value of `bits` bits.
        """
        longest = (bits + 6) // 7
        value = shift = 0
        for at, byte in enumerate(self.data[self.pos : self.pos + longest], self.pos + 1):
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if value >> bits:
                    break
                self.pos = at
                return value
            shift += 7
        cut_short = shift == 7 * self.remaining < 7 * longest
        raise self.fail(f"{what}: {'cut short' if cut_short else f'longer than {bits} bits'}")

    def zigzag(self, bits: int, what: str = "zigzag varint") -> int:
        """Return a signed integer stored zigzag in LEB128 (Thrift compact, Parquet deltas, protobuf sint)."""
        raw = self.uleb128(bits, what)
        return (raw >> 1) ^ -(raw & 1)
