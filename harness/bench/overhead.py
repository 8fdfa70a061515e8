"""Wall time of `colconf run` ÷ that of a bare loop over the same files in the same engines.

The bare loop is one process per engine, one after the other, that opens the engine and reads every file into
its own tables, with an exception caught and nothing else done: no tagging, no limits, no comparison. The loop
of queries asks one engine as many filters as a run derives; the run derives and judges them, too.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

from harness.bench.ratio import Ratio

_SPARK = ("spark:vectorized=on", "spark:vectorized=off")
ENGINES = {
    "parquet": ("reference", "pyarrow", *_SPARK),
    "orc": ("reference", "pyarrow_orc", "pyorc", *_SPARK),
}
_MOST_OF_QUERIES = 5.0  # times a bare query: a query is also derived and judged, and its values are sent
_QUERIES = 24  # of a file
_QUERY_LOOP = """
import sys
import pyarrow.compute
import pyarrow.parquet
def read(path):
    name = pyarrow.parquet.read_schema(path).names[0]
    for _ in range(QUERIES):
        pyarrow.parquet.read_table(path, filters=pyarrow.compute.field(name).is_valid())
"""
_CATCH = """
for path in sys.argv[1:]:
    try:
        read(path)
    except Exception:
        pass
"""
_SPARK_LOOP = """
import sys
from pyspark.sql import SparkSession
spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    .config("spark.sql.session.timeZone", "UTC").getOrCreate())
spark.sparkContext.setLogLevel("OFF")
def both(path):
    for value in ("true", "false"):
        spark.conf.set("spark.sql.FORMAT.enableVectorizedReader", value)
        try:
            spark.read.FORMAT(path).toArrow()
        except Exception:
            pass
read = both
"""
_LOOPS = {
    "parquet": (
        """
import sys
from reference_impl.parquet.file import ParquetFile
def read(path):
    return ParquetFile.open(path).read()
""",
        """
import sys
import pyarrow.parquet
def read(path):
    return pyarrow.parquet.ParquetFile(path).read()
""",
        _SPARK_LOOP.replace("FORMAT", "parquet"),
    ),
    "orc": (
        """
import sys
from reference_impl.orc.file import OrcFile
def read(path):
    return OrcFile.open(path).read()
""",
        """
import sys
import pyarrow.orc
def read(path):
    return pyarrow.orc.ORCFile(path).read()
""",
        """
import sys
import pyorc
def read(path):
    with open(path, "rb") as file:
        return list(pyorc.Reader(file))
""",
        _SPARK_LOOP.replace("FORMAT", "orc"),
    ),
}


def ratios(folder: Path, files: list[Path], format: str) -> list[Ratio]:  # noqa: A002 - the word for it everywhere
    """Time both over files of a format, the bare loops first (so that the file cache is warm for the run).

    The files are copied: a run would also read what stands beside them, and check that.
    """
    files = [Path(shutil.copy(file, folder)) for file in files]
    start = time.perf_counter()
    for code in _LOOPS[format]:
        run([sys.executable, "-c", code + _CATCH, *map(str, files)])
    bare = time.perf_counter() - start
    engines = ENGINES[format]
    listed = [argument for engine in engines for argument in ("--engine", engine)]
    # The control set is asked once for a version of an engine, not in each run.
    run(_command(files[:1], folder / f"out-first-{format}", 0, *listed))
    middle = time.perf_counter()
    run(_command(files, folder / f"out-{format}", 0, *listed))
    end = time.perf_counter()
    name = f"colconf run over {len(files)} {format} files and {len(engines)} engines ÷ bare loops"
    read = Ratio(name, end - middle, bare, 1.3)
    return [read, *([_queries(folder, files)] if format == "parquet" else [])]


def _queries(folder: Path, files: list[Path]) -> Ratio:
    """Time the queries of a run, without what reading takes, and as many queries of a bare loop."""
    engine = ("--engine", "pyarrow:pushdown=on", "--no-spark")
    start = time.perf_counter()
    run([sys.executable, "-c", _QUERY_LOOP.replace("QUERIES", str(_QUERIES)) + _CATCH, *map(str, files)])
    bare = time.perf_counter()
    run(_command(files, folder / "out-read", 0, *engine))
    read = time.perf_counter()
    run(_command(files, folder / "out-queries", _QUERIES, *engine))
    end = time.perf_counter()
    name = f"{_QUERIES} derived queries of each of {len(files)} parquet files ÷ bare queries of pyarrow"
    return Ratio(name, (end - read) - (read - bare), bare - start, _MOST_OF_QUERIES)


def _command(files: list[Path], out: Path, queries: int, *options: str) -> list[str]:
    """Return the command of a run over files."""
    command = [sys.executable, "-m", "harness.cli", "run", *options, "--queries", str(queries)]
    listed = [argument for file in files for argument in ("--files", str(file))]
    return [*command, "--out", str(out), *listed]


def run(command: list[str]) -> None:
    """Run a command to its end; raises RuntimeError where it fails, findings excepted."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    if done.returncode not in (0, 1):  # 1: the run found something, which is not what is timed
        raise RuntimeError(f"{command[:4]} ended with {done.returncode}: {done.stderr[-2000:]}")
