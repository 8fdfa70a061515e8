"""Integer run length encoding, version 1: there and back, positions, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.cursor import Cursor
from reference_impl.errors import UsageError
from reference_impl.orc.encodings import rle_v1
from reference_impl.orc.encodings.runs import V1_KINDS, Run, RunKind
from reference_impl.tests.refusals import refused

LEAST, MOST = -(1 << 63), (1 << 63) - 1
RUNS = st.lists(st.builds(Run, st.sampled_from(V1_KINDS), st.none() | st.integers(1, 200)), max_size=3)
STARTS = st.integers(-9, 9) | st.sampled_from([LEAST, MOST, 63, 64, 8191, 8192]) | st.integers(LEAST, MOST)
DELTAS = st.sampled_from([0, 1, -1, 127, -128, 128, -129])


@st.composite
def progressions(draw):
    """Stretches of values that differ by the same, cut where 64 bits end."""
    values = []
    for _ in range(draw(st.integers(0, 6))):
        start, delta = draw(STARTS), draw(DELTAS)
        values += [start + delta * at for at in range(draw(st.sampled_from([1, 1, 2, 3, 130, 131])))]
    return [value for value in values if LEAST <= value <= MOST]


@given(progressions(), RUNS, st.booleans())
def test_round_trip(values, runs, signed):
    """Integers come back from any mixture of runs, from the begin and from the position of each value."""
    if not signed:
        values = [value & MOST for value in values]
    made = rle_v1.encode(values, signed=signed, runs=runs)
    cursor, notes = Cursor(made.data + b"more"), []
    found = rle_v1.decode(cursor, len(values), signed=signed, notes=notes)
    assert found.dtype == np.int64
    assert found.tolist() == values
    assert cursor.remaining == 4
    assert not notes
    for index in {0, len(values) // 3, len(values)}:
        at, skip = made.position(index)
        found = rle_v1.decode(Cursor(made.data[at:]), len(values) - index, signed=signed, skip=skip)
        assert found.tolist() == values[index:]


EXAMPLES = [  # of the specification, then the widest
    ([7] * 100, False, "61 00 07"),
    (list(range(100, 0, -1)), False, "61 ff 64"),
    ([2, 3, 6, 7, 11], False, "fb 02 03 06 07 0b"),
    ([LEAST, MOST], True, "fe ff ff ff ff ff ff ff ff ff 01 fe ff ff ff ff ff ff ff ff 01"),
    ([0, -1, 1, -2, 129], True, "fb 00 01 02 03 82 02"),
    ([LEAST, LEAST + 1, LEAST + 2], True, "00 01 ff ff ff ff ff ff ff ff ff 01"),
]


@pytest.mark.parametrize(("values", "signed", "data"), EXAMPLES)
def test_examples(values, signed, data):
    """Bytes as the specification has them."""
    assert rle_v1.encode(values, signed=signed).data.hex(" ") == data
    assert rle_v1.decode(Cursor(bytes.fromhex(data)), len(values), signed=signed).tolist() == values


def test_varints_with_needless_bytes():
    """80 00 is 0; ten bytes are read, the last one of which is 0 or 1."""
    data = bytes.fromhex("fe 80 00" + "81" + "80" * 8 + "00" + "00 01 80 00")
    assert rle_v1.decode(Cursor(data), 5, signed=False).tolist() == [0, 1, 0, 1, 2]


@pytest.mark.parametrize(
    ("data", "rule", "offset"),
    [
        ("", "ORC-RLE1-001", 50),
        ("00", "ORC-RLE1-001", 51),
        ("00 01", "ORC-RLE1-001", 52),
        ("00 01 80", "ORC-RLE1-001", 53),
        ("fd 01 02", "ORC-RLE1-001", 53),
        ("fd 01 80 80", "ORC-RLE1-001", 52),
        ("ff" + "80" * 10 + "00", "ORC-RLE1-002", 51),
        ("ff" + "80" * 9 + "02", "ORC-RLE1-002", 51),
        ("fe 01" + "80" * 30, "ORC-RLE1-002", 52),
        ("00 00" + "80" * 9 + "02", "ORC-RLE1-002", 62),
        ("00 00" + "80" * 10 + "00", "ORC-RLE1-002", 62),
    ],
)
def test_refused(data, rule, offset):
    """Broken runs name their rule and their place."""
    with refused(rule, offset=offset):
        rle_v1.decode(Cursor(bytes.fromhex(data), base=50), 1, signed=True)


def test_first_value_of_a_run():
    """One value of the longest run is there, and the cursor stands behind that run."""
    cursor = Cursor(rle_v1.encode([LEAST, MOST] * 128, signed=True).data)
    assert rle_v1.decode(cursor, 1, signed=True).tolist() == [LEAST]
    assert cursor.pos == 1281


def test_too_few():
    """Runs that are whole, and do not hold all values."""
    with refused("ORC-RLE1-001", offset=53):
        rle_v1.decode(Cursor(bytes.fromhex("00 00 05"), base=50), 4, signed=True)


@pytest.mark.parametrize("data", ["ff" + "80" * 9 + "01", "00 00" + "80" * 9 + "01", "00 ff 01"])
def test_unsigned_beyond_63_bits(data):
    """Unsigned integers of 2^63 and more, and below 0."""
    with refused("ORC-INT-002"):
        rle_v1.decode(Cursor(bytes.fromhex(data) * 3), 3, signed=False)
    rle_v1.decode(Cursor(bytes.fromhex(data) * 3), 3, signed=True)


def test_wrap():
    """A run that leaves 64 bits goes on at the other end, and is noted; none is written."""
    notes = []
    data = bytes.fromhex("00 01 fe ff ff ff ff ff ff ff ff 01")
    found = rle_v1.decode(Cursor(data), 3, signed=True, notes=notes)
    assert found.tolist() == [MOST, LEAST, LEAST + 1]
    assert [note.rule for note in notes] == ["ORC-RLE1-003"]
    made = rle_v1.encode(found, signed=True, runs=[Run(RunKind.REPEAT)])
    assert rle_v1.decode(Cursor(made.data), 3, signed=True, notes=notes).tolist() == found.tolist()
    assert len(notes) == 1


@pytest.mark.parametrize(("values", "signed"), [([1 << 63], True), ([-1], False), ([LEAST - 1], True)])
def test_writer_refuses(values, signed):
    """Integers that cannot be stored are the caller's mistake."""
    with pytest.raises(UsageError):
        rle_v1.encode(values, signed=signed)


def test_little_is_looked_at():
    """What stands far behind the values wanted is not read: a seek costs what it wants."""
    data = rle_v1.encode(np.arange(0, 900_000, 300), signed=True).data
    found = rle_v1.decode(Cursor(data + b"\x80" * 50_000_000), 10, signed=True)
    assert found.tolist() == list(range(0, 3000, 300))
