"""The switch `zone` of ORC's engines: the time zone of their process.

Standard library only, Python 3.9.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo

from harness.engines.errors import Unsupported

UTC = "UTC"
ZONES = {
    "utc": UTC,
    "los_angeles": "America/Los_Angeles",
    "kolkata": "Asia/Kolkata",
    "lord_howe": "Australia/Lord_Howe",
}
# Equivalences of engines that carry a TIMESTAMP as an instant of the zone that they read in.
GAPS = tuple(f"orc-timestamp-gap-{name.replace('_', '-')}" for name in ZONES if name != "utc")
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_WALL_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - a wall clock has no zone
_CYCLE = 146_097 * 86_400  # 400 years, after which the Gregorian calendar, and with it every rule, repeats
_YEAR = 31_556_952
_LAST = 7_500 * _YEAR  # a cycle behind it, `datetime` ends soon
_FIRST = -1_900 * _YEAR


def zone_of(config: dict[str, str]) -> str:
    """Return the name of a configuration's zone in the IANA database."""
    return ZONES[config.get("zone", "utc")]


@contextmanager
def process_zone(config: dict[str, str]) -> Iterator[None]:
    """Set the zone of this process to a configuration's zone for a while; without a zone, change nothing."""
    if "zone" not in config:
        yield
        return
    before = os.environ.get("TZ")
    _set(zone_of(config))
    try:
        yield
    finally:
        _set(before)


def _set(name: str | None) -> None:
    if name is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = name
    time.tzset()


def wall_clock(zone: str, instant: int) -> int:
    """Return the wall clock time of a zone at an instant, both in seconds since 1970."""
    return instant + _offset(zone, instant)


def wall_clock_nanos(zone: str, instant: int) -> int:
    """As `wall_clock`, in nanoseconds."""
    seconds, nanos = divmod(instant, 1_000_000_000)
    return wall_clock(zone, seconds) * 1_000_000_000 + nanos


def instant_of(zone: str, wall: int) -> int:
    """Return the instant of a wall clock; raises Unsupported where the zone has it twice, or never."""
    local = _WALL_EPOCH + timedelta(seconds=_within(wall))
    offsets = {_seconds(zone, local.replace(fold=fold)) for fold in (0, 1)}
    if len(offsets) > 1:
        raise Unsupported(f"{local} is not a unique instant in {zone}")
    return wall - offsets.pop()


@lru_cache(maxsize=4096)
def _offset(zone: str, instant: int) -> int:
    if zone == UTC:
        return 0
    at = (_EPOCH + timedelta(seconds=_within(instant))).astimezone(ZoneInfo(zone))
    offset = at.utcoffset()
    assert offset is not None, zone
    return int(offset.total_seconds())


def _seconds(zone: str, local: datetime) -> int:
    offset = local.replace(tzinfo=ZoneInfo(zone)).utcoffset()
    assert offset is not None, zone
    return int(offset.total_seconds())


def _within(seconds: int) -> int:
    """Return an instant with the same offset in the range of `datetime`, the years 1 to 9999."""
    if seconds > _LAST:
        return _LAST + (seconds - _LAST) % _CYCLE
    return max(seconds, _FIRST)
