"""Descriptions of files (`reference_impl`'s `inspect`) as text: the parts common to both formats."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from reference_impl.inspection import Data

WIDEST = 160
Range = list[int] | None  # the first byte and the end, which is excluded; None inside a compressed chunk


class Listed(NamedTuple):
    """A line of a listing, and the ranges of bytes that it is about."""

    text: str
    ranges: tuple[Range, ...] = ()


def span(offsets: Range) -> str:
    """Return a range of bytes, its end excluded; "-" inside a compressed chunk."""
    return f"[{offsets[0]}, {offsets[1]})" if offsets else "-"


def short(value: Any) -> str:
    """Return a value on one line, cut where it is long."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= WIDEST else f"{text[:WIDEST]}… ({len(text)} characters)"


def pairs(values: Data) -> str:
    """Return names and values on one line."""
    return ", ".join(f"{name}={short(value)}" for name, value in values.items())


def fields(message: Data) -> list[Listed]:
    """Return the fields of a message, a line each, with their ranges."""
    return [
        Listed(
            f"  {span(field['range']):<18} {name}: "
            + (f"{field['count']} elements" if "count" in field else short(field["value"])),
            (field["range"],),
        )
        for name, field in message.items()
    ]
