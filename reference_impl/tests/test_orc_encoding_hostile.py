"""Invariant: whatever the bytes, a decoder answers what a definition does, or raises an error of ours, soon.

The definition reads version 2 value by value, in Python's integers, as the text says.
"""

from __future__ import annotations

import time
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl import bits
from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed
from reference_impl.orc.encodings import boolean_rle, byte_rle, decimal, rle_v1, rle_v2
from reference_impl.orc.encodings.rle_v2.widths import WIDTHS, closest
from reference_impl.orc.encodings.runs import V2_KINDS, Run, RunKind

NUMBERS = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 5, 5, 5, 5, 1, 2, 3, 4, 5, 90000, 7, 7, 7, 1 << 40] * 3
KINDS = [Run(kind, 9) for kind in V2_KINDS]

DECODERS = {  # name: decoder of a cursor and a count; bytes of 75 values to damage
    "bytes": (byte_rle.decode, byte_rle.encode([number & 7 for number in NUMBERS])),
    "booleans": (boolean_rle.decode, boolean_rle.encode([number % 2 > 0 for number in NUMBERS])),
    "v1": (lambda c, n: rle_v1.decode(c, n, signed=True), rle_v1.encode(NUMBERS, signed=True)),
    "v1 unsigned": (lambda c, n: rle_v1.decode(c, n, signed=False), rle_v1.encode(NUMBERS, signed=False)),
    "v2": (lambda c, n: rle_v2.decode(c, n, signed=True), rle_v2.encode(NUMBERS, signed=True, runs=KINDS)),
    "v2 unsigned": (
        lambda c, n: rle_v2.decode(c, n, signed=False),
        rle_v2.encode(NUMBERS, signed=False, runs=[Run(RunKind.PATCHED_BASE, 25)]),
    ),
    "decimals": (decimal.decode, decimal.encode([number**3 for number in NUMBERS])),
}


def attempt(decode, data, count):
    """Decode, and hold the decoder to the invariant; answer what was found or the rule that was broken."""
    cursor = Cursor(data, base=1000)
    start = time.process_time()
    refusal = None
    try:
        found = decode(cursor, count).tolist()
        assert len(found) == count
    except Malformed as error:
        refusal = error
    if refusal:
        assert refusal.rule, refusal
        assert 1000 <= refusal.offset <= 1000 + len(data)
        found = refusal.rule
    assert time.process_time() - start < 2
    assert 0 <= cursor.pos <= len(data)
    return found


@pytest.mark.parametrize("name", DECODERS)
@given(data=st.binary(max_size=80), count=st.sampled_from([0, 1, 3, 8, 75, 100_000]))
def test_random_bytes(name, data, count):
    """Random bytes."""
    attempt(DECODERS[name][0], data, count)


@pytest.mark.parametrize("name", DECODERS)
@given(data=st.data())
def test_damaged_bytes(name, data):
    """Real bytes with a few of them changed."""
    decode, made = DECODERS[name]
    damaged = bytearray(made.data)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    attempt(decode, bytes(damaged), 75)


@pytest.mark.parametrize("name", DECODERS)
def test_cut_off(name):
    """Real bytes, cut anywhere, are never all values."""
    decode, made = DECODERS[name]
    assert len(decode(Cursor(made.data), 75)) == 75
    for size in range(len(made.data)):
        assert isinstance(attempt(decode, made.data[:size], 75), str)


def signed64(value):
    """Let a number that leaves 64 bits go on at the other end."""
    return ((value + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


def unpacked(cursor, width, count):
    """Return bit-packed values, by the digits of one large number."""
    body = cursor.take(bits.size(count, width))
    digits = "".join(format(byte, "08b") for byte in body)
    return [int(digits[at * width : (at + 1) * width], 2) for at in range(count)]


def unzigzag(value):
    """Undo zigzag."""
    return (value >> 1) ^ -(value & 1)


def definition(data, count, signed):
    """Read version 2 as the text has it; ValueError where that cannot be read."""
    cursor, out = Cursor(data), []
    while len(out) < count:
        first = cursor.u8()
        if first < 0x40:
            value = int.from_bytes(cursor.take((first >> 3) + 1), "big")
            out += [unzigzag(value) if signed else value] * ((first & 7) + 3)
            continue
        length, number = ((first & 1) << 8 | cursor.u8()) + 1, first >> 1 & 31
        if first < 0x80:
            values = unpacked(cursor, WIDTHS[number], length)
            out += map(unzigzag, values) if signed else values
        elif first < 0xC0:
            out += patched(cursor, WIDTHS[number], length)
        else:
            out += deltas(cursor, number, length, signed)
    out = [signed64(value) for value in out[:count]]
    if not signed and min(out, default=0) < 0:
        raise ValueError
    return out


def patched(cursor, width, length):
    """Read a patched base run behind its first two bytes."""
    third, fourth = cursor.take(2)
    base = int.from_bytes(body := cursor.take((third >> 5) + 1), "big")
    sign = 1 << (8 * len(body) - 1)
    values = unpacked(cursor, width, length)
    patch_width, gap_width, at = WIDTHS[third & 31], (fourth >> 5) + 1, 0
    if gap_width + patch_width > 64 or not fourth & 31:
        raise ValueError
    for entry in unpacked(cursor, closest(gap_width + patch_width), fourth & 31):
        gap, patch = divmod(entry, 1 << patch_width)
        at += gap
        if gap >> gap_width or at >= length or patch << width >> 64:
            raise ValueError
        values[at] |= patch << width
    return [value + (sign - base if base & sign else base) for value in values]


def deltas(cursor, number, length, signed):
    """Read a delta run behind its first two bytes."""
    base = cursor.zigzag(64) if signed else cursor.uleb128(64)
    first = cursor.zigzag(64)
    if number and (not first or length == 1):
        raise ValueError
    rest = unpacked(cursor, WIDTHS[number], length - 2) if number else [abs(first)] * (length - 2)
    steps = [first, *(step if first >= 0 else -step for step in rest)]
    return list(accumulate(steps, initial=base))[:length]


HEADERS = st.binary(min_size=2, max_size=6)
RUNS = st.sampled_from([0x00, 0x0A, 0x40, 0x46, 0x5E, 0x82, 0x8E, 0x90, 0xC0, 0xC2, 0xC6, 0xDE])


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.tuples(RUNS, HEADERS), max_size=4),
    st.binary(max_size=40),
    st.sampled_from([1, 3, 20]),
    st.booleans(),
)
def test_version_2_by_definition(heads, tail, count, signed):
    """What is read is what the definition reads, and what it cannot read is refused."""
    runs = [bytes([first, head[0] & 31]) + head[1:] for first, head in heads]
    data = b"".join(runs) + tail + bytes(range(200))
    found = attempt(lambda c, n: rle_v2.decode(c, n, signed=signed), data, count)
    try:
        expected = definition(data, count, signed)
    except (ValueError, Malformed):
        assert isinstance(found, str), found
    else:
        assert found == expected


@settings(deadline=None)
@given(st.integers(0, 1 << 32), st.booleans())
def test_patches_by_definition(seed, signed):
    """Entries of patches, any that fit their run."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 257))
    head = bytes([0x80 | rng.integers(4) << 1, count - 1, rng.integers(8), 0x21 | rng.integers(256)])
    data = head + bytes(rng.integers(0, [60, 256][rng.integers(2)], 600, np.uint8))
    found = attempt(lambda c, n: rle_v2.decode(c, n, signed=signed), data, count)
    try:
        expected = definition(data, count, signed)
    except (ValueError, Malformed):
        assert isinstance(found, str), found
    else:
        assert found == expected
