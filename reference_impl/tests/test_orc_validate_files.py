"""Validation of ORC files that others wrote, that are damaged, and that promise more than there is."""

from __future__ import annotations

import io
import os
import random
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import orc

from corpora.rules import load
from reference_impl.limits import Limits
from reference_impl.orc.plan import Bloom, Column
from reference_impl.orc.schema import CompressionKind
from reference_impl.orc.validate import examine, validate
from reference_impl.orc.writer import write
from reference_impl.tests.orc_plans import plan, with_columns

KNOWN = load()
FOLDER = os.environ.get("ORC_TEST_DATA")
# What the examples break, and why: writers of their time.
HIVE_0_11 = {"ORC-STRIPE-014"}  # no time zones yet
NO_INDEX = {"ORC-STATS-003", "ORC-STATS-005"}  # Java counts nothing where it writes no row index
CPP = {"ORC-FILE-010"}  # C++ leaves the header out of contentLength
EXAMPLES = {
    "zero": {"ORC-FILE-001"},
    "TestOrcFile.testWithoutCompressionBlockSize": CPP,
    "TestOrcFile.testSargSkipPickupGroupWithoutIndexCPlusPlus": CPP,
    "decimal64_v2_cplusplus": CPP,
    "orc_split_elim_cpp": CPP,
    "bad_bloom_filter_1.6.0": CPP | {"ORC-BLOOM-001"},  # ORC-1024
    "bad_bloom_filter_1.6.11": CPP | {"ORC-BLOOM-001"},
    "decimal64_v2": {"ORC-STATS-017"},  # ORC-517
    "complextypes_iceberg": {"ORC-STATS-014"},  # Java tells the capacity of its vectors
    "orc_split_elim_new": {"ORC-STATS-015"},  # Java adds a value that repeats once
    "TestOrcFile.testMemoryManagementV11": NO_INDEX,
    "TestOrcFile.testMemoryManagementV12": NO_INDEX,
    "TestOrcFile.testWithoutIndex": NO_INDEX,
    "TestOrcFile.testSargSkipPickupGroupWithoutIndexJava": NO_INDEX,
    "over1k_bloom": HIVE_0_11 | {"ORC-BLOOM-001"},  # one word, and 10,000 hash functions, it says
    "orc_split_elim": HIVE_0_11,
    "orc-file-11-format": HIVE_0_11,
}
SLOW = ("demo-11-zlib", "demo-12-zlib")


def files():
    """Return the examples of apache/orc but for the large ones."""
    if FOLDER is None:
        return []
    return sorted(path for path in Path(FOLDER).glob("*.orc") if path.stem not in SLOW)


@pytest.mark.skipif(FOLDER is None, reason="ORC_TEST_DATA is not set")
def test_examples_break_what_is_known(some_of):
    """Each example of apache/orc breaks the rules that its writer broke, and no other."""
    paths = some_of(((path.stem, path) for path in files()), 4)
    found = {path.stem: {one.rule for one in validate(path.read_bytes())} for path in paths}
    assert found == {name: EXAMPLES.get(name, set()) for name in found}


def small():
    """Return small files of all that there is."""
    kinds = (CompressionKind.NONE, CompressionKind.ZLIB)
    made = [plan(40, compression=kind, row_index_stride=9) for kind in kinds]
    names = ("int", "string", "timestamp", "decimal", "list", "map", "union")
    blooms = plan(20, names[:4], row_index_stride=7)
    blooms = with_columns(blooms, Column(), Column(bloom=Bloom(words=2)), Column())
    return [write(one) for one in (*made, blooms, plan(12, names, stripes=(5, 7)))]


def test_truncations_break_a_rule():
    """A file cut anywhere is reported, and nothing is raised."""
    data = write(plan(12, ("int", "string", "list"), compression=CompressionKind.ZLIB))
    for size in range(len(data)):
        assert validate(data[:size]), size


@pytest.mark.sweep(12)
@pytest.mark.parametrize("seed", range(2))
def test_damage_raises_nothing(seed, fewer):
    """Flipped bits are reported by rules that are known, or change nothing that can be told."""
    chance = random.Random(seed)
    for data in small():
        for _ in range(fewer(20, 4)):
            damaged = bytearray(data)
            for _ in range(chance.choice((1, 1, 3))):
                at = chance.randrange(len(data))
                damaged[at] ^= 1 << chance.randrange(8)
            report = examine(bytes(damaged))
            assert {one.rule for one in report.violations} <= KNOWN.keys()


def test_limits_bound_what_a_file_promises():
    """A billion rows of nothing but nulls are a limit that is met, not memory that is taken."""
    made = write(plan(5, ("list", "string")))
    report = examine(made, limits=Limits(values=4))
    assert not report.violations
    assert any("the limit is 4" in why for why in report.unchecked)


def of_pyarrow(column, **options):
    """Return the rules that a file of pyarrow breaks."""
    sink = io.BytesIO()
    orc.write_table(pa.table({"x": column}), sink, **options)
    return {one.rule for one in validate(sink.getvalue())}


LEGAL = [
    pa.array([1, None, 3] * 500),
    pa.array(["a", None, "zürich"] * 500),
    pa.array([1.5, None, -0.0, float("nan")] * 100),
    pa.array([b"\xff", None, b""] * 100),
    pa.array([[1, 2], [], None] * 100),
    pa.array([datetime(2020, 1, 1, 5, tzinfo=UTC), None] * 100),
]


@pytest.mark.parametrize("dictionary", [0.0, 0.9])
@pytest.mark.parametrize("number", range(len(LEGAL)))
def test_what_pyarrow_writes(number, dictionary):
    """Files of pyarrow break no rule but that of contentLength, row groups and all."""
    found = of_pyarrow(LEGAL[number], row_index_stride=100, dictionary_key_size_threshold=dictionary)
    assert found <= CPP


def test_what_pyarrow_writes_wrongly():
    """Bytes that no Bloom filter admits, and nanoseconds below zero before 1970, are seen."""
    distinct = pa.array(range(-100, 100), pa.int8())
    assert "ORC-BLOOM-001" in of_pyarrow(distinct, bloom_filter_columns=[0, 1])
    early = pa.array([-1_500_500_000], pa.timestamp("ns"))
    assert {"ORC-INT-002", "ORC-STATS-013"} <= of_pyarrow(early)
