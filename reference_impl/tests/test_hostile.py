"""Whatever is done to a file, only the documented errors leave the reader, in bounded time and memory.

Over the files of apache/parquet-testing when PARQUET_TEST_DATA says where they are, sampled with a fixed
seed.
"""

from __future__ import annotations

import os
import random
import resource
import time
from contextlib import suppress
from pathlib import Path

import pytest

from reference_impl.errors import ReferenceError_
from reference_impl.limits import Limits
from reference_impl.parquet import index
from reference_impl.parquet.file import ParquetFile

DATA = os.environ.get("PARQUET_TEST_DATA")
LIMITS = Limits(values=1 << 20, page_bytes=1 << 24, footer_bytes=1 << 22)
SECONDS = 20  # of CPU, for one read of one file of at most SIZE bytes, under coverage: far above the usual
SIZE = 100_000
PEAK = 400 << 20


def files():
    """The files of the corpus small enough to be read often."""
    if DATA is None:
        return []
    found = sorted(Path(DATA, "data").rglob("*.parquet")) + sorted(Path(DATA, "bad_data").glob("*.parquet"))
    return [path for path in found if path.stat().st_size <= SIZE]


def read_all(data):
    """Read everything that a file offers, as far as it can be read."""
    with suppress(ReferenceError_):
        file = ParquetFile(data, limits=LIMITS)
        for leaf in file.leaves:
            with suppress(ReferenceError_):
                file.read([".".join(leaf.path)])
        for group in range(len(file.metadata.row_groups)):
            for column in range(len(file.leaves)):
                for parse in (index.column_index, index.offset_index, index.bloom_filter_header):
                    with suppress(ReferenceError_):
                        parse(file, group, column)


def timed(data, what):
    """Read and hold the reader to its time and memory."""
    with suppress(OSError):  # only Linux can forget an earlier peak, which would hide a lower one
        Path("/proc/self/clear_refs").write_text("5")
    start, before = time.process_time(), _peak()
    read_all(data)
    assert time.process_time() - start < SECONDS, what
    assert _peak() - before < PEAK, what


def _peak():
    """The highest resident size since the peak was forgotten, in bytes (Linux counts it in KiB)."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


corpus = pytest.mark.skipif(DATA is None, reason="PARQUET_TEST_DATA is not set")


@corpus
@pytest.mark.sweep(4)
@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_truncations(path):
    """A file cut at any byte is read or refused cleanly."""
    data = path.read_bytes()
    cuts = random.Random(path.name)
    for size in {0, 3, 4, 11, 12, len(data) - 1, len(data) - 8, *cuts.choices(range(len(data)), k=6)}:
        # With the tail put back, the reader gets as far as pages that are not there.
        timed(data[:size], (path.name, size))
        timed(data[:size] + data[-8:], (path.name, size, "tail"))


@corpus
@pytest.mark.sweep(16)
@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_flipped_footer_bytes(path):
    """A file with any byte of its footer changed is read or refused cleanly."""
    data = path.read_bytes()
    length = min(int.from_bytes(data[-8:-4], "little"), len(data) - 12)
    footer = range(len(data) - 8 - length, len(data))
    dice = random.Random(path.name)
    for at in dice.choices(footer, k=8):
        changed = bytearray(data)
        changed[at] ^= 1 << dice.randrange(8) if dice.random() < 0.5 else dice.randrange(1, 256)
        timed(bytes(changed), (path.name, at, changed[at]))


@corpus
@pytest.mark.sweep(6)
@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_flipped_page_bytes(path):
    """A file with any byte of its pages changed is read or refused cleanly."""
    data = path.read_bytes()
    dice = random.Random(path.name)
    for at in dice.choices(range(4, len(data)), k=4):
        changed = bytearray(data)
        changed[at] ^= dice.randrange(1, 256)
        timed(bytes(changed), (path.name, at, changed[at]))
