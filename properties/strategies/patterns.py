"""Patterns: a column is a few runs, a sequence or a mixture of both, for any number of rows.

A pattern is small, so a file of thousands of rows takes as few choices as a file of three, and shrinks as
well: to fewer runs, to the simplest value, to fewer rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count, cycle, repeat
from typing import Any

from hypothesis import strategies as st

from properties.strategies.chances import choice
from properties.strategies.domains import Domain

LENGTHS = (1, 1, 1, 1, 2, 2, 3, 3, 5, 7, 8, 8, 9, 10, 16, 31, 32, 33, 64, 65, 128, 129, 1023, 1024, 1025)
ROWS = (1, 2, 3, 7, 8, 9, 16, 20, 32, 33, 40, 50, 64, 65, 80, 100, 100, 127, 128, 129, 150, 200, 256, 300)
_LATE, _LONG = (31, 63, 64, 99, 127, 255, 1024), 10_000  # values in front of the only null, and behind it
MANY_ROWS = (1023, 1024, 1025, 2048, 2100)


@dataclass(frozen=True)
class Runs:
    """Items in runs of given lengths, repeated."""

    runs: tuple[tuple[Any, int], ...]

    def __iter__(self) -> Iterator[Any]:
        return cycle([item for item, length in self.runs for _ in range(length)])


@dataclass(frozen=True)
class Ordered:
    """Values of a domain in order: from `base`, `step` apart, each `each` times; `wrap` values are repeated.

    A `scatter` other than 1 permutes the values.
    """

    domain: Domain
    base: int
    step: int
    each: int
    wrap: int
    scatter: int

    def __iter__(self) -> Iterator[Any]:
        for turn in count():
            value = self.domain.nth(self.base + self.step * (turn * self.scatter % self.wrap))
            yield from repeat(value, self.each)


@dataclass(frozen=True)
class Sprinkled:
    """Another pattern with some values replaced: the value at `first`, and every `period`th after it."""

    under: Ordered | Runs
    items: tuple[tuple[Any, int, int], ...]

    def __iter__(self) -> Iterator[Any]:
        for at, value in enumerate(self.under):
            for item, first, period in self.items:
                if at >= first and (at - first) % period == 0:
                    yield item
                    break
            else:
                yield value


Pattern = Runs | Ordered | Sprinkled


@cache
def counts() -> st.SearchStrategy[int]:
    """Return a number of rows: mostly some tens, sometimes none or two thousand."""
    usual = st.sampled_from(ROWS)
    return st.integers(0, 29).flatmap(
        lambda at: st.just(0) if at == 29 else st.sampled_from(MANY_ROWS) if at == 28 else usual
    )


@cache
def lengths() -> st.SearchStrategy[Runs]:
    """Return lengths of lists."""
    return runs(st.sampled_from([0, 1, 2, 0, 3, 1, 5]), st.sampled_from([1, 2, 3, 8, 33]))


@cache
def presences() -> st.SearchStrategy[Runs]:
    """Return where values are present; a run of nulls may fill a page or a row group."""
    return st.one_of(
        st.just(Runs(((True, 1),))),
        runs(st.booleans(), st.sampled_from(LENGTHS)),
        st.sampled_from([Runs(((True, 1), (False, 1))), Runs(((False, 1),)), Runs(((True, 9), (False, 1)))]),
        st.sampled_from(_LATE).map(lambda at: Runs(((True, at), (False, 1), (True, _LONG)))),
    )


def runs(items: st.SearchStrategy[Any], sizes: st.SearchStrategy[int]) -> st.SearchStrategy[Runs]:
    """Return runs of items."""
    return st.lists(st.tuples(items, sizes), min_size=1, max_size=6).map(lambda pairs: Runs(tuple(pairs)))


@st.composite
def patterns(draw: st.DrawFn, domain: Domain) -> Pattern:
    """Return the values of a leaf, without its nulls."""
    edges = domain.edge
    way = choice(draw, ["runs", "edges", "order", "order"])
    if way == "runs":
        return draw(runs(edges, st.sampled_from(LENGTHS)))
    if way == "edges":
        return Runs(tuple((edge, 1) for edge in draw(st.lists(edges, min_size=1, max_size=24))))
    sequence = Ordered(
        domain,
        choice(draw, domain.bases),
        choice(draw, [1, -1, 2, 1, 7]),
        choice(draw, [1, 1, 1, 2, 3, 8, 9, 32, 128]),
        choice(draw, [3000, 3000, 3000, 10, 40, 257]),
        choice(draw, [1, 1, 7, 101, 1009]),
    )
    items = draw(
        st.lists(
            st.tuples(
                edges, st.sampled_from([0, 1, 5, 8, 20, 33, 64, 100]), st.sampled_from([10_000, 50, 7])
            ),
            max_size=2,
        )
    )
    return Sprinkled(sequence, tuple(items)) if items else sequence
