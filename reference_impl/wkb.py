"""Geometries as well-known binary (WKB) and their extents, in both formats (Geospatial.md)."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

_MOST_DEPTH = 32
_POINT, _LINE, _POLYGON, _COLLECTION = 1, 2, 3, 7
_PARTS = {4: _POINT, 5: _LINE, 6: _POLYGON}
_Z, _M, _SRID = 0x8000_0000, 0x4000_0000, 0x2000_0000  # of EWKB, which many libraries write for WKB
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

    def box(self) -> dict[str, Any] | None:
        """Return the fields of a bounding box: "If either the X or Y dimension is missing", there is none."""
        if not {"x", "y"} <= set(self.ranges):
            return None
        ends = (("min", 0), ("max", 1))
        return {f"{name}{end}": pair[at] for name, pair in self.ranges.items() for end, at in ends}


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
    code, end = _walk(raw, 0, extent, 0, None)
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
    rest, kind = divmod(number & 0x0FFF_FFFF, 1000)
    axes = 2 + (bool(number & _Z) or rest in (1, 3)) + (bool(number & _M) or rest in (2, 3))
    out += struct.pack("<BI", 1, number)
    at += 5

    def take(count: int, form: str) -> tuple[Any, ...]:
        nonlocal at
        numbers = struct.unpack_from(f"{order}{count}{form}", raw, at)
        out.extend(struct.pack(f"<{count}{form}", *numbers))
        at += struct.calcsize(f"<{count}{form}")
        return numbers

    if number & _SRID:
        take(1, "I")
    if kind == _POINT:
        take(axes, "d")
        return at
    (count,) = take(1, "I")
    if kind == _LINE:
        take(axes * count, "d")
        return at
    for _ in range(count):
        if kind == _POLYGON:
            take(axes * take(1, "I")[0], "d")
        else:
            at = _turn(raw, at, out)
    return at


def _walk(raw: bytes, at: int, extent: Extent, depth: int, wanted: int | None) -> tuple[int, int]:
    """Return the ISO code of the geometry at `at`, and where it ends."""
    if depth > _MOST_DEPTH:
        raise ValueError(f"geometries nested deeper than {_MOST_DEPTH}")
    if at >= len(raw) or raw[at] > 1:
        raise ValueError("no byte order")
    order = "<" if raw[at] else ">"
    (number,) = struct.unpack_from(order + "I", raw, at + 1)
    at += 5
    rest, kind = divmod(number & 0x0FFF_FFFF, 1000)
    rest |= bool(number & _Z) | 2 * bool(number & _M)
    if number & _SRID:
        at += 4
    if not _POINT <= kind <= _COLLECTION or rest > 3 or (wanted is not None and kind != wanted):
        raise ValueError(f"a geometry of type {number}")
    axes, code = _DIMENSIONS[rest], 1000 * rest + kind
    if kind == _POINT:
        return code, _points(raw, at, 1, order + axes, extent)
    (count,) = struct.unpack_from(order + "I", raw, at)
    at += 4
    if kind == _LINE:
        return code, _points(raw, at, count, order + axes, extent)
    for _ in range(count):
        if kind == _POLYGON:
            (size,) = struct.unpack_from(order + "I", raw, at)
            at = _points(raw, at + 4, size, order + axes, extent)
        else:
            _, at = _walk(raw, at, extent, depth + 1, _PARTS.get(kind))
    return code, at


def _points(raw: bytes, at: int, count: int, form: str, extent: Extent) -> int:
    """Add points of a form, such as "<xyz", to the extent; return where they end."""
    order, axes = form[0], form[1:]
    size = 8 * len(axes) * count
    if size > len(raw) - at:
        raise ValueError(f"{count} points are cut short")
    extent.add(axes, struct.unpack_from(f"{order}{len(axes) * count}d", raw, at))
    return at + size
