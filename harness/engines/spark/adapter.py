"""Apache Spark's data sources of Parquet and ORC, through one local session per child."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from corpora.queries import (
    OF_COLUMNS,
    OF_VARIANTS,
    ONE_ROW,
    Aggregate,
    CountRows,
    Fields,
    Join,
    Query,
    Slice,
    TopRows,
)
from corpora.tagged import Table
from harness.children.protocol import OPEN, ROWS
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import evaluate
from harness.engines.spark import clocks as spark_clocks
from harness.engines.spark import digest as spark_digest
from harness.engines.spark import formats as spark_formats
from harness.engines.spark.errors import SparkError, translated
from harness.engines.spark.folders import FILE_COLUMN, FolderReads
from harness.engines.spark.query import OF_VALUES, OfValues, aggregate, aggregate_by_file, ask
from harness.engines.spark.schemas import Schemas
from harness.engines.spark.session import collect
from harness.engines.spark.sheets import is_sheet, number_of, of_files, row_index, split
from harness.engines.spark.versions import file_of_row, has_row_index
from harness.engines.spark.ways import WAYS, WHOLE, Way, way_of
from harness.engines.zones import GAPS, UTC

_METADATA = "_metadata"  # the column of Spark with the file of a row
_ROW = "__colconf_row"  # the column of row indexes that a sheet carries beside its own


class Spark(FolderReads):
    """`spark.read` to Arrow; a sheet is one query that carries file and row index."""

    name = "spark"
    no_keys = ""
    formats = ("parquet", "orc")
    # Unsigned integers: SPARK-34817. Microseconds only, INT96, ENUM, JSON and BSON:
    # https://spark.apache.org/docs/latest/sql-ref-datatypes.html and ParquetSchemaConverter's documentation.
    equivalences = (
        "uint64-as-decimal20",
        "unsigned-widened",
        "time-unit-widened",
        "timestamp-unit-widened",
        "time-as-integer",
        "nanos-as-int64",
        "int96-as-timestamp",
        "enum-as-string",
        "json-as-string",
        "bson-as-bytes",
        "wkb-byte-order",  # st_asbinary: "'NDR' for little-endian (default) or 'XDR' for big-endian"
        "null-as-any",  # no page of Spark says so; parquet.thrift says of UNKNOWN that its type is a guess
        "orc-timestamp-as-spark-timestamp",
        "orc-map-entries-sorted",
        "spark-schema-restored",
        "spark-types-restored",
        "spark-hybrid-calendar",
        "spark-hybrid-calendar-of-instants",
        "variant-as-json",  # https://spark.apache.org/docs/latest/api/sql/index.html#to_json
        "variant-of-spark",  # SPARK-45891: the types of a DataFrame are those of its own metadata
        *GAPS,
    )
    writes = {  # noqa: RUF012 - as in the base
        "codecs": ["UNCOMPRESSED", "SNAPPY", "GZIP", "ZLIB", "ZSTD", "LZ4", "LZ4_RAW"],
        "page_versions": [1, 2],
        "dictionary": [True, False],
    }

    queries = (
        *("filter", "project", "batches", *ONE_ROW, "slice", "fields"),
        *(*OF_COLUMNS, *OF_VARIANTS),
    )
    streams = ("parquet", "orc")
    # https://spark.apache.org/docs/latest/sql-ref-datatypes.html, NaN Semantics, and -0.0 == 0.0 beside it.
    float_order = "nan-greatest"
    aggregate_order = "nan-greatest"

    def __init__(self) -> None:
        super().__init__()
        self.counted: tuple[Any, list[spark_digest.Split]] = None, []
        self.schemas = Schemas()

    def version(self) -> str:
        """Return Spark's version."""
        return str(self.session.version)

    def runtime(self) -> str:
        """Return the versions of Java and Python."""
        java = self.session.sparkContext._jvm.java.lang.System.getProperty("java.version")
        return f"Java {java}, Python {platform.python_version()}"

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:
        """Read a whole file; raises SparkError."""
        (table,) = self._answers([file], format, config, way_of(config, of_query=False), _everything)
        return table

    def read_many(self, files: list[str], format: str, config: dict[str, str]) -> list[Table]:
        """Read files of one schema in one query, the schema being that of the first file."""
        return self._answers(files, format, config, way_of(config, of_query=False), _everything)

    def query(self, files: list[str], format: str, config: dict[str, str], query: Query) -> list[Table]:
        """Return the answers to a query of files with one schema.

        A single query of all files returns rows, or aggregates by file; some are a union of a query of each.
        """
        if query.kind not in self.queries:
            raise Unsupported(f"Spark does not answer queries of kind {query.kind}")
        pushdown, way = config.get("pushdown", "on"), way_of(config, of_query=True)
        options = spark_formats.options(format, pushdown)
        with self._set(spark_formats.settings(format, pushdown, query)):
            if not isinstance(query, OF_VALUES):
                return self._answers(
                    files,
                    format,
                    config,
                    way,
                    lambda frame: ask(frame, query, way),
                    options,
                    together=not isinstance(query, (Join, Slice, TopRows)),
                    named=query.named if isinstance(query, Fields) else None,
                )
            return self._aggregates(files, format, config, way, query, options)

    def digest(self, file: str, format: str, config: dict[str, str], block_rows: int) -> dict[str, Any]:
        """Digest a file's columns, or a folder's as one table, in Spark's executors."""
        with self._splits(file, format, config) as (frame, splits):
            return spark_digest.digest(frame, splits, block_rows)

    def rows(self, file: str, format: str, config: dict[str, str], first: int, count: int) -> Table:
        """Read rows, of the splits that have them."""
        with self._splits(file, format, config) as (frame, splits):
            return spark_digest.rows(frame, splits, first, count)

    @contextmanager
    def _splits(
        self, file: str, format: str, config: dict[str, str]
    ) -> Iterator[tuple[Any, list[spark_digest.Split]]]:
        """Give, for a while, a frame of one split a task, and its splits, counted once."""
        self._configure(format, config)
        with self._set(spark_digest.SETTINGS), self._linked([file], format) as (link,):
            frame = self.session.read.format(format).load(link)
            key = (file, format, sorted(config.items()))
            if self.counted[0] != key:
                self.counted = key, spark_digest.count(frame)
            types = spark_clocks.changed(frame.schema, self._with_clocks(link, frame.schema))
            yield (spark_clocks.as_shown(frame, types) if types else frame), self.counted[1]

    def _aggregates(  # noqa: PLR0917 - what is asked, of which files, and how
        self,
        files: list[str],
        format: str,
        config: dict[str, str],
        way: Way,
        query: OfValues,
        options: dict[str, str],
    ) -> list[Table]:
        """Return the answer of each file: grouped by file, where an aggregate of a file would only cost more.

        An aggregate of a file alone is in a plan that exchanges its rows once more, for each file; pushdown
        of aggregates knows no groups.
        """
        self._configure(format, config)
        with self._set(way.settings), self._linked(files, format, keep=len(files) > 1) as links:
            of_schema = self.session.read.format(format).options(**options, **dict(way.options))
            schema, _ = self.schemas.of(of_schema, links[0], files[0], config, way)
            has_own = way.alone or way.aggregate != WHOLE or config.get("pushdown") == "aggregate"
            alone = len(files) < 2 or has_own or _METADATA in map(str.lower, schema.names)
            is_small = is_sheet(list(map(os.path.getsize, files)), indexed=True)
            if isinstance(query, (Aggregate, CountRows)) and is_small and not alone:
                frame = self.relations.load(of_schema, links, _reading(config, way, options))
                grouped = aggregate_by_file(frame, query, way, FILE_COLUMN)
                clocks = self._with_clocks(links[0], frame.schema)
                answers = collect(self._as_shown(grouped, frame, clocks, query))
                return of_files(answers, [number_of(link) for link in links])
            frames = [self._framed(of_schema.load(link), way) for link in links]
            requests = [self._aggregate(frame, link, query, way) for frame, link in zip(frames, links)]
            return self._collected(requests, alone=way.alone)

    def _aggregate(self, frame: Any, link: str, query: OfValues, way: Way) -> Any:
        """Return the frame of the answer to a query of the values of a column, or of a number of rows."""
        clocks = self._with_clocks(link, frame.schema)
        return self._as_shown(aggregate(frame, query, way), frame, clocks, query)

    def _answers(  # noqa: PLR0917 - what is asked, of which files, and how
        self,
        files: list[str],
        format: str,
        config: dict[str, str],
        way: Way,
        ask: Callable[[Any], tuple[Any, list[Any]]],
        options: dict[str, str] | None = None,
        *,
        together: bool = True,
        named: dict[str, tuple[str, ...]] | None = None,
    ) -> list[Table]:
        """Return a table per file: rows and columns that `ask` makes of a frame.

        A sheet is one query, if the files may be asked `together`. `named`: the paths of the columns that
        `ask` makes, by their names, if these are not the file's.
        """
        self._configure(format, config)
        with self._set(way.settings), self._linked(files, format, keep=len(files) > 1) as links:
            self.step = OPEN

            def opened(link: str, file: str) -> tuple[Any, Any, Any]:
                """Return a reader that has the schema of a file, this schema, and a frame if there is one."""
                reader = self.session.read.format(format).options(**(options or {}), **dict(way.options))
                if ask is _everything and way == WAYS["default"]:
                    frame = self.schemas.infer(reader, link, file, config, way)
                    return reader, frame.schema, frame
                return (reader, *self.schemas.of(reader, link, file, config, way))

            def own(link: str, file: str) -> Any:
                reader, _, frame = opened(link, file)
                return reader.load(link) if frame is None else frame

            reader, schema, frame = opened(links[0], files[0])
            clocks = self._with_clocks(links[0], schema)
            types = spark_clocks.changed(schema, clocks)
            if types and named is not None:
                types = {name: spark_clocks.at_path(clocks, path) for name, path in named.items()}
            self.step = ROWS

            def show(request: Any) -> Any:
                return spark_clocks.as_shown(request, types) if types else request

            indexed = spark_formats.READING[format].indexed and has_row_index()
            # The newer interface of data sources, which `pushdown=aggregate` asks, knows no index of rows.
            together = together and not way.alone and config.get("pushdown") != "aggregate"
            alone = len(files) < 2 or not together
            taken = {_METADATA, FILE_COLUMN, _ROW} & {name.lower() for name in schema.names}
            if alone or taken or not is_sheet(list(map(os.path.getsize, files)), indexed=indexed):
                # A read is of each file's schema, a query of the first one's.
                others = map(own, links[1:], files[1:]) if ask is _everything else map(reader.load, links[1:])
                frames = [reader.load(links[0]) if frame is None else frame, *others]
                rows_of = [ask(self._framed(each, way)) for each in frames]
                answers = [show(rows.select(*columns)) for rows, columns in rows_of]
                return [collect(evaluate(way.answer, {"answer": answer})) for answer in answers]
            rows, columns = ask(self.relations.load(reader, links, _reading(config, way, options or {})))
            where = file_of_row().alias(FILE_COLUMN)
            row = row_index(indexed=indexed).alias(_ROW)
            sheet = collect(show(rows.select(*columns, where, row)))
            return split(sheet, [number_of(link) for link in links])

    def _with_clocks(self, link: str, schema: Any) -> Any:
        """Return a file's schema with the zone's wall clocks as such; in UTC, they stay instants."""
        return schema if self.zone == UTC else spark_clocks.with_clocks(self.session, link, schema)

    def write(
        self, file: str, format: str, config: dict[str, str], table: Table, options: dict[str, Any]
    ) -> None:
        """Write a table as one part file, with Spark's other options at their defaults, or as drawn.

        Except for one: by default Spark would write instants as INT96, which is not the table's type.
        """
        from harness.engines.spark.write import write

        self._configure(format, {**config, "zone": "utc"})
        with translated(self.session, {}):
            write(self.taught, self.scratch, file, format, table, options)

    def classify(self, error: BaseException) -> str:
        """Return the kind of an exception, by Spark's error condition and the class of the root cause."""
        return error.kind if isinstance(error, SparkError) else super().classify(error)


def _reading(config: dict[str, str], way: Way, options: dict[str, str]) -> tuple[Any, ...]:
    """Return all that decides how files are loaded, beside them."""
    return repr(way), *sorted(config.items()), *sorted(options.items())


def _everything(frame: Any) -> tuple[Any, list[Any]]:
    return frame, ["*"]
