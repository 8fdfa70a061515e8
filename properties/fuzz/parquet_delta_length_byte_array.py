# Any bytes are `count` strings behind their lengths or a documented error. What was read is written and
# read again to the same; all bytes of the strings stand in the input once.
"""DELTA_LENGTH_BYTE_ARRAY (Encodings.md#DELTALENGTH): lengths and bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_parquet, inputs
from properties.fuzz.claims import attempt, holds, same
from properties.strategies.mutations import streams
from reference_impl.cursor import Cursor
from reference_impl.parquet.encodings import delta_length_byte_array
from reference_impl.parquet.schema import Encoding

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "parquet_delta_length_byte_array"


def seeds() -> Iterable[bytes]:
    """Return the values of all pages in this encoding."""
    found = cut_parquet.values(Encoding.DELTA_LENGTH_BYTE_ARRAY)
    return inputs.some(inputs.put(one.physical, one.count, 0, one.data) for one in found)


def mutate(data: bytes, random: Random) -> bytes:
    """Change runs and what they hold."""
    physical = inputs.given(data).physical
    return inputs.mutated(
        data, random, lambda body: streams.values(body, Encoding.DELTA_LENGTH_BYTE_ARRAY, physical, random)
    )


def check(data: bytes) -> None:
    """Read the bytes as strings."""
    physical, count, _, body = inputs.given(data)
    cursor = Cursor(body)
    strings = attempt(delta_length_byte_array.decode, cursor, physical, count)
    if strings is None:
        return
    holds(len(strings) == count and len(strings.data) <= cursor.pos, "the strings are bytes of the input")
    written = delta_length_byte_array.encode(strings, block_size=128)
    same(delta_length_byte_array.decode(Cursor(written), physical, count), strings, "read, written and read")
