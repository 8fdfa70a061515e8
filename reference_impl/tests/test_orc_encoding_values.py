"""Decimals, timestamps and strings: there and back, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.byte_arrays import ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.errors import LimitExceeded, UsageError
from reference_impl.orc.encodings import decimal, string, timestamp
from reference_impl.tests.refusals import refused

LARGEST = 10**38 - 1


@given(
    st.lists(
        st.integers(-LARGEST, LARGEST)
        | st.integers(-(1 << 64), 1 << 64)
        | st.sampled_from([0, -1, (1 << 62) - 1, 1 << 62, (1 << 63) - 1, -(1 << 63), 1 << 63, (1 << 125) + 1])
    )
)
def test_decimals(values):
    """Decimals come back, as int64 where all fit, from the begin and from the position of each."""
    made = decimal.encode(values)
    cursor = Cursor(made.data + b"more")
    found = decimal.decode(cursor, len(values))
    assert found.tolist() == values
    assert cursor.remaining == 4
    fit = all(-(1 << 63) <= value < 1 << 63 for value in values)
    assert found.dtype == (np.int64 if fit else object)
    for index in {0, len(values) // 2, len(values)}:
        (at,) = made.position(index)
        assert decimal.decode(Cursor(made.data[at:]), len(values) - index).tolist() == values[index:]


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (0, "00"),
        (-1, "01"),
        (10**18, "80 80 a0 f6 f4 ac db e0 1b"),
        ((1 << 127) - 1, "fe" + " ff" * 17 + " 03"),
        (-(1 << 127), "ff" + " ff" * 17 + " 03"),
        (1, "82 00"),
        (0, "80" * 18 + "00"),
    ],
)
def test_decimal_bytes(value, data):
    """Zigzag varints up to 128 bits, also with needless bytes."""
    assert decimal.decode(Cursor(bytes.fromhex(data)), 1).tolist() == [value]


@pytest.mark.parametrize(
    ("data", "rule", "offset"),
    [
        ("02", "ORC-DEC-004", 50),
        ("02 80", "ORC-DEC-004", 50),
        ("", "ORC-DEC-004", 50),
        ("02" + "ff" * 18 + "04", "ORC-DEC-001", 51),
        ("02" + "80" * 19 + "00", "ORC-DEC-001", 51),
        ("02" + "80" * 40, "ORC-DEC-001", 51),
    ],
)
def test_decimals_refused(data, rule, offset):
    """What is cut short, and what has more than 128 bits."""
    with refused(rule, offset=offset):
        decimal.decode(Cursor(bytes.fromhex(data), base=50), 2)


def test_decimals_of_the_caller():
    """A decimal beyond 128 bits is the caller's mistake."""
    for value in (1 << 127, -(1 << 127) - 1):
        with pytest.raises(UsageError):
            decimal.encode([value])


@given(st.integers(0, 8), st.integers(0, 999_999_999))
def test_nanoseconds(zeros, nanos):
    """Nanoseconds come back, and have no trailing zeros that could be taken off."""
    nanos = nanos // 10**zeros * 10**zeros
    packed = timestamp.pack(nanos)
    assert timestamp.unpack(np.array([packed])).tolist() == [nanos]
    assert packed >> 3 == nanos or (packed >> 3) % 10


@pytest.mark.parametrize(
    ("nanos", "packed"), [(0, 0), (10, 80), (100, 0x09), (1000, 0x0A), (100_000, 0x0C), (900_000_000, 0x4F)]
)
def test_packed_nanoseconds(nanos, packed):
    """The examples of the specification, and the fewest and most zeros."""
    assert timestamp.pack(nanos) == packed
    assert timestamp.unpack(np.array([packed])).tolist() == [nanos]


@pytest.mark.parametrize("packed", [1_000_000_000 << 3, 10 << 3 | 7, 1 << 62 | 7, (1 << 63) - 1])
def test_nanoseconds_refused(packed):
    """A second or more."""
    with refused("ORC-TIME-001", offset=9):
        timestamp.unpack(np.array([0, packed]), offset=9)


def test_nanoseconds_of_the_caller():
    """Nanoseconds of another second are the caller's mistake."""
    for nanos in (-1, 1_000_000_000):
        with pytest.raises(UsageError):
            timestamp.pack(nanos)


@given(
    st.integers(-5, 5) | st.integers(-(1 << 40), 1 << 40),
    st.sampled_from([0, 1, 999_999, 1_000_000, 999_999_999]),
)
def test_seconds(moment, nanos):
    """What can be stored comes back; the rest is refused, and is what would come back as another moment."""
    if moment == -1 and nanos > 999_999:
        with pytest.raises(UsageError) as caught:
            timestamp.stored(moment, nanos)
        assert caught.value.rule == "ORC-TIME-003"
        return
    seconds, packed = timestamp.stored(moment, nanos)
    found = timestamp.seconds(np.array([seconds]), timestamp.unpack(np.array([packed])))
    assert found.tolist() == [moment]


@pytest.mark.parametrize(
    ("stored", "nanos", "seconds"),
    [(0, 10**6, 0), (-1, 999_999, -1), (-1, 10**6, -2), (-1, 0, -1), (5, 10**6, 5), (-9, 10**8, -10)],
)
def test_second_taken_off(stored, nanos, seconds):
    """A second is taken off below 0, from one millisecond on."""
    assert timestamp.seconds(np.array([stored]), np.array([nanos])).tolist() == [seconds]


def test_strings():
    """The specification's direct encoding and its dictionary."""
    cursor = Cursor(b"NevadaCaliforniamore")
    assert list(string.cut(np.array([6, 10]), cursor)) == [b"Nevada", b"California"]
    assert cursor.remaining == 4
    words = string.dictionary(np.array([10, 7, 6]), Cursor(b"CaliforniaFloridaNevada"))
    found = string.look_up(words, np.array([2, 0, 2, 0, 1]))
    assert list(found) == [b"Nevada", b"California", b"Nevada", b"California", b"Florida"]
    assert not len(string.look_up(words, np.zeros(0, np.int64)))
    assert not len(string.cut(np.zeros(0, np.int64), cursor))


@given(st.lists(st.binary(max_size=9)), st.data())
def test_looked_up(words, data):
    """Ids answer the entries that they count, as often as they are there."""
    ids = data.draw(st.lists(st.integers(0, len(words) - 1)) if words else st.just([]))
    lengths = np.array(list(map(len, words)), np.int64)
    entries = string.dictionary(lengths, Cursor(b"".join(words)))
    assert list(entries) == words
    assert list(string.look_up(entries, np.array(ids, np.int64))) == [words[at] for at in ids]


@pytest.mark.parametrize("lengths", [[3], [1, 2], [1 << 62] * 4, [(1 << 63) - 1] * 2 + [2]])
def test_strings_refused(lengths):
    """Lengths of more bytes than there are, even if their sum leaves 64 bits."""
    with refused("ORC-STR-001", offset=50):
        string.cut(np.array(lengths), Cursor(b"ab", base=50))
    with refused("ORC-STR-003", offset=50):
        string.dictionary(np.array(lengths), Cursor(b"ab", base=50))


def test_dictionary_refused():
    """Data behind the last entry, ids behind it, and more bytes than are wanted."""
    with refused("ORC-STR-003"):
        string.dictionary(np.array([1]), Cursor(b"ab"))
    words = ByteArrays.of([b"a", b"x" * 1000])
    with refused("ORC-STR-004", offset=9):
        string.look_up(words, np.array([0, 2]), offset=9)
    with pytest.raises(LimitExceeded):
        string.look_up(words, np.ones(101, np.int64), 100_000)
    assert len(string.look_up(words, np.ones(100, np.int64), 100_000)) == 100
