"""Shorter names for the fields of a schema."""

from __future__ import annotations

from itertools import count, product
from string import ascii_lowercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def short(names: Sequence[str], kept: frozenset[str]) -> list[tuple[int, str]]:
    """Return the places of names that can be shorter, each with the name to take; none is there already."""
    taken = set(names) | kept
    free = (one for one in _all() if one not in taken)
    found = []
    for at, name in enumerate(names):
        if name not in kept and len(name.encode("utf-8", "surrogateescape")) > 1:
            found.append((at, next(free)))
    return [(at, name) for at, name in found if len(name) < len(names[at].encode("utf-8", "surrogateescape"))]


def applied(names: Sequence[str], changes: Sequence[tuple[int, str]]) -> list[str]:
    """Return names with changes made to some of them."""
    new = dict(changes)
    return [new.get(at, name) for at, name in enumerate(names)]


def _all() -> Iterator[str]:
    for length in count(1):
        yield from map("".join, product(ascii_lowercase, repeat=length))
