"""Byte and boolean run length encoding: there and back, positions, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.cursor import Cursor
from reference_impl.errors import UsageError
from reference_impl.orc.encodings import boolean_rle, byte_rle
from reference_impl.orc.encodings.runs import V1_KINDS, Run, RunKind
from reference_impl.tests.refusals import refused

RUNS = st.lists(st.builds(Run, st.sampled_from(V1_KINDS), st.none() | st.integers(1, 200)), max_size=3)
VALUES = st.lists(
    st.tuples(st.integers(0, 255), st.sampled_from([1, 1, 1, 2, 3, 4, 130, 131, 300])), max_size=12
).map(lambda pieces: [value for value, times in pieces for _ in range(times)])


@given(VALUES, RUNS)
def test_bytes(values, runs):
    """Bytes come back from any mixture of runs, from the begin and from the position of each value."""
    made = byte_rle.encode(values, runs=runs)
    cursor = Cursor(made.data + b"more")
    assert byte_rle.decode(cursor, len(values)).tolist() == values
    assert cursor.remaining == 4
    assert len(made) == len(values)
    for index in {0, len(values) // 3, len(values)}:
        at, skip = made.position(index)
        found = byte_rle.decode(Cursor(made.data[at:]), len(values) - index, skip=skip)
        assert found.tolist() == values[index:]


@given(VALUES, RUNS, st.integers(0, 7), st.booleans())
def test_booleans(values, runs, missing, padding):
    """Booleans come back, from any bit, whatever number of them the last byte holds or what fills it up."""
    bits = np.unpackbits(np.array(values, np.uint8)).view(np.bool_)
    bits = bits[: max(len(bits) - missing, 0)]
    made = boolean_rle.encode(bits, runs=runs, padding=padding)
    assert len(made) == len(bits)
    for index in {0, len(bits) // 3, len(bits)}:
        at, skip, used = made.position(index)
        found = boolean_rle.decode(Cursor(made.data[at:]), len(bits) - index, skip=skip, bits=used)
        assert found.dtype == np.bool_
        assert np.array_equal(found, bits[index:])


def test_the_bits_that_fill_up_the_last_byte():
    """They are zeros, or ones where they are asked for."""
    assert boolean_rle.encode([False]).data == b"\xff\x00"
    assert boolean_rle.encode([False], padding=True).data == b"\xff\x7f"
    assert boolean_rle.encode([False] * 8, padding=True).data == b"\xff\x00"


EXAMPLES = [  # of the specification, the last but one; and the bounds of both kinds
    ([0] * 100, "61 00"),
    ([0x44, 0x45], "fe 44 45"),
    ([7] * 3, "00 07"),
    ([7] * 130, "7f 07"),
    ([7] * 131, "7f 07 ff 07"),
    (list(range(128)), "80 " + bytes(range(128)).hex()),
]


@pytest.mark.parametrize(("values", "data"), EXAMPLES)
def test_examples(values, data):
    """Bytes as the specification has them."""
    assert byte_rle.encode(values).data == bytes.fromhex(data)
    assert byte_rle.decode(Cursor(bytes.fromhex(data)), len(values)).tolist() == values


def test_first_value_of_a_run():
    """One value of a long run is there, and the cursor stands behind that run."""
    for values in ([7] * 130, list(range(128))):
        cursor = Cursor(byte_rle.encode(values).data + b"\x00\x01")
        assert byte_rle.decode(cursor, 1).tolist() == values[:1]
        assert cursor.remaining == 2


def test_example_of_booleans():
    """The specification's one true and seven false; what pads a byte may be anything."""
    booleans = [True] + [False] * 7
    assert boolean_rle.encode(booleans).data == b"\xff\x80"
    assert boolean_rle.decode(Cursor(b"\xff\x80"), 8).tolist() == booleans
    assert boolean_rle.decode(Cursor(b"\xff\x9f"), 3).tolist() == booleans[:3]


def test_runs_as_planned():
    """Runs are as long as asked for, take turns, and give way where the values differ."""
    runs = [Run(RunKind.REPEAT, 4), Run(RunKind.LITERALS, 2), Run(RunKind.REPEAT)]
    made = byte_rle.encode([5] * 10 + [1, 2, 3, 9, 9, 9], runs=runs)
    assert made.data.hex(" ") == "01 05 fe 05 05 01 05 fc 01 02 03 09 fe 09 09"
    assert made.counts.tolist() == [4, 2, 4, 4, 2]
    assert byte_rle.encode([1, 1, 1], runs=[Run(RunKind.REPEAT, 2)]).data.hex(" ") == "fe 01 01 ff 01"


@pytest.mark.parametrize("data", ["", "61", "fe", "fe 01", "00 01 ff"])
def test_cut_short(data):
    """Runs that end before the values do."""
    with refused("ORC-BYTE-001"):
        byte_rle.decode(Cursor(bytes.fromhex(data)), 101)
    with refused("ORC-BOOL-001"):
        boolean_rle.decode(Cursor(bytes.fromhex(data)), 801)
    assert len(byte_rle.decode(Cursor(bytes.fromhex(data)), 0, skip=3)) == 0


@pytest.mark.parametrize("run", [Run(RunKind.DIRECT), Run(RunKind.REPEAT, 0), Run(RunKind.REPEAT, None, -1)])
def test_runs_refused(run):
    """Runs of the other version, of no values, or narrower than needed are the caller's mistake."""
    with pytest.raises(UsageError):
        byte_rle.encode([1], runs=[run])


def test_positions_refused():
    """A position is one of the values, or their end."""
    for made in (byte_rle.encode([1]), boolean_rle.encode([True])):
        for index in (-1, 2):
            with pytest.raises(UsageError):
                made.position(index)
