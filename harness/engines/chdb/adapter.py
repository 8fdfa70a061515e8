"""ClickHouse's readers of Parquet and ORC, in the library chDB."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from corpora.predicates import IsNull, leaves
from corpora.queries import OF_COLUMNS, ONE_ROW, CountValues, Query, predicate_of
from corpora.table_reads import TableRead
from corpora.tagged import Table
from harness.children.links import Links
from harness.engines import arrow_forms
from harness.engines.arrow import c_interface
from harness.engines.base import Engine
from harness.engines.chdb import table as chdb_table
from harness.engines.chdb.query import WITHOUT, column_of, quoted, sql
from harness.engines.chdb.write_options import BESIDE, FIELDS_OF_NULL, OPTIONS, insert, statements
from harness.engines.chdb.write_script import CODECS, settings
from harness.engines.errors import Unsupported, text_without
from harness.engines.scripts.literals import execute
from harness.engines.writer_options import CHOSEN

# Rows in the order of the file; texts and WKB as they are stored, not parsed. Names are those of the file's
# columns. Of the answer: bytes stay bytes, and a type without a counterpart in Arrow is an error.
_SETTINGS = {
    "max_threads": "1",
    "prefer_column_name_to_alias": "1",
    "input_format_parquet_preserve_order": "1",
    "input_format_parquet_enable_json_parsing": "0",
    "input_format_parquet_allow_geoparquet_parser": "0",
    "output_format_arrow_string_as_string": "0",
    "output_format_arrow_unsupported_types_as_binary": "0",
    "output_format_arrow_compression_method": "'none'",
    # Nothing is remembered of a file: another one may have its path at the next request.
    "schema_inference_use_cache_for_file": "0",
    "use_cache_for_count_from_files": "0",
    "use_parquet_metadata_cache": "0",
    "use_query_condition_cache": "0",
}
# Fails behind the header of its answer.
_FAILS = "SELECT throwIf(number = 3) AS failed FROM numbers(10)"
# Also what lies outside of its types: dates before 1900 and after 2299, and tables without columns.
_LACKS = re.compile(
    r"\((NOT_IMPLEMENTED|UNKNOWN_TYPE|SUPPORT_IS_DISABLED|VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE)\)"
    r"|not (yet )?(supported|implemented)|orc::NotImplementedYet|file has no columns"
    r"|can't contain only partition columns",
    re.IGNORECASE,
)


class Chdb(Engine):
    """`SELECT * FROM file(…)`, answered as a stream of Arrow, which pyarrow takes apart."""

    name = "chdb"
    formats = ("parquet", "orc")
    # https://clickhouse.com/docs/interfaces/formats/Parquet and …/ORC, "Data types matching";
    # https://clickhouse.com/docs/sql-reference/data-types/nullable: no Nullable(Array).
    equivalences = (
        "float16-as-float32",
        "string-as-bytes",
        "enum-as-bytes",
        "json-as-bytes",
        "bson-as-bytes",
        "geometry-as-bytes",
        "geography-as-bytes",
        "time-as-timestamp",
        "timestamp-utc-ignored",
        "int96-as-timestamp",
        "interval-as-bytes",
        "variant-as-struct",
        "variant-as-stored-without-nulls",
        "map-as-list-of-keys",
        "null-as-any",
        "null-container-as-default",
    )
    writes: dict[str, Any] = {  # noqa: RUF012 - as in the base
        "codecs": sorted({codec for codecs in CODECS.values() for codec in codecs}),
        "page_versions": [1],
        "dictionary": [True, False],
    }
    # https://clickhouse.com/docs/sql-reference/statements/select/order-by, "Sorting of Special Values".
    sort_order = "nan-beside-nulls"
    queries = ("filter", "project", *ONE_ROW, "slice", "fields", *OF_COLUMNS)

    def __init__(self) -> None:
        import chdb
        import pyarrow as pa

        self.library = chdb
        self.pyarrow = pa
        self.links = Links()
        # `chdb.query` starts a server for each query: 25 times the cost of the query of a small file.
        self.connection = self._connect()
        # What a setting of a later release turns off, an earlier one does not do.
        names = self.connection.query("SELECT name FROM system.settings", "TabSeparated")
        self.settings = frozenset(names.bytes().decode().split())
        self.writes = {**type(self).writes, **self._options()}
        self.file = ""

    def version(self) -> str:
        """Return the version of the package with ClickHouse in it, which is numbered as ClickHouse is."""
        from importlib.metadata import version

        return version("chdb-core")

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:
        """Read a whole file, whose columns and types ClickHouse infers."""
        with self._source(file, format) as source:
            statement = f"SELECT * FROM {source}"  # noqa: S608 - all quoted
            return self._table(statement, _SETTINGS, behind_an_error=_behind_an_error(config))

    def query_one(self, file: str, format: str, config: dict[str, str], query: Query) -> Table:
        """Return the answer to a query."""
        with self._source(file, format) as source:
            return self._answer(query, source, config, {})

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:
        """Read the files of a folder with a structure, or with the one that all of them have together."""
        with self._folder(folder, format, read) as (source, settings):
            return self._table(f"SELECT * FROM {source}", {**_SETTINGS, **settings})  # noqa: S608 - all quoted

    def query_table(
        self, folder: str, format: str, config: dict[str, str], read: TableRead, query: Query
    ) -> Table:
        """Return the answer to a query of a folder; `pushdown` means the same as of files."""
        with self._folder(folder, format, read) as (source, settings):
            return self._answer(query, source, config, settings)

    def _answer(self, query: Query, source: str, config: dict[str, str], settings: dict[str, str]) -> Table:
        without = WITHOUT if config.get("pushdown") == "off" else {}
        statement = sql(query, source)
        self._check_nullable(query, source, settings)
        given = {**_SETTINGS, **without, **settings}
        return self._table(statement, given, behind_an_error=_behind_an_error(config))

    def write(
        self, file: str, format: str, config: dict[str, str], table: Table, options: dict[str, Any]
    ) -> None:
        """Write a table, in a folder of its own: any other name could be a pattern to ClickHouse."""
        from harness.engines.arrow.build import to_arrow

        if CHOSEN in options:
            source = statements(table, options[CHOSEN], format)
        else:
            source = insert(table, settings(table, options, format, self.writes["defaults"]), format)
        with tempfile.TemporaryDirectory() as folder, self._connected():
            arrow, written = Path(folder, "table.arrow"), Path(folder, f"written.{format}")
            names = {"ARROW": str(arrow), "FILE": str(written), "connection": self.connection}
            execute(source, {**names, "pa": self.pyarrow, "table": to_arrow(table)})
            shutil.move(written, file)

    def _options(self) -> dict[str, Any]:
        """Return the drawn options that this release has, and what it does by itself."""
        names = {option.name for writer in OPTIONS.values() for option in writer.options}
        own = sorted(name for name in names if name in self.settings or name in BESIDE)
        return {
            "options": arrow_forms.available(self.pyarrow.__version__, own),
            "defaults": {} if self._has_null_tuples() else {FIELDS_OF_NULL: True},
        }

    def _has_null_tuples(self) -> bool:
        """Return whether a struct of Arrow becomes a Nullable(Tuple)."""
        schema = self.pyarrow.schema([("a", self.pyarrow.struct([("b", self.pyarrow.int32())]))])
        with tempfile.TemporaryDirectory() as folder:
            file = str(Path(folder, "empty.arrow"))
            with self.pyarrow.ipc.new_stream(file, schema):
                pass
            name = self._type_of(f"SELECT a FROM file({quoted(file)}, ArrowStream)")  # noqa: S608 - quoted
            return name.startswith("Nullable(")

    def _type_of(self, query: str, settings: dict[str, str] = _SETTINGS) -> str:
        """Return the name of the type of a query's only column."""
        columns = self._table(f"DESCRIBE ({query})", settings)
        return bytes.fromhex(str(columns.column(1)[0])).decode()

    def _check_nullable(self, query: Query, source: str, settings: dict[str, str]) -> None:
        """Raise Unsupported where nulls are asked for that ClickHouse replaces by the default of their type.

        https://clickhouse.com/docs/sql-reference/data-types/nullable: no Nullable(Array), Map or Tuple.
        """
        predicate = predicate_of(query)
        tests = () if predicate is None else leaves(predicate)
        paths = [test.path for test in tests if isinstance(test, IsNull)]
        for path in dict.fromkeys([query.path] if isinstance(query, CountValues) else paths):
            column = f"SELECT {column_of(path)} AS c FROM {source}"  # noqa: S608 - quoted
            name = self._type_of(column, {**_SETTINGS, **settings})
            if name.startswith(("Array(", "Map(", "Tuple(")):
                kind = name.partition("(")[0]
                raise Unsupported(f"a column of type {kind} is never null in ClickHouse")

    @contextmanager
    def _source(self, file: str, format: str) -> Iterator[str]:
        """Give, for a while, the table in SQL that has the rows of a file."""
        with self.links.to([file]) as (name,):
            self.file = name
            yield f"file({quoted(name)}, {chdb_table.FORMATS[format]})"

    @contextmanager
    def _folder(self, folder: str, format: str, read: TableRead) -> Iterator[tuple[str, dict[str, str]]]:
        """Give, for a while, the table in SQL that has the rows of a folder, and settings of reading it."""
        with self.links.to([folder]) as (name,):
            self.file = name
            yield chdb_table.source(name, format, read), chdb_table.settings(format, read)

    def _table(self, query: str, settings: dict[str, str], *, behind_an_error: bool = False) -> Table:
        there = {name: value for name, value in settings.items() if name in self.settings}
        chosen = ", ".join(f"{name} = {value}" for name, value in there.items())
        answer = self._ask(f"{query} SETTINGS {chosen}", behind_an_error=behind_an_error)
        with self.pyarrow.ipc.open_stream(answer.bytes()) as stream:
            if any(map(self._has_union, stream.schema.types)):
                raise Unsupported("a Variant of ClickHouse orders its types by name: tags are not the file's")
            return c_interface.read(stream.read_all())

    def _connect(self) -> Any:
        return self.library.connect(":memory:")

    def _ask(self, statement: str, *, behind_an_error: bool) -> Any:
        """Return the answer to a statement, perhaps behind one that fails in the same connection."""
        with self._connected():
            if behind_an_error:
                with suppress(RuntimeError):
                    self.connection.query(_FAILS, "ArrowStream")
            answer = self.connection.query(statement, "ArrowStream")
        if behind_an_error:
            self._renew()
        return answer

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """Give up a connection in which a statement failed.

        It would put what that one has written in front of the next answer (the finding
        chdb-answer-behind-an-error).
        """
        try:
            yield
        except RuntimeError:
            self._renew()
            raise

    def _renew(self) -> None:
        self.connection.close()
        self.connection = self._connect()

    def _has_union(self, type_: Any) -> bool:
        """Return whether a type of Arrow is a union, or has one in it."""
        inner = [type_.field(at).type for at in range(type_.num_fields)]
        return bool(self.pyarrow.types.is_union(type_)) or any(map(self._has_union, inner))

    def classify(self, error: BaseException) -> str:
        """Return the kind of an exception, whose text names ClickHouse's code of the error."""
        text = text_without(error, self.file)
        if "(MEMORY_LIMIT_EXCEEDED)" in text:
            return "out_of_memory"
        return "unsupported" if _LACKS.search(text) else super().classify(error)

    def panicked(self, error: BaseException) -> bool:
        """Return whether ClickHouse says that its own code failed."""
        return "(LOGICAL_ERROR)" in text_without(error, self.file) or super().panicked(error)


def _behind_an_error(config: dict[str, str]) -> bool:
    return config.get("connection") == "after-an-error"
