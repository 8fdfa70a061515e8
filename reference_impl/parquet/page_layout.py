"""The layout of data pages: cutting a chunk into pages, and levels or indices into runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, pairwise

import numpy as np
from numpy.typing import NDArray

from reference_impl.errors import UsageError
from reference_impl.parquet import plan
from reference_impl.parquet.shred import Entries

GROUP = 8  # values of a bit-packed group


def cut(entries: Entries, layout: plan.Column) -> Iterator[tuple[plan.Page, Entries]]:
    """Yield the data pages of a chunk with the entries that each takes; raises UsageError."""
    if not layout.pages:
        raise UsageError("a chunk without a plan for its pages")
    if not len(entries):
        if not layout.no_empty_page:
            yield layout.pages[0], entries
        return
    whole_rows = layout.index is not None or any(page.version == 2 for page in layout.pages)
    start, number, values = 0, 0, 0
    while start < len(entries):
        page = layout.pages[min(number, len(layout.pages) - 1)]
        stop = len(entries) if page.entries is None else min(len(entries), start + page.entries)
        if stop == start and number >= len(layout.pages) - 1:
            raise UsageError("the page that is to be repeated takes no entries")
        while whole_rows and start < stop < len(entries) and entries.repetition[stop] != 0:
            stop += 1
        part = entries.cut(start, stop, values)
        yield page, part
        start, number, values = stop, number + 1, values + len(part.values)


def runs_of(kind: plan.Runs, values: NDArray[np.integer]) -> list[tuple[str, int]] | None:
    """Return the runs of values, as arguments of `rle.encode`."""
    count = len(values)
    if kind is plan.Runs.CHOSEN or not count:
        return None
    if kind is plan.Runs.PACKED:
        return [("packed", count)]
    if kind is plan.Runs.SINGLE:
        return [("rle", 1)] * count
    if kind is plan.Runs.GROUPS:
        return [("packed", min(GROUP, count - at)) for at in range(0, count, GROUP)]
    cuts = [0, *(np.flatnonzero(values[1:] != values[:-1]) + 1).tolist(), count]
    if kind is plan.Runs.RLE:
        return [("rle", stop - start) for start, stop in pairwise(cuts)]
    return list(_mixed(cuts, count))


def _mixed(cuts: list[int], count: int) -> Iterator[tuple[str, int]]:
    """Yield, in turn, a bit-packed group of 8 and the rest of the following stretch of equal values."""
    at = 0
    kinds = cycle(("packed", "rle"))
    stretches = iter(cuts)
    end = next(stretches)
    while at < count:
        while end <= at:
            end = next(stretches)
        kind = next(kinds)
        length = min(GROUP, count - at) if kind == "packed" else end - at
        yield kind, length
        at += length
