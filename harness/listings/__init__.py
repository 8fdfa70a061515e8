"""Descriptions of files (`reference_impl`'s `inspect`) as text: what both formats have in common."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reference_impl.inspection import Data

WIDEST = 160


def span(found: list[int] | None) -> str:
    """Return a range of bytes, its end excluded; "-" for what lies in a compressed chunk."""
    return f"[{found[0]}, {found[1]})" if found else "-"


def short(value: Any) -> str:
    """Return a value on one line, cut where it is long."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= WIDEST else f"{text[:WIDEST]}… ({len(text)} characters)"


def pairs(told: Data) -> str:
    """Return names and values on one line."""
    return ", ".join(f"{name}={short(value)}" for name, value in told.items())


def fields(told: Data) -> list[str]:
    """Return the fields of a message, a line each, with their ranges."""
    return [
        f"  {span(one['range']):<18} {name}: "
        + (f"{one['count']} elements" if "count" in one else short(one["value"]))
        for name, one in told.items()
    ]
