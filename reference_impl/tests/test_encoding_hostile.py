"""Invariant: whatever the bytes, a decoder answers `count` values or raises an error of ours, and soon."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.byte_arrays import ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.errors import LimitExceeded, Malformed
from reference_impl.parquet.encodings import (
    alp,
    bit_packed,
    byte_stream_split,
    delta_binary_packed,
    delta_byte_array,
    delta_length_byte_array,
    dictionary,
    plain,
    rle,
)
from reference_impl.parquet.schema import Type
from reference_impl.parquet.types import Physical

STRINGS = ByteArrays.of([b"same", b"same old", b"", b"same again", b"s"] * 12)
NUMBERS = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3] * 6, np.int32)
BYTES, INT32, FLOAT = map(Physical, (Type.BYTE_ARRAY, Type.INT32, Type.FLOAT))

DECODERS = {  # name: decoder of a cursor and a count; bytes of 60 values to damage
    "plain": (lambda c, n: plain.decode(c, INT32, n), plain.encode(NUMBERS, INT32)),
    "plain strings": (lambda c, n: plain.decode(c, BYTES, n), plain.encode(STRINGS, BYTES)),
    "rle": (lambda c, n: rle.decode(c, 4, n), rle.encode(NUMBERS, 4)),
    "rle prefixed": (lambda c, n: rle.decode_prefixed(c, 4, n), rle.encode_prefixed(NUMBERS, 4)),
    "bit packed": (lambda c, n: bit_packed.decode(c, 4, n), bit_packed.encode(NUMBERS, 4)),
    "dictionary": (dictionary.decode_indices, dictionary.encode_indices(NUMBERS)),
    "delta": (lambda c, n: delta_binary_packed.decode(c, INT32, n), delta_binary_packed.encode(NUMBERS)),
    "delta length": (
        lambda c, n: delta_length_byte_array.decode(c, BYTES, n),
        delta_length_byte_array.encode(STRINGS),
    ),
    "delta strings": (lambda c, n: delta_byte_array.decode(c, BYTES, n), delta_byte_array.encode(STRINGS)),
    "alp": (lambda c, n: alp.decode(c, FLOAT, n), alp.encode(NUMBERS.astype("<f4") / 4, log_vector_size=3)),
    "byte stream split": (
        lambda c, n: byte_stream_split.decode(c, INT32, n),
        byte_stream_split.encode(NUMBERS),
    ),
}


def attempt(decode, data, count):
    """Decode, and hold the decoder to the invariant."""
    cursor = Cursor(data, base=1000)
    start = time.process_time()
    refusal = None
    try:
        assert len(decode(cursor, count)) == count
    except Malformed as error:
        refusal = error
    except LimitExceeded:
        pass
    assert time.process_time() - start < 2
    assert 0 <= cursor.pos <= len(data)
    if refusal:
        assert refusal.rule, refusal
        assert 1000 <= refusal.offset <= 1000 + len(data)


@pytest.mark.parametrize("name", DECODERS)
@given(data=st.binary(max_size=60), count=st.sampled_from([0, 1, 2, 7, 8, 9, 60, 100_000]))
def test_random_bytes(name, data, count):
    """Random bytes."""
    attempt(DECODERS[name][0], data, count)


@pytest.mark.parametrize("name", DECODERS)
@given(data=st.data())
def test_damaged_bytes(name, data):
    """Real bytes with a few of them changed."""
    decode, good = DECODERS[name]
    damaged = bytearray(good)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    attempt(decode, bytes(damaged), 60)


@pytest.mark.parametrize("name", DECODERS)
def test_cut_off(name):
    """Real bytes, cut anywhere, are never 60 values, but for padding of a last bit-packed run."""
    decode, good = DECODERS[name]
    assert len(decode(Cursor(good), 60)) == 60
    for size in range(len(good)):
        attempt(decode, good[:size], 60)
