"""Files that pyarrow writes with every option varied: the reference reads what pyarrow reads."""

from __future__ import annotations

import decimal
import random

import pytest

from harness.engines.reference.adapter import Reference
from harness.judging.compare import compare

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ROWS = 1000


def some(dice, make, nulls=0.2):
    """A column: some nulls, some runs of equal values, some values of their own."""
    out = []
    while len(out) < ROWS:
        value = None if dice.random() < nulls else make(dice)
        out += [value] * (dice.randrange(1, 40) if dice.random() < 0.1 else 1)
    return out[:ROWS]


def listed(make):
    """Lists of what `make` makes, some null, some empty."""
    return lambda dice: [None if dice.random() < 0.2 else make(dice) for _ in range(dice.randrange(5))]


def integer(bits):
    """Integers of so many bits, small ones as often as any."""
    top = 1 << bits - 1
    return lambda dice: dice.randrange(-5, 6) if dice.random() < 0.5 else dice.randrange(-top, top)


def text(dice):
    """Strings with common beginnings, short, long and empty."""
    return (
        "ab" * dice.randrange(3) + "é" * dice.randrange(4) + str(dice.randrange(10 ** dice.randrange(1, 9)))
    )


def struct_of(dice):
    """Structs with lists inside."""
    return {"a": integer(8)(dice), "b": listed(text)(dice) if dice.random() < 0.8 else None}


COLUMNS = {
    "bool": (pa.bool_(), lambda dice: dice.random() < 0.5),
    "int8": (pa.int8(), integer(8)),
    "uint32": (pa.uint32(), lambda dice: dice.randrange(1 << 32)),
    "uint64": (pa.uint64(), lambda dice: dice.randrange(1 << 64)),
    "int32": (pa.int32(), integer(32)),
    "int64": (pa.int64(), integer(64)),
    "float": (pa.float32(), lambda dice: dice.uniform(-1e9, 1e9)),
    "double": (pa.float64(), lambda dice: dice.choice([0.0, -0.0, float("inf"), dice.random()])),
    "string": (pa.string(), text),
    "binary": (pa.binary(), lambda dice: dice.randbytes(dice.randrange(20))),
    "fixed": (pa.binary(7), lambda dice: dice.randbytes(7)),
    "decimal": (
        pa.decimal128(20, 3),
        lambda dice: decimal.Decimal(dice.randrange(-(10**19), 10**19)).scaleb(-3),
    ),
    "small": (pa.decimal128(7, 2), lambda dice: decimal.Decimal(dice.randrange(-(10**6), 10**6)).scaleb(-2)),
    "date": (pa.date32(), lambda dice: dice.randrange(-(10**5), 10**5)),
    "time": (pa.time64("us"), lambda dice: dice.randrange(86_400_000_000)),
    "instant": (pa.timestamp("us", "UTC"), integer(50)),
    "local": (pa.timestamp("ms"), integer(40)),
    "list": (pa.list_(pa.int32()), listed(integer(32))),
    "lists": (pa.list_(pa.list_(pa.string())), listed(listed(text))),
    "struct": (pa.struct([("a", pa.int8()), ("b", pa.list_(pa.string()))]), struct_of),
    "map": (
        pa.map_(pa.string(), pa.int64()),
        lambda dice: [(f"k{i}", integer(64)(dice)) for i in range(dice.randrange(4))],
    ),
}
ENCODINGS = {
    "int32": ("PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"),
    "int64": ("PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"),
    "instant": ("PLAIN", "DELTA_BINARY_PACKED"),
    "float": ("PLAIN", "BYTE_STREAM_SPLIT"),
    "double": ("PLAIN", "BYTE_STREAM_SPLIT"),
    "string": ("PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"),
    "binary": ("PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"),
    "fixed": ("PLAIN", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT"),
    "bool": ("PLAIN", "RLE"),
}


def options(dice):
    """Options of the writer, each drawn for itself; with a dictionary, no encodings can be chosen."""
    chosen = {
        "row_group_size": dice.choice([7, 100, ROWS]),
        "data_page_version": dice.choice(["1.0", "2.0"]),
        "data_page_size": dice.choice([1, 200, 1 << 20]),
        "write_batch_size": dice.choice([1, 13, 1024]),
        "compression": dice.choice(["NONE", "SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4"]),
        "version": dice.choice(["1.0", "2.4", "2.6"]),
        "write_page_checksum": dice.random() < 0.5,
        "write_page_index": dice.random() < 0.5,
        "use_compliant_nested_type": dice.random() < 0.5,
        "store_schema": dice.random() < 0.5,
        "store_decimal_as_integer": dice.random() < 0.5,
        "use_deprecated_int96_timestamps": dice.random() < 0.2,
    }
    if dice.random() < 0.4:
        return {**chosen, "use_dictionary": True, "dictionary_pagesize_limit": dice.choice([100, 1 << 20])}
    encodings = {name: dice.choice(names) for name, names in ENCODINGS.items()}
    if chosen["use_deprecated_int96_timestamps"]:
        del encodings["instant"]
    return {**chosen, "use_dictionary": False, "column_encoding": encodings}


@pytest.mark.sweep(14)
@pytest.mark.parametrize("seed", range(20))
def test_the_reference_reads_what_pyarrow_reads(seed, tmp_path):
    """Whatever the options, both answer the same table."""
    from harness.engines.pyarrow.adapter import PyarrowParquet

    dice = random.Random(seed)
    nulls = dice.choice([0.0, 0.2, 0.95])
    table = pa.table(
        {name: pa.array(some(dice, make, nulls), type_) for name, (type_, make) in COLUMNS.items()}
    )
    file = str(tmp_path / "x.parquet")
    chosen = options(dice)
    pq.write_table(table, file, **chosen)
    found = compare(
        Reference().read(file, "parquet", {}),
        PyarrowParquet().read(file, "parquet", {}),
        PyarrowParquet.equivalences,
    )
    assert found.difference is None, (chosen, found.difference)
