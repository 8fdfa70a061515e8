"""Row groups, or stripes: how the rows of a file are cut."""

from __future__ import annotations

from typing import Protocol

SIZES = (None, None, 1, 2, 8, 10, 20, 33, 64, 100, 128, 1024)


class Sized(Protocol):
    """What a file chooses: `size` rows of each; `empty`: where an empty one is put; `reverse` their order."""

    @property
    def size(self) -> int | None: ...  # noqa: D102 - see the class
    @property
    def empty(self) -> int | None: ...  # noqa: D102 - see the class
    @property
    def reverse(self) -> bool: ...  # noqa: D102 - see the class


def cut(choices: Sized, rows: int, most: int) -> tuple[int, ...] | None:
    """Return pieces of equal size but for one, the last or the first, and perhaps one that is empty.

    `most`: of pieces, but for the empty one. None: all rows in one.
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
