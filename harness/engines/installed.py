"""What installed packages add to colconf: their entry points, by group."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@cache
def entry_points(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group; the first call reads the metadata of every installed package."""
    return tuple(metadata.entry_points(group=group))
