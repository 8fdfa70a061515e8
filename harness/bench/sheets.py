"""Spark per file in a sheet (one read over many files) ÷ Spark per file, one read each."""

from __future__ import annotations

import time
from pathlib import Path

from harness.bench.ratio import Ratio
from harness.children.connection import Connection, worker_command
from harness.children.outcomes import OutcomeKind
from harness.engines.registry import ENGINES

FILES = 200


def ratios(folder: Path) -> list[Ratio]:
    """Read the same small files of one schema both ways, in one warm Spark."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    files = []
    for number in range(FILES):
        files.append(folder / f"sheet-{number:03}.parquet")
        table = pa.table({"n": list(range(number, number + 50)), "s": [f"row {i}" for i in range(50)]})
        pq.write_table(table, files[-1])
    with Connection(worker_command(ENGINES["spark"])) as spark:
        config = {"vectorized": "on"}
        for warm in files[:3]:
            spark.read(warm, "parquet", config)
        spark.read_many(files[:3], "parquet", config)
        start = time.perf_counter()
        single = [spark.read(file, "parquet", config) for file in files]
        middle = time.perf_counter()
        sheet = spark.read_many(files, "parquet", config)
        end = time.perf_counter()
    if not isinstance(sheet, list) or any(
        outcome.kind is not OutcomeKind.TABLE for outcome in (*single, *sheet)
    ):
        raise RuntimeError("Spark could not read the files of the bench")
    return [Ratio("Spark per file in a sheet ÷ one read each", end - middle, middle - start, 0.15)]
