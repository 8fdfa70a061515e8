"""Writers: the writer that a file names, and the layouts that this writer could have produced.

Readers work around the faults of certain old writers. A file that names such a writer is legal only if that
writer could have written it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from reference_impl.orc import bloom
from reference_impl.orc.encodings.runs import V1_KINDS, Run
from reference_impl.orc.plan import Chunks, Column, FilePlan, Statistics
from reference_impl.orc.schema import TypeKind

TRUNCATES = 8  # ORC-203: bounds of strings beyond 1,024 bytes
UTC_BOUNDS = 6  # ORC-135: bounds of timestamps in UTC; of decimals only from ORC-517 on
JAVA = 0
_CHUNKS = 64  # of a stream with a byte per row


@dataclass(frozen=True)
class Traits:
    """The fields of a file that name its writer; `version` counts the versions of that writer."""

    writer: int | None = JAVA
    version: int | None = 9
    software: str | None = "colconf 1.0.0"

    @property
    def is_old(self) -> bool:
        """Return whether timestamp bounds are in the writer's zone, and Bloom filters of the older kind."""
        return self.writer in (None, JAVA) and (self.version or 0) < UTC_BOUNDS

    @property
    def truncates(self) -> bool:
        """Return whether a writer knew `lower_bound` and `upper_bound`."""
        return self.writer in (None, JAVA) and (self.version or 0) >= TRUNCATES


WRITERS = (
    *[Traits()] * 8,
    Traits(0, 9, "2.3.1"),
    Traits(0, 8, None),
    Traits(0, 7, None),
    Traits(0, 6, None),
    Traits(0, 5, None),
    Traits(0, 4, None),
    Traits(0, 3, None),
    Traits(0, 1, None),
    Traits(0, 0, None),
    Traits(0, 77, "9.9.9"),
    Traits(None, None, None),
    Traits(1, 6, "2.3.1"),
    Traits(1, 6, "1.6.11"),
    Traits(1, 6, None),
    Traits(2, 6, None),
    Traits(3, 6, None),
    Traits(4, 6, "475"),
    Traits(5, 6, "25.10"),
    Traits(6, 6, None),
    Traits(99, 12, "from the future"),
)


def fitted(layout: Column, kind: TypeKind, plan: FilePlan, traits: Traits) -> Column:
    """Return a layout made legal for a file; `plan` already has the file's choices."""
    column = replace(layout, statistics=_statistics(layout.statistics, kind, traits))
    if column.index is not None:
        column = replace(
            column, index=replace(column.index, statistics=_statistics(column.index.statistics, kind, traits))
        )
    if not plan.row_index_stride:
        column = replace(column, bloom=None)
    elif column.bloom is not None and traits.is_old:
        column = replace(column, bloom=replace(column.bloom, encoding=None))
    if column.chunks is not None:
        column = replace(column, chunks=limited(column.chunks, plan.block_size, len(plan.rows)))
    return column if plan.version > (0, 11) else _first(column)


def limited(chunks: Chunks, block_size: int, rows: int) -> Chunks:
    """Return chunks no larger than the block size, and not too many: thousands would find no more."""
    least = rows // _CHUNKS
    return replace(chunks, sizes=tuple(min(max(size, least), block_size) for size in chunks.sizes))


def _statistics(wanted: Statistics | None, kind: TypeKind, traits: Traits) -> Statistics | None:
    if wanted is None:
        return None
    if not traits.truncates:
        wanted = replace(wanted, truncate=0)
    if traits.is_old and kind in bloom.TIMES:
        return replace(wanted, utc=False, nanos=False, local=True)
    return wanted


def _first(layout: Column) -> Column:
    """Return a layout in version 1 of the run length encoding, the only version in files of 0.11."""

    def of_version_1(runs: tuple[Run, ...]) -> tuple[Run, ...]:
        return tuple(run for run in runs if run.kind in V1_KINDS)

    return replace(
        layout,
        rle=1,
        data_runs=of_version_1(layout.data_runs),
        length_runs=of_version_1(layout.length_runs),
        secondary_runs=of_version_1(layout.secondary_runs),
    )
