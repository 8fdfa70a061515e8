"""Faults of geospatial statistics."""

from __future__ import annotations

import struct
from typing import Any

from corpora.build.recipe import leaf
from properties.strategies.faults.edits import edit, ints, metadata, table
from properties.strategies.faults.fault import Fault, File
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import GeographyType, GeometryType, LogicalType, Type
from reference_impl.parquet.statistics_structs import BoundingBox, GeospatialStatistics

GEOMETRY: dict[str, Any] = {"logicalType": LogicalType(GEOMETRY=GeometryType())}
GEOGRAPHY: dict[str, Any] = {"logicalType": LogicalType(GEOGRAPHY=GeographyType())}
_POINT, _LINE = 1, 2


def point(x: float, y: float) -> bytes:
    """Return a point as little-endian WKB."""
    return struct.pack("<BIdd", 1, _POINT, x, y)


def line(*points: tuple[float, float]) -> bytes:
    """Return a line as little-endian WKB."""
    coordinates = (struct.pack("<dd", *xy) for xy in points)
    return struct.pack("<BII", 1, _LINE, len(points)) + b"".join(coordinates)


_POINTS = table(leaf("x", Type.BYTE_ARRAY, **GEOMETRY), (point(1.0, 2.0), point(3.0, 4.0)))
_PLACES = table(leaf("x", Type.BYTE_ARRAY, **GEOGRAPHY), (point(1.0, 2.0), point(3.0, 4.0)))
_SHAPES = table(leaf("x", Type.BYTE_ARRAY, **GEOMETRY), (point(1.0, 2.0), line((3.0, 4.0), (5.0, 6.0))))


def _types(*types: int, plan: FilePlan = _POINTS) -> File:
    stats = GeospatialStatistics(geospatial_types=list(types))
    return File(plan, edit(chunk=metadata(geospatial_statistics=stats)))


def _box(plan: FilePlan = _POINTS, **changes: Any) -> File:
    """Return a file with a bounding box, that of its points but for the changes."""
    bounds = {"xmin": 1.0, "xmax": 3.0, "ymin": 2.0, "ymax": 4.0} | changes
    stats = GeospatialStatistics(bbox=BoundingBox(**bounds))
    return File(plan, edit(chunk=metadata(geospatial_statistics=stats)))


FAULTS = (
    Fault(
        "PQ-GEO-001/types-of-integers",
        "a column of INT32 has geospatial statistics",
        _types(_POINT, plan=ints()),
        "one of GEOMETRY has",
        _types(_POINT),
    ),
    Fault(
        "PQ-GEO-002/point-outside-of-its-box",
        "ymax of a bounding box is 3, and a point has 4",
        _box(ymax=3.0),
        "it is 4",
        _box(),
    ),
    Fault(
        "PQ-GEO-003/box-upside-down",
        "ymin of a bounding box is above ymax",
        _box(ymin=4.0, ymax=2.0),
        "xmin is above xmax: the box goes around by the antimeridian, and the points are in it",
        _box(_PLACES, xmin=3.0, xmax=1.0),
    ),
    Fault(
        "PQ-GEO-004/type-twice",
        "geospatial_types has points twice",
        _types(_POINT, _POINT),
        "it has points and lines, and so has the column",
        _types(_POINT, _LINE, plan=_SHAPES),
    ),
    Fault(
        "PQ-GEO-005/type-missing",
        "geospatial_types has lines only, and there are points",
        _types(_LINE),
        "it is empty, which means that nothing is known",
        _types(),
    ),
    Fault(
        "PQ-GEO-006/box-beyond-the-pole",
        "ymax of the bounding box of a GEOGRAPHY is 91",
        _box(_PLACES, ymax=91.0),
        "it is 90",
        _box(_PLACES, ymax=90.0),
    ),
    Fault(
        "PQ-GEO-007/box-of-nan",
        "xmax of a bounding box is NaN",
        _box(xmax=float("nan")),
        "it is infinite",
        _box(xmax=float("inf")),
    ),
)
