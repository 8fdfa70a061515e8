"""Description of a file as JSON data: the part that both formats share."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from reference_impl.errors import ReferenceError_
from reference_impl.validation import Report
from reference_impl.wire.table import Struct, table_of

FORMAT = 1
_MOST_ERRORS = 100
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_PER_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}

Data = dict[str, Any]


@dataclass
class Errors:
    """The errors of parts that could not be described, in order."""

    entries: list[Data] = field(default_factory=list)

    def add(self, error: ReferenceError_, *path: str) -> None:
        """Add an error of the reader, whose path is completed by `path`."""
        if len(self.entries) < _MOST_ERRORS:
            where = ".".join((*path, *error.path))
            entry = {"kind": error.kind, "rule": error.rule, "offset": error.offset}
            self.entries.append({**entry, "path": where, "message": error.message})

    def add_all(self, report: Report) -> None:
        """Add the violations that were noted while a file was opened."""
        for violation in report.violations:
            self.entries.append(
                {"kind": "malformed", **violation._asdict(), "path": ".".join(violation.path)}
            )


def plain(value: Any) -> Any:
    """Return a struct or a field of one as data: enums by name, bytes in hexadecimal, no absent fields."""
    if isinstance(value, Struct):
        rows = ((row.name, getattr(value, row.name)) for row in table_of(type(value)).rows)
        return {name: plain(item) for name, item in rows if item not in (None, ())}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, float):
        return repr(value)
    return value.hex() if isinstance(value, bytes) else printable(value)


def printable(value: Any) -> Any:
    """Return a text with unprintable characters escaped, any other value unchanged."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def moment(number: int, unit: str) -> str | None:
    """Return a date (no unit) or timestamp in the form of ISO 8601, None outside of the years 1 to 9999."""
    try:
        if not unit:
            return (_EPOCH + dt.timedelta(days=number)).date().isoformat()
        seconds, rest = divmod(number, _PER_SECOND[unit])
        text = (_EPOCH + dt.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")
    except OverflowError:
        return None
    return f"{text}.{rest:0{len(str(_PER_SECOND[unit])) - 1}}" if rest else text
