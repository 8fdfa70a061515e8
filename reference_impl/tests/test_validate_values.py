"""Documents, geometries and Variant values: what is one, and what is none."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.parquet.validate.documents import bson_problem, json_problem
from reference_impl.wkb import Extent, measure


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
@settings(max_examples=50)
def test_json_that_is_written_is_json(value):
    """Whatever a JSON writer writes is JSON."""
    assert json_problem(json.dumps(value).encode()) is None


@pytest.mark.parametrize("raw", [b"", b"NaN", b"{a: 1}", b"[1,]", b"1 2", b'"\x01"', b"'x'", b"[Infinity]"])
def test_what_is_no_json(raw):
    """What the grammar of JSON does not allow is refused, Python's own additions included."""
    assert json_problem(raw)


def test_json_of_any_size():
    """Numbers with more digits than Python converts are numbers; nesting beyond the stack is left alone."""
    assert json_problem(b"9" * 10_000) is None
    assert json_problem(b"[" * 100_000 + b"]" * 100_000) is None


DOCUMENT = bytes.fromhex("16000000 02 68656c6c6f00 06000000 776f726c6400 00")  # bsonspec.org: hello, world
NESTED = bytes.fromhex("13000000 03 6100 0b000000 12 6200 ") + bytes(5)


def test_bson():
    """The example of bsonspec.org is a document; cut, lengthened, or of other types it is none."""
    assert bson_problem(DOCUMENT) is None
    assert bson_problem(b"\x05\0\0\0\0") is None
    for wrong in (
        b"",
        DOCUMENT[:-1],
        DOCUMENT + b"\0",
        DOCUMENT.replace(b"\x02h", b"\x20h"),
        DOCUMENT.replace(b"\x06\0\0\0w", b"\x07\0\0\0w"),
        NESTED,
    ):
        assert bson_problem(wrong), wrong.hex()


def wkb(order, kind, *parts):
    """Return a geometry of parts that are bytes, or lists of coordinates."""
    out = struct.pack(order + "BI", order == "<", kind)
    return out + b"".join(
        part if isinstance(part, bytes) else struct.pack(f"{order}{len(part)}d", *part) for part in parts
    )


def count(number, order="<"):
    """Return a number of parts."""
    return struct.pack(order + "I", number)


LINE = wkb("<", 1002, count(2), [1, 2, 3, 4, 5, float("nan")])
POLYGON = wkb(">", 3, count(1, ">"), count(3, ">"), [0, 0, 9, 0, 9, -9])
MANY = wkb("<", 4, count(2), wkb("<", 1, [7, 8]), wkb(">", 1, [-7, float("nan")]))


@pytest.mark.parametrize(
    ("raw", "kind", "ranges"),
    [
        (wkb("<", 1, [1, 2]), 1, {"x": (1, 1), "y": (2, 2)}),
        (wkb("<", 1, [float("nan")] * 2), 1, {}),
        (LINE, 1002, {"x": (1, 4), "y": (2, 5), "z": (3, 3)}),
        (POLYGON, 3, {"x": (0, 9), "y": (-9, 0)}),
        (MANY, 4, {"x": (-7, 7), "y": (8, 8)}),
        (wkb("<", 7, count(2), MANY, LINE), 7, {"x": (-7, 7), "y": (2, 8), "z": (3, 3)}),
        (wkb("<", 2001, [1, 2, 3]), 2001, {"x": (1, 1), "y": (2, 2), "m": (3, 3)}),
    ],
)
def test_geometries(raw, kind, ranges):
    """Types and coordinates are found in both byte orders, NaN left out."""
    extent = Extent()
    measure(raw, extent)
    assert (extent.types, extent.ranges) == ({kind}, ranges)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x02" + LINE[1:],
        LINE[:-1],
        LINE + b"\0",
        wkb("<", 13),
        wkb("<", 4, count(1), LINE),
        POLYGON[:9],
    ],
)
def test_what_is_no_geometry(raw):
    """What is cut, lengthened, or of another type is none."""
    with pytest.raises((ValueError, struct.error)):
        measure(raw, Extent())


def told(check, raw):
    """Return whether a check finds nothing wrong."""
    try:
        check(raw)
    except ValueError:
        return False
    return True
