"""The generated decoders of Thrift structs: what they read, the strict reader reads alike."""

from __future__ import annotations

import io
from contextlib import suppress
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Annotated

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.errors import LimitExceeded, Malformed
from reference_impl.parquet.schema import FileMetaData, KeyValue, SchemaElement
from reference_impl.tests.test_thrift import STRUCTS, struct_values
from reference_impl.wire.generated import Unusual
from reference_impl.wire.table import DOUBLE, I32, STRING, ListOf, Scalar, Struct, table_of
from reference_impl.wire.thrift import decode, encode
from reference_impl.wire.thrift_generated import decoder_of


@dataclass(slots=True, kw_only=True)
class Every(Struct):
    """Wire types that no struct of parquet.thrift has in this place, and an id that needs a long header."""

    number: Annotated[float, 1, DOUBLE]
    flags: Annotated[list[bool] | None, 2, ListOf(Scalar.BOOL)] = None
    bytes_: Annotated[list[int] | None, 3, ListOf(Scalar.I8)] = None
    rows: Annotated[list[list[int]] | None, 4, ListOf(ListOf(I32))] = None
    text: Annotated[str | None, 20, STRING] = None


def spans(value):
    """Return the spans of a value and of all structs below it, and what they do not know."""
    if isinstance(value, list):
        return [spans(item) for item in value]
    if isinstance(value, Struct):
        below = [spans(getattr(value, row.name)) for row in table_of(type(value)).rows]
        return value.span, value.unknown, below
    return None


def needs_long_headers(value):
    """Return whether ids of fields that are set lie more than 15 apart, in a value or below it."""
    if isinstance(value, list):
        return any(map(needs_long_headers, value))
    if not isinstance(value, Struct):
        return False
    items = {row.id: getattr(value, row.name) for row in table_of(type(value)).rows}
    ids = [0, *sorted(number for number, item in items.items() if item is not None)]
    return any(b - a > 15 for a, b in pairwise(ids)) or any(map(needs_long_headers, items.values()))


def compare(cls, data, start=0):
    """Have both readers read; return whether the generated decoder knew the bytes."""
    try:
        value, end = decoder_of(cls)(data, start, len(data), 1000)
    except (Unusual, IndexError):
        return False
    strict, used = decode(cls, data, start=start, base=1000, keep_spans=True)
    assert value == strict
    assert end == start + used
    assert spans(value) == spans(strict)
    return True


@given(cls=st.sampled_from([*STRUCTS, Every]), data=st.data())
@settings(max_examples=500, deadline=None)
def test_every_struct(cls, data):
    """A struct with short headers is known to its generated decoder, behind other bytes as well."""
    value = data.draw(struct_values(cls))
    known = not needs_long_headers(value)
    assert compare(cls, encode(value)) == known
    assert compare(cls, b"before" + encode(value) + b"behind", start=6) == known


@given(
    cls=st.sampled_from([*STRUCTS, Every]),
    data=st.data(),
    flip=st.integers(1, 255),
    long_headers=st.booleans(),
)
@settings(max_examples=1000, deadline=None)
def test_changed_bytes(cls, data, flip, long_headers):
    """With bytes changed, a generated decoder gives up or gives the values of the strict reader."""
    raw = bytearray(encode(data.draw(struct_values(cls)), long_headers=long_headers))
    at = data.draw(st.integers(0, len(raw) - 1))
    change = data.draw(st.sampled_from(["flip", "insert", "remove", "cut"]))
    if change == "flip":
        raw[at] ^= flip
    elif change == "insert":
        raw.insert(at, flip)
    elif change == "remove":
        del raw[at]
    else:
        del raw[at:]
    with suppress(Malformed, LimitExceeded):
        compare(cls, bytes(raw))
        quick = decode(cls, bytes(raw))
        assert quick == decode(cls, bytes(raw), keep_spans=True)


@given(raw=st.binary(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_bytes(raw):
    """Of any bytes, a generated decoder reads what the strict reader reads, or nothing."""
    for cls in (KeyValue, SchemaElement, Every):
        compare(cls, raw)


@pytest.mark.parametrize(
    ("cls", "text"),
    [
        (KeyValue, "18 01 6b 18 01 6b"),  # no end
        (KeyValue, "18 02 6b 00"),  # a length beyond the end
        (KeyValue, "18 01 6b 08 02 00 00"),  # the field again, by a long header
        (KeyValue, "28 01 6b 00"),  # the required field is not there
        (KeyValue, "18 01 6b 25 02 00"),  # an unknown field
        (KeyValue, "18 ff ff ff ff ff 0f 6b 00"),  # a varint of more than 32 bits
        (Every, "17 00 00 00"),  # eight bytes wanted
        (Every, "17 00 00 00 00 00 00 f0 3f 19 11 03 00"),  # a boolean of 3
        (Every, "17 00 00 00 00 00 00 f0 3f 29 f3 ff ff ff ff 07 00 00"),  # 2^31 - 1 elements
    ],
)
def test_unusual_bytes(cls, text):
    """A generated decoder gives up on unknown fields, other orders of fields, and whatever is malformed."""
    raw = bytes.fromhex(text)
    with pytest.raises((Unusual, IndexError)):
        decoder_of(cls)(raw, 0, len(raw), 0)


def test_optional_fields_have_no_defaults():
    """A generated decoder takes None for a field that is not there, as all tables of Thrift structs do."""
    for cls in STRUCTS:
        table = table_of(cls)
        names = {row.name for row in table.rows if not row.required}
        assert {item.default for item in fields(cls) if item.name in names} <= {None}


def test_footers_of_writers_are_usual():
    """The footer that pyarrow writes is known to the generated decoder: the quick way is taken."""
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": [1, None], "b": ["x", "y"], "c": [[1.5], []]}), sink)
    data = sink.getvalue()
    footer = data[-8 - int.from_bytes(data[-8:-4], "little") : -8]
    assert compare(FileMetaData, footer)
