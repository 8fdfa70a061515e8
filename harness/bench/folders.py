"""Wall time of a run over table cases ÷ that of a bare loop over the same reads in the same engine.

The bare loop is one process that opens the engine and evaluates the source text of every read, with an
exception caught and nothing else done.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from corpora import own_cases
from corpora.cases import load
from corpora.table_reads import TableRead
from harness.bench.overhead import run
from harness.bench.ratio import Ratio
from harness.engines.errors import Unsupported
from harness.engines.pyarrow import table as pyarrow_table
from harness.engines.spark import table as spark_table

_PYARROW = """
import json, sys
import pyarrow as pa
import pyarrow.dataset as ds
names = {"pa": pa, "ds": ds}
def show(table):
    return table
"""
_SPARK = """
import json, sys
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType
session = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    .config("spark.sql.session.timeZone", "UTC").getOrCreate())
session.sparkContext.setLogLevel("OFF")
names = {"session": session, "StructType": StructType, "json": json}
def show(frame):
    return frame.toArrow()
"""
_LOOP = """
for folder, source in json.load(open(sys.argv[1])):
    try:
        show(eval(source, {**names, "FOLDER": folder}))
    except Exception:
        pass
"""


@dataclass(frozen=True)
class _Side:
    """An engine of the bench; `text` is the source of a read, `target` what a run may take of its loop."""

    engine: str
    loop: str
    text: Callable[[TableRead, str], str]
    target: float


# The folders hold some rows each: reading takes pyarrow so little that the start of the run weighs.
_SIDES = (
    _Side("pyarrow", _PYARROW, pyarrow_table.text, 12.0),
    _Side("spark:vectorized=on", _SPARK, spark_table.text, 1.5),
)


def ratios(folder: Path) -> list[Ratio]:
    """Time the reads of the checked-in Parquet table cases that have no queries."""
    return [_ratio(folder, side) for side in _SIDES]


def _ratio(folder: Path, side: _Side) -> Ratio:
    name = side.engine.partition(":")[0]
    copied, listed = folder / f"{name}-tables", folder / f"{name}-reads.json"
    shutil.copytree(own_cases.folder() / own_cases.TABLES / "parquet", copied)
    sources = []
    for path in sorted(copied.glob("*/*.json")):
        case = load(path)
        source = None if case.probes or case.read is None else _source(case.read, side)
        if source is None:
            path.unlink()
        else:
            sources.append((str(case.file), source))
    listed.write_text(json.dumps(sources), "utf-8")
    command = [sys.executable, "-m", "harness.cli", "run", "--engine", side.engine, "--report", "none"]
    command += ["--no-spark", "--tables"]
    first = next(copied.iterdir())
    run([*command, str(first), "--out", str(folder / f"{name}-first")])  # the control set is asked once
    start = time.perf_counter()
    run([sys.executable, "-c", side.loop + _LOOP, str(listed)])
    middle = time.perf_counter()
    run([*command, str(copied), "--out", str(folder / f"{name}-out")])
    ours = time.perf_counter() - middle
    minute = round(60 * len(sources) / ours)
    row = f"{len(sources)} reads of Parquet tables in {name} ({minute} a minute) ÷ bare reads"
    return Ratio(row, ours, middle - start, side.target)


def _source(read: TableRead, side: _Side) -> str | None:
    """Return the source text of a read, None if the engine has none for it."""
    try:
        return side.text(read, "parquet")
    except Unsupported:
        return None
