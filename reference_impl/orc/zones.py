"""Time zones of writers for TIMESTAMP: the offset of the wall clock at an instant.

The zones are those of the IANA database, read from the package `tzdata` (RFC 8536): before the first
transition its first type applies, after the last one the rule of its footer, without end. Java also has
custom zones such as GMT+5:30 and ids of three letters (java.util.TimeZone; java.time.ZoneId.SHORT_IDS says
what they stand for; EST, MST and HST are zones of the database, too). Python's `zoneinfo` ends at the year
9999; timestamps do not.

For the time before clocks were set by zones, mostly local mean time, the specification names no source of
offsets, and libraries differ: ORC C++ takes the zone's first standard offset before its first transition
(`TimezoneImpl::ancientVariant_`), Java's `TimeZone` the zone's last standard offset before 1900. This package
uses the offsets of the database; `Zone.others` are the other offsets, which no rule forbids.

The specification names no version of the database either, and governments change clocks at short notice.
Where a zone's rules changed since 2018, a library with an older database goes on with the former ones: from
then on each offset of the zone since 2018 is among `Zone.others`.
"""

from __future__ import annotations

import re
import struct
import zoneinfo
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reference_impl.errors import UsageError
from reference_impl.orc.encodings.timestamp import EPOCH

_NAME = re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*")
_LONGEST = 255  # characters of a name: file systems refuse longer ones
_CUSTOM = re.compile(r"(?:GMT|UTC?)([+-])(\d{1,2})(?::?([0-5]\d))?")
_SHORT = {
    "ACT": "Australia/Darwin",
    "AET": "Australia/Sydney",
    "AGT": "America/Argentina/Buenos_Aires",
    "ART": "Africa/Cairo",
    "AST": "America/Anchorage",
    "BET": "America/Sao_Paulo",
    "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare",
    "CNT": "America/St_Johns",
    "CST": "America/Chicago",
    "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa",
    "ECT": "Europe/Paris",
    "IET": "America/Indiana/Indianapolis",
    "IST": "Asia/Kolkata",
    "JST": "Asia/Tokyo",
    "MIT": "Pacific/Apia",
    "NET": "Asia/Yerevan",
    "NST": "Pacific/Auckland",
    "PLT": "Asia/Karachi",
    "PNT": "America/Phoenix",
    "PRT": "America/Puerto_Rico",
    "PST": "America/Los_Angeles",
    "SST": "Pacific/Guadalcanal",
    "VST": "Asia/Ho_Chi_Minh",
}
_DAY = 86_400
_YEAR_1900 = -2_208_988_800
YEAR_2018 = 1_514_764_800  # a bound: the changes of former years count as known to every library
_YEARS = 400  # after which the Gregorian calendar repeats itself, weekdays included
_CYCLE = 146_097 * _DAY


@dataclass(frozen=True)
class Zone:
    """A zone: `offsets_at[i + 1]`, in seconds east of UTC, holds from `times[i]` (seconds since 1970) on.

    From `repeats_from` on the offsets repeat every 400 years. `assumed`: offsets that libraries assume
    instead, each with the instant until which they do. `changed`: offsets since 2018, if rules of the zone
    changed since: databases of other versions may have any of them at any later instant.
    """

    name: str
    times: NDArray[np.int64]
    offsets_at: NDArray[np.int64]
    repeats_from: int
    assumed: tuple[tuple[int, int], ...] = ()
    changed: tuple[int, ...] = ()

    def offsets(self, instants: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the offset from UTC in seconds at each instant (seconds since 1970)."""
        late = instants >= self.repeats_from + _CYCLE
        if late.any():
            within = self.repeats_from + (instants - self.repeats_from) % _CYCLE
            instants = np.where(late, within, instants)
        return self.offsets_at[np.searchsorted(self.times, instants, side="right")]

    def others(self, instants: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Yield for each other reading of the zone its offsets at these instants, none if there are none."""
        if not len(instants):
            return
        if any(int(instants.min()) < until for _, until in self.assumed):
            own = self.offsets(instants)
            for offset, until in self.assumed:
                yield np.where(instants < until, offset, own)
        if self.changed and int(instants.max()) >= YEAR_2018:
            own = self.offsets(instants)
            for offset in self.changed:
                yield np.where(instants >= YEAR_2018, offset, own)

    @property
    def certain(self) -> tuple[int, int]:
        """The wall clocks, in seconds since 1970, from and until which all readings of the zone are one."""
        begin = max((until + _DAY for _, until in self.assumed), default=-(1 << 63))
        return begin, YEAR_2018 - _DAY if self.changed else 1 << 63

    @property
    def spread(self) -> int:
        """By how many seconds the readings of the zone differ at most, at one instant."""
        offsets = [*self.offsets_at.tolist(), *(offset for offset, _ in self.assumed)]
        return max(offsets) - min(offsets) if self.assumed or self.changed else 0

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
    if name in _SHORT:
        zone = load(_SHORT[name])
        return zone and replace(zone, name=name)
    if len(name) > _LONGEST or not _NAME.fullmatch(name):
        return None
    file = resources.files("tzdata.zoneinfo").joinpath(*name.split("/"))
    raw = file.read_bytes() if file.is_file() else b""
    return _tzif(name, raw) if raw[:4] == b"TZif" else None


def is_of_java(name: str) -> bool:
    """Return whether a name means a zone to Java, and nothing to the tz database."""
    return name in _SHORT or _CUSTOM.fullmatch(name) is not None


def of_system(name: str) -> Zone | None:
    """Return the zone as the system's build of the tz database has it, None without one."""
    if not _NAME.fullmatch(name):
        return None
    paths = (Path(folder, name) for folder in zoneinfo.TZPATH)
    raw = next((path.read_bytes() for path in paths if path.is_file()), b"")
    return _tzif(name, raw) if raw[:4] == b"TZif" and raw[4:5] >= b"2" else None


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
    read = [struct.unpack_from(">i?", raw, start + 6 * at) for at in range(types)]
    of_kind = np.array([offset for offset, _ in read], np.int64)
    start += types * 6 + chars + leaps * 12 + isstd + isut
    offsets = np.concatenate([of_kind[:1], of_kind[kinds]])
    rule = raw[start:].strip(b"\n").decode("ascii")
    assumed = _assumed(instants, [read[kind] for kind in kinds]) if times else ()
    zone = _extended(Zone(name, instants, offsets, 0, assumed), rule)
    return replace(zone, changed=_changed(zone, int(instants[-1]))) if times else zone


def _changed(zone: Zone, last: int) -> tuple[int, ...]:
    """Return `Zone.changed`.

    The last listed transition is that after which the present rule holds: the files of the package are slim,
    they list nothing that their rule says.
    """
    if last < YEAR_2018:
        return ()
    since = np.searchsorted(zone.times, [YEAR_2018, last + 366 * _DAY], side="right")
    return tuple(np.unique(zone.offsets_at[since[0] : since[1] + 1]).tolist())


def _assumed(instants: NDArray[np.int64], after: list[tuple[int, bool]]) -> tuple[tuple[int, int], ...]:
    """Return `Zone.assumed` by what holds after each transition: the offset, and whether it is summer time.

    Where the database has winter time as negative daylight saving time, as for Dublin, Java takes the lower
    offset as the standard one.
    """
    standard = [offset for offset, summer in after if not summer] or [after[0][0]]
    summer = [offset for offset, summer in after if summer and offset < standard[-1]]
    java = ((offset, _YEAR_1900) for offset in (standard[-1], *summer[-1:]))
    return tuple(dict.fromkeys(((standard[0], int(instants[0])), *java)))


def _extended(zone: Zone, rule: str) -> Zone:
    """Add the transitions of the rule behind the last known transition, for 401 years."""
    changes, last = _transitions(rule, zone.times)
    times = np.concatenate([zone.times, np.array([at for at, _ in changes], np.int64)])
    after = np.concatenate([zone.offsets_at, np.array([offset for _, offset in changes], np.int64)])
    return replace(zone, times=times, offsets_at=after, repeats_from=last)


def _transitions(rule: str, known: NDArray[np.int64]) -> tuple[list[tuple[int, int]], int]:
    """Return instants with the offsets that begin there, and the instant from which they repeat."""
    last = int(known[-1]) if len(known) else 0
    first = date.fromordinal(last // _DAY + 719_163).year
    changes = _by_rule(rule, first)
    if not changes:
        return [], last
    return [change for change in changes if change[0] > last], _moment(first + 1, "J1")


@lru_cache(maxsize=256)  # many zones have the same rule since the same year
def _by_rule(rule: str, first: int) -> tuple[tuple[int, int], ...]:
    """Return instants with the offsets that begin there by a rule, for 402 years from the year `first` on."""
    match = _RULE.fullmatch(rule)
    if match is None or match["start"] is None:
        return ()
    standard = -_seconds(match["std"])
    summer = -_seconds(match["dst"]) if match["dst"] else standard + 3600
    changes = []
    for year in range(first, first + _YEARS + 2):
        changes.append((_moment(year, match["start"]) - standard, summer))
        changes.append((_moment(year, match["end"]) - summer, standard))
    return tuple(sorted(changes))


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
