# Any bytes are `count` levels, the highest bit first, or a documented error. What was read is written to
# the bytes it was read from, but for the padding of the last one; fewer levels are the first of them.
"""BIT_PACKED levels (Encodings.md#BITPACKED)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_parquet, inputs
from properties.fuzz.claims import attempt, same
from reference_impl import bits
from reference_impl.cursor import Cursor
from reference_impl.parquet.encodings import bit_packed
from reference_impl.parquet.schema import Encoding

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "parquet_bit_packed"
_WIDTHS = 33


def seeds() -> Iterable[bytes]:
    """Return the levels of all pages that have them in this encoding."""
    found = [one for one in cut_parquet.sections() if one.kind == f"level {int(Encoding.BIT_PACKED)}"]
    return inputs.some(inputs.put(one.physical, one.count, one.most.bit_length(), one.data) for one in found)


def check(data: bytes) -> None:
    """Read the bytes as levels of `choice` bits."""
    _, count, choice, body = inputs.given(data)
    width = choice % _WIDTHS
    cursor = Cursor(body)
    levels = attempt(bit_packed.decode, cursor, width, count)
    if levels is None:
        return
    written = bit_packed.encode(levels, width)
    same(cursor.pos, bits.size(count, width), "bytes read")
    whole = count * width // 8
    same(written[:whole], body[:whole], "written again")
    same(bit_packed.decode(Cursor(written), width, count), levels, "read, written and read")
    same(bit_packed.decode(Cursor(body), width, count // 3), levels[: count // 3], "the first of them")
