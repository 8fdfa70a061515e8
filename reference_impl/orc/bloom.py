"""Bloom filters of row groups ("Bloom Filter Index"): all hash functions combine two hashes of 32 bits.

A value becomes 64 bits: integers, dates, times and floating point by Thomas Wang's function of a long, text,
bytes and decimals by Hive's variant of Murmur3, which has one lane (the specification calls it half of
Murmur3-128, which it is not). Times are milliseconds, decimals plain text without trailing zeros.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from math import isnan
from typing import Any

from reference_impl.errors import UsageError
from reference_impl.orc import types
from reference_impl.orc.schema import BloomFilter, TypeKind
from reference_impl.orc.values import decimal_text, number

_MASK64 = (1 << 64) - 1
_C1, _C2, _SEED = 0x87C37B91114253D5, 0x4CF5AD432745937F, 104_729
_NAN = 0x7FF8000000000000  # doubleToLongBits has one NaN
_NANOS_PER_MILLI = 10**6
MAX_FUNCTIONS = 1000

LONGS = (*types.INTEGERS, TypeKind.DATE)
TEXTS = (*types.STRINGS, TypeKind.BINARY)
TIMES = types.TIMES
KINDS = (*LONGS, *TEXTS, *TIMES, TypeKind.FLOAT, TypeKind.DOUBLE, TypeKind.DECIMAL)


def of_long(value: int) -> int:
    """Hash a long by Thomas Wang's function; its right shifts are arithmetic. The result is unsigned."""
    key = _signed(~value + (value << 21), 64)
    key ^= key >> 24
    key = _signed(key + (key << 3) + (key << 8), 64)
    key ^= key >> 14
    key = _signed(key + (key << 2) + (key << 4), 64)
    key ^= key >> 28
    return (key + (key << 31)) & _MASK64


def of_bytes(data: bytes) -> int:
    """Hash bytes by Hive's Murmur3 of 64 bits; the result is unsigned."""
    mixed = _SEED
    whole = len(data) & ~7
    for (block,) in struct.iter_unpack("<Q", data[:whole]):
        mixed = (_rotated(mixed ^ _scrambled(block), 27) * 5 + 0x52DCE729) & _MASK64
    if whole < len(data):
        mixed ^= _scrambled(int.from_bytes(data[whole:], "little"))
    mixed ^= len(data)
    mixed = (mixed ^ mixed >> 33) * 0xFF51AFD7ED558CCD & _MASK64
    mixed = (mixed ^ mixed >> 33) * 0xC4CEB9FE1A85EC53 & _MASK64
    return mixed ^ mixed >> 33


def hash_of(kind: TypeKind, value: Any, scale: int = 0) -> int:
    """Hash a value of a column, as plans have it; `scale` is that of a DECIMAL given as int.

    The caller has moved times to UTC where the format asks for that. CHAR is hashed as stored.
    Raises UsageError for a type without Bloom filters.
    """
    if kind in LONGS:
        return of_long(value)
    if kind in TEXTS:
        return of_bytes(value)
    if kind in TIMES:
        seconds, nanos = value
        return of_long(seconds * 1000 + nanos // _NANOS_PER_MILLI)
    if kind in (TypeKind.FLOAT, TypeKind.DOUBLE):
        wide = number(kind, value)
        (bits,) = struct.unpack("<q", struct.pack("<d", wide))
        return of_long(_NAN if isnan(wide) else bits)
    if kind is TypeKind.DECIMAL:
        return of_bytes(decimal_text(value, scale).encode())
    raise UsageError(f"a Bloom filter of {kind.name}")


def hashes_of(kind: TypeKind, value: Any, scale: int = 0) -> Iterator[int]:
    """Yield the hashes that writers use for a value: two for a NaN, which the specification leaves open.

    Java hashes the NaN of doubleToLongBits, C++ the bits of the value. Raises UsageError as
    `hash_of` does.
    """
    yield hash_of(kind, value, scale)
    if kind in (TypeKind.FLOAT, TypeKind.DOUBLE) and isnan(wide := number(kind, value)):
        yield of_long(struct.unpack("<q", struct.pack("<d", wide))[0])


def build(hashes: Iterable[int], words: int, functions: int) -> list[int]:
    """Return the bit set of `words` 64-bit words that admits these hashes."""
    bits = [0] * words
    for hashed in hashes:
        for place in _places(hashed, 64 * words, functions):
            bits[place >> 6] |= 1 << (place & 63)
    return bits


def words_of(message: BloomFilter) -> list[int]:
    """Return the bit set of a message: `utf8bitset`, bytes little-endian, or the words of `bitset`."""
    if message.utf8bitset is None:
        return list(message.bitset)
    usable = len(message.utf8bitset) & ~7
    return [word for (word,) in struct.iter_unpack("<Q", message.utf8bitset[:usable])]


def might_contain(bits: Sequence[int], functions: int, hashed: int) -> bool:
    """Return whether a bit set of one word or more admits a hash.

    A file may declare very many functions; only the first `MAX_FUNCTIONS` are tried, which can only admit
    more.
    """
    size = 64 * len(bits)
    places = _places(hashed, size, min(functions, MAX_FUNCTIONS))
    return all(bits[place >> 6] >> (place & 63) & 1 for place in places)


def _places(hashed: int, size: int, functions: int) -> Iterable[int]:
    """Yield the bits of a hash: "hash1 + (k * hash2)" in 32 bits, its bits flipped if negative, modulo."""
    first, second = _signed(hashed, 32), _signed(hashed >> 32, 32)
    for turn in range(1, functions + 1):
        combined = _signed(first + turn * second, 32)
        yield (~combined if combined < 0 else combined) % size


def _signed(value: int, bits: int) -> int:
    sign = 1 << bits - 1
    return ((value & (1 << bits) - 1) ^ sign) - sign


def _rotated(value: int, by: int) -> int:
    return (value << by | value >> 64 - by) & _MASK64


def _scrambled(block: int) -> int:
    return _rotated(block * _C1 & _MASK64, 31) * _C2 & _MASK64
