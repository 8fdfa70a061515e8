# Any bytes are `count` integers in runs of version 2 or a documented error. What was read is written and
# read again to the same; fewer are the first of them; read from a position in the middle on, they are the
# rest.
"""Integer run length encoding (ORCv1.md, "Integer Run Length Encoding, version 2")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_orc, inputs
from properties.fuzz.claims import attempt, holds, same
from properties.strategies.mutations.orc import runs
from reference_impl.cursor import Cursor
from reference_impl.orc.encodings import rle_v2, scan

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from reference_impl.errors import Malformed

NAME = "orc_rle_v2"


def seeds() -> Iterable[bytes]:
    """Return the streams of integers of all stripes."""
    return cut_orc.integers(rle_v2)


def mutate(data: bytes, random: Random) -> bytes:
    """Change runs and what they hold."""
    return inputs.mutated(data, random, lambda body: runs.mutate(body, scan.Encoding.RLE_V2, random)[0])


def check(data: bytes) -> None:
    """Read the bytes as integers, without a sign if `choice` is odd; half of `choice` is skipped."""
    _, count, choice, body = inputs.given(data)
    signed, skip = choice % 2 == 0, min(choice // 2, count)
    notes: list[Malformed] = []
    values = attempt(rle_v2.decode, Cursor(body), count, signed=signed, notes=notes)
    if values is None:
        return
    same(rle_v2.decode(Cursor(body), count, signed=signed), values, "without notes")
    holds(len(values) == count and (signed or not count or int(values.min()) >= 0), "so many, of this sign")
    written = rle_v2.encode(values, signed=signed)
    same(rle_v2.decode(Cursor(written.data), count, signed=signed), values, "read, written and read")
    same(rle_v2.decode(Cursor(body), skip, signed=signed), values[:skip], "the first")
    start, before = written.position(skip)
    rest = rle_v2.decode(Cursor(written.data[start:]), count - skip, skip=before, signed=signed)
    same(rest, values[skip:], "from a position on")
