"""RLE: every legal mixture of runs there and back, and what is refused."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.cursor import Cursor
from reference_impl.errors import UsageError
from reference_impl.parquet.encodings import rle
from reference_impl.tests.refusals import refused


@st.composite
def mixtures(draw):
    """A width, values, and runs that hold them."""
    width = draw(st.integers(0, 32))
    value = st.integers(0, (1 << width) - 1)
    values, runs = [], []
    for kind in draw(st.lists(st.sampled_from(["rle", "packed"]), max_size=6)):
        if kind == "rle":
            part = [draw(value)] * draw(st.integers(1, 300))
        else:
            part = draw(st.lists(value, min_size=8, max_size=24))
            part = part[: len(part) // 8 * 8]
        values += part
        runs.append((kind, len(part)))
    tail = draw(st.lists(value, max_size=7))
    if tail:
        values += tail
        runs.append(("packed", len(tail)))
    return width, np.array(values, np.uint64), runs


@given(mixtures())
def test_mixtures(case):
    """Values come back from any mixture, and the cursor stops behind the last run."""
    width, values, runs = case
    cursor = Cursor(rle.encode(values, width, runs=runs) + b"more")
    found = rle.decode(cursor, width, len(values))
    assert np.array_equal(found, values)
    assert found.dtype.itemsize == (1 if width <= 8 else 2 if width <= 16 else 4)
    assert cursor.remaining == 4
    last = int(values[-1]) if len(values) else 0
    counted = Cursor(rle.encode(values, width, runs=runs) + b"more")
    assert rle.occurrences(counted, width, len(values), last) == (values == last).sum()
    assert counted.remaining == 4


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 30))))
def test_chosen_mixture(pieces):
    """Values come back from the mixture that the writer chooses."""
    values = np.array([value for value, times in pieces for _ in range(times)], np.uint8)
    cursor = Cursor(rle.encode(values, 2))
    assert np.array_equal(rle.decode(cursor, 2, len(values)), values)
    assert not cursor.remaining


def test_examples():
    """Encodings.md: 0 to 7 in 3 bits; and a repeated value of two bytes."""
    assert rle.encode(np.arange(8), 3, runs=[("packed", 8)]) == b"\x03\x88\xc6\xfa"
    assert rle.encode(np.array([5] * 4), 3, runs=[("rle", 4)]) == b"\x08\x05"
    assert rle.encode(np.array([300] * 100), 9) == b"\xc8\x01\x2c\x01"
    assert rle.decode(Cursor(b"\x08\x05\x03\x88\xc6\xfa"), 3, 12).tolist() == [5] * 4 + list(range(8))


def test_longest_run():
    """A run of 2^31 - 1 values is legal and costs what is wanted of it; one more is not."""
    cursor = Cursor(b"\xfe\xff\xff\xff\x0f\x07")
    assert rle.decode(cursor, 3, 5).tolist() == [7] * 5
    with refused("PQ-RLE-003"):  # 2^28 groups of 8 values of no bits
        rle.decode(Cursor(b"\x81\x80\x80\x80\x02"), 0, 1)


@pytest.mark.parametrize("data", [b"\x00\x05", b"\x01", b"\x80\x00\x05"])
def test_empty_runs(data):
    """A run of no values is refused; not if nothing is wanted, for then no run is read."""
    with refused("PQ-RLE-003"):
        rle.decode(Cursor(data + b"\x08\x05"), 3, 1)
    cursor = Cursor(data)
    assert len(rle.decode(cursor, 3, 0)) == 0
    assert cursor.pos == 0


@pytest.mark.parametrize("padding", [1, (1 << 32) - 1])
@pytest.mark.parametrize("count", [1, 7, 8, 9])
def test_what_fills_up_the_last_run_is_no_value(padding, count):
    """Values come back whatever bits stand behind the last one, which are the low bits that are given."""
    values = np.arange(count) % 3
    data = rle.encode(values, 3, runs=[("packed", count)], padding=padding)
    assert rle.decode(Cursor(data), 3, count).tolist() == values.tolist()
    assert data != rle.encode(values, 3, runs=[("packed", count)]) or count % 8 == 0


def test_padding_of_the_last_run():
    """Values behind the last one needed may be anything."""
    assert rle.decode(Cursor(b"\x03\xff\xff\xff"), 3, 1).tolist() == [7]


def test_cut_off_bit_packed_run():
    """A last run without the bytes of its padding is read, as parquet-mr and Arrow do."""
    whole = rle.encode(np.array([1, 2, 3, 4, 5]), 8, runs=[("packed", 5)])
    cursor = Cursor(whole[:6])
    assert rle.decode(cursor, 8, 5).tolist() == [1, 2, 3, 4, 5]
    assert not cursor.remaining
    with refused("PQ-RLE-004"):
        rle.decode(Cursor(whole[:5]), 8, 5)


@pytest.mark.parametrize(
    ("data", "width", "rule", "offset"),
    [
        (b"", 1, "PQ-RLE-006", 0),
        (b"\x08\x01", 1, "PQ-RLE-006", 2),  # 4 of 10 values
        (b"\x80", 1, "PQ-RLE-002", 0),
        (b"\x80\x80\x80\x80\x80\x01", 1, "PQ-RLE-002", 0),
        (b"\xff\xff\xff\xff\x1f", 1, "PQ-RLE-002", 0),
        (b"\x08", 1, "PQ-RLE-004", 0),
        (b"\x08\x01", 9, "PQ-RLE-004", 0),
        (b"\x05\x00", 3, "PQ-RLE-004", 0),
        (b"\x14\x02", 1, "PQ-RLE-005", 0),
        (b"\x14\x00\x02", 9, "PQ-RLE-005", 0),
    ],
)
def test_refused(data, width, rule, offset):
    """Broken runs name their rule and where the run begins."""
    with refused(rule, offset=offset):
        rle.decode(Cursor(data), width, 10)


def test_prefixed():
    """The size says where the next part of the page begins, whatever the runs need of it."""
    data = rle.encode_prefixed(np.array([1] * 20), 1)
    assert data == b"\x02\0\0\0\x28\x01"
    cursor = Cursor(b"\x04\0\0\0\x28\x01\xff\xffrest", base=50)
    assert rle.decode_prefixed(cursor, 1, 20).tolist() == [1] * 20
    assert bytes(cursor.take(4)) == b"rest"


@pytest.mark.parametrize(
    ("data", "rule", "offset"),
    [
        (b"\x02\0\0", "PQ-RLE-001", 50),
        (b"\x03\0\0\0\x28\x01", "PQ-RLE-001", 54),
        (b"\x01\0\0\0\x28\x01", "PQ-RLE-004", 54),
    ],
)
def test_prefixed_refused(data, rule, offset):
    """A size beyond the page is refused, and runs may not leave their size."""
    with refused(rule, offset=offset):
        rle.decode_prefixed(Cursor(data, base=50), 1, 20)


def test_no_bits_no_memory():
    """Values of no bits cost their output and nothing else."""
    tracemalloc.start()
    found = rle.decode(Cursor(b"\xfe\xff\xff\xff\x0f"), 0, 1_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == 1_000_000
    assert peak < 4_000_000


def test_a_check_takes_no_memory():
    """A bit-packed run of 67,108,864 values of no bits is counted, not unpacked."""
    tracemalloc.start()
    rle.check(Cursor(b"\x81\x80\x80\x08"), 0, 1 << 26)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000


@pytest.mark.parametrize(
    "runs",
    [
        [("rle", 2)],  # differ
        [("packed", 3), ("packed", 5)],  # not whole groups
        [("packed", 9)],  # too many
        [("rle", 0), ("packed", 8)],
        [("rle", 1)],  # too few
    ],
)
def test_writer_refuses(runs):
    """Runs that would not give the values back are the caller's mistake."""
    with pytest.raises(UsageError):
        rle.encode(np.arange(8), 3, runs=runs)
