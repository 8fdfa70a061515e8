"""Rows of Parquet files, left out of all columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from harness.investigate.minimize.pages import ChunkContent, Content, Contents, settle
from harness.investigate.minimize.reduction import Impossible, Reduction, Sites, overlaps
from reference_impl.parquet import anatomy
from reference_impl.parquet.anatomy import Chunk, change_meta


def rows(data: bytes) -> Sites:
    """Leave out rows; a page or row group that has none left goes with them."""
    contents = Contents(data)
    own = contents.parts.anatomy
    counts = [_rows(chunks) for chunks in contents.chunks]
    places = [[chunk.rows() for chunk in chunks] for chunks in contents.chunks]

    def reduced(start: int, stop: int) -> bytes:
        new = own.copy()
        gone = []
        for number, low, high in overlaps(start, stop, counts):
            row_group = new.groups[number]
            if high - low == counts[number]:
                gone.append(number)
            else:
                columns = zip(row_group.chunks, contents.chunks[number], places[number], strict=True)
                for chunk, content, rows_ in columns:
                    _cut(chunk, content, rows_, low, high)
            row_group.group = replace(row_group.group, num_rows=row_group.group.num_rows - (high - low))
            new.metadata = replace(new.metadata, num_rows=new.metadata.num_rows - (high - low))
        for number in reversed(gone):
            del new.groups[number]
        return contents.parts.assembled(new)

    return Sites(sum(counts), reduced)


def _rows(chunks: list[ChunkContent]) -> int:
    """Return the rows of a row group, as its columns have them; raises Impossible if they differ."""
    counts = {sum(_begun(page) for page in chunk.pages.values()) for chunk in chunks}
    if len(counts) > 1:
        raise Impossible("columns of different length")
    return counts.pop() if counts else 0


def _begun(page: Content) -> int:
    return page.count if page.repetition is None else int(np.count_nonzero(page.repetition == 0))


def _cut(
    chunk: Chunk, content: ChunkContent, rows_: dict[int, NDArray[np.int64]], low: int, high: int
) -> None:
    """Take rows out of a chunk, in place."""
    remaining: dict[int, Content] = {}
    empty = []
    for number, page in content.pages.items():
        wanted = (rows_[number] < low) | (rows_[number] >= high)
        if wanted.all():
            remaining[number] = page
        elif wanted.any():
            remaining[number] = page.selected(wanted, content.node)
            chunk.pages[number] = content.written(chunk.pages[number], remaining[number])
        else:
            empty.append(number)
    before = sum(page.count for page in content.pages.values())
    left = sum(page.count for page in remaining.values())
    for number in reversed(empty):
        anatomy.drop_page_of(chunk, number)
    lost = before - left - sum(content.pages[number].count for number in empty)
    change_meta(chunk, lambda meta: replace(meta, num_values=meta.num_values - lost))
    settle(chunk, remaining)


ROWS = Reduction("rows", rows)
