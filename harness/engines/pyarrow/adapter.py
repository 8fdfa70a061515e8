"""PyArrow's Parquet reader and writer."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from corpora.queries import Query
from corpora.table_reads import TableRead
from corpora.tagged import Table
from harness.children.protocol import OPEN, ROWS
from harness.engines import arrow_forms
from harness.engines.arrow import c_interface
from harness.engines.arrow.types import BEYOND_DIGITS
from harness.engines.base import Engine
from harness.engines.digests.batches import Stream
from harness.engines.errors import Unsupported
from harness.engines.partitioned import partitions_of
from harness.engines.pyarrow import keys as pyarrow_keys
from harness.engines.pyarrow import table as pyarrow_table
from harness.engines.pyarrow import write_encrypted
from harness.engines.pyarrow.ways import EXTENSIONS, WAYS, Way, options_of
from harness.engines.pyarrow.write_options import BATCHES, BESIDE, defaults, statements
from harness.engines.pyarrow.write_script import CODECS, call_options
from harness.engines.scripts.literals import evaluate, execute
from harness.engines.writer_options import CHOSEN

_NO_TYPE = "module 'pyarrow' has no attribute"  # uuid, json_, decimal32, … of tables and of drawn forms


class PyarrowParquet(Engine):
    """`pyarrow.parquet.read_table` of one file, or a scan of a data set that is that file."""

    name = "pyarrow"
    no_keys = ""
    formats = ("parquet",)
    # https://arrow.apache.org/docs/cpp/parquet.html#logical-types: ENUM, BSON and INTERVAL have "the default
    # physical type mapping"; JSON, UUID, GEOMETRY and GEOGRAPHY depend on extension types being there.
    equivalences = (
        "enum-as-bytes",
        "bson-as-bytes",
        "interval-as-bytes",
        "json-as-string",
        "uuid-as-bytes",
        "geometry-as-bytes",
        "geography-as-bytes",
        "int96-as-timestamp",
        "time-utc-ignored",
        "map-as-list-of-keys",
        "variant-as-struct",
        "variant-as-stored",
        "arrow-schema-restored",
    )
    writes = {  # noqa: RUF012 - as in the base
        "codecs": list(CODECS),
        "page_versions": [1, 2],
        "dictionary": [True, False],
    }
    queries = (
        *("filter", "project", "row_group", "batches", "count", "slice", "fields"),
        *("semi_join", "anti_join"),
    )
    streams = ("parquet",)
    # No page says so; its comparisons in memory (equal, less, …) are those of C.
    float_order = "ieee"
    # https://arrow.apache.org/docs/python/generated/pyarrow.dataset.Dataset.html, head and take: the
    # first rows of a data set, and rows by their index.
    file_order = True

    def __init__(self) -> None:
        import pyarrow as pa
        import pyarrow.dataset
        import pyarrow.fs
        import pyarrow.parquet

        self.library = self.pyarrow = pa
        self.factory: Any = None
        parquet = pyarrow.parquet
        taken = [inspect.signature(call).parameters for call in (parquet.ParquetWriter, parquet.write_table)]
        beside = [*arrow_forms.available(pa.__version__, BESIDE), *write_encrypted.available()]
        if not hasattr(parquet.ParquetWriter, "write_batch"):  # before 7.0
            beside.remove(BATCHES)
        parameters = {name: each[name] for each in taken for name in each}
        self.writes = {**self.writes, "options": [*beside, *parameters]}
        self.writes["defaults"] = defaults(self.version(), parameters)

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:
        """Read a whole file, opened as such: no folder's name adds a column. Or a folder, as one table."""
        return c_interface.read(self._whole(file, config))

    def _whole(self, file: str, config: dict[str, str]) -> Any:
        threads = config.get("threads") != "off"
        memory_map = config.get("mmap") == "on"
        self.step = OPEN
        if os.path.isdir(file):
            folder = self.pyarrow.dataset.dataset(file, format="parquet", partitioning="hive")
            self.step = ROWS
            return folder.to_table(use_threads=threads)
        if config.get("api") == "dataset":
            data_set = self._data_set(file, memory_map=memory_map)
            self.step = ROWS
            return data_set.to_table(use_threads=threads)
        way = WAYS.get(config.get("way", "default"), WAYS["default"])
        keyed = self._keyed(file)
        with self._opened(file, memory_map=memory_map, **self._options(file, way, keyed)) as opened:
            self.step = ROWS
            names = {
                "pa": self.pyarrow,
                "file": opened,
                "FILE": file,
                "KEYS": keyed.get("decryption_properties"),
            }
            if way.pandas:
                names["pd"] = self._pandas(opened, by_itself="pd.read_parquet" in way.expression)
            text = way.expression.format(
                threads=threads, keyed=", decryption_properties=KEYS" if keyed else ""
            )
            return evaluate(text, names)

    def _pandas(self, opened: Any, *, by_itself: bool) -> Any:
        """Return pandas with columns of Arrow's types; raises Unsupported without it.

        `by_itself`: pandas reads the file, and makes columns its index where the file's metadata says so.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise Unsupported("pandas is not installed") from error
        if not hasattr(pd, "ArrowDtype"):
            raise Unsupported("this pandas has no columns of Arrow's types")
        if not opened.schema_arrow.names:
            raise Unsupported("the columns of a frame without columns do not say how many rows it has")
        if by_itself and b"pandas" in (opened.schema_arrow.metadata or {}):
            raise Unsupported("pandas makes columns of such a file its index, or another type")
        return pd

    def _options(self, file: str, way: Way, keyed: dict[str, Any]) -> dict[str, Any]:
        """Return the options of opening a file for a way of reading; raises Unsupported without them."""
        parquet = self.pyarrow.parquet
        names = {"FILE": file, "pq": parquet, "KEYS": keyed.get("decryption_properties")}
        text = way.options.format(keyed=", decryption_properties=KEYS" if keyed else "")
        options: dict[str, Any] = evaluate(f"dict({text})", names)
        lacking = options.keys() - inspect.signature(parquet.ParquetFile.__init__).parameters.keys()
        if lacking:
            raise Unsupported(f"this pyarrow opens files without the option {min(lacking)}")
        return options

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:
        """Read a folder as a data set with a schema."""
        pyarrow_table.check(self.pyarrow, read)
        names = {"pa": self.pyarrow, "ds": self.pyarrow.dataset, "FOLDER": folder}
        return c_interface.read(evaluate(pyarrow_table.text(read, format), names))

    def query_table(
        self, folder: str, format: str, config: dict[str, str], read: TableRead, query: Query
    ) -> Table:
        """Return the answer to a query of a folder; without pushdown, a filter of the table in memory."""
        pushdown = config.get("pushdown") != "off"
        answer = pyarrow_table.ask(self.pyarrow, folder, format, read, query, pushdown=pushdown)
        return c_interface.read(answer)

    @contextmanager
    def stream(self, file: str, format: str, config: dict[str, str], first: int = 0) -> Iterator[Stream]:
        """Return the batches of a file, or of a folder as one table."""
        from harness.engines.pyarrow import stream as pyarrow_stream

        threads, memory_map = config.get("threads") != "off", config.get("mmap") == "on"
        if os.path.isdir(file):
            data_set = self.pyarrow.dataset.dataset(file, format="parquet", partitioning="hive")
        elif config.get("api") == "dataset":
            data_set = self._data_set(file, memory_map=memory_map)
        else:
            with (
                self._opened(file, memory_map=memory_map) as opened,
                pyarrow_stream.of_file(opened, first, threads=threads) as stream,
            ):
                yield stream
            return
        with pyarrow_stream.of_data_set(data_set, first, threads=threads) as stream:
            yield stream

    def query_one(self, file: str, format: str, config: dict[str, str], query: Query) -> Table:
        """Return the answer to a query; without pushdown, a filter of the table that was read whole."""
        from harness.engines.pyarrow import statements

        pa, threads, memory_map = self.pyarrow, config.get("threads") != "off", config.get("mmap") == "on"
        place, way = statements.place(query, config)
        names: dict[str, Any] = {"FILE": file}
        if place == "table":
            names["table"] = self._whole(file, config)
            steps = statements.of_table(query, pa.__version__)
            schema = names["table"].schema
        elif place == "read":
            keyed = self._keyed(file)
            given = f"use_threads={threads}{', decryption_properties=KEYS' if keyed else ''}"
            steps = statements.of_read(query, pa.__version__, given)
            names |= {"pq": pa.parquet, "files": pa.fs.LocalFileSystem(use_mmap=memory_map)}
            names["KEYS"] = keyed.get("decryption_properties")
            schema = pa.parquet.read_schema(file, **keyed)
        elif place == "file":
            with self._opened(file, memory_map=memory_map) as opened:
                names |= {"file": opened, "schema": opened.schema_arrow}
                steps = statements.of_file(query, threads=threads)
                return c_interface.read(statements.ask(pa, query, steps, names))
        elif place == "scan":
            if self._keyed(file):
                raise Unsupported("this way is one of files without keys")
            names["EXTENSIONS"] = evaluate(EXTENSIONS, {"ds": pa.dataset})
            names["data"] = self._data_set(file, memory_map=memory_map, **names["EXTENSIONS"])
            steps, schema = statements.of_scan(query, way, threads=threads), names["data"].schema
        else:
            names["data"] = self._data_set(file, memory_map=memory_map)
            steps, schema = statements.of_data_set(query, threads=threads), names["data"].schema
        with options_of(way):
            return c_interface.read(statements.ask(pa, query, steps, {**names, "schema": schema}))

    @contextmanager
    def _opened(self, file: str, *, memory_map: bool, **options: Any) -> Iterator[Any]:
        """Open a file and close it; before 9.0 the end of the object is what closes it."""
        options |= self._keyed(file)
        opened = self.pyarrow.parquet.ParquetFile(file, memory_map=memory_map, **options)
        try:
            yield opened
        finally:
            getattr(opened, "close", int)()

    def _keyed(self, file: str) -> dict[str, Any]:
        """Return the option that opens an encrypted file, none for any other; raises Unsupported."""
        properties, self.factory = pyarrow_keys.decryption(self.pyarrow, file, self.keys)
        return {} if properties is None else {"decryption_properties": properties}

    def _format(self, file: str, **options: Any) -> Any:
        options |= self._keyed(file)
        if options:
            scan = self.pyarrow.dataset.ParquetFragmentScanOptions(**options)
            return self.pyarrow.dataset.ParquetFileFormat(default_fragment_scan_options=scan)
        return self.pyarrow.dataset.ParquetFileFormat()

    def _data_set(self, file: str, *, memory_map: bool, **options: Any) -> Any:
        filesystem = self.pyarrow.fs.LocalFileSystem(use_mmap=memory_map)
        format_ = self._format(file, **options)
        return self.pyarrow.dataset.FileSystemDataset.from_paths(
            [file],
            schema=format_.inspect(file, filesystem),
            format=format_,
            filesystem=filesystem,
        )

    def classify(self, error: BaseException) -> str:
        """Return the kind of an exception."""
        if pyarrow_keys.is_own_key(error, self.keys):
            return "unsupported"
        is_lacking = BEYOND_DIGITS in str(error) or str(error).startswith("Not yet implemented")
        return "unsupported" if is_lacking else super().classify(error)

    def write(
        self, file: str, format: str, config: dict[str, str], table: Table, options: dict[str, Any]
    ) -> None:
        """Write a table with pyarrow's other options at their defaults, or with those that were drawn."""
        from harness.engines.arrow.build import to_arrow

        if CHOSEN in options:
            write_encrypted.check(options[CHOSEN])
            names = {"pa": self.pyarrow, "pq": self.pyarrow.parquet, "FILE": file, **write_encrypted.names()}
            if partitions_of(options[CHOSEN]):
                names["ds"] = import_module("pyarrow.dataset")
            try:
                execute(statements(table, options[CHOSEN]), {**names, "table": to_arrow(table)})
            except AttributeError as error:
                if str(error).startswith(_NO_TYPE):
                    raise Unsupported(f"this release lacks a type: {error}") from error
                raise
            return
        self.pyarrow.parquet.write_table(to_arrow(table), file, **call_options(table, options))
