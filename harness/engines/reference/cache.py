"""Values that are kept in memory for the next request, the least recently used given up first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Cache(Generic[T]):
    """Values by key whose sizes, in a unit that the caller chooses, are at most `most` together."""

    def __init__(self, most: int, weigh: Callable[[T], int] = lambda _: 0) -> None:
        """`weigh` returns the size of a value where it is more than was said before the value was made."""
        self.most = most
        self.size = 0
        self._weigh = weigh
        self._held: OrderedDict[Hashable, tuple[int, T]] = OrderedDict()

    def get(self, key: Hashable, size: int, make: Callable[[], T]) -> T:
        """Return the value of a key: the kept one, or a new one, which is kept if it fits.

        Others are given up before a new one is made, so that both are never in memory beyond `most`.
        """
        if key in self._held:
            self._held.move_to_end(key)
            return self._held[key][1]
        if size > self.most:
            return make()
        self._make_room(size)
        value = make()
        size = max(size, self._weigh(value))
        if size <= self.most:
            self._make_room(size)
            self._held[key] = (size, value)
            self.size += size
        return value

    def _make_room(self, size: int) -> None:
        while self.size + size > self.most:
            _, (given_up, _) = self._held.popitem(last=False)
            self.size -= given_up
