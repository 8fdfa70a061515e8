# Any bytes are `count` booleans in runs or a documented error. What was read is written and read again to
# the same; read from a position in the middle on, they are the rest.
"""Boolean run length encoding (ORCv1.md, "Boolean Run Length Encoding")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_orc, inputs
from properties.fuzz.claims import attempt, same
from properties.strategies.mutations.orc import runs
from reference_impl.cursor import Cursor
from reference_impl.orc.encodings import boolean_rle, scan

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "orc_boolean_rle"


def seeds() -> Iterable[bytes]:
    """Return the streams of booleans of all stripes."""
    return cut_orc.booleans()


def mutate(data: bytes, random: Random) -> bytes:
    """Change runs and what they hold."""
    return inputs.mutated(data, random, lambda body: runs.mutate(body, scan.Encoding.BOOLEAN, random)[0])


def check(data: bytes) -> None:
    """Read the bytes as runs; `choice` of their values are skipped."""
    _, count, skip, body = inputs.given(data)
    values = attempt(boolean_rle.decode, Cursor(body), count)
    if values is None:
        return
    same(len(values), count, "values")
    written = boolean_rle.encode(values)
    same(boolean_rle.decode(Cursor(written.data), count), values, "read, written and read")
    skip = min(skip, count)
    start, before, bits = written.position(skip)
    rest = boolean_rle.decode(Cursor(written.data[start:]), count - skip, skip=before, bits=bits)
    same(rest, values[skip:], "from a position on")
