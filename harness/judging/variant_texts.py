"""The values of a Variant that JSON has no type for, in the texts that DuckDB writes for its own types.

Dates and times are ISO 8601 with a blank in front of the time, years before the year 1 are marked "(BC)", an
instant ends with its offset, which is UTC here, and bytes that are not printable are escaped
(DuckDB: Date, Timestamp and Time Types; Blob Type; UUID Type). The greatest date and timestamp and their
negatives are "infinity" and "-infinity" (Timestamp Types, Special Values). A text of another form has no
value.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any

_DATE = r"(?P<year>\d{4,})-(?P<month>\d\d)-(?P<day>\d\d)(?P<bc> \(BC\))?"
_TIME = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:\.(?P<fraction>\d{1,9}))?"
_FORMS = {
    "date": re.compile(_DATE),
    "time": re.compile(_TIME),
    "timestamp": re.compile(rf"{_DATE} {_TIME}\+00(?::00)?"),
    "timestamp_ntz": re.compile(f"{_DATE} {_TIME}"),
}
_BLOB = re.compile(r"(?:\\x[0-9A-F]{2}|[ -~])*")
_BYTE = re.compile(r"\\x([0-9A-F]{2})|(.)")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_GREATEST = {"date": 2**31 - 1, "timestamp": 2**63 - 1, "timestamp_ntz": 2**63 - 1}  # is "infinity"
_SIGNS = {"infinity": 1, "-infinity": -1}
_EPOCH = date(1970, 1, 1).toordinal()
_YEARS, _CYCLE = 400, 146_097  # after which the Gregorian calendar repeats itself, and its days
_DAY = 86_400


def value_of(kind: str, text: str) -> Any:
    """Return the value that a text of DuckDB has as this kind of Variant, None for a text of another form.

    Kinds and units are those of `reference_impl.variant.values.Primitive`.
    """
    if kind == "uuid":
        return bytes.fromhex(text.replace("-", "")) if _UUID.fullmatch(text) else None
    if kind == "binary":
        return _bytes(text) if _BLOB.fullmatch(text) else None
    nanos = kind.endswith("_nanos")
    if text in _SIGNS and kind.removesuffix("_nanos") in _GREATEST:
        return _SIGNS[text] * _GREATEST[kind.removesuffix("_nanos")]
    form = _FORMS.get(kind.removesuffix("_nanos"))
    match = form.fullmatch(text) if form else None
    if match is None:
        return None
    parts = match.groupdict()
    try:
        days = _days(parts) if "year" in parts else 0
    except ValueError:  # no such day
        return None
    if kind == "date":
        return days
    seconds = days * _DAY + int(parts["hour"]) * 3600 + int(parts["minute"]) * 60 + int(parts["second"])
    digits = 9 if nanos else 6
    fraction = (parts["fraction"] or "").ljust(digits, "0")
    return seconds * 10**digits + int(fraction) if len(fraction) == digits else None


def _days(parts: dict[str, Any]) -> int:
    """Return the day since 1970-01-01, in the proleptic Gregorian calendar, of any year."""
    year = 1 - int(parts["year"]) if parts["bc"] else int(parts["year"])
    cycles, of_cycle = divmod(year - 2000, _YEARS)
    ordinal = date(2000 + of_cycle, int(parts["month"]), int(parts["day"])).toordinal()
    return ordinal - _EPOCH + cycles * _CYCLE


def _bytes(text: str) -> bytes:
    return b"".join(bytes.fromhex(code) if code else char.encode() for code, char in _BYTE.findall(text))
