"""What a reduction is: a file seen as a number of sites, some of which can be left out or made simpler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Sites:
    """A file with `count` sites; `reduced(start, stop)` answers it with these sites reduced.

    `reduced` may raise the errors of `reference_impl.errors` where that cannot be.
    """

    count: int
    reduced: Callable[[int, int], bytes]


@dataclass(frozen=True)
class Reduction:
    """A way to make files smaller or simpler.

    `sites` answers those of a file; it may raise the errors of `reference_impl.errors`: there are none then.
    A site that is reduced is one no more, or can be reduced less often, so that it ends. `growth`: by how
    many bytes a file may grow by what becomes simpler, as long as it stays below `below`. `finest`: so many
    sites at once, at least.
    """

    name: str
    sites: Callable[[bytes], Sites]
    growth: int = 0
    below: int = 0
    finest: Callable[[int], int] = lambda _count: 1

    def allows(self, before: int, after: int) -> bool:
        """Return whether a file may go from one size to another."""
        return after <= before or (after <= before + self.growth and after <= self.below)
