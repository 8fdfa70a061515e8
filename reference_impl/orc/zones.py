"""Time zones of writers for TIMESTAMP: the offset of the wall clock at an instant.

The zones are those of the IANA database, read from the package `tzdata` (RFC 8536): before the first
transition its first type holds, behind the last one the rule of its footer, for ever. Java also has custom
zones such as GMT+5:30. Python's `zoneinfo` ends at the year 9999; timestamps do not.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from reference_impl.errors import UsageError
from reference_impl.orc.encodings.timestamp import EPOCH

_NAME = re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*")
_LONGEST = 255  # characters of a name: file systems refuse longer ones
_CUSTOM = re.compile(r"(?:GMT|UTC?)([+-])(\d{1,2})(?::?([0-5]\d))?")
_DAY = 86_400
_YEARS = 400  # after which the Gregorian calendar repeats itself, weekdays included
_CYCLE = 146_097 * _DAY


@dataclass(frozen=True)
class Zone:
    """A zone: `offsets_at[i + 1]`, in seconds east of UTC, holds from `times[i]` (seconds since 1970) on.

    From `repeats_from` on the offsets repeat every 400 years.
    """

    name: str
    times: NDArray[np.int64]
    offsets_at: NDArray[np.int64]
    repeats_from: int

    def offsets(self, instants: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the offset from UTC in seconds at each instant (seconds since 1970)."""
        late = instants >= self.repeats_from + _CYCLE
        if late.any():
            within = self.repeats_from + (instants - self.repeats_from) % _CYCLE
            instants = np.where(late, within, instants)
        return self.offsets_at[np.searchsorted(self.times, instants, side="right")]

    @property
    def epoch(self) -> int:
        """The instant at which 2015 began on the wall clock of this zone."""
        return EPOCH - self._offset(EPOCH - self._offset(EPOCH))

    def _offset(self, instant: int) -> int:
        return int(self.offsets(np.array([instant], np.int64))[0])


@lru_cache(maxsize=64)
def load(name: str) -> Zone | None:
    """Return the zone of this name, None if there is none."""
    custom = _CUSTOM.fullmatch(name)
    if custom:
        sign, hours, minutes = custom.groups()
        offset = int(hours) * 3600 + int(minutes or 0) * 60
        return _fixed(name, -offset if sign == "-" else offset) if int(hours) < 24 else None
    if len(name) > _LONGEST or not _NAME.fullmatch(name):
        return None
    file = resources.files("tzdata.zoneinfo").joinpath(*name.split("/"))
    raw = file.read_bytes() if file.is_file() else b""
    return _tzif(name, raw) if raw[:4] == b"TZif" else None


def _fixed(name: str, offset: int) -> Zone:
    return Zone(name, np.zeros(0, np.int64), np.array([offset], np.int64), 0)


def _tzif(name: str, raw: bytes) -> Zone:
    """Read the 64-bit part of a TZif file (RFC 8536, section 3), which follows the 32-bit part."""
    isut, isstd, leaps, times, types, chars = struct.unpack(">6I", raw[20:44])
    start = 44 + times * 5 + types * 6 + chars + leaps * 8 + isstd + isut + 20
    isut, isstd, leaps, times, types, chars = struct.unpack(">6I", raw[start : start + 24])
    start += 24
    instants = np.frombuffer(raw, ">i8", times, start).astype(np.int64)
    start += times * 8
    kinds = np.frombuffer(raw, np.uint8, times, start)
    start += times
    of_kind = np.array([struct.unpack_from(">i", raw, start + 6 * at)[0] for at in range(types)], np.int64)
    start += types * 6 + chars + leaps * 12 + isstd + isut
    offsets = np.concatenate([of_kind[:1], of_kind[kinds]])
    rule = raw[start:].strip(b"\n").decode("ascii")
    return _extended(name, instants, offsets, rule)


def _extended(name: str, instants: NDArray[np.int64], offsets: NDArray[np.int64], rule: str) -> Zone:
    """Add the transitions of the rule behind the last known transition, for 401 years."""
    changes, last = _transitions(rule, instants)
    times = np.concatenate([instants, np.array([at for at, _ in changes], np.int64)])
    after = np.concatenate([offsets, np.array([offset for _, offset in changes], np.int64)])
    return Zone(name, times, after, last)


def _transitions(rule: str, known: NDArray[np.int64]) -> tuple[list[tuple[int, int]], int]:
    """Return instants with the offsets that begin there, and the instant from which they repeat."""
    last = int(known[-1]) if len(known) else 0
    match = _RULE.fullmatch(rule)
    if match is None or match["start"] is None:
        return [], last
    standard = -_seconds(match["std"])
    summer = -_seconds(match["dst"]) if match["dst"] else standard + 3600
    first = date.fromordinal(last // _DAY + 719_163).year
    changes = []
    for year in range(first, first + _YEARS + 2):
        changes.append((_moment(year, match["start"]) - standard, summer))
        changes.append((_moment(year, match["end"]) - summer, standard))
    return sorted(change for change in changes if change[0] > last), _moment(first + 1, "J1")


# POSIX TZ (IEEE 1003.1, 8.3, and RFC 8536, 3.3.1): std offset [dst [offset] [, start [/time] , end [/time]]]
_ABBREVIATION = r"(?:[A-Za-z]+|<[^>]+>)"
_TIME = r"[+-]?\d+(?::\d+)*"
_RULE = re.compile(
    rf"{_ABBREVIATION}(?P<std>{_TIME})(?:{_ABBREVIATION}(?P<dst>{_TIME})?,(?P<start>[^,]+),(?P<end>[^,]+))?"
)


def _seconds(text: str) -> int:
    hours, minutes, seconds = (*map(int, text.lstrip("+-").split(":")), 0, 0)[:3]
    total = hours * 3600 + minutes * 60 + seconds
    return -total if text.startswith("-") else total


def _moment(year: int, rule: str) -> int:
    """Return when a rule such as M3.2.0/2 takes effect in a year, in seconds of the wall clock since 1970.

    A year beyond the range of `date` is mapped into the cycle of 400 years.
    """
    day, _, time = rule.partition("/")
    cycles, year = divmod(year - 2000, _YEARS)
    year += 2000
    january = date(year, 1, 1).toordinal() - 719_163
    if day[0] == "J":  # day 1 to 365, February 29 is never counted
        leap = date(year, 12, 31).timetuple().tm_yday == 366
        number = january + int(day[1:]) - 1 + (leap and int(day[1:]) > 59)
    elif day[0] == "M":
        month, week, weekday = map(int, day[1:].split("."))
        first = date(year, month, 1)
        number = first.toordinal() - 719_163 + (weekday - first.isoweekday()) % 7 + 7 * (week - 1)
        following = date(year + month // 12, month % 12 + 1, 1).toordinal() - 719_163
        number -= 7 * (number >= following)  # the fifth: the last one of the month
    else:  # day 0 to 365
        number = january + int(day)
    return cycles * _CYCLE + number * _DAY + (_seconds(time) if time else 7200)


@cache
def clock(name: str | None) -> Callable[[int], int]:
    """Return a function that converts seconds of a zone's wall clock (since 1970, as if it were UTC) to UTC.

    It returns the first of two instants with one wall clock time; for a wall clock time that does not exist
    it raises UsageError, as this function does for an unknown zone. None is UTC.
    """
    zone = load(name or "UTC")
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
