# Any bytes are `count` strings without what they share or a documented error. What was read is written and
# read again to the same. Reading takes no more than the limit of bytes that the strings may sum up to.
"""DELTA_BYTE_ARRAY (Encodings.md#DELTASTRING): shared prefixes and suffixes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_parquet, inputs
from properties.fuzz.bounds import limits
from properties.fuzz.claims import attempt, holds, same
from properties.strategies.mutations import streams
from reference_impl.byte_arrays import ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.parquet.encodings import delta_byte_array
from reference_impl.parquet.schema import Encoding

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "parquet_delta_byte_array"


def seeds() -> Iterable[bytes]:
    """Return the values of all pages in this encoding."""
    found = cut_parquet.values(Encoding.DELTA_BYTE_ARRAY)
    return inputs.some(inputs.put(one.physical, one.count, 0, one.data) for one in found)


def mutate(data: bytes, random: Random) -> bytes:
    """Change runs and what they hold."""
    physical = inputs.given(data).physical
    return inputs.mutated(
        data, random, lambda body: streams.values(body, Encoding.DELTA_BYTE_ARRAY, physical, random)
    )


def check(data: bytes) -> None:
    """Read the bytes as strings of no more than the limit."""
    physical, count, _, body = inputs.given(data)
    limit = limits(data).page_bytes
    strings = attempt(delta_byte_array.decode, Cursor(body), physical, count, limit=limit)
    if strings is None:
        return
    holds(len(strings) == count, "so many strings")
    if isinstance(strings, ByteArrays):
        same(int(strings.lengths.sum()), len(strings.data), "bytes of the strings")
        holds(len(strings.data) <= limit, "the limit of bytes is kept")
    for written in (
        delta_byte_array.encode(strings),
        delta_byte_array.encode(strings, prefixes=[0] * count),
    ):
        again = delta_byte_array.decode(Cursor(written), physical, count)
        same(again, strings, "read, written and read")
