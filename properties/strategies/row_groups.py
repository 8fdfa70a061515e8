"""Row groups and stripes: how the rows of a file are divided."""

from __future__ import annotations

from typing import Protocol

SIZES = (None, None, 1, 2, 8, 10, 20, 33, 64, 100, 128, 1024)


class Sized(Protocol):
    """Choices of a file: the `size` of parts, the place of an `empty` part, and a `reverse` order."""

    @property
    def size(self) -> int | None: ...  # noqa: D102 - see the class
    @property
    def empty(self) -> int | None: ...  # noqa: D102 - see the class
    @property
    def reverse(self) -> bool: ...  # noqa: D102 - see the class


def cut(choices: Sized, rows: int, most: int) -> tuple[int, ...] | None:
    """Return the sizes of parts: equal but for the last or the first, and perhaps an empty part.

    `most`: the largest number of parts, not counting the empty one. None: one part has all rows.
    """
    if choices.size is None or rows == 0:
        return None
    size = max(choices.size, -(-rows // most))
    sizes = [min(size, rows - at) for at in range(0, rows, size)]
    if choices.reverse:
        sizes.reverse()
    if choices.empty is not None:
        sizes.insert(choices.empty % (len(sizes) + 1), 0)
    return tuple(sizes)
