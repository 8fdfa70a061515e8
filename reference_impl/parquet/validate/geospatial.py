"""Checks of GEOMETRY and GEOGRAPHY columns and of their statistics (Geospatial.md)."""

from __future__ import annotations

import math
import struct

from reference_impl.byte_arrays import ByteArrays
from reference_impl.parquet.statistics_structs import BoundingBox
from reference_impl.parquet.validate.scan import Chunk
from reference_impl.validation import Report
from reference_impl.wkb import Extent, measure, off_globe, outside

_NAMES = ("GEOMETRY", "GEOGRAPHY")


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
                measure(raw, extent)
            except (ValueError, struct.error) as error:
                message = f"{raw[:40].hex()} is no WKB: {error}"
                report.add("PQ-VALUE-011", chunk.path, page.page.offset, message)
                return
    if name == "GEOGRAPHY" and off_globe(extent.ranges):
        ranges = zip(("longitudes", "latitudes"), map(extent.ranges.get, "xy"), strict=True)
        message = ", ".join(f"{axis} from {ends[0]} to {ends[1]}" for axis, ends in ranges if ends)
        report.add("PQ-VALUE-012", chunk.path, chunk.start, message)
        sound = False
    if stats is None:
        return
    path, at = (*chunk.path, "geospatial_statistics"), stats.begin
    types = stats.geospatial_types or []
    if len(set(types)) < len(types):
        report.add("PQ-GEO-004", path, at, f"geospatial_types are {types!r:.100}")
    elif sound and types and extent.types != set(types):
        message = f"geospatial_types are {types!r:.100}, but there are {sorted(extent.types)}"
        report.add("PQ-GEO-005", path, at, message)
    if stats.bbox is not None:
        problem = _box(stats.bbox, extent if sound else None, geography=name == "GEOGRAPHY")
        if problem is not None:
            report.add(problem[0], path, at, problem[1])


def _box(box: BoundingBox, extent: Extent | None, *, geography: bool) -> tuple[str, str] | None:
    """Return the rule that a bounding box breaks, and how."""
    pairs = {"x": (box.xmin, box.xmax), "y": (box.ymin, box.ymax)}
    pairs |= {"z": (box.zmin, box.zmax)} if box.zmin is not None and box.zmax is not None else {}
    pairs |= {"m": (box.mmin, box.mmax)} if box.mmin is not None and box.mmax is not None else {}
    if any(math.isnan(bound) for pair in pairs.values() for bound in pair):
        return "PQ-GEO-007", "a bound is NaN"
    crossed = [name for name, (low, high) in pairs.items() if name != "x" and low > high]
    if crossed:
        return "PQ-GEO-003", f"{crossed[0]}min is above {crossed[0]}max"
    if geography and off_globe(pairs):
        return "PQ-GEO-006", f"longitudes {pairs['x']}, latitudes {pairs['y']}"
    if extent is None:
        return None
    problem = outside(pairs, extent)
    return ("PQ-GEO-002", problem) if problem else None
