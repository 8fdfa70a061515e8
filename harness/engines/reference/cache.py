"""Values that are kept in memory for the next request, the least recently used given up first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

_UNUSED = 256  # requests for other values; a query of a sheet asks for each of its files once


class Cache(Generic[T]):
    """Values by key whose sizes, in a unit that the caller chooses, are at most `most` together.

    A value that is not used by the next 256 requests is given up, too: a long run would fill any cache with
    the files of sheets that it has left.
    """

    def __init__(self, most: int, weigh: Callable[[T], int] = lambda _: 0) -> None:
        """`weigh` returns the size of a value where it is more than was said before the value was made."""
        self.most = most
        self.size = 0
        self._weigh = weigh
        self._requests = 0
        self._held: OrderedDict[Hashable, tuple[int, int, T]] = OrderedDict()  # last use, size and value

    def get(self, key: Hashable, size: int, make: Callable[[], T]) -> T:
        """Return the value of a key: the kept one, or a new one, which is kept if it fits.

        Others are given up before a new one is made, so that both are never in memory beyond `most`.
        """
        self._requests += 1
        self._give_up_unused()
        if key in self._held:
            _, size, value = self._held.pop(key)
            self._held[key] = (self._requests, size, value)
            return value
        if size > self.most:
            return make()
        self._make_room(size)
        value = make()
        size = max(size, self._weigh(value))
        if size <= self.most:
            self._make_room(size)
            self._held[key] = (self._requests, size, value)
            self.size += size
        return value

    def _give_up_unused(self) -> None:
        while self._held and next(iter(self._held.values()))[0] < self._requests - _UNUSED:
            self._give_up_oldest()

    def _make_room(self, size: int) -> None:
        while self.size + size > self.most:
            self._give_up_oldest()

    def _give_up_oldest(self) -> None:
        _, (_, size, _) = self._held.popitem(last=False)
        self.size -= size
