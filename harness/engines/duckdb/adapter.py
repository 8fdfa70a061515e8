"""DuckDB's `read_parquet` and `COPY … TO`."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from corpora.keys import Keys
from corpora.queries import OF_COLUMNS, Query
from corpora.table_reads import BY_ID, EXACT, TableRead
from corpora.tagged import Table, Type
from harness.children.links import Links
from harness.children.protocol import OPEN, ROWS
from harness.engines.arrow import c_interface
from harness.engines.base import Engine
from harness.engines.digests.batches import Stream
from harness.engines.duckdb import table as duckdb_table
from harness.engines.duckdb.ways import QUERIES, WAYS, Way, in_way
from harness.engines.duckdb.write_options import statements
from harness.engines.duckdb.write_script import CODECS, copy_options
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import execute
from harness.engines.writer_options import CHOSEN

# What Arrow carries must not be less than what was read: no lossy types, no 2 GiB limit on text. A version
# sets those of them that it has.
_BATCH_ROWS = 1 << 16
_LOSSLESS = "arrow_lossless_conversion"
_SETTINGS = {
    "TimeZone": "'UTC'",
    _LOSSLESS: "true",
    "arrow_large_buffer_size": "true",
    "autoinstall_known_extensions": "false",
}
# What it says of AES_GCM_CTR_V1, and of a plaintext footer; https://duckdb.org/docs/stable/data/parquet/encryption
_NOT_ENCRYPTED_SO = ("but only AES_GCM_V1 is supported", "is not encrypted, but 'encryption_config' was set")
# What it says of values that it has no way to hand out; the second before 1.6.
_NOT_IN_ARROW = ("Can't convert VARIANT of type", "Unsupported type in DuckDB -> Arrow Conversion")
_INTERNAL = "INTERNAL Error:"
CRYPTO = "force_mbedtls_unsafe"
# What a version without the setting (before 1.1) would hand out as something else.
_LOSSY = re.compile(r"\b(?:U?HUGEINT|UUID|BIT|TIME WITH TIME ZONE)\b")
# The passes (`duckdb_optimizers()`) that move a filter into the scan, one of a join or of the first rows
# among them, skip by statistics, answer from them, or read the other columns of rows later.
SKIPPING = (
    *("filter_pushdown", "statistics_propagation", "row_group_pruner", "partial_aggregate_pushdown"),
    *("join_filter_pushdown", "top_n", "late_materialization"),
)


EXTENSION = "extension"  # the passes of extensions, none of which is installed
_HAS_OPTIMIZERS = "SELECT 1 FROM duckdb_functions() WHERE function_name = 'duckdb_optimizers'"


class Duckdb(Engine):
    """One connection in memory; every read is a query of one file."""

    name = "duckdb"
    no_keys = ""
    formats = ("parquet",)
    # https://duckdb.org/docs/stable/sql/data_types/overview: what has no type here (FLOAT16, ENUM of Parquet,
    # BSON, decimals of more than 38 digits, milliseconds of time and of instants) takes the nearest one.
    equivalences: tuple[str, ...] = (
        "float16-as-float32",
        "decimal-as-float64",
        "time-unit-widened",
        "int96-as-timestamp",
        "enum-as-string",
        "bson-as-bytes",
        "wkb-byte-order",
        "geoparquet-as-geometry",  # https://duckdb.org/docs/stable/core_extensions/spatial/overview
        "variant-as-any-json",  # https://duckdb.org/docs/stable/sql/data_types/variant
    )
    writes = {  # noqa: RUF012 - as in the base
        "codecs": list(CODECS),
        "page_versions": [1],
        "dictionary": [True],
    }

    queries = ("filter", "project", "aggregate", "slice", *OF_COLUMNS, "filter_held", "to_json")
    streams = ("parquet",)
    # https://duckdb.org/docs/stable/sql/data_types/numeric#floating-point-types: NaN is equal to itself and
    # greater than any other value.
    float_order = "nan-greatest"
    aggregate_order = "nan-greatest"
    # https://duckdb.org/docs/stable/sql/dialect/order_preservation: FROM of one table, WHERE, LIMIT, OFFSET.
    file_order = True

    def __init__(self) -> None:
        import duckdb

        self.library = self.duckdb = duckdb
        self.links = Links()
        self.encrypted = ""
        self._connect()
        self.lossless = _LOSSLESS in self._names("duckdb_settings")
        self.equivalences = (*Duckdb.equivalences, *without_types(duckdb.__version__))
        self.optimizers = self._optimizers()
        self.skipping = ",".join(name for name in SKIPPING if name in self.optimizers)

    def _connect(self) -> None:
        self.connection = self.duckdb.connect()
        known = self._names("duckdb_settings")
        for name, value in _SETTINGS.items():
            if name in known:
                self.connection.execute(f"SET {name} = {value}")

    def _names(self, function: str) -> set[str]:
        return {name for (name,) in self.connection.execute(f"SELECT name FROM {function}()").fetchall()}  # noqa: S608 - ours

    def _optimizers(self) -> set[str]:
        """Return the passes of the optimizer that can be switched off; 0.10 and later list them."""
        if self.connection.execute(_HAS_OPTIMIZERS).fetchone() is None:
            return {"filter_pushdown", "statistics_propagation"}
        return self._names("duckdb_optimizers")

    @contextmanager
    def _asking(self, file: str, disabled: str = "") -> Iterator[str]:
        """Give, for a while, the name to ask by, without the passes of the optimizer in `disabled`."""
        with self._mended(), self.links.to([file]) as names:
            self.connection.execute(f"SET disabled_optimizers = '{disabled}'")
            yield next(iter(names))

    @contextmanager
    def _mended(self) -> Iterator[None]:
        """Connect anew after an internal error, so that it is not answered to whatever is asked next.

        Such an error may invalidate the database: https://duckdb.org/docs/stable/dev/internal_errors.
        """
        try:
            yield
        except Exception as error:
            internal = self.duckdb.InternalException, self.duckdb.FatalException
            if isinstance(error, internal) or not self._answers():
                self._connect()
            raise

    def enter(self, keys: Keys | None) -> None:
        """Take the key of a footer: DuckDB has one for the footer and all columns, and no AAD prefix.

        https://duckdb.org/docs/stable/data/parquet/encryption. What a connection was told, it remembers:
        hence a new one for a request with keys, and for the next one without.
        """
        if keys is not None or self.encrypted:
            self._connect()
        self.encrypted = ""
        super().enter(keys)
        if keys is None or not any(keys.secrets()):
            return
        if keys.columns or keys.master_keys or keys.aad_prefix is not None or keys.footer is None:
            raise Unsupported("DuckDB takes the key of a footer, and no key of a column, KMS or AAD prefix")
        if CRYPTO in self._names("duckdb_settings"):
            # Else, without the extension httpfs, it finds another tag in any file whose modules have an AAD.
            self.connection.execute(f"SET {CRYPTO} = 'true'")
        self.connection.execute(f"PRAGMA add_parquet_key('colconf', '{key_text(keys.footer)}')")
        self.encrypted = ", encryption_config = {footer_key: 'colconf'}"

    def _answers(self) -> bool:
        """Return whether the connection still answers; batches tell an error of DuckDB's as text alone."""
        try:
            self.connection.execute("SELECT 1").fetchall()
        except self.duckdb.Error:
            return False
        return True

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:
        """Read a whole file; no column is made of the path."""
        way = WAYS[config.get("way", "default")]
        with self._asking(file) as name, self._set(way):
            source = f"read_parquet($file, hive_partitioning = false{way.options}{self.encrypted})"
            # What binds the query: https://duckdb.org/docs/stable/clients/python/relational_api
            self.step = OPEN
            relation = self.connection.sql(way.sql.format(source=source), params={"file": name})
            self.step = ROWS
            return self._table(relation)

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:
        """Read the files of a folder, united by name or with a schema of field ids.

        Names are the same if they differ in case alone:
        https://duckdb.org/docs/stable/sql/dialect/keywords_and_identifiers#case-sensitivity-of-identifiers.
        """
        with self._asking(folder) as name:
            pattern = {"pattern": f"{name}/**/*.parquet"}
            self._check_columns(read, pattern)
            return self._table(self.connection.sql(duckdb_table.text(read), params=pattern))

    def _check_columns(self, read: TableRead, pattern: dict[str, str]) -> None:
        """Raise Unsupported for a read with columns that DuckDB cannot be asked for."""
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
            pattern = {"pattern": f"{name}/**/*.parquet"}
            self._check_columns(read, pattern)
            sql = Sql(self.connection, source, numbered, pattern)
            return self._table(self.connection.sql(sql.text(query), params=sql.parameters))

    @contextmanager
    def _set(self, way: Way) -> Iterator[None]:
        """Have the settings of a way for a while; raises Unsupported where this version lacks one."""
        lacking = {name for name, _ in way.settings} - self._names("duckdb_settings") if way.settings else ()
        if lacking:
            raise Unsupported(f"this DuckDB has no setting {min(lacking)}")
        for name, value in way.settings:
            self.connection.execute(f"SET {name} = {value}")
        try:
            yield
        finally:
            for name, _ in way.settings:
                self.connection.execute(f"RESET {name}")

    @contextmanager
    def stream(self, file: str, format: str, config: dict[str, str], first: int = 0) -> Iterator[Stream]:
        """Return the batches of a query of a file, which is executed as they are asked for."""
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
        way = QUERIES.get(config.get("way", "default"), QUERIES["default"])
        with self._asking(file, self._without(way, disabled)) as name, self._set(way):
            sql = Sql.of_file(self.connection, name, self.encrypted, way)
            text = in_way(way, sql.text(query))
            return self._table(self.connection.sql(text, params=sql.parameters))

    def _without(self, way: Way, disabled: str) -> str:
        """Return the passes of the optimizer to switch off; raises Unsupported for one that is not there."""
        if not way.disabled:
            return disabled
        if way.disabled == "*":
            return ",".join(sorted(self.optimizers - {EXTENSION}))
        if way.disabled not in self.optimizers:
            raise Unsupported(f"this DuckDB has no optimizer {way.disabled}")
        return ",".join(filter(None, (disabled, way.disabled)))

    def write(
        self, file: str, format: str, config: dict[str, str], table: Table, options: dict[str, Any]
    ) -> None:
        """Write a table; DuckDB chooses dictionaries and page versions itself."""
        from harness.engines.arrow.build import refuse, to_arrow

        if CHOSEN in options:
            self._write_chosen(file, table, options[CHOSEN])
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

        names = {"pa": pa, "connection": self.connection, "table": to_arrow(table), "FILE": file}
        with self._mended():
            execute(statements(table, chosen), names)

    def panicked(self, error: BaseException) -> bool:
        """Return whether DuckDB failed an assertion of its own, which batches tell as text alone.

        https://duckdb.org/docs/stable/dev/internal_errors
        """
        is_theirs = isinstance(error, (self.duckdb.Error, c_interface.StreamError))
        return (is_theirs and str(error).startswith(_INTERNAL)) or super().panicked(error)

    def classify(self, error: BaseException) -> str:
        """Return the kind of an exception, by DuckDB's own classes."""
        if isinstance(error, (self.duckdb.NotImplementedException, self.duckdb.NotSupportedError)):
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


def without_types(version: str) -> tuple[str, ...]:
    """Return the equivalences of a version that lacks types, whose columns it returns as they are stored.

    https://duckdb.org/docs/stable/data/parquet/overview: VARIANT is read since 1.4 and GEOMETRY since 1.5
    (with `spatial` before). Of UNKNOWN parquet.thrift says that its physical type is a guess; 2 has a type
    of nulls.
    """
    number = tuple(map(int, version.split(".")[:2]))
    since = {
        (1, 4): ("variant-as-struct", "variant-as-stored"),
        (1, 5): ("geometry-as-bytes", "geography-as-bytes"),
        (2, 0): ("null-as-any",),
    }
    return tuple(name for release, names in since.items() if number < release for name in names)


def key_text(key: bytes) -> str:
    """Return a key as DuckDB takes it: text of as many bytes, else base64; raises Unsupported.

    The base64 of 16 and of 24 bytes has 24 and 32 characters, which DuckDB takes for a key that is text.
    """
    text = key.decode("latin-1")
    if text.isascii() and text.isprintable() and "'" not in text:
        return text
    if len(key) in (16, 24):
        raise Unsupported("DuckDB takes a key of 16 or 24 bytes as text alone")
    return base64.b64encode(key).decode()


def _lacks(type_: Type) -> bool:
    """Return whether DuckDB would write another type: it has no milliseconds of time, nor of instants."""
    if type_.kind == "time":
        return type_.unit not in ("us", "ns")
    return type_.kind == "timestamp" and type_.utc is True and type_.unit not in ("us", "ns")
