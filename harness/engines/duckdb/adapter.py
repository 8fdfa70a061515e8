"""DuckDB's `read_parquet` and `COPY … TO`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from corpora.queries import OF_COLUMNS, ONE_ROW, Query
from corpora.table_reads import BY_ID, EXACT, TableRead
from corpora.tagged import Table, Type
from harness.children.protocol import OPEN, ROWS
from harness.engines import arrow_forms
from harness.engines.arrow import c_interface
from harness.engines.digests.batches import Stream
from harness.engines.duckdb import table as duckdb_table
from harness.engines.duckdb.connected import Connected
from harness.engines.duckdb.lists import in_one_thread, in_way
from harness.engines.duckdb.ways import QUERIES, WAYS, Way
from harness.engines.duckdb.write_options import ENCRYPTED, OPTIONS, defaults, statements
from harness.engines.duckdb.write_script import CODECS, copy_options
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import execute
from harness.engines.writer_options import CHOSEN

_BATCH_ROWS = 1 << 16
# What it says of AES_GCM_CTR_V1, and of a plaintext footer; https://duckdb.org/docs/stable/data/parquet/encryption
_NOT_ENCRYPTED_SO = ("but only AES_GCM_V1 is supported", "is not encrypted, but 'encryption_config' was set")
# What it says of values that it has no way to hand out; the others before 2.0.
_NOT_IN_ARROW = (
    "Can't convert VARIANT of type",
    "Unsupported type in DuckDB -> Arrow Conversion",
    "Unsupported Arrow type VARIANT",
)
_NO_TYPE = "Catalog Error: Type with name "  # of a type that later releases have
_MATERIALIZED = "AS MATERIALIZED"
_INTERNAL = "INTERNAL Error:"
_PENDING = "unsuccessful or closed pending query result\nError: "  # how 0.10 and 1.0 tell an error of before
# What a version without the setting (before 1.1) would hand out as something else.
_LOSSY = re.compile(r"\b(?:U?HUGEINT|UUID|BIT|TIME WITH TIME ZONE)\b")


class Duckdb(Connected):
    """One connection in memory; every read is a query of one file."""

    name = "duckdb"
    no_keys = ""
    formats = ("parquet",)
    # https://duckdb.org/docs/stable/sql/data_types/overview: what has no type here (FLOAT16, ENUM of Parquet,
    # BSON, decimals of more than 38 digits, milliseconds of time and of instants) takes the nearest one. Its
    # TIMESTAMP, "naive timestamp with microsecond precision", is also that of milliseconds without a zone.
    equivalences: tuple[str, ...] = (
        "float16-as-float32",
        "wide-decimal-as-float64",
        "time-unit-widened",
        "timestamp-unit-widened",
        "int96-as-timestamp",
        "enum-as-string",
        "bson-as-bytes",
        "wkb-byte-order",
        "geoparquet-as-geometry",  # https://duckdb.org/docs/stable/core_extensions/spatial/overview
        "variant-as-duckdb-json",  # https://duckdb.org/docs/stable/sql/data_types/variant
    )
    writes: dict[str, Any] = {  # noqa: RUF012 - as in the base
        "codecs": list(CODECS),
        "page_versions": [1],
        "dictionary": [True],
    }

    queries = (
        *("filter", "project", *ONE_ROW, "slice", "fields"),
        *(*OF_COLUMNS, "filter_held", "to_json"),
    )
    streams = ("parquet",)
    # https://duckdb.org/docs/stable/sql/data_types/numeric#floating-point-types: NaN is equal to itself and
    # greater than any other value.
    float_order = "nan-greatest"
    aggregate_order = "nan-greatest"
    # https://duckdb.org/docs/stable/sql/dialect/order_preservation: FROM of one table, WHERE, LIMIT, OFFSET.
    file_order = True

    def __init__(self) -> None:
        import pyarrow as pa

        super().__init__()
        names = [option.name for option in OPTIONS["parquet"].options]
        self.writes = {**type(self).writes, "options": arrow_forms.available(pa.__version__, names)}
        self.writes["defaults"] = defaults(self.version())

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:
        """Read a whole file; no column is made of the path."""
        way = WAYS.get(config.get("way", "default"), WAYS["default"])
        with self._asking(file) as name, self._set(way):
            source = f"read_parquet($file, hive_partitioning = false{way.options}{self.encrypted})"
            # What binds the query: https://duckdb.org/docs/stable/clients/python/relational_api
            self.step = OPEN
            relation = self.connection.sql(way.sql.format(source=source), params={"file": name})
            self.step = ROWS
            return self._table(relation)

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:
        """Read the files of a folder, united by name or with a schema of field ids.

        Names that differ only in case are the same:
        https://duckdb.org/docs/stable/sql/dialect/keywords_and_identifiers#case-sensitivity-of-identifiers.
        """
        with self._asking(folder) as name:
            pattern = {"pattern": duckdb_table.files_of(name, read)}
            self._check_columns(read, pattern)
            return self._table(self.connection.sql(duckdb_table.text(read), params=pattern))

    def _check_columns(self, read: TableRead, pattern: dict[str, str]) -> None:
        """Raise Unsupported for a read with columns or options that DuckDB cannot be asked for."""
        there = {row[0] for row in self.connection.execute(duckdb_table.OPTIONS).fetchall()}
        for option, is_used in (("hive_types", bool(read.partitions)), ("schema", read.matching == BY_ID)):
            if is_used and option not in there:
                raise Unsupported(f"this DuckDB reads folders without the option {option}")
        if read.matching == EXACT:
            names = {row[0] for row in self.connection.execute(duckdb_table.NAMES, pattern).fetchall()}
            names.update(field.name for field in read.schema)
            if len({text.lower() for text in names}) < len(names):
                raise Unsupported("DuckDB does not tell names apart that differ in case alone")
        if read.matching != BY_ID:
            united = self.connection.execute(duckdb_table.COLUMNS, pattern).fetchall()
            there = {row[0].lower() for row in united}
            if any(field.name.lower() not in there for field in read.columns):
                raise Unsupported("without field ids, DuckDB has no column that no file has")

    def query_table(
        self, folder: str, format: str, config: dict[str, str], read: TableRead, query: Query
    ) -> Table:
        """Return the answer to a query of a folder; without pushdown as of a file."""
        from harness.engines.duckdb.bound import Sql

        source, numbered = duckdb_table.sources(read)
        disabled = self.skipping if config.get("pushdown") == "off" else ""
        with self._asking(folder, disabled) as name:
            pattern = {"pattern": duckdb_table.files_of(name, read)}
            self._check_columns(read, pattern)
            sql = Sql(self.connection, source, numbered, pattern, self.duckdb.__version__)
            return self._table(self.connection.sql(sql.text(query), params=sql.parameters))

    @contextmanager
    def stream(self, file: str, format: str, config: dict[str, str], first: int = 0) -> Iterator[Stream]:
        """Return the batches of a query of a file, which is executed as they are requested."""
        from harness.engines.digests.batches import arrow_stream, c_stream

        with self._asking(file) as name:
            query = f"SELECT * FROM read_parquet($file, hive_partitioning = false{self.encrypted})"  # noqa: S608 - ours
            skipped = f"{query} OFFSET {int(first)}" if first else query
            relation = self.connection.sql(skipped, params={"file": name})
            self._check(relation)
            if hasattr(relation, "__arrow_c_stream__"):
                result = c_stream(relation, first)
            else:  # such a version holds the whole result, whichever way it is asked
                reader = relation.fetch_arrow_reader(_BATCH_ROWS)
                result = arrow_stream(reader, reader.schema.empty_table(), first)
            with result as stream:
                yield stream

    def _check(self, relation: Any) -> None:
        c_interface.check_names(relation.columns)
        if not self.lossless:
            lossy = [str(type_) for type_ in relation.types if _LOSSY.search(str(type_))]
            if lossy:
                raise Unsupported(f"this DuckDB has no way to hand out {lossy[0]} as it is")

    def _table(self, relation: Any) -> Table:
        self._check(relation)
        return c_interface.read(
            relation if hasattr(relation, "__arrow_c_stream__") else relation.fetch_arrow_table()
        )

    def query_one(self, file: str, format: str, config: dict[str, str], query: Query) -> Table:
        """Return the answer to a query; without pushdown, the scan gives all rows to a filter above it."""
        from harness.engines.duckdb.bound import Sql

        disabled = self.skipping if config.get("pushdown") == "off" else ""
        way = in_one_thread(QUERIES.get(config.get("way", "default"), QUERIES["default"]), query)
        with self._asking(file, self._without(way, disabled)) as name, self._set(way):
            self._check_way(way)
            sql = Sql.of_file(self.connection, name, self.encrypted, way, self.duckdb.__version__)
            text = in_way(way, query, sql.text(query))
            return self._table(self.connection.sql(text, params=sql.parameters))

    def _check_way(self, way: Way) -> None:
        """Raise Unsupported for a way whose SQL this version does not know: as before 0.9."""
        if _MATERIALIZED in way.source:
            try:
                self.connection.execute("WITH t AS MATERIALIZED (SELECT 1) SELECT * FROM t").fetchall()
            except self.duckdb.ParserException as error:
                raise Unsupported(f"this DuckDB has no WITH … {_MATERIALIZED}") from error

    def write(
        self, file: str, format: str, config: dict[str, str], table: Table, options: dict[str, Any]
    ) -> None:
        """Write a table; DuckDB chooses dictionaries and page versions itself."""
        from harness.engines.arrow.build import refuse, to_arrow

        if CHOSEN in options:
            try:
                self._write_chosen(file, table, options[CHOSEN])
            finally:
                if ENCRYPTED in options[CHOSEN]:
                    self._connect()  # a connection remembers the key
            return
        settings = copy_options(options)
        refuse(table, _lacks, "DuckDB")
        quoted = file.replace("'", "''")
        with self._mended():
            relation = self.connection.from_arrow(to_arrow(table))
            relation.query("written", f"COPY written TO '{quoted}' ({settings})")

    def _write_chosen(self, file: str, table: Table, chosen: dict[str, Any]) -> None:
        import pyarrow as pa

        from harness.engines.arrow.build import to_arrow

        names = {"pa": pa, "duckdb": self.duckdb, "connection": self.connection}
        names.update(table=to_arrow(table), FILE=file)
        with self._mended():
            execute(statements(table, chosen), names)

    def panicked(self, error: BaseException) -> bool:
        """Return whether DuckDB failed an assertion of its own, which batches tell as text alone.

        https://duckdb.org/docs/stable/dev/internal_errors
        """
        is_theirs = isinstance(error, (self.duckdb.Error, c_interface.StreamError))
        cause = str(error).rpartition(_PENDING)[2]
        return (is_theirs and cause.startswith(_INTERNAL)) or super().panicked(error)

    def classify(self, error: BaseException) -> str:
        """Return the kind of an exception, by DuckDB's own classes."""
        if isinstance(error, (self.duckdb.NotImplementedException, self.duckdb.NotSupportedError)):
            return "unsupported"
        if isinstance(error, self.duckdb.CatalogException) and str(error).startswith(_NO_TYPE):
            return "unsupported"
        if isinstance(error, self.duckdb.OutOfMemoryException):
            return "out_of_memory"
        if self.encrypted and any(item in str(error) for item in _NOT_ENCRYPTED_SO):
            return "unsupported"
        # It has read the value, and cannot hand it out: that is not a refusal of the file.
        if isinstance(error, c_interface.StreamError) and any(text in str(error) for text in _NOT_IN_ARROW):
            return "unsupported"
        # Parquet's codecs are told as an InvalidInputException, a file that is wrong as well.
        if isinstance(error, self.duckdb.Error) and "Unsupported compression codec" in str(error):
            return "unsupported"
        return super().classify(error)


def _lacks(type_: Type) -> bool:
    """Return whether DuckDB would write another type: it has no milliseconds of time, nor of instants."""
    if type_.kind == "time":
        return type_.unit not in ("us", "ns")
    return type_.kind == "timestamp" and type_.utc is True and type_.unit not in ("us", "ns")
