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

from corpora.queries import Aggregate
from corpora.tagged import Table
from harness.engines import arrow_c
from harness.engines.base import Engine, Unsupported
from harness.engines.links import Links
from harness.engines.spark_errors import SparkError, die_if_gone, translated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpora.queries import Query

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

    queries = ("filter", "project", "batches", "aggregate")
    # https://spark.apache.org/docs/latest/sql-ref-datatypes.html, NaN Semantics, and -0.0 == 0.0 beside it.
    float_order = "nan-greatest"
    aggregate_order = "nan-greatest"

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
        (table,) = self._answers([file], config, _everything)
        return table

    def read_many(
        self,
        files: list[str],
        format: str,  # noqa: A002, ARG002 - interface
        config: dict[str, str],
    ) -> list[Table]:
        """Read files of one schema in one query, the schema being that of the first file."""
        return self._answers(files, config, _everything)

    def query(
        self,
        files: list[str],
        format: str,  # noqa: A002, ARG002 - interface
        config: dict[str, str],
        query: Query,
    ) -> list[Table]:
        """Answer a query of files of one schema, in one query of Spark unless it is an aggregate."""
        from harness.engines import spark_query

        if query.kind not in self.queries:
            raise Unsupported(f"Spark does not answer queries of kind {query.kind}")
        pushdown = config.get("pushdown", "on")
        with self._set(spark_query.settings(pushdown, query)):
            if isinstance(query, Aggregate):
                return [self._aggregate(file, config, query) for file in files]
            return self._answers(
                files, config, lambda frame: spark_query.ask(frame, query), spark_query.options(pushdown)
            )

    def _aggregate(self, file: str, config: dict[str, str], query: Aggregate) -> Table:
        from harness.engines import spark_query

        self._configure(config)
        with self._linked([file]) as links:
            reader = self.session.read.options(**spark_query.options(config.get("pushdown", "on")))
            return _collect(spark_query.aggregate(reader.parquet(*links), query))

    def _answers(
        self,
        files: list[str],
        config: dict[str, str],
        ask: Callable[[Any], tuple[Any, list[Any]]],
        options: dict[str, str] | None = None,
    ) -> list[Table]:
        """Answer a table per file: rows and columns that `ask` makes of a frame; a sheet is one query."""
        from pyspark.sql import functions

        self._configure(config)
        with self._linked(files) as links:
            reader = self.session.read.options(**(options or {}))
            frame = reader.parquet(links[0])
            # The newer interface of data sources, which `pushdown=aggregate` asks, knows no index of rows.
            alone = len(files) < 2 or config.get("pushdown") == "aggregate"
            taken = {"_metadata", _FILE, _ROW} & {name.lower() for name in frame.schema.names}
            if alone or taken or sum(map(os.path.getsize, files)) > _SHEET_BYTES:
                rows_of = [ask(reader.parquet(link)) for link in links]
                return [_collect(rows.select(*columns)) for rows, columns in rows_of]
            rows, columns = ask(reader.schema(frame.schema).parquet(*links))
            where = functions.col("_metadata.file_path").alias(_FILE)
            row = functions.col("_metadata.row_index").alias(_ROW)
            return _split(_collect(rows.select(*columns, where, row)), [_number(link) for link in links])

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

    @contextmanager
    def _set(self, settings: dict[str, str]) -> Iterator[None]:
        """Set options of the session for a while."""
        try:
            for name, value in settings.items():
                self.session.conf.set(name, value)
            yield
        finally:
            for name in settings:
                self.session.conf.unset(name)

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


def _everything(frame: Any) -> tuple[Any, list[Any]]:
    return frame, ["*"]


def _collect(frame: Any) -> Table:
    """Collect as Arrow batches, without `toArrow`: its cast to another schema fails on null geometries."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_schema

    batches = frame._collect_as_arrow()  # noqa: SLF001
    if batches:
        return arrow_c.read(pa.Table.from_batches(batches))
    return arrow_c.read(to_arrow_schema(frame.schema, timezone="UTC").empty_table())


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
