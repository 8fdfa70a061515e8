"""Split block Bloom filters (BloomFilter.md): blocks of eight 32-bit words, xxHash64 with seed 0.

A value's hash chooses a block by its upper half, and one bit in each of the block's words by its lower half.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xxhash
from numpy.typing import NDArray

from reference_impl.parquet.orders import raws
from reference_impl.parquet.page_structs import (
    BloomFilterAlgorithm,
    BloomFilterCompression,
    BloomFilterHash,
    BloomFilterHeader,
)
from reference_impl.parquet.schema import Empty
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Values

BLOCK_BYTES = 32
_SALT = np.array(
    [0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31],
    np.uint32,
)


def header(blocks: int) -> BloomFilterHeader:
    """Return the header of a filter of `blocks` blocks, with the only algorithm, hash and compression."""
    return BloomFilterHeader(
        numBytes=BLOCK_BYTES * blocks,
        algorithm=BloomFilterAlgorithm(BLOCK=Empty()),
        hash=BloomFilterHash(XXHASH=Empty()),
        compression=BloomFilterCompression(UNCOMPRESSED=Empty()),
    )


def build(node: Node, values: Values, blocks: int) -> bytes:
    """Return the bitset that admits these values, 32 bytes for each block."""
    del node  # its PLAIN bytes are those of its array
    bitset = np.zeros((blocks, 8), "<u4")
    block, mask = _places(_hashes(raws(values)), blocks)
    np.bitwise_or.at(bitset, block, mask)
    return bitset.tobytes()


def might_contain(bitset: bytes | memoryview, raw: bytes) -> bool:
    """Return whether the filter admits a value by its PLAIN bytes, a byte array without its length.

    `bitset` is one block or more; raises ValueError for another length.
    """
    return bool(admitted(bitset, [raw])[0])


def missing(bitset: bytes | memoryview, values: Values) -> list[int]:
    """Return the positions of the values that the filter does not admit.

    `bitset` is as in `might_contain`.
    """
    positions: list[int] = np.flatnonzero(~admitted(bitset, raws(values))).tolist()
    return positions


def admitted(bitset: bytes | memoryview, plain: Sequence[bytes]) -> NDArray[np.bool_]:
    """Return whether the filter admits each value; arguments are as in `might_contain`."""
    words = np.frombuffer(bitset, "<u4").reshape(-1, 8)
    if not len(words):
        raise ValueError("a Bloom filter without a block")
    block, mask = _places(_hashes(plain), len(words))
    out: NDArray[np.bool_] = ((words[block] & mask) == mask).all(axis=1)
    return out


def _hashes(plain: Sequence[bytes]) -> NDArray[np.uint64]:
    return np.fromiter(map(xxhash.xxh64_intdigest, plain), np.uint64, len(plain))


def _places(hashes: NDArray[np.uint64], blocks: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return the block of each value, and the bits that it sets there, of shape (n, 8)."""
    half = np.uint64(32)
    block = ((hashes >> half) * np.uint64(blocks)) >> half
    # "unsigned multiplication, modulo 2^32", as in arrays of numpy
    places = (hashes.astype(np.uint32)[:, None] * _SALT) >> np.uint32(27)
    return block, np.left_shift(np.uint32(1), places, dtype=np.uint32)
