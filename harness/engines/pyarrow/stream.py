"""Batches of pyarrow's readers of Parquet and ORC, in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

from harness.engines.digests.batches import Stream, arrow_stream

_ROWS = 65_536


@contextmanager
def of_file(opened: Any, first: int, *, threads: bool) -> Iterator[Stream]:
    """Return the batches of an open `ParquetFile`, from the row group on that holds row `first`."""
    counts = [opened.metadata.row_group(at).num_rows for at in range(opened.num_row_groups)]
    passed, begin = _passed(counts, first)
    # One row group at a time: with `pre_buffer`, the bytes of all that are asked for are held at once.
    result = (
        batch
        for group in range(passed, len(counts))
        for batch in opened.iter_batches(batch_size=_ROWS, row_groups=[group], use_threads=threads)
    )
    with arrow_stream(result, opened.schema_arrow.empty_table(), begin) as stream:
        yield stream


@contextmanager
def of_data_set(data_set: Any, first: int = 0, *, threads: bool = True) -> Iterator[Stream]:
    """Return the batches of a data set, its files by path, from the one on that holds row `first`."""
    files = sorted(data_set.get_fragments(), key=attrgetter("path"))
    passed, begin = _passed((file.count_rows() for file in files), first) if first else (0, 0)
    result = (
        batch
        for file in files[passed:]
        for batch in file.to_batches(schema=data_set.schema, use_threads=threads)
    )
    with arrow_stream(result, data_set.schema.empty_table(), begin) as stream:
        yield stream


@contextmanager
def of_orc(opened: Any) -> Iterator[Stream]:
    """Return the stripes of an open `ORCFile`, which does not say how many rows each of them has."""
    result = (opened.read_stripe(at) for at in range(opened.nstripes))
    with arrow_stream(result, opened.schema.empty_table()) as stream:
        yield stream


def _passed(counts: Any, first: int) -> tuple[int, int]:
    """Return how many parts of so many rows lie before row `first`, and how many rows they have."""
    passed = begin = 0
    for count in counts:
        if begin + count > first:
            break
        passed, begin = passed + 1, begin + count
    return passed, begin
