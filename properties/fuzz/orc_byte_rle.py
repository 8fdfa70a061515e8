# Any bytes are `count` bytes in runs or a documented error. What was read is written and read again to the
# same; read from a position in the middle on, they are the rest.
"""Byte run length encoding (ORCv1.md, "Byte Run Length Encoding")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_orc, inputs
from properties.fuzz.claims import attempt, same
from properties.strategies.mutations.orc import runs
from reference_impl.cursor import Cursor
from reference_impl.orc.encodings import byte_rle, scan

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "orc_byte_rle"


def seeds() -> Iterable[bytes]:
    """Return the streams of bytes of all stripes."""
    return cut_orc.octets()


def mutate(data: bytes, random: Random) -> bytes:
    """Change runs and what they hold."""
    return inputs.mutated(data, random, lambda body: runs.mutate(body, scan.Encoding.BYTE_RLE, random)[0])


def check(data: bytes) -> None:
    """Read the bytes as runs; `choice` of their values are skipped."""
    _, count, skip, body = inputs.given(data)
    values = attempt(byte_rle.decode, Cursor(body), count)
    if values is None:
        return
    same(len(values), count, "values")
    written = byte_rle.encode(values)
    same(byte_rle.decode(Cursor(written.data), count), values, "read, written and read")
    skip = min(skip, count)
    same(byte_rle.decode(Cursor(body), count - skip, skip=skip), values[skip:], "behind the first")
    start, before = written.position(skip)
    rest = byte_rle.decode(Cursor(written.data[start:]), count - skip, skip=before)
    same(rest, values[skip:], "from a position on")
