"""Split block Bloom filters (BloomFilter.md): blocks of eight 32-bit words, xxHash64 with seed 0.

A value's hash chooses a block by its upper half, and one bit in each of the block's words by its lower half.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import xxhash

from reference_impl.parquet.orders import raws
from reference_impl.parquet.schema import (
    BloomFilterAlgorithm,
    BloomFilterCompression,
    BloomFilterHash,
    BloomFilterHeader,
    Empty,
)

if TYPE_CHECKING:
    from reference_impl.parquet.tree import Node
    from reference_impl.parquet.types import Values

BLOCK_BYTES = 32
_SALT = np.array(
    [
        0x47B6137B,
        0x44974D91,
        0x8824AD5B,
        0xA2B7289D,
        0x705495C7,
        0x2DF1424B,
        0x9EFC4947,
        0x5C6BFB31,
    ],
    np.uint32,
)
_LOWER = 0xFFFF_FFFF


def header(blocks: int) -> BloomFilterHeader:
    """Answer the header of a filter of so many blocks, the only algorithm, hash and compression there are."""
    return BloomFilterHeader(
        numBytes=BLOCK_BYTES * blocks,
        algorithm=BloomFilterAlgorithm(BLOCK=Empty()),
        hash=BloomFilterHash(XXHASH=Empty()),
        compression=BloomFilterCompression(UNCOMPRESSED=Empty()),
    )


def build(node: Node, values: Values, blocks: int) -> bytes:
    """Answer the bitset that admits these values, 32 bytes for each block."""
    del node  # its PLAIN bytes are those of its array
    bitset = np.zeros((blocks, 8), "<u4")
    for raw in set(raws(values)):
        block, mask = _place(raw, blocks)
        bitset[block] |= mask
    return bitset.tobytes()


def might_contain(bitset: bytes | memoryview, raw: bytes) -> bool:
    """Say whether the filter admits a value by its PLAIN bytes, a byte array without its length.

    `bitset` is one block or more; raises ValueError for another length.
    """
    words = np.frombuffer(bitset, "<u4").reshape(-1, 8)
    if not len(words):
        raise ValueError("a Bloom filter without a block")
    block, mask = _place(raw, len(words))
    return bool(((words[block] & mask) == mask).all())


def _place(raw: bytes, blocks: int) -> tuple[int, np.ndarray[tuple[int], np.dtype[np.uint32]]]:
    """Answer the block of a value, and the bits that it sets there."""
    hashed = xxhash.xxh64_intdigest(raw)
    block = ((hashed >> 32) * blocks) >> 32
    with np.errstate(over="ignore"):  # "unsigned multiplication, modulo 2^32"
        places = (np.uint32(hashed & _LOWER) * _SALT) >> np.uint32(27)
    return block, np.left_shift(np.uint32(1), places, dtype=np.uint32)
