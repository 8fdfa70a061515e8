"""Checks of the fields of cases."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from corpora.ids import CaseError

_SOURCE = re.compile(r"spec|generator|vote|writer:[^\s@]+@[^\s@]+")


def object_of(what: str, data: Any, required: Iterable[str], optional: Iterable[str]) -> dict[str, Any]:
    """Return `data` if it is an object with these fields; raises CaseError."""
    if not isinstance(data, dict):
        raise CaseError(f"{what} is {data!r:.80}, not an object")
    if missing := sorted(set(required) - set(data)):
        raise CaseError(f"{what} lacks {', '.join(missing)}")
    if unknown := sorted(set(data) - {*required, *optional}):
        raise CaseError(f"{what} has unknown fields {', '.join(unknown)!r:.200}")
    return data


def text_of(what: str, value: Any) -> str:
    """Return `value` if it is text and not empty; raises CaseError."""
    if not isinstance(value, str) or not value:
        raise CaseError(f"{what} is {value!r:.80}, not text")
    return value


def tuple_of(what: str, value: Any) -> tuple[Any, ...]:
    """Return a list as a tuple; raises CaseError."""
    if not isinstance(value, list):
        raise CaseError(f"{what} is {value!r:.80}, not a list")
    return tuple(value)


def is_rising(rows: Any) -> bool:
    """Return whether `rows` are ordinals in rising order."""
    if not isinstance(rows, tuple) or not all(type(row) is int and row >= 0 for row in rows):
        return False
    return all(row < following for row, following in pairwise(rows))


def check_choice(what: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raise CaseError unless `value` is one of the allowed values."""
    if value not in allowed:
        raise CaseError(f"{what} is {value!r:.80}, not one of {', '.join(allowed)}")


def check_source(value: Any) -> None:
    """Raise CaseError unless `value` is the source of an expectation."""
    if not isinstance(value, str) or not _SOURCE.fullmatch(value):
        raise CaseError(f"source is {value!r:.80}, not spec, generator, vote or writer:NAME@VERSION")
