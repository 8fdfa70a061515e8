"""The units of durations in ARROW:schema are those that Arrow itself reads there."""

import base64
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.parquet.arrow_schema import duration_units

UNITS = ("s", "ms", "us", "ns")
pa = pytest.importorskip("pyarrow")


def text(*types):
    """Return what Arrow writes into the key."""
    schema = pa.schema([(f"c{number}", type_) for number, type_ in enumerate(types)])
    return base64.b64encode(schema.serialize().to_pybytes()).decode()


@pytest.mark.parametrize("unit", UNITS)
def test_a_duration(unit):
    """A column of a unit; the unit of milliseconds, a default, is not in the bytes."""
    assert duration_units(text(pa.int32(), pa.duration(unit))) == {unit}


def durations_in(type_):
    """Return the units of the durations of a type, as Arrow says them."""
    if pa.types.is_duration(type_):
        return {type_.unit}
    children = [type_.field(index).type for index in range(type_.num_fields)]
    return {unit for child in children for unit in durations_in(child)}


TYPES = st.recursive(
    st.sampled_from([pa.int64(), pa.string(), pa.time64("us"), pa.timestamp("ns"), *map(pa.duration, UNITS)]),
    lambda inner: (
        inner.map(pa.list_)
        | inner.map(lambda value: pa.map_(pa.string(), value))
        | st.lists(inner, max_size=3).map(lambda each: pa.struct([(f"f{n}", t) for n, t in enumerate(each)]))
    ),
    max_leaves=6,
)


@given(st.lists(TYPES, max_size=4))
def test_nested_durations(types):
    """Of lists, maps and structs, at any level."""
    assert duration_units(text(*types)) == {unit for type_ in types for unit in durations_in(type_)}


@given(st.binary(max_size=200), st.integers(0, 400), st.sampled_from(["flip", "cut", "all"]))
def test_bytes_of_no_schema(noise, at, how):
    """Whatever the bytes are: units or none, and no error."""
    good = bytearray(
        base64.b64decode(text(pa.struct([("a", pa.duration("s"))]), pa.list_(pa.duration("us"))))
    )
    where = at % len(good)
    if how == "flip":
        good[where : where + len(noise)] = noise
    data = {"flip": bytes(good), "cut": bytes(good[:where]), "all": noise}[how]
    assert duration_units(base64.b64encode(data).decode()) <= set(UNITS)


@pytest.mark.parametrize("value", ["", "no base64", "é", "AAAA", "////" * 20])
def test_texts_of_no_schema(value):
    """Text that is no base64, or too short, says nothing."""
    assert duration_units(value) == frozenset()


def test_fields_that_are_children_of_two():
    """Two offsets to the same field, forty levels deep, are more fields than a schema has."""
    assert duration_units(doubled(levels=40)) == frozenset()
    assert duration_units(doubled(levels=5)) == {"ms"}


def doubled(levels):
    """Return a schema of a field with two children that are one field, and so on; the last is a duration."""
    data = struct.pack("<I", 14) + struct.pack("<5H", 10, 8, 0, 0, 4)  # the root; slots of a message
    data += struct.pack("<iI", 10, 12)  # Message, whose header is
    data += struct.pack("<4H", 8, 8, 0, 4)
    data += struct.pack("<iI", 8, 4)  # Schema, whose fields are
    data += struct.pack("<II", 1, 4 + 16)  # one, the table of the first block
    for _ in range(levels):
        data += struct.pack("<8H", 16, 8, 0, 0, 0, 0, 0, 4)  # slots of a field
        data += struct.pack("<iI", 16, 4)  # Field, whose children are
        data += struct.pack("<3I", 2, 8 + 16, 4 + 16)  # the next block's field, twice
    data += struct.pack("<8H", 16, 12, 0, 0, 8, 4, 0, 0)
    data += struct.pack("<iIB", 16, 8 + 4, 18) + bytes(3)  # Field of a duration
    data += struct.pack("<2H", 4, 4) + struct.pack("<i", 4)  # Duration without a unit
    return base64.b64encode(b"\xff\xff\xff\xff" + struct.pack("<I", len(data)) + data).decode()
