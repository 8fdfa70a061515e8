# Any bytes are `count` integers in deltas or a documented error. What was read is written and read again to
# the same, in blocks as usual and of another size; the header's count is the only one that is read.
"""DELTA_BINARY_PACKED (Encodings.md#DELTAENC)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from properties.fuzz import cut_parquet, inputs
from properties.fuzz.claims import attempt, holds, same
from properties.strategies.mutations import streams
from reference_impl.cursor import Cursor
from reference_impl.parquet.encodings import delta_binary_packed as dbp
from reference_impl.parquet.schema import Encoding

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "parquet_delta_binary_packed"


def seeds() -> Iterable[bytes]:
    """Return the values of all pages in this encoding."""
    found = cut_parquet.values(Encoding.DELTA_BINARY_PACKED)
    return inputs.some(inputs.put(one.physical, one.count, 0, one.data) for one in found)


def mutate(data: bytes, random: Random) -> bytes:
    """Change runs and what they hold."""
    physical = inputs.given(data).physical
    return inputs.mutated(
        data, random, lambda body: streams.values(body, Encoding.DELTA_BINARY_PACKED, physical, random)
    )


def check(data: bytes) -> None:
    """Read the bytes as integers, of the count that the header says if `choice` is odd."""
    physical, count, choice, body = inputs.given(data)
    if choice % 2:
        count = min(_declared(body), inputs.MOST_COUNT)
    values = attempt(dbp.decode, Cursor(body), physical, count)
    if not isinstance(values, np.ndarray):
        return
    same((values.dtype, values.shape), (physical.dtype, (count,)), "type and shape")
    for layout in ({}, {"block_size": 256, "miniblocks": 2, "extra_bits": 3, "unneeded_width": 255}):
        written = dbp.encode(values, **layout)
        same(dbp.decode(Cursor(written), physical, count), values, "read, written and read")
    if body:
        holds(attempt(dbp.decode, Cursor(body), physical, count + 1) is None, "another count is refused")


def _declared(body: bytes) -> int:
    cursor = Cursor(body)
    numbers = [attempt(cursor.uleb128, 64) or 0 for _ in range(3)]
    return numbers[2]
