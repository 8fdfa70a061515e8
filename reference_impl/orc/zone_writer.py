"""What a wall clock shows becomes an instant: what a TIMESTAMP is stored as ("Timestamp Columns")."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from reference_impl.errors import UsageError
from reference_impl.orc import zones

if TYPE_CHECKING:
    from collections.abc import Callable

_DAY = 86_400


@cache
def clock(name: str | None) -> Callable[[int], int]:
    """Return what moves seconds of a zone's wall clock (since 1970, as if it were UTC) to those of UTC.

    Of two instants that the clock shows alike it answers the first; for one that it never shows it raises
    UsageError, as this function does for a zone that is not known. None is UTC.
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
        shown = tried + zone.offsets(tried)
        fits = tried[shown == wall]
        if not len(fits):
            raise UsageError(f"{wall} seconds, which the clock of {name} does not show")
        return int(fits.min())

    return instant
