"""Converting wall clock times to instants, as a TIMESTAMP is stored ("Timestamp Columns")."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from reference_impl.errors import UsageError
from reference_impl.orc import zones

_DAY = 86_400


@cache
def clock(name: str | None) -> Callable[[int], int]:
    """Return a function that converts seconds of a zone's wall clock (since 1970, as if it were UTC) to UTC.

    It returns the first of two instants with one wall clock time; for a wall clock time that does not exist
    it raises UsageError, as this function does for an unknown zone. None is UTC.
    """
    zone = zones.load(name or "UTC")
    if zone is None:
        raise UsageError(f"time zone {name}")
    if not len(zone.times) and len(zone.offsets_at) == 1:
        fixed = int(zone.offsets_at[0])
        return lambda wall: wall - fixed

    def instant(wall: int) -> int:
        around = np.array([wall - _DAY, wall + _DAY], np.int64)
        tried = wall - zone.offsets(around)
        displayed = tried + zone.offsets(tried)
        fits = tried[displayed == wall]
        if not len(fits):
            raise UsageError(f"{wall} seconds, which the clock of {name} does not show")
        return int(fits.min())

    return instant
