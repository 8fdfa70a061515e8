# Any bytes are a BloomFilterIndex or a documented error. What was read is written and read again to the
# same. A filter with words admits or excludes a hash, in time that its number of functions does not decide.
"""Bloom filters of a column (ORCv1.md, "Bloom Filter Index")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_orc, inputs
from properties.fuzz.claims import same
from properties.fuzz.structs import check_protobuf
from properties.strategies.mutations import protobuf
from reference_impl.orc import bloom
from reference_impl.orc.index import BLOOM_KINDS
from reference_impl.orc.schema import BloomFilterIndex

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "orc_bloom_filter"
_MOST = 16


def seeds() -> Iterable[bytes]:
    """Return the Bloom filters of all columns, decompressed."""
    return inputs.some(one.data for one in cut_orc.streams() if one.kind in BLOOM_KINDS)


def check(data: bytes) -> None:
    """Read the bytes as filters, and ask the first of them for a hash."""
    index = check_protobuf(BloomFilterIndex, data)
    found = bloom.of_bytes(data)
    for each in index.bloom_filter[:_MOST] if index is not None else ():
        words, functions = bloom.words_of(each), each.num_hash_functions or 0
        if words:
            full = [(1 << 64) - 1] * len(words)
            same(bloom.might_contain(full, functions, found), True, "a full filter admits everything")
            bloom.might_contain(words, functions, found)


def mutate(data: bytes, random: Random) -> bytes:
    """Change fields."""
    return protobuf.mutate(data, BloomFilterIndex, random)
