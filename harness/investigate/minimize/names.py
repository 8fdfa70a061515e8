"""Shorter names for the fields of a schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count, product
from string import ascii_lowercase

from harness.investigate.minimize.reduction import Sites


def sites(names: Sequence[str], reserved: frozenset[str], renamed: Callable[[list[str]], bytes]) -> Sites:
    """Return the names that can be shorter as sites; `renamed` returns the file with other names."""
    changes = short(names, reserved)
    return Sites(len(changes), lambda start, stop: renamed(applied(names, changes[start:stop])))


def short(names: Sequence[str], reserved: frozenset[str]) -> list[tuple[int, str]]:
    """Return the places of names that can be shorter, each with an unused short name."""
    taken = set(names) | reserved
    free = (candidate for candidate in _all() if candidate not in taken)
    changes = []
    for at, name in enumerate(names):
        if name not in reserved and len(name.encode("utf-8", "surrogateescape")) > 1:
            changes.append((at, next(free)))
    return [
        (at, name) for at, name in changes if len(name) < len(names[at].encode("utf-8", "surrogateescape"))
    ]


def applied(names: Sequence[str], changes: Sequence[tuple[int, str]]) -> list[str]:
    """Return names with some of them changed."""
    new = dict(changes)
    return [new.get(at, name) for at, name in enumerate(names)]


def _all() -> Iterator[str]:
    for length in count(1):
        yield from map("".join, product(ascii_lowercase, repeat=length))
