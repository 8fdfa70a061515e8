"""A sequence that is made anew on each iteration: the rows of a run that are more than fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeVar, overload

_Item = TypeVar("_Item")


class Streamed(Sequence[_Item]):
    """A sequence that is computed anew on each iteration, so that it is never in memory as a whole.

    `make` returns a new iterator. Length and indexing iterate over the sequence.
    """

    def __init__(self, make: Callable[[], Iterator[_Item]]) -> None:
        self._make = make
        self._length: int | None = None

    def __iter__(self) -> Iterator[_Item]:
        """Return a new iterator."""
        return self._make()

    def __len__(self) -> int:
        """Count the items, once."""
        if self._length is None:
            self._length = sum(1 for _ in self)
        return self._length

    @overload
    def __getitem__(self, place: int) -> _Item: ...

    @overload
    def __getitem__(self, place: slice) -> list[_Item]: ...

    def __getitem__(self, place: int | slice) -> _Item | list[_Item]:
        """Return the item or items at a place, by iterating up to it."""
        if isinstance(place, slice):
            return list(islice(self, *place.indices(len(self))))
        number = place if place >= 0 else len(self) + place
        for item in islice(self, max(number, 0), None):
            if number >= 0:
                return item
        raise IndexError(place)

    def __eq__(self, other: object) -> bool:
        """Compare with any sequence."""
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # equal to lists, which have none either
