"""Rows of Parquet files, left out of all columns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from harness.investigate.minimize.contents import Contents
from harness.investigate.minimize.pages import ChunkContent, Content, settle
from harness.investigate.minimize.reduction import Reduction, Sites
from reference_impl.errors import UsageError
from reference_impl.parquet import anatomy
from reference_impl.parquet.anatomy import change_meta

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from reference_impl.parquet.anatomy import Chunk


def rows(data: bytes) -> Sites:
    """Leave out rows; a page or row group that has none left goes with them."""
    found = Contents(data)
    own = found.parts.anatomy
    counts = [_rows(chunks) for chunks in found.chunks]
    places = [chunk.rows() for chunks in found.chunks for chunk in chunks]
    by_group = [len(chunks) for chunks in found.chunks]

    def reduced(start: int, stop: int) -> bytes:
        new = own.copy()
        first, at, gone = 0, 0, []
        for number, count in enumerate(counts):
            low, high = max(start, first) - first, min(stop, first + count) - first
            if low < high:
                if high - low == count:
                    gone.append(number)
                else:
                    for column, content in enumerate(found.chunks[number]):
                        _cut(new.groups[number].chunks[column], content, places[at + column], low, high)
                group = new.groups[number].group
                new.groups[number].group = replace(group, num_rows=group.num_rows - (high - low))
                new.metadata = replace(new.metadata, num_rows=new.metadata.num_rows - (high - low))
            first, at = first + count, at + by_group[number]
        for number in reversed(gone):
            del new.groups[number]
        return found.parts.assembled(new)

    return Sites(sum(counts), reduced)


def _rows(chunks: list[ChunkContent]) -> int:
    """Return the rows of a row group, as its columns have them; raises UsageError if they differ."""
    counts = {sum(_begun(page) for page in chunk.pages.values()) for chunk in chunks}
    if len(counts) > 1:
        raise UsageError("columns of different length")
    return counts.pop() if counts else 0


def _begun(page: Content) -> int:
    return page.count if page.repetition is None else int(np.count_nonzero(page.repetition == 0))


def _cut(
    chunk: Chunk, content: ChunkContent, rows_: dict[int, NDArray[np.int64]], low: int, high: int
) -> None:
    """Take rows out of a chunk, in place."""
    kept: dict[int, Content] = {}
    empty = []
    for number, page in content.pages.items():
        wanted = (rows_[number] < low) | (rows_[number] >= high)
        if wanted.all():
            kept[number] = page
        elif wanted.any():
            kept[number] = page.kept(wanted, content.node)
            chunk.pages[number] = content.written(chunk.pages[number], kept[number])
        else:
            empty.append(number)
    before = sum(page.count for page in content.pages.values())
    left = sum(page.count for page in kept.values())
    for number in reversed(empty):
        anatomy.drop_page_of(chunk, number)
    lost = before - left - sum(content.pages[number].count for number in empty)
    change_meta(chunk, lambda meta: replace(meta, num_values=meta.num_values - lost))
    settle(chunk, kept)


ROWS = Reduction("rows", rows)
