# Any bytes are `count` PLAIN values or a documented error. What was read is written to the bytes it was
# read from (but for the padding of booleans), and reading a part first and then the rest gives the same.
"""PLAIN (Encodings.md#PLAIN)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_parquet, inputs
from properties.fuzz.claims import attempt, same
from properties.strategies.mutations import streams
from reference_impl.cursor import Cursor
from reference_impl.parquet import types
from reference_impl.parquet.encodings import plain
from reference_impl.parquet.schema import Encoding, Type

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "parquet_plain"


def seeds() -> Iterable[bytes]:
    """Return the PLAIN values of all pages."""
    found = cut_parquet.values(Encoding.PLAIN)
    return inputs.some(inputs.put(one.physical, one.count, 8, one.data) for one in found)


def mutate(data: bytes, random: Random) -> bytes:
    """Change runs and what they hold."""
    physical = inputs.given(data).physical
    return inputs.mutated(data, random, lambda body: streams.values(body, Encoding.PLAIN, physical, random))


def check(data: bytes) -> None:
    """Read the bytes as values; `choice` of them first, in eights."""
    physical, count, choice, body = inputs.given(data)
    cursor = Cursor(body)
    values = attempt(plain.decode, cursor, physical, count)
    if values is None:
        return
    same(len(values), count, "values")
    written = plain.encode(values, physical)
    if physical.type != Type.BOOLEAN:
        same(written, body[: cursor.pos], "written again")
    same(plain.decode(Cursor(written), physical, count), values, "read, written and read")
    first = min(count, choice // 8 * 8)  # booleans of a byte are not torn apart
    cursor = Cursor(body)
    parts = [plain.decode(cursor, physical, each) for each in (first, count - first)]
    same(types.concat(parts, physical), values, "read in two parts")
