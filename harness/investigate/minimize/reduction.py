"""Reductions: a file is a number of sites, any of which can be left out or made simpler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from reference_impl.errors import ReferenceError_


class Impossible(Exception):  # noqa: N818 - it says what is so
    """A reduction does not apply to a file, or not to the chosen sites."""


# What a reduction raises where it does not apply.
IMPOSSIBLE = (ReferenceError_, Impossible)


@dataclass(frozen=True)
class Sites:
    """A file with `count` sites; `reduced(start, stop)` returns the file with these sites reduced.

    `reduced` may raise Impossible and the errors of `reference_impl.errors`.
    """

    count: int
    reduced: Callable[[int, int], bytes]


NO_SITES = Sites(0, lambda _start, _stop: b"")


def whole_change(before: bytes, after: bytes) -> Sites:
    """Return a change to the whole file as a single site, no site if nothing changes."""
    return Sites(int(after != before), lambda _start, _stop: after)


def overlaps(start: int, stop: int, sizes: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the parts that contain sites from `start` to `stop`: number, and start and stop within the part.

    `sizes` are the numbers of sites of the parts, in order.
    """
    first = 0
    for number, size in enumerate(sizes):
        low, high = max(start, first) - first, min(stop, first + size) - first
        if low < high:
            yield number, low, high
        first += size


@dataclass(frozen=True)
class Reduction:
    """A way to make files smaller or simpler.

    `sites` returns the sites of a file; where it raises Impossible or an error of `reference_impl.errors`,
    the file has none. A reduced site is no longer a site, or can be reduced less often, so that the search
    ends. `growth`: by how many bytes a file may grow by becoming simpler, as long as it stays below `below`.
    `finest`: the least number of sites that are reduced together.
    """

    name: str
    sites: Callable[[bytes], Sites]
    growth: int = 0
    below: int = 0
    finest: Callable[[int], int] = lambda _count: 1

    def sites_in(self, data: bytes) -> Sites:
        """Return the sites of a file, none where the reduction does not apply to it."""
        try:
            return self.sites(data)
        except IMPOSSIBLE:
            return NO_SITES

    def allows(self, before: int, after: int) -> bool:
        """Return whether a file may go from one size to another."""
        return after <= before or (after <= before + self.growth and after <= self.below)
