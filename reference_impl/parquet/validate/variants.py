"""Rules of the binary encoding of Variant values (VariantEncoding.md), as far as one column shows them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from reference_impl.byte_arrays import ByteArrays
from reference_impl.parquet.validate.values import not_utf8

if TYPE_CHECKING:
    from reference_impl.parquet.validate.scan import Chunk
    from reference_impl.validation import Report

_PRIMITIVE, _SHORT_STRING, _OBJECT, _ARRAY = range(4)
_BINARY, _STRING = 15, 16
# Bytes of each primitive type but those two, by its id.
_SIZES = (0, 0, 0, 1, 2, 4, 8, 8, 5, 9, 17, 4, 8, 8, 4, 0, 0, 8, 8, 8, 16)
_MOST_DEPTH = 100


def check(chunk: Chunk, report: Report) -> None:
    """Check the `metadata` and `value` columns below a VARIANT group."""
    above = chunk.file.ancestors(chunk.node)[:-1]
    if not any(node.logical is not None and node.logical.name == "VARIANT" for node in above):
        return
    name = chunk.node.name
    is_metadata = name == "metadata" and above[-1].logical is not None and above[-1].logical.name == "VARIANT"
    if not is_metadata and name != "value":
        return
    rule = "PQ-VARIANT-006" if is_metadata else "PQ-VARIANT-007"
    for page in chunk.data:
        values = page.entries.values
        for raw in set(values) if isinstance(values, ByteArrays) else ():
            try:
                if is_metadata:
                    _metadata(raw)
                else:
                    _Value(raw).check()
            except ValueError as error:
                report.add(rule, chunk.path, page.page.offset, f"{raw[:40].hex()}: {error}")
                return


def _number(raw: bytes, at: int, size: int) -> int:
    if at + size > len(raw):
        raise ValueError("it is cut short")
    return int.from_bytes(raw[at : at + size], "little")


def _metadata(raw: bytes) -> None:
    """Check header, dictionary size, offsets and strings."""
    header = _number(raw, 0, 1)
    if header & 0x0F != 1:
        raise ValueError(f"the version is {header & 0x0F}")
    size = (header >> 6) + 1
    count = _number(raw, 1, size)
    begin = 1 + size * (count + 2)
    if begin > len(raw):
        raise ValueError(f"{count} offsets of {size} bytes do not fit")
    offsets = [_number(raw, at, size) for at in range(1 + size, begin, size)]
    if offsets[0] or offsets[-1] != len(raw) - begin:
        raise ValueError(f"the offsets run from {offsets[0]} to {offsets[-1]}, not to {len(raw) - begin}")
    if any(after < before for before, after in pairwise(offsets)):
        raise ValueError("the offsets descend")
    names = [raw[begin + start : begin + stop] for start, stop in pairwise(offsets)]
    if any(map(not_utf8, names)):
        raise ValueError("a name is not UTF-8")
    if header & 0x10 and any(after <= before for before, after in pairwise(names)):
        raise ValueError("sorted_strings is set, but names are not sorted and unique")


class _Value:
    """A value; every value inside of it takes a byte at least, so there are no more of them than bytes."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.left = len(raw)

    def check(self) -> None:
        end = self.value(0, 0)
        if end != len(self.raw):
            raise ValueError(f"{len(self.raw) - end} bytes are left")

    def value(self, at: int, depth: int) -> int:
        """Check the value at `at`; answer where it ends."""
        self.left -= 1
        if self.left < 0 or depth > _MOST_DEPTH:
            raise ValueError("values overlap, or are nested too deep")
        header = _number(self.raw, at, 1)
        kind, rest = header & 3, header >> 2
        if kind == _PRIMITIVE:
            return self.primitive(rest, at + 1)
        if kind == _SHORT_STRING:
            return self.text(at + 1, rest)
        return self.nested(kind, rest, at + 1, depth)

    def primitive(self, kind: int, at: int) -> int:
        if kind in (_BINARY, _STRING):
            size = _number(self.raw, at, 4)
            return self.text(at + 4, size) if kind == _STRING else self.inside(at + 4 + size)
        if kind >= len(_SIZES):
            raise ValueError(f"primitive type {kind}")
        return self.inside(at + _SIZES[kind])

    def inside(self, end: int) -> int:
        if end > len(self.raw):
            raise ValueError("it is cut short")
        return end

    def text(self, at: int, size: int) -> int:
        end = self.inside(at + size)
        if not_utf8(self.raw[at:end]):
            raise ValueError("a string is not UTF-8")
        return end

    def nested(self, kind: int, rest: int, at: int, depth: int) -> int:
        """Check an object or array: number of elements, ids of fields, offsets, values."""
        offset_size, ids = (rest & 3) + 1, (rest >> 2 & 3) + 1 if kind == _OBJECT else 0
        is_large = rest >> (4 if kind == _OBJECT else 2) & 1
        count = _number(self.raw, at, 4 if is_large else 1)
        at += 4 if is_large else 1
        begin = self.inside(at + ids * count + offset_size * (count + 1))
        first = at + ids * count
        offsets = [_number(self.raw, place, offset_size) for place in range(first, begin, offset_size)]
        end = self.inside(begin + offsets[-1])
        for offset in offsets[:-1]:
            if self.value(begin + offset, depth + 1) > end:
                raise ValueError("an element ends behind its object or array")
        return end
