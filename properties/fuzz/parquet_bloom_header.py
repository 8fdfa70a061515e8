# Any bytes are a BloomFilterHeader or a documented error. What was read is written and read again to the
# same; a filter of whole blocks behind it admits or excludes a value, and one that was put in is admitted.
"""Header of a Bloom filter, and the bitset behind it (BloomFilter.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_parquet, inputs
from properties.fuzz.claims import holds
from properties.fuzz.structs import check_thrift
from properties.strategies.mutations import thrift
from reference_impl.parquet import bloom
from reference_impl.parquet.schema import BloomFilterHeader

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "parquet_bloom_header"
_ROOM = 512


def seeds() -> Iterable[bytes]:
    """Return headers, each with a part of its bitset."""
    return inputs.some(
        bytes(file.data[chunk.meta_data.bloom_filter_offset :][:_ROOM])
        for file in cut_parquet.opened()
        for group in file.metadata.row_groups
        for chunk in group.columns
        if chunk.meta_data is not None and chunk.meta_data.bloom_filter_offset
    )


def check(data: bytes) -> None:
    """Read the bytes as a header; what is left is a bitset."""
    header = check_thrift(BloomFilterHeader, data)
    if header is None or header.span is None:
        return
    bitset = data[header.span[1] :]
    bitset = bitset[: len(bitset) // bloom.BLOCK_BYTES * bloom.BLOCK_BYTES]
    if bitset:
        holds(bloom.might_contain(bytes([255] * len(bitset)), data), "a full filter admits everything")
        holds(not bloom.might_contain(bytes(len(bitset)), data), "an empty filter admits nothing")
        bloom.might_contain(bitset, data)


def mutate(data: bytes, random: Random) -> bytes:
    """Change fields."""
    return thrift.mutate(data, BloomFilterHeader, random)
