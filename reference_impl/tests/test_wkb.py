"""Geometries as WKB: what is found in them, and what of it becomes a bounding box (Geospatial.md)."""

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.orc.schema import TypeKind
from reference_impl.orc.statistics import merge, summarize
from reference_impl.wkb import Extent, extent_of, little_endian, outside

POINT = struct.pack("<BI2d", 1, 1, 1.0, 2.0)
BIG_ENDIAN = struct.pack(">BI4d", 0, 3001, -1.0, 5.0, 3.0, 4.0)
LINE = struct.pack("<BII4d", 1, 2, 2, 0.0, 7.0, 9.0, -7.0)
EMPTY = struct.pack("<BI2d", 1, 1, math.nan, math.nan)


def test_extent():
    """Types are ISO codes; each dimension has its least and greatest coordinate."""
    found = extent_of([POINT, BIG_ENDIAN, LINE])
    assert found.types == {1, 2, 3001}
    assert found.box(geography=False) == {
        "xmin": -1.0,
        "xmax": 9.0,
        "ymin": -7.0,
        "ymax": 7.0,
        "zmin": 3.0,
        "zmax": 3.0,
        "mmin": 4.0,
        "mmax": 4.0,
    }


@st.composite
def geometries(draw, order=None, depth=2):
    """WKB of any kind, each part in the order that is given, or in one of its own."""
    kind = draw(st.integers(1, 7 if depth else 3))
    mark = order or draw(st.sampled_from("<>"))
    rest = draw(st.integers(0, 3))
    head = struct.pack(f"{mark}BI", mark == "<", 1000 * rest + kind)
    point = struct.pack(f"{mark}{(2, 3, 3, 4)[rest]}d", *(1.5, -2.0, 3.0, math.inf)[: (2, 3, 3, 4)[rest]])
    count = draw(st.integers(0, 2))
    told = struct.pack(f"{mark}I", count)
    if kind == 1:
        return head + point
    if kind == 2:
        return head + told + point * count
    if kind == 3:
        return head + told + (struct.pack(f"{mark}I", 2) + point * 2) * count
    wanted = {4: 1, 5: 2, 6: 3}.get(kind)
    parts = geometries(order, depth - 1).filter(lambda one: wanted in (None, _kind(one)))
    return head + told + b"".join(draw(parts) for _ in range(count))


def _kind(raw):
    return struct.unpack_from("<I" if raw[0] else ">I", raw, 1)[0] % 1000


@given(geometries())
def test_little_endian(raw):
    """The same is found in it, and in little-endian order nothing is left to turn."""
    turned = little_endian(raw)
    assert extent_of([turned]) == extent_of([raw])
    assert len(turned) == len(raw)
    assert little_endian(turned) == turned
    assert turned[0] == 1


@given(geometries("<"))
def test_little_endian_already(raw):
    """What is in that order stays as it is."""
    assert little_endian(raw) == raw


@pytest.mark.parametrize("flag", [0x8000_0000, 0x4000_0000, 0x2000_0000])
def test_ewkb_is_no_wkb(flag):
    """ISO WKB has neither flags of dimensions nor an SRID, in no part of a geometry."""
    srid = struct.pack("<I", 4326) if flag == 0x2000_0000 else b""
    rest = (1.0,) if flag != 0x2000_0000 else ()
    raw = struct.pack("<BI", 1, flag | 1) + srid + struct.pack(f"<{2 + len(rest)}d", 1.0, 2.0, *rest)
    for value in (raw, struct.pack("<BII", 1, 7, 1) + raw):
        with pytest.raises(ValueError, match="EWKB"):
            extent_of([value])


LINE_IN_BIG_ENDIAN = struct.pack(">BII4d", 0, 2, 2, 0.0, 7.0, 9.0, -7.0)
RING = struct.pack("<II8d", 1, 4, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0)
XY = {"x": (0.0, 9.0), "y": (-7.0, 7.0)}
TRIANGLE = {"x": (0.0, 1.0), "y": (0.0, 2.0)}


@pytest.mark.parametrize(
    ("code", "body", "ranges"),
    [
        (8, LINE[5:], XY),  # a circular string
        (9, struct.pack("<I", 1) + LINE, XY),  # a compound curve
        (10, struct.pack("<I", 1) + LINE, XY),  # a curve polygon
        (11, struct.pack("<I", 1) + LINE_IN_BIG_ENDIAN, XY),  # curves
        (12, struct.pack("<IBI", 1, 1, 3) + RING, TRIANGLE),  # surfaces
        (15, struct.pack("<IBI", 1, 1, 3) + RING, TRIANGLE),  # a polyhedral surface
        (16, struct.pack("<IBI", 1, 1, 17) + RING, TRIANGLE),  # a triangulated network
        (17, RING, TRIANGLE),  # a triangle
    ],
)
def test_less_common_types(code, body, ranges):
    """Curves and surfaces are WKB, too."""
    raw = struct.pack("<BI", 1, code) + body
    found = extent_of([raw])
    assert (found.types, found.ranges) == ({code}, ranges)
    assert extent_of([little_endian(raw)]) == found


def test_parts_of_another_type():
    """A multipoint has no lines, a compound curve no points."""
    for code, part in ((4, LINE), (9, POINT)):
        with pytest.raises(ValueError, match="a geometry of type"):
            extent_of([struct.pack("<BII", 1, code, 1) + part])


@pytest.mark.parametrize("place", [(180.5, 0.0), (-180.5, 0.0), (0.0, 90.5), (0.0, -90.5)])
def test_no_box_off_the_globe(place):
    """No legal box of a GEOGRAPHY holds a point off the globe; GEOMETRY has no such limits."""
    extent = extent_of([POINT, struct.pack("<BI2d", 1, 1, *place)])
    assert extent.box(geography=True) is None
    assert extent.box(geography=False) is not None
    edges = extent_of([struct.pack("<BI2d", 1, 1, x, y) for x, y in ((180.0, 90.0), (-180.0, -90.0))])
    assert edges.box(geography=True) == {"xmin": -180.0, "xmax": 180.0, "ymin": -90.0, "ymax": 90.0}


def test_no_box():
    """NaN is skipped; without x or y there is no box."""
    assert extent_of([EMPTY]).box(geography=False) is None
    assert extent_of([struct.pack("<BI2d", 1, 1, 1.0, math.nan)]).box(geography=False) is None
    assert extent_of([EMPTY, POINT]).box(geography=False) == {
        "xmin": 1.0,
        "xmax": 1.0,
        "ymin": 2.0,
        "ymax": 2.0,
    }
    assert extent_of([]).box(geography=False) is None


def test_joined():
    """What is found in parts is what is found in all; the parts stay as they are."""
    left, right = extent_of([POINT]), extent_of([BIG_ENDIAN, LINE])
    assert left.joined(right) == extent_of([POINT, BIG_ENDIAN, LINE])
    assert left == extent_of([POINT])
    assert Extent().joined(left) == left


@pytest.mark.parametrize("raw", [b"", b"\2", POINT[:-1], POINT + b"\0", b"\1\x63\0\0\0"])
def test_what_is_no_wkb(raw):
    """Bytes that are no geometry are a ValueError, or what struct says."""
    with pytest.raises((ValueError, struct.error)):
        extent_of([raw])


def test_summaries_of_orc():
    """A stripe's extent is that of its row groups; where a value is no geometry, nothing is known."""
    kind = TypeKind.GEOMETRY
    parts = [summarize(kind, [POINT, None]), summarize(kind, [LINE]), summarize(kind, [None])]
    assert merge(kind, parts).extent == extent_of([POINT, LINE])
    assert merge(kind, [*parts, summarize(kind, [b"?"])]).extent is None
    assert summarize(TypeKind.BINARY, [POINT]).extent is None


def test_outside():
    """Bounds of x may cross the antimeridian; those of other dimensions may not."""
    found = extent_of([POINT, LINE])  # x 0, 1 and 9, y from -7 to 7
    y = (-7.0, 7.0)
    assert not outside({"x": (0.0, 9.0), "y": y}, found)
    assert not outside({"x": (9.0, 1.0), "y": y}, found)
    assert "x" in outside({"x": (9.0, 0.5), "y": y}, found)
    assert "x" in outside({"x": (0.0, 8.0), "y": y}, found)
    assert "y" in outside({"x": (0.0, 9.0), "y": (-7.0, 6.0)}, found)
    assert not outside({"x": (0.0, 9.0), "y": y, "z": (1.0, 2.0)}, found)
