"""Geometries as well-known binary (WKB) and their extents, in both formats (Geospatial.md)."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_MOST_DEPTH = 32
_POINT, _POLYGON = 1, 3
_LINES = (2, 8)  # line and circular string: points
_RINGS = (_POLYGON, 17)  # polygon and triangle: rings of points
_CURVES = (*_LINES, 9)
# Types that consist of geometries, and the types of those. "The table below shows the most common geospatial
# types": curves are in ISO WKB, too, and surfaces (15, 16) in OGC 06-103r4, Well-known Binary Representation.
_PARTS: dict[int, tuple[int, ...]] = {
    4: (_POINT,),
    5: (2,),
    6: (_POLYGON,),
    7: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 17),
    9: _LINES,
    10: _CURVES,
    11: _CURVES,
    12: (_POLYGON, 10),
    15: (_POLYGON,),
    16: _RINGS,
}
# "Well-Known Binary (WKB) serializations (ISO variant supporting XY, XYZ, XYM, XYZM)": EWKB has these flags.
_EWKB = 0xE000_0000
_DIMENSIONS = ("xy", "xyz", "xym", "xyzm")


@dataclass
class Extent:
    """The extent of geometries: their type codes, and the least and greatest coordinate by dimension."""

    types: set[int] = field(default_factory=set)
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    xs: list[float] = field(default_factory=list)

    def add(self, dimensions: str, numbers: tuple[float, ...]) -> None:
        """Add the coordinates of points; NaN is skipped."""
        for place, dimension in enumerate(dimensions):
            coordinates = [number for number in numbers[place :: len(dimensions)] if not math.isnan(number)]
            if coordinates:
                low, high = self.ranges.get(dimension, (math.inf, -math.inf))
                self.ranges[dimension] = min(low, *coordinates), max(high, *coordinates)
            if dimension == "x":
                self.xs.extend(coordinates)

    def joined(self, other: Extent) -> Extent:
        """Return the extent of these and other geometries."""
        ranges = dict(self.ranges)
        for dimension, (low, high) in other.ranges.items():
            before = ranges.get(dimension, (math.inf, -math.inf))
            ranges[dimension] = min(low, before[0]), max(high, before[1])
        return Extent(self.types | other.types, ranges, self.xs + other.xs)

    def box(self, *, geography: bool) -> dict[str, Any] | None:
        """Return the fields of a bounding box: "If either the X or Y dimension is missing", there is none.

        Of a GEOGRAPHY, there is none either for points that are off the globe: no legal box holds them.
        """
        if not {"x", "y"} <= set(self.ranges) or (geography and off_globe(self.ranges)):
            return None
        ends = (("min", 0), ("max", 1))
        return {f"{name}{end}": pair[at] for name, pair in self.ranges.items() for end, at in ends}


def off_globe(ranges: Mapping[str, tuple[float, float]]) -> bool:
    """Return whether longitudes or latitudes are illegal in a GEOGRAPHY.

    "X and Y values are restricted to the canonical ranges of [-180, 180] for X and [-90, 90] for Y."
    """
    return any(abs(end) > most for name, most in (("x", 180), ("y", 90)) for end in ranges.get(name, ()))


def outside(pairs: dict[str, tuple[float, float]], extent: Extent) -> str:
    """Return which coordinates are outside of the bounds, "" if none are.

    "For the X values only, xmin may be greater than xmax": then those between them are outside.
    """
    low, high = pairs["x"]
    inside = (lambda x: low <= x <= high) if low <= high else (lambda x: x >= low or x <= high)
    if not all(map(inside, extent.xs)):
        return f"there are x outside of {low} to {high}"
    for name, (least, most) in pairs.items():
        measured = extent.ranges.get(name, (least, most))
        if name != "x" and (measured[0] < least or measured[1] > most):
            return f"there are {name} from {measured[0]} to {measured[1]}, outside of {least} to {most}"
    return ""


def extent_of(geometries: Iterable[bytes]) -> Extent:
    """Return the extent of geometries; raises ValueError, or struct.error, for invalid WKB."""
    extent = Extent()
    for raw in geometries:
        measure(raw, extent)
    return extent


def measure(raw: bytes, extent: Extent) -> None:
    """Add a geometry to an extent; raises ValueError, or struct.error, for invalid WKB."""
    code, end = _walk(raw, 0, extent, 0, _PARTS[7])
    if end != len(raw):
        raise ValueError(f"{len(raw) - end} unused bytes follow the geometry")
    extent.types.add(code)


def little_endian(raw: bytes) -> bytes:
    """Return the geometry with all parts in little-endian order; raises as `measure` does."""
    measure(raw, Extent())
    out = bytearray()
    _turn(raw, 0, out)
    return bytes(out)


def _turn(raw: bytes, at: int, out: bytearray) -> int:
    """Append the (valid) geometry at `at` in little-endian order; return where it ends."""
    order = "<" if raw[at] else ">"
    (number,) = struct.unpack_from(order + "I", raw, at + 1)
    rest, kind = divmod(number, 1000)
    axes = len(_DIMENSIONS[rest])
    out += struct.pack("<BI", 1, number)
    at += 5

    def take(count: int, form: str) -> tuple[Any, ...]:
        nonlocal at
        numbers = struct.unpack_from(f"{order}{count}{form}", raw, at)
        out.extend(struct.pack(f"<{count}{form}", *numbers))
        at += struct.calcsize(f"<{count}{form}")
        return numbers

    if kind == _POINT:
        take(axes, "d")
        return at
    (count,) = take(1, "I")
    if kind in _LINES:
        take(axes * count, "d")
        return at
    for _ in range(count):
        if kind in _RINGS:
            take(axes * take(1, "I")[0], "d")
        else:
            at = _turn(raw, at, out)
    return at


def _walk(raw: bytes, at: int, extent: Extent, depth: int, wanted: tuple[int, ...]) -> tuple[int, int]:
    """Return the ISO code of the geometry at `at`, of one of the types in `wanted`, and where it ends."""
    if depth > _MOST_DEPTH:
        raise ValueError(f"geometries nested deeper than {_MOST_DEPTH}")
    if at >= len(raw) or raw[at] > 1:
        raise ValueError("no byte order")
    order = "<" if raw[at] else ">"
    (number,) = struct.unpack_from(order + "I", raw, at + 1)
    at += 5
    if number & _EWKB:
        raise ValueError(f"type {number:#010x} has flags of EWKB, and ISO WKB has none")
    rest, kind = divmod(number, 1000)
    if kind not in wanted or rest > 3:
        raise ValueError(f"a geometry of type {number}")
    axes, code = _DIMENSIONS[rest], 1000 * rest + kind
    if kind == _POINT:
        return code, _points(raw, at, 1, order + axes, extent)
    (count,) = struct.unpack_from(order + "I", raw, at)
    at += 4
    if kind in _LINES:
        return code, _points(raw, at, count, order + axes, extent)
    for _ in range(count):
        if kind in _RINGS:
            (size,) = struct.unpack_from(order + "I", raw, at)
            at = _points(raw, at + 4, size, order + axes, extent)
        else:
            _, at = _walk(raw, at, extent, depth + 1, _PARTS[kind])
    return code, at


def _points(raw: bytes, at: int, count: int, form: str, extent: Extent) -> int:
    """Add points of a form, such as "<xyz", to the extent; return where they end."""
    order, axes = form[0], form[1:]
    size = 8 * len(axes) * count
    if size > len(raw) - at:
        raise ValueError(f"{count} points are cut short")
    extent.add(axes, struct.unpack_from(f"{order}{len(axes) * count}d", raw, at))
    return at + size
