"""Decode speed of the reference ÷ that of pyarrow, single-threaded, and of pyorc, in one process."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from harness.bench.ratio import Ratio
from harness.bench.tables import TABLES, write_with_pyorc
from reference_impl.orc.file import OrcFile
from reference_impl.parquet.file import ParquetFile

if TYPE_CHECKING:
    import pyarrow as pa

REPEATS = 5
_SLOW_REPEATS = 2  # of what makes a Python object of every value
_TARGETS = {"flat": 20.0, "nested": 60.0}
_FASTER = 1.0


def best(action: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the shortest wall time of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def ratios(folder: Path) -> list[Ratio]:
    """Time readers on the flat and on the nested table, and on the footer of a wide file."""
    parquet: list[Ratio] = []
    orc: list[Ratio] = []
    for name, make in TABLES.items():
        table = make()
        parquet.append(_parquet(folder, name, table))
        orc += _orc(folder, name, table)
    return [*parquet, _parquet_footer(), *orc, _orc_footer()]


def _parquet(folder: Path, name: str, table: pa.Table) -> Ratio:
    import pyarrow.parquet as pq

    path = folder / f"{name}.parquet"
    pq.write_table(table, path)
    ours = best(lambda: ParquetFile.open(path).read())
    theirs = best(lambda: pq.read_table(path, use_threads=False))
    return Ratio(f"reference decode, {name}, ÷ pyarrow single-threaded", ours, theirs, _TARGETS[name])


def _orc(folder: Path, name: str, table: pa.Table) -> Iterator[Ratio]:
    """Yield ratios of a file that pyarrow wrote, and of one that pyorc wrote."""
    import pyorc
    from pyarrow import orc

    def rows(path: Path) -> list[object]:
        with path.open("rb") as file:
            return list(pyorc.Reader(file))

    path, other = folder / f"{name}.orc", folder / f"{name}-pyorc.orc"
    orc.write_table(table, path)
    write_with_pyorc(name, table, other)
    ours = best(lambda: OrcFile.open(path).read())
    theirs = best(lambda: orc.ORCFile(path).read())
    yield Ratio(f"reference decode, {name} ORC of pyarrow, ÷ pyarrow.orc", ours, theirs, _TARGETS[name])
    ours = best(lambda: OrcFile.open(other).read())
    theirs = best(lambda: orc.ORCFile(other).read())
    yield Ratio(f"reference decode, {name} ORC of pyorc, ÷ pyarrow.orc", ours, theirs, _TARGETS[name])
    theirs = best(lambda: rows(other), _SLOW_REPEATS)
    yield Ratio(f"reference decode, {name} ORC of pyorc, ÷ pyorc", ours, theirs, _FASTER)


def _parquet_footer() -> Ratio:
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(_wide(), sink, row_group_size=1)
    data = sink.getvalue()
    ours = best(lambda: ParquetFile(data))
    theirs = best(lambda: pq.read_metadata(io.BytesIO(data)))
    return Ratio(
        "footer decode, 100 columns × 3 row groups, ÷ pyarrow.parquet.read_metadata", ours, theirs, 10.0
    )


def _orc_footer() -> Ratio:
    from pyarrow import orc

    sink = io.BytesIO()
    orc.write_table(_wide(), sink)
    data = sink.getvalue()
    ours = best(lambda: OrcFile(data))
    theirs = best(lambda: orc.ORCFile(io.BytesIO(data)))
    return Ratio("tail decode, 100 columns, ÷ pyarrow.orc.ORCFile", ours, theirs, 10.0)


def _wide() -> pa.Table:
    import pyarrow as pa

    return pa.table({f"c{i}": [1, 2, 3] for i in range(100)})
