"""The encoding of Variant: tables of bytes by VariantEncoding.md, every form, and bytes that are wrong."""

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from properties.strategies.variants import NAMES, physical_forms, primitives, variants
from reference_impl.errors import LimitExceeded, Malformed, ReferenceError_, Unsupported, UsageError
from reference_impl.variant import encoding, forms, metadata
from reference_impl.variant.json_text import to_json
from reference_impl.variant.values import (
    MAX_DEPTH,
    NULL,
    Array,
    Object,
    Primitive,
    canonical,
    decimal,
    double,
    equal,
    float_,
    integer,
    object_of,
)

ROOT = os.environ.get("PARQUET_TEST_DATA")
A, B = Primitive("int8", 1), Primitive("int8", 2)
ABC = "01 03 00 01 02 03 616263"
DOUBLED = "01 02 00 01 02 6161"


@pytest.mark.parametrize(
    ("raw", "names", "is_sorted"),
    [
        ("01 00 00", (), False),
        ("11 02 00 01 02 6162", ("a", "b"), True),
        ("41 0100 0000 0100 61", ("a",), False),  # 2-byte offsets
        ("81 010000 000000 010000 61", ("a",), False),  # 3
        ("c1 01000000 00000000 01000000 61", ("a",), False),  # 4
        ("01 02 00 01 02 6261", ("b", "a"), False),
        ("01 02 00 01 02 6161", ("a", "a"), False),  # not sorted: not unique either
        ("21 00 00", (), False),  # bit 5 "must be ignored by readers"
        ("01 01 00 00", ("",), False),
        ("11 02 00 02 05 c3a9efbfbd", ("é", "\ufffd"), True),
    ],
)
def test_metadata(raw, names, is_sorted):
    """Metadata are names, by offsets of one to four bytes."""
    found = metadata.read(bytes.fromhex(raw))
    assert (found.names, found.is_sorted, found.raw) == (names, is_sorted, bytes.fromhex(raw))


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "01",
        "00 00 00",  # version 0
        "02 00 00",  # version 2
        "01 00",  # no offset
        "01 00 00 61",  # a byte left
        "01 00 01 61",  # the first offset is not 0
        "01 01 00 02 61",  # longer than what is there
        "01 02 00 02 01 6162",  # offsets descend
        "11 02 00 01 02 6261",  # not sorted
        "11 02 00 01 02 6161",  # not unique
        "01 01 00 01 ff",  # not UTF-8
        "01 01 00 03 eda080",  # a surrogate
        "c1 ffffffff 00000000",
    ],
)
def test_metadata_that_are_wrong(raw):
    """What breaks a rule of the metadata is refused by it."""
    with pytest.raises(Malformed) as caught:
        metadata.read(bytes.fromhex(raw))
    assert caught.value.rule == "PQ-VARIANT-006"


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("00", NULL),
        ("04", Primitive("boolean", True)),
        ("08", Primitive("boolean", False)),
        ("0c ff", Primitive("int8", -1)),
        ("10 d204", Primitive("int16", 1234)),
        ("14 40e20100", Primitive("int32", 123456)),
        ("18 15 81 e9 7d f4 10 22 11", Primitive("int64", 1234567890123456789)),
        ("1c 0000000000000080", double(-0.0)),
        ("20 02 d2040000", Primitive("decimal4", 1234, 2)),
        ("24 26 ffffffffffffffff", Primitive("decimal8", -1, 38)),
        ("28 02 64000000000000000000000000000000", Primitive("decimal16", 100, 2)),
        ("2c ffffffff", Primitive("date", -1)),
        ("30 0100000000000000", Primitive("timestamp", 1)),
        ("34 ffffffffffffffff", Primitive("timestamp_ntz", -1)),
        ("38 0000c07f", float_(float("nan"))),
        ("3c 02000000 00ff", Primitive("binary", b"\0\xff")),
        ("40 02000000 c3a9", Primitive("string", "é")),
        ("09 c3a9", Primitive("string", "é")),
        ("0d 6E2F61", Primitive("string", "n/a")),  # VariantShredding.md has 13 for the first byte
        ("01", Primitive("string", "")),
        ("44 0100000000000000", Primitive("time", 1)),
        ("48 0100000000000000", Primitive("timestamp_nanos", 1)),
        ("4c 0100000000000000", Primitive("timestamp_ntz_nanos", 1)),
        ("50 000102030405060708090a0b0c0d0e0f", Primitive("uuid", bytes(range(16)))),
        ("03 00 00", Array(())),
        ("03 02 00 02 04 0c01 0c02", Array((A, B))),
        ("13 01000000 00 02 0c01", Array((A,))),  # is_large
        ("0b 01 000000 020000 0c01", Array((A,))),  # 3-byte offsets
        ("e3 00 00", Array(())),  # bits 5 to 3 of the header "must be ignored"
        ("02 00 00", Object(())),
        ("02 02 00 01 00 02 04 0c01 0c02", Object((("a", A), ("b", B)))),
        ("02 02 00 01 02 00 04 0c02 0c01", Object((("a", A), ("b", B)))),  # b lies first
        ("12 01 0000 00 02 0c01", Object((("a", A),))),  # 2-byte ids
        ("42 01000000 00 00 02 0c01", Object((("a", A),))),
        ("82 01 00 00 02 0c01", Object((("a", A),))),  # bit 5 of the header
    ],
)
def test_values(raw, value):
    """Each type and form of a value by its bytes; what is read is written and read again."""
    found = encoding.decode(bytes.fromhex(raw), metadata.read(bytes.fromhex(ABC)))
    assert found == value
    assert encoding.read(*forms.write(found)) == value


@pytest.mark.parametrize(
    ("raw", "rule"),
    [
        ("", "007"),
        ("0c", "007"),
        ("00 00", "007"),
        ("05 ff", "007"),
        ("09 61", "007"),
        ("40 ffffffff 61", "007"),
        ("50 00", "007"),
        ("03 02 00 01 02 00 0c07", "007"),  # the second element ends behind the array
        ("03 02 00 00 01 00", "007"),  # two elements in one place
        ("03 01 01 02 00 00", "007"),  # bytes before the first
        ("03 02 00 01 03 00 00 00", "007"),  # bytes behind the second
        ("03 00 01 00", "007"),
        ("13 ffffffff 00", "007"),
        ("02 01 03 00 01 00", "009"),  # id 3 of three names
        ("02 02 01 00 00 01 02 00 00", "008"),  # b before a
        ("02 02 00 00 00 01 02 00 00", "008"),  # a twice
        ("02 01 00 00 01 00 00", "007"),
        ("20 27 01000000", "010"),  # scale 39
        ("20 00 00ca9a3b", "010"),  # ten digits
        ("24 00 000064a7b3b6e00d", "010"),
        ("28 00 00000000 40228a09 7ac4865a a84c3b4b", "010"),
    ],
)
def test_values_that_are_wrong(raw, rule):
    """What breaks a rule of values is refused by it."""
    with pytest.raises(Malformed) as caught:
        encoding.decode(bytes.fromhex(raw), metadata.read(bytes.fromhex(ABC)))
    assert caught.value.rule == f"PQ-VARIANT-{rule}"


def test_one_name_by_two_ids():
    """A name stands in an object once, "whether or not they have distinct dictionary IDs"."""
    with pytest.raises(Malformed, match="twice"):
        encoding.read(bytes.fromhex(DOUBLED), bytes.fromhex("02 02 00 01 00 01 02 00 00"))
    read = encoding.read(bytes.fromhex(DOUBLED), bytes.fromhex("02 01 01 00 01 00"))
    assert read == Object((("a", NULL),))


def test_types_to_come():
    """A type that no revision has is not malformed: "new types may be added"."""
    with pytest.raises(Unsupported, match="type 21"):
        encoding.decode(b"\x54", metadata.Metadata())


def test_depth():
    """Values nested too deep are a limit of ours, to read and to write; as deep as that is fine."""
    value = NULL
    for _ in range(MAX_DEPTH):
        value = Array((value,))
    raw = forms.write(value)
    assert encoding.read(*raw) == value
    assert canonical(value)
    too_deep = Array((value,))
    deep = bytes([0x03 | 3 << 2, 1, 0, 0, 0, 0]) + len(raw[1]).to_bytes(4, "little") + raw[1]
    with pytest.raises(LimitExceeded):
        encoding.decode(deep, metadata.Metadata())
    for function in (forms.write, forms.names_of, canonical, to_json):
        with pytest.raises(LimitExceeded):
            function(too_deep)


def test_values_that_overlap_take_no_time():
    """An array whose elements are all the same bytes, nested many times, is refused at once."""
    raw = b"\x00"
    for _ in range(60):
        raw = bytes([0x07, 2, 0, 0, 0, 0]) + len(raw).to_bytes(2, "little") + raw
    with pytest.raises(Malformed):
        encoding.decode(raw, metadata.Metadata())


def test_many_elements_set_is_large():
    """More than 255 elements need a number of four bytes."""
    for count, large in ((255, 0), (256, 4)):
        raw = forms.write(Array((NULL,) * count))[1]
        assert raw[0] >> 2 & 4 == large
        assert len(encoding.decode(raw, metadata.Metadata()).items) == count
    wide = object_of((f"{number:03}", NULL) for number in range(300))
    meta, raw = forms.write(wide)
    assert raw[0] == 2 | 0b10101 << 2  # is_large, ids and offsets of two bytes
    assert encoding.read(meta, raw) == wide


@pytest.mark.parametrize(
    ("one", "other", "are_equal"),
    [
        (Primitive("int8", 123), Primitive("decimal16", 12300, 2), True),
        (Primitive("int8", 1), Primitive("int64", 1), True),
        (Primitive("decimal4", 0, 5), Primitive("int8", 0), True),
        (Primitive("decimal4", 1234, 2), Primitive("decimal4", 1234, 1), False),
        (Primitive("int8", 1), double(1.0), False),
        (float_(1.0), double(1.0), False),
        (double(0.0), double(-0.0), False),
        (Primitive("double", 0x7FF8000000000000), Primitive("double", 0xFFF8000000000001), True),
        (Primitive("timestamp", 5), Primitive("timestamp_nanos", 5000), True),
        (Primitive("timestamp", 5), Primitive("timestamp_ntz", 5), False),
        (Primitive("date", 5), Primitive("int8", 5), False),
        (Primitive("string", "1"), Primitive("binary", b"1"), False),
        (NULL, Array(()), False),
        (Array(()), Object(()), False),
        (object_of([("b", A), ("a", B)]), object_of([("a", B), ("b", A)]), True),
        (Array((A, B)), Array((B, A)), False),
    ],
)
def test_equality(one, other, are_equal):
    """Values of one equivalence class are equal by what they mean, whatever their physical type."""
    assert equal(one, other) == are_equal


@settings(max_examples=150)
@given(variants(), physical_forms())
def test_every_form_is_read_to_the_same(value, form):
    """Whatever form a value is written in, what is read is the value, down to its physical types."""
    assert encoding.read(*forms.write(value, form)) == value


@settings(max_examples=150)
@given(variants(), physical_forms(), st.data())
def test_changed_bytes(value, form, data):
    """Bytes with a change are a value, which is written and read again, or one of the documented errors."""
    meta, raw = forms.write(value, form)
    both = bytearray(meta + raw)
    at = data.draw(st.integers(0, len(both) - 1))
    both[at] = data.draw(st.integers(0, 255))
    try:
        found = encoding.read(*encoding.split(bytes(both)))
    except ReferenceError_:
        return
    assert encoding.read(*forms.write(found)) == found


@given(st.permutations(NAMES), st.integers(0, 10**7))
def test_names_are_ordered_by_their_bytes(order, number):
    """Fields stand in the order of UTF-8 bytes, whatever the order of the dictionary."""
    value = object_of((name, integer(at)) for at, name in enumerate(order))
    names = forms.metadata_of(order, forms.Names(order=number))
    assert encoding.decode(forms.encode(value, names), names) == value
    assert [name.encode() for name, _ in value.fields] == sorted(name.encode() for name in order)


def test_permutations():
    """Each number is a permutation of its own."""
    assert len({tuple(forms.permuted(4, number)) for number in range(24)}) == 24
    assert forms.permuted(3, 0) == [0, 1, 2]


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (127, "int8"),
        (-129, "int16"),
        (1 << 31, "int64"),
        (1 << 63, "decimal16"),
        (10**38 - 1, "decimal16"),
    ],
)
def test_integers_take_the_narrowest_type(number, kind):
    """An integer takes the first type that holds it."""
    assert integer(number).kind == kind


@pytest.mark.parametrize(
    "call",
    [
        lambda: integer(10**38),
        lambda: decimal(1, 39),
        lambda: object_of([("a", A), ("a", B)]),
        lambda: forms.encode(Object((("x", A),)), metadata.Metadata()),
        lambda: forms.primitive(Primitive("int8", 128)),
        lambda: forms.primitive(Primitive("string", "\ud800")),
        lambda: metadata.of(("\ud800",)),
        lambda: metadata.of(("b", "a"), is_sorted=True),
    ],
)
def test_what_cannot_be_written(call):
    """What no bytes stand for is the caller's mistake."""
    with pytest.raises(UsageError):
        call()


@given(primitives())
def test_sizes_of_primitives(value):
    """A primitive cut by a byte is refused."""
    raw = forms.primitive(value)
    with pytest.raises(Malformed):
        encoding.decode(raw[:-1], metadata.Metadata())


@pytest.mark.skipif(ROOT is None, reason="PARQUET_TEST_DATA is not set")
def test_examples_of_parquet_testing():
    """Each file of `variant` is what the dictionary beside them says."""
    folder = Path(ROOT, "variant")
    text = (folder / "data_dictionary.json").read_text("utf-8")
    told = json.loads(re.sub(r",\s*}\s*$", "}", text))  # there is a comma behind the last entry
    others = {  # as the dictionary says them: microseconds behind a colon, an offset, a T, a float's digits
        "primitive_time": '"12:33:54.123456"',
        "primitive_timestamp": '"2025-04-16 16:34:56.78+00:00"',
        "primitive_timestamp_nanos": '"2024-11-07 12:33:54.123456789+00:00"',
        "primitive_timestampntz_nanos": '"2024-11-07 12:33:54.123456789"',
        "object_primitive": None,
        "primitive_float": "1.234568E9",
        "long_string": None,
    }
    found = sorted(folder.glob("*.metadata"))
    assert len(found) == 29
    for path in found:
        value = encoding.read(path.read_bytes(), path.with_suffix(".value").read_bytes())
        answer = others.get(path.stem, "")
        if answer == "":
            assert json.loads(to_json(value)) == told[path.stem], path.stem
        elif answer is not None:
            assert to_json(value) == answer
