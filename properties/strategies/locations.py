"""Values of GEOMETRY and GEOGRAPHY: well-known binary (Geospatial.md, ORCv1.md)."""

from __future__ import annotations

import struct

from properties.strategies.domains import Domain


def points() -> Domain:
    """Return points as WKB: of both byte orders, with a Z, and an empty one."""
    coordinates = [(0.0, 0.0), (1.0, 2.0), (180.0, 90.0), (-180.0, -90.0), (float("nan"), float("nan"))]
    edges = [struct.pack("<BIdd", 1, 1, *point) for point in coordinates]
    edges += [struct.pack(">BIdd", 0, 1, 3.0, 4.0), struct.pack("<BIddd", 1, 1001, 5.0, 6.0, 7.0)]
    return Domain(edges, lambda at: struct.pack("<BIdd", 1, 1, at % 360 - 180.0, at % 180 - 90.0))
