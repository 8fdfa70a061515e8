# Any bytes are `count` indices or a documented error. What was read is written and read again to the same;
# looked up in a dictionary that has all of them, each gives its value, and in one that is too small a
# documented error.
"""RLE_DICTIONARY indices (Encodings.md#DICTIONARY)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from properties.fuzz import cut_parquet, inputs
from properties.fuzz.claims import attempt, holds, same
from properties.strategies.mutations import streams
from reference_impl.byte_arrays import ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.parquet.encodings import dictionary
from reference_impl.parquet.schema import Encoding

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "parquet_dictionary"
_WORDS = 1 << 8
_LOOKED_UP = 1 << 10


def seeds() -> Iterable[bytes]:
    """Return the indices of all pages."""
    found = cut_parquet.values(Encoding.RLE_DICTIONARY, Encoding.PLAIN_DICTIONARY)
    return inputs.some(inputs.put(one.physical, one.count, 0, one.data) for one in found)


def mutate(data: bytes, random: Random) -> bytes:
    """Change runs and what they hold."""
    physical = inputs.given(data).physical
    return inputs.mutated(
        data, random, lambda body: streams.values(body, Encoding.RLE_DICTIONARY, physical, random)
    )


def check(data: bytes) -> None:
    """Read the bytes as a width and indices; the dictionary has strings of `choice` bytes."""
    _, count, choice, body = inputs.given(data)
    indices = attempt(dictionary.decode_indices, Cursor(body), count)
    if indices is None:
        return
    written = dictionary.encode_indices(indices)
    same(dictionary.decode_indices(Cursor(written), count).tolist(), indices.tolist(), "read again")
    size = int(indices.max()) + 1 if count else 1
    if size > _WORDS:
        return
    numbers = np.arange(size)
    same(dictionary.lookup(numbers, indices), indices.astype(numbers.dtype), "values of indices")
    indices = indices[:_LOOKED_UP]
    words = ByteArrays.of(bytes([at & 0xFF]) * (choice or at % 8) for at in range(size))
    total, limit = sum(len(words[at]) for at in indices.tolist()), 16 * len(data)
    strings = attempt(dictionary.lookup, words, indices, limit=limit)
    holds((strings is None) == (total > limit), "the limit of bytes is kept")
    if isinstance(strings, ByteArrays):
        same(list(strings), [words[at] for at in indices.tolist()], "strings of indices")
    if count:
        refused = attempt(dictionary.lookup, numbers[: int(indices.max())], indices) is None
        holds(refused, "an index outside is refused")
