"""Apache Spark's Parquet data source, through one local session per child."""

from __future__ import annotations

import atexit
import os
import platform
import re
import shutil
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from corpora.tagged import Table
from harness.engines import arrow_c
from harness.engines.base import Engine
from harness.engines.links import Links
from harness.engines.spark_errors import SparkError, die_if_gone, translated

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHEET_BYTES = 64 << 20  # files larger than this together are read one by one, to bound memory
_FILE, _ROW = "__colconf_file", "__colconf_row"  # columns that a sheet carries beside its own
_NUMBERED = re.compile(r"/(\d+)\.parquet$")
_CODECS = {
    "UNCOMPRESSED": "none",
    "SNAPPY": "snappy",
    "GZIP": "gzip",
    "ZSTD": "zstd",
    "LZ4_RAW": "lz4_raw",
}


class Spark(Engine):
    """`spark.read.parquet` to Arrow; a sheet is one query that carries file and row index."""

    name = "spark"
    formats = ("parquet",)
    # Unsigned integers: SPARK-34817. Microseconds only, INT96, ENUM, JSON and BSON:
    # https://spark.apache.org/docs/latest/sql-ref-datatypes.html and ParquetSchemaConverter's documentation.
    equivalences = (
        "uint64-as-decimal20",
        "unsigned-widened",
        "time-unit-widened",
        "int96-as-timestamp",
        "enum-as-string",
        "json-as-string",
        "bson-as-bytes",
        "null-as-any",  # no page of Spark says so; parquet.thrift says of UNKNOWN that its type is a guess
    )
    writes = {  # noqa: RUF012 - as in the base
        "codecs": list(_CODECS),
        "page_versions": [1, 2],
        "dictionary": [True, False],
    }

    def __init__(self) -> None:
        find_java()
        self.scratch = tempfile.mkdtemp(prefix="colconf-spark-")
        atexit.register(shutil.rmtree, self.scratch, ignore_errors=True)
        self.links = Links(tempfile.mkdtemp(prefix="links-", dir=self.scratch))
        self.session = start(self.scratch)

    def version(self) -> str:
        """Answer Spark's version."""
        return str(self.session.version)

    def runtime(self) -> str:
        """Answer the versions of Java and Python."""
        java = self.session.sparkContext._jvm.java.lang.System.getProperty("java.version")  # noqa: SLF001
        return f"Java {java}, Python {platform.python_version()}"

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002, ARG002 - interface
        """Read a whole file; raises SparkError."""
        self._configure(config)
        with self._linked([file]) as links:
            return _collect(self.session.read.parquet(*links))

    def read_many(
        self,
        files: list[str],
        format: str,  # noqa: A002 - interface
        config: dict[str, str],
    ) -> list[Table]:
        """Read files of one schema in one query, the schema being that of the first file."""
        if len(files) < 2 or sum(map(os.path.getsize, files)) > _SHEET_BYTES:
            return super().read_many(files, format, config)
        from pyspark.sql import functions

        self._configure(config)
        with self._linked(files) as links:
            schema = self.session.read.parquet(links[0]).schema
            names = [name.lower() for name in schema.names]
            if {"_metadata", _FILE, _ROW} & set(names):
                return super().read_many(files, format, config)
            frame = self.session.read.schema(schema).parquet(*links)
            where = functions.col("_metadata.file_path").alias(_FILE)
            row = functions.col("_metadata.row_index").alias(_ROW)
            sheet = _collect(frame.select("*", where, row))
            return _split(sheet, [_number(link) for link in links])

    def write(
        self,
        file: str,
        format: str,  # noqa: A002, ARG002 - interface
        config: dict[str, str],
        table: Table,
        options: dict[str, Any],
    ) -> None:
        """Write a table as one part file, with Spark's other options at their defaults.

        Except for one: by default Spark would write instants as INT96, which is not the table's type.
        """
        from harness.engines.spark_write import write

        self._configure(config)
        with translated(self.session, {}):
            write(self.session, self.scratch, file, table, options=options, codecs=_CODECS)

    def classify(self, error: BaseException) -> str:
        """Say what an exception is, by Spark's error condition and the class of the root cause."""
        return error.kind if isinstance(error, SparkError) else super().classify(error)

    def _configure(self, config: dict[str, str]) -> None:
        vectorized = "false" if config.get("vectorized") == "off" else "true"
        try:
            self.session.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
        except Exception:
            die_if_gone(self.session)
            raise

    @contextmanager
    def _linked(self, files: list[str]) -> Iterator[list[str]]:
        """Give the files names that Spark reads as they are, for a while.

        Spark passes over names that begin with `_` or `.`, takes `*?[{` as patterns, answers paths as URIs.
        """
        with self.links.to(files, always=True) as names, translated(self.session, names):
            yield list(names)


def find_java() -> None:
    """Raise RuntimeError, saying the mend, if there is no Java."""
    home = os.environ.get("JAVA_HOME")
    candidate = os.path.join(home, "bin", "java") if home else "java"  # noqa: PTH118
    if not shutil.which(candidate):
        where = f"in JAVA_HOME={home}" if home else "on the PATH"
        raise RuntimeError(f"Spark needs Java, none found {where}; install Java 17 or 21, or set JAVA_HOME")


def start(scratch: str) -> Any:
    """Start a local session that leaves nothing outside `scratch`.

    The session's time zone is UTC, so that an instant and a wall clock have the same count of units, and no
    conversion between them can hide behind the zone of the machine.

    The JVM's own choices are for many short queries on few cores: measured, a third less time per file.
    """
    from pyspark.sql import SparkSession

    java_options = (
        f"-Duser.timezone=UTC -Dderby.system.home={scratch} -Djava.io.tmpdir={scratch} "
        f"-XX:ErrorFile={scratch}/hs_err.log -XX:-UsePerfData -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
    )
    settings = {
        "spark.app.name": "colconf engine",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": java_options,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.local.dir": scratch,
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.sources.parallelPartitionDiscovery.threshold": "10000",
        "spark.sql.warehouse.dir": os.path.join(scratch, "warehouse"),  # noqa: PTH118
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    os.environ["SPARK_LOCAL_DIRS"] = scratch  # it goes before spark.local.dir
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def _collect(frame: Any) -> Table:
    """Collect as Arrow batches, without `toArrow`: its cast to another schema fails on null geometries."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_schema

    batches = frame._collect_as_arrow()  # noqa: SLF001
    if batches:
        return arrow_c.read(pa.Table.from_batches(batches))
    return arrow_c.read(to_arrow_schema(frame.schema).empty_table())


def _number(link: str) -> int:
    found = _NUMBERED.search(link)
    assert found, link
    return int(found[1])


def _split(sheet: Table, numbers: list[int]) -> list[Table]:
    """Cut a sheet into a table per file, rows in order; a file without rows is an empty table."""
    columns = [sheet.column(index) for index in range(len(sheet.columns))]
    *columns, links, rows = columns
    of_file: dict[int, list[tuple[int, int]]] = {number: [] for number in numbers}
    known: dict[Any, list[tuple[int, int]]] = {}
    for at, (link, row) in enumerate(zip(links, rows)):
        if link not in known:
            known[link] = of_file[_number(str(link))]
        known[link].append((int(str(row)), at))
    named = [(field.name, field.type) for field in sheet.columns[:-2]]
    tables = []
    for number in numbers:
        order = [at for _, at in sorted(of_file[number])]
        values = [[column[at] for at in order] for column in columns]
        tables.append(Table.of(named, values, len(order)))
    return tables
