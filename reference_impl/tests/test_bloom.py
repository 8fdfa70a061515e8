"""Bloom filters admit what was put into them, bit for bit as BloomFilter.md has it."""

from __future__ import annotations

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.byte_arrays import ByteArrays
from reference_impl.parquet import bloom, index
from reference_impl.parquet.file import ParquetFile

SALT = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)


def slow(strings, blocks):
    """The bitset by the pseudocode of the specification, one bit after the other."""
    words = [[0] * 8 for _ in range(blocks)]
    for string in strings:
        hashed = xxhash.xxh64_intdigest(string, 0)
        block = words[((hashed >> 32) * blocks) >> 32]
        for number, salt in enumerate(SALT):
            block[number] |= 1 << (((hashed & 0xFFFFFFFF) * salt & 0xFFFFFFFF) >> 27)
    return b"".join(word.to_bytes(4, "little") for block in words for word in block)


@given(st.lists(st.binary(max_size=9), max_size=20), st.integers(1, 5))
def test_bits(strings, blocks):
    """The bitset is that of the pseudocode, and admits every value."""
    bitset = bloom.build(ByteArrays.of(strings), blocks)
    assert bitset == slow(strings, blocks)
    assert all(bloom.might_contain(bitset, string) for string in strings)


def test_what_was_not_put_in():
    """A filter that is not full does not admit everything; an empty one nothing; one of no block is none."""
    bitset = bloom.build(ByteArrays.of([b"a"]), 4)
    assert not bloom.might_contain(bitset, b"b")
    assert not bloom.might_contain(bytes(32), b"a")
    with pytest.raises(ValueError, match="block"):
        bloom.might_contain(b"", b"a")


def test_header():
    """The header names the only algorithm, hash and compression there are, and the bytes of the bitset."""
    header = bloom.header(3)
    assert header.numBytes == 96
    assert header.algorithm.which() == "BLOCK"
    assert header.hash.which() == "XXHASH"
    assert header.compression.which() == "UNCOMPRESSED"


def test_missing():
    """What a filter does not admit is told by its position."""
    bitset = bloom.build(ByteArrays.of([b"a", b"c"]), 8)
    assert bloom.missing(bitset, ByteArrays.of([b"a", b"b", b"c", b"d"])) == [1, 3]
    assert bloom.missing(bitset, ByteArrays.of([])) == []


COLUMNS = {"i": "INT", "l": "BIGINT", "s": "VARCHAR", "d": "DOUBLE", "f": "FLOAT"}


def filters(file):
    """Of each column that has a filter its name, leaf, bitset and values."""
    for leaf in file.leaves:
        header = index.bloom_filter_header(file, 0, leaf.index)
        if header is not None:
            start = header.span[1]
            bitset = bytes(file.data[start : start + header.numBytes])
            yield leaf.name, bitset, file.leaf(leaf, [0]).values


def test_filters_of_duckdb(tmp_path):
    """The filters that DuckDB writes are ours, bit for bit."""
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "filters.parquet"
    columns = ", ".join(f"(i % 50 * 7)::{kind} AS {name}" for name, kind in COLUMNS.items())
    duckdb.sql(f"COPY (SELECT {columns} FROM range(4000) t(i)) TO '{path}' (FORMAT parquet)")
    found = list(filters(ParquetFile.open(path)))
    assert {name for name, *_ in found} == set(COLUMNS)
    for _, bitset, values in found:
        assert bloom.build(values, len(bitset) // 32) == bitset


@pytest.mark.unmeasured
def test_filters_of_pyarrow(tmp_path):
    """The filters that Arrow C++ writes are ours, bit for bit."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "filters.parquet"
    numbers = np.arange(100)
    table = pa.table(
        {"i": numbers.astype("i4"), "l": numbers, "d": numbers / 3, "s": [f"s{number}" for number in numbers]}
    )
    pq.write_table(table, path, bloom_filter_options=dict.fromkeys("ilds", True))
    found = list(filters(ParquetFile.open(path)))
    assert {name for name, *_ in found} == set("ilds")
    for _, bitset, values in found:
        assert bloom.missing(bitset, values) == []
        assert bloom.build(values, len(bitset) // 32) == bitset
