"""The generated decoders of messages: what they read, the strict reader of Protocol Buffers reads alike."""

from __future__ import annotations

import io
from contextlib import suppress
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import orc

from reference_impl.errors import LimitExceeded, Malformed
from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import BloomFilter, Footer, PostScript, Stream, Type
from reference_impl.tests.test_protobuf import STRUCTS, structs
from reference_impl.wire import protobuf, protobuf_generated
from reference_impl.wire.protobuf import decode, encode
from reference_impl.wire.protobuf_generated import UNUSUAL, decoder_of
from reference_impl.wire.table import Struct, table_of


def spans(value):
    """Return the spans of a value and of all messages below it, and what they do not know."""
    if isinstance(value, tuple):
        return [spans(item) for item in value]
    if isinstance(value, Struct):
        below = [spans(getattr(value, row.name)) for row in table_of(type(value)).rows]
        return value.span, value.unknown, below
    return None


def compare(cls, data):
    """Have both readers read; return whether the generated decoder knew the bytes."""
    try:
        value = decoder_of(cls)(data, 0, len(data), 1000)
    except UNUSUAL:
        return False
    strict = decode(cls, data, base=1000, keep_spans=True)
    assert encode(value) == encode(strict)  # NaN is not equal to itself
    assert spans(value) == spans(strict)
    return True


@given(cls=st.sampled_from(STRUCTS), data=st.data())
@settings(max_examples=400, deadline=None)
def test_every_message(cls, data):
    """What the writer makes of a message is known to its generated decoder."""
    assert compare(cls, encode(data.draw(structs(cls))))


@given(cls=st.sampled_from(STRUCTS), data=st.data(), flip=st.integers(1, 255))
@settings(max_examples=800, deadline=None)
def test_changed_bytes(cls, data, flip):
    """With bytes changed, a generated decoder gives up or gives the values of the strict reader."""
    raw = bytearray(encode(data.draw(structs(cls))))
    at = data.draw(st.integers(0, len(raw)))
    change = data.draw(st.sampled_from(["flip", "insert", "remove", "cut"]))
    if change == "insert":
        raw.insert(at, flip)
    elif change == "cut":
        del raw[at:]
    elif raw[at:]:
        raw[at : at + 1] = [raw[at] ^ flip] if change == "flip" else []
    with suppress(Malformed, LimitExceeded):
        compare(cls, bytes(raw))
        assert encode(decode(cls, bytes(raw))) == encode(decode(cls, bytes(raw), keep_spans=True))


@given(raw=st.binary(max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_bytes(raw):
    """Of any bytes, a generated decoder reads what the strict reader reads, or nothing."""
    for cls in (PostScript, Type, BloomFilter):
        compare(cls, raw)


@pytest.mark.parametrize(
    ("cls", "text"),
    [
        (PostScript, "08 01 08 02"),  # a scalar twice: the last one counts
        (PostScript, "10 01 08 01"),  # fields in descending order
        (PostScript, "10 63"),  # a number that the enum does not have
        (PostScript, "28 01 30"),  # no value
        (PostScript, "20 00 20 0c"),  # a packed list that is not packed
        (PostScript, "22 03 00 0c 80"),  # a packed list that ends within a varint
        (PostScript, "22 01 80 01"),  # a varint that goes beyond its packed list
        (Footer, "1a 01 08 1a 00"),  # a value that goes beyond its message
        (Footer, "1a 05 08 0a"),  # a message that goes beyond its end
        (Stream, "09 00 00 00 00 00 00 00 00"),  # another wire type
        (Stream, "a0 06 01"),  # an unknown field
        (BloomFilter, "11 01 00 00"),  # eight bytes wanted
        (PostScript, "08" + " ff" * 10 + " 01"),  # a varint of more than 64 bits
    ],
)
def test_unusual_bytes(cls, text):
    """A generated decoder gives up on other orders, unknown fields and numbers, and whatever is malformed."""
    raw = bytes.fromhex(text)
    with pytest.raises(UNUSUAL):
        decoder_of(cls)(raw, 0, len(raw), 0)


def test_tails_of_writers_are_usual():
    """A file that pyarrow writes is opened by generated decoders alone: the quick way is taken."""
    sink = io.BytesIO()
    orc.write_table(pa.table({"a": [1, None], "b": ["x", "y"], "c": [[1.5], []]}), sink)
    with patch.object(protobuf, "_Reader", side_effect=AssertionError):
        OrcFile(sink.getvalue())


def test_long_messages_are_for_the_strict_reader(monkeypatch):
    """What may hold more messages than are allowed is read by the reader that counts them."""
    monkeypatch.setattr(protobuf, "MAX_MESSAGES", 2)
    monkeypatch.setattr(protobuf_generated, "decoder_of", None)
    assert decode(PostScript, bytes.fromhex("08 96 01 10")[:3] + b"\x10\x05").footer_length == 150
