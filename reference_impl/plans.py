"""Printing plans of Parquet and of ORC files as Python code."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from typing import Any


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
