"""Plans of Parquet and of ORC files: printing them as Python code, and dividing their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar

from reference_impl.errors import UsageError

T = TypeVar("T")


def show(value: Any) -> str:
    """Return the Python code that builds a plan or a part of it, without fields at their default."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, (tuple, list)):
        inner = ", ".join(map(show, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {show(item)}" for key, item in value.items()) + "}"
    if not is_dataclass(value) or isinstance(value, type):
        return repr(value)
    given = [
        f"{item.name}={show(getattr(value, item.name))}"
        for item in fields(value)
        if item.repr and (item.default is MISSING or getattr(value, item.name) != item.default)
    ]
    return f"{type(value).__name__}({', '.join(given)})"


def cut(rows: Sequence[T], sizes: Sequence[int] | None, parts: str) -> Iterator[Sequence[T]]:
    """Yield the rows of each part; raises UsageError for sizes that do not add up to the rows.

    Without sizes all rows are one part, or none if there are no rows. `parts` is a name for messages.
    """
    if sizes is None:
        sizes = [len(rows)] if rows else []
    if sum(sizes) != len(rows) or min(sizes, default=0) < 0:
        raise UsageError(f"{parts} of {list(sizes)} rows for {len(rows)} rows")
    at = 0
    for size in sizes:
        yield rows[at : at + size]
        at += size
