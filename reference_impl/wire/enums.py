"""Numbers of enumerations, which a file may use without a meaning."""

from __future__ import annotations

from enum import IntEnum


def name_of(number: int) -> str:
    """Return the name of a member of an enumeration; of a number that names none, the number."""
    return number.name if isinstance(number, IntEnum) else str(number)
