"""Targets that share a module: each is a check with its invariant, its seeds and its mutator."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

Check = Callable[[bytes], object]
Mutate = Callable[[bytes, Random], bytes]


class TableTarget:
    """A target of a table: with the attributes of a module that is a target, and `invariant`.

    `summary` says what the target reads, as the docstring of such a module does.
    """

    def __init__(
        self,
        name: str,
        summary: str,
        invariant: str,
        seeds: Callable[[], Iterable[bytes]],
        mutate: Mutate | None = None,
    ) -> None:
        self.NAME = name
        self.__doc__ = summary
        self.invariant = invariant
        self.seeds = seeds
        self.mutate = mutate
        self.check: Check

    def __call__(self, check: Check) -> Check:
        """Decorate the check of the target."""
        self.check = check
        return check


class Table(dict[str, TableTarget]):
    """The targets of a module, by name."""

    def target(
        self,
        name: str,
        summary: str,
        invariant: str,
        seeds: Callable[[], Iterable[bytes]],
        mutate: Mutate | None = None,
    ) -> TableTarget:
        """Return a decorator that makes a check a target."""
        self[name] = TableTarget(name, summary, invariant, seeds, mutate)
        return self[name]
