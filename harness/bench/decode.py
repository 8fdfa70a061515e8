"""Decode speed of the reference ÷ that of pyarrow, single-threaded, in one process."""

from __future__ import annotations

import io
import time
from typing import TYPE_CHECKING

from harness.bench.ratio import Ratio
from harness.bench.tables import write_flat, write_nested
from reference_impl.parquet.file import ParquetFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

REPEATS = 5


def best(action: Callable[[], object], repeats: int = REPEATS) -> float:
    """Answer the shortest wall time of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def ratios(folder: Path) -> list[Ratio]:
    """Time both readers on the flat and on the nested table, and on the footer of a wide file."""
    import pyarrow.parquet as pq  # noqa: PLC0415 - the bench compares with it

    flat, nested = folder / "flat.parquet", folder / "nested.parquet"
    write_flat(flat)
    write_nested(nested)
    out = []
    for name, path, target in (("flat", flat, 20.0), ("nested", nested, 60.0)):
        ours = best(lambda path=path: ParquetFile.open(path).read())  # type: ignore[misc]
        theirs = best(lambda path=path: pq.read_table(path, use_threads=False))  # type: ignore[misc]
        out.append(Ratio(f"reference decode, {name}, ÷ pyarrow single-threaded", ours, theirs, target))
    return [*out, _footer()]


def _footer() -> Ratio:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    sink = io.BytesIO()
    pq.write_table(pa.table({f"c{i}": [1, 2, 3] for i in range(100)}), sink, row_group_size=1)
    data = sink.getvalue()
    ours = best(lambda: ParquetFile(data))
    theirs = best(lambda: pq.read_metadata(io.BytesIO(data)))
    return Ratio(
        "footer decode, 100 columns × 3 row groups, ÷ pyarrow.parquet.read_metadata", ours, theirs, 10.0
    )
