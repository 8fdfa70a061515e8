"""Rules of GEOMETRY and GEOGRAPHY columns and of their statistics (Geospatial.md)."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reference_impl.byte_arrays import ByteArrays

if TYPE_CHECKING:
    from reference_impl.parquet.schema import BoundingBox
    from reference_impl.parquet.validate.scan import Chunk
    from reference_impl.validation import Report

_NAMES = ("GEOMETRY", "GEOGRAPHY")
_MOST_DEPTH = 32
_POINT, _LINE, _POLYGON, _COLLECTION = 1, 2, 3, 7
_PARTS = {4: _POINT, 5: _LINE, 6: _POLYGON}
_Z, _M, _SRID = 0x8000_0000, 0x4000_0000, 0x2000_0000  # of EWKB, which many libraries write for WKB
_DIMENSIONS = ("xy", "xyz", "xym", "xyzm")


@dataclass
class Extent:
    """What is found in geometries: their type codes, and per dimension the least and greatest coordinate."""

    types: set[int] = field(default_factory=set)
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    xs: list[float] = field(default_factory=list)

    def add(self, dimensions: str, numbers: tuple[float, ...]) -> None:
        """Add the coordinates of points; NaN is skipped."""
        for place, dimension in enumerate(dimensions):
            told = [one for one in numbers[place :: len(dimensions)] if not math.isnan(one)]
            if told:
                low, high = self.ranges.get(dimension, (math.inf, -math.inf))
                self.ranges[dimension] = min(low, *told), max(high, *told)
            if dimension == "x":
                self.xs.extend(told)


def check(chunk: Chunk, report: Report) -> None:
    """Check a chunk's geometries and its geospatial statistics."""
    name = chunk.node.logical.name if chunk.node.logical else ""
    stats = chunk.meta.geospatial_statistics
    if name not in _NAMES:
        if stats is not None:
            report.add("PQ-GEO-001", chunk.path, chunk.at, "geospatial statistics of another column")
        return
    extent, sound = Extent(), chunk.whole
    for page in chunk.data:
        values = page.entries.values
        for raw in set(values) if isinstance(values, ByteArrays) else ():
            try:
                _geometry(raw, extent)
            except (ValueError, struct.error) as error:
                message = f"{raw[:40].hex()} is no WKB: {error}"
                report.add("PQ-VALUE-011", chunk.path, page.page.offset, message)
                return
    x, y = extent.ranges.get("x", (0, 0)), extent.ranges.get("y", (0, 0))
    if name == "GEOGRAPHY" and (max(map(abs, x)) > 180 or max(map(abs, y)) > 90):
        message = f"longitudes from {x[0]} to {x[1]}, latitudes from {y[0]} to {y[1]}"
        report.add("PQ-VALUE-012", chunk.path, chunk.start, message)
        sound = False
    if stats is None:
        return
    path, at = (*chunk.path, "geospatial_statistics"), stats.span[0] if stats.span else None
    types = stats.geospatial_types or []
    if len(set(types)) < len(types):
        report.add("PQ-GEO-004", path, at, f"geospatial_types are {types!r:.100}")
    elif sound and types and extent.types - set(types):
        message = f"geospatial_types are {types!r:.100}, but there are {sorted(extent.types)}"
        report.add("PQ-GEO-005", path, at, message)
    if stats.bbox is not None:
        problem = _box(stats.bbox, extent if sound else None, geography=name == "GEOGRAPHY")
        if problem is not None:
            report.add(problem[0], path, at, problem[1])


def _box(box: BoundingBox, extent: Extent | None, *, geography: bool) -> tuple[str, str] | None:
    """Answer the rule that a bounding box breaks, and how."""
    pairs = {"x": (box.xmin, box.xmax), "y": (box.ymin, box.ymax)}
    pairs |= {"z": (box.zmin, box.zmax)} if box.zmin is not None and box.zmax is not None else {}
    pairs |= {"m": (box.mmin, box.mmax)} if box.mmin is not None and box.mmax is not None else {}
    if any(math.isnan(one) for pair in pairs.values() for one in pair):
        return "PQ-GEO-007", "a bound is NaN"
    crossed = [name for name, (low, high) in pairs.items() if name != "x" and low > high]
    if crossed:
        return "PQ-GEO-003", f"{crossed[0]}min is above {crossed[0]}max"
    if geography and (max(map(abs, pairs["x"])) > 180 or max(map(abs, pairs["y"])) > 90):
        return "PQ-GEO-006", f"longitudes {pairs['x']}, latitudes {pairs['y']}"
    if extent is None:
        return None
    low, high = pairs.pop("x")
    inside = (lambda x: low <= x <= high) if low <= high else (lambda x: x >= low or x <= high)
    if not all(map(inside, extent.xs)):
        return "PQ-GEO-002", f"there are x outside of {low} to {high}"
    for name, (low, high) in pairs.items():
        found = extent.ranges.get(name, (low, high))
        if found[0] < low or found[1] > high:
            return "PQ-GEO-002", f"there are {name} from {found[0]} to {found[1]}, outside of {low} to {high}"
    return None


def _geometry(raw: bytes, extent: Extent) -> None:
    """Walk through a geometry; raises ValueError, or struct.error, for what is no WKB."""
    code, end = _walk(raw, 0, extent, 0, None)
    if end != len(raw):
        raise ValueError(f"{len(raw) - end} bytes are left")
    extent.types.add(code)


def _walk(raw: bytes, at: int, extent: Extent, depth: int, wanted: int | None) -> tuple[int, int]:
    """Answer the ISO code of the geometry at `at`, and where it ends."""
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
    """Add points of a form, such as "<xyz", to the extent; answer where they end."""
    order, axes = form[0], form[1:]
    size = 8 * len(axes) * count
    if size > len(raw) - at:
        raise ValueError(f"{count} points are cut short")
    extent.add(axes, struct.unpack_from(f"{order}{len(axes) * count}d", raw, at))
    return at + size
