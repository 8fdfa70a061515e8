"""Row groups of a footer: whether they can be read, and whether the file counts their rows."""

from __future__ import annotations

from collections.abc import Iterator

from reference_impl.errors import ErrorHandler, Malformed, refuse
from reference_impl.parquet.schema import FileMetaData


def sound_row_groups(meta: FileMetaData, columns: int, handle: ErrorHandler = refuse) -> list[int]:
    """Check the row groups against the file and the schema; return the numbers of those that can be read."""
    sound = []
    for number, group in enumerate(meta.row_groups):
        error = None
        if group.num_rows < 0:
            error = Malformed(f"num_rows is {group.num_rows}", rule="PQ-FILE-007")
        elif len(group.columns) != columns:
            message = f"{len(group.columns)} column chunks for {columns} leaf columns"
            error = Malformed(message, rule="PQ-FILE-006")
        if error is None:
            sound.append(number)
        else:
            error.offset, error.path = group.begin, (f"row_groups[{number}]",)
            handle(error)
    return sound


def row_count_errors(meta: FileMetaData) -> Iterator[Malformed]:
    """Yield the error of a num_rows that is not the sum of those of the row groups."""
    counts = [group.num_rows for group in meta.row_groups]
    if sum(counts) != meta.num_rows and min(counts, default=0) >= 0:
        at = meta.field_spans["num_rows"][0] if meta.field_spans else meta.begin
        message = f"num_rows is {meta.num_rows}, but the row groups have {sum(counts)}"
        yield Malformed(message, offset=at, rule="PQ-FILE-008")
