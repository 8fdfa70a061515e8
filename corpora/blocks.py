"""The blocks of a table that are computed whenever they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, overload

from corpora.tagged import BLOCK_ROWS

if TYPE_CHECKING:
    from corpora.tagged import Value


class Blocks(Sequence["list[list[Value]]"]):
    """The blocks of a table of `rows` rows; `parts` yields its columns in parts of any length."""

    def __init__(self, rows: int, parts: Callable[[], Iterable[list[list[Value]]]]) -> None:
        self._rows = rows
        self._parts = parts

    def __len__(self) -> int:
        return (self._rows + BLOCK_ROWS - 1) // BLOCK_ROWS

    def __iter__(self) -> Iterator[list[list[Value]]]:
        return regrouped(self._parts())

    @overload
    def __getitem__(self, number: int) -> list[list[Value]]: ...
    @overload
    def __getitem__(self, number: slice) -> list[list[list[Value]]]: ...
    def __getitem__(self, number: int | slice) -> list[list[Value]] | list[list[list[Value]]]:
        return list(self)[number]


def regrouped(parts: Iterable[list[list[Value]]]) -> Iterator[list[list[Value]]]:
    """Yield columns, given in parts of any length, in blocks of BLOCK_ROWS rows (fewer in the last)."""
    held: list[list[Value]] = []
    for part in parts:
        held = [[*left, *column] for left, column in zip(held, part)] if held else part
        while held and len(held[0]) >= BLOCK_ROWS:
            yield [column[:BLOCK_ROWS] for column in held]
            held = [column[BLOCK_ROWS:] for column in held]
    if held and held[0]:
        yield held
