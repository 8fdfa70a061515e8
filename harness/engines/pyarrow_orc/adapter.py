"""PyArrow's ORC reader and writer, which are ORC's own C++ library and Arrow's adapter to it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from corpora.queries import Query
from corpora.table_reads import TableRead
from corpora.tagged import Table
from harness.children.protocol import OPEN, ROWS
from harness.engines import arrow_forms
from harness.engines.arrow import c_interface
from harness.engines.base import Engine
from harness.engines.digests.batches import Stream
from harness.engines.orc_columns import lacks
from harness.engines.pyarrow import table as pyarrow_table
from harness.engines.pyarrow.statements import open_orc
from harness.engines.pyarrow_orc.ways import WAYS
from harness.engines.pyarrow_orc.write_options import BESIDE, CALLS, statements
from harness.engines.pyarrow_orc.write_script import CODECS, call_options
from harness.engines.scripts.literals import evaluate, execute
from harness.engines.terms import only
from harness.engines.writer_options import CHOSEN
from harness.engines.zones import process_zone

_ORC_2 = (16, 0)  # the first release with ORC C++ 2.0
_SAME_NAMES = "Multiple matches for FieldRef"  # a data set has its columns by their names alone
_NO_DATA_SETS = "format 'orc' is not supported"  # before 6.0
_RANGE = re.compile(r"ORC timestamp \((-?\d+)s \+ (\d+)ns\) is out of range for nanosecond resolution")


class PyarrowOrc(Engine):
    """`pyarrow.orc.ORCFile`, or a scan of a data set that is that file."""

    name = "pyarrow_orc"
    formats = ("orc",)
    # https://arrow.apache.org/docs/cpp/orc.html, Data types
    equivalences = ("union-null-as-variant-null", "orc-hive11-decimal")
    writes = {  # noqa: RUF012 - as in the base
        "codecs": list(CODECS),
        "page_versions": [],
        "dictionary": [True, False],
    }
    queries = (
        *("filter", "project", "row_group", "batches", "count", "slice", "fields"),
        *("semi_join", "anti_join"),
    )
    streams = ("orc",)
    float_order = "ieee"  # as of its Parquet reader: filters are of its tables in memory
    file_order = True

    def __init__(self) -> None:
        import pyarrow as pa
        import pyarrow.dataset
        import pyarrow.fs
        import pyarrow.orc

        self.library = self.pyarrow = pa
        calls = (pyarrow.orc.ORCWriter, pyarrow.orc.write_table)
        there = [name for call in calls for name in inspect.signature(call).parameters]
        options = [*arrow_forms.available(pa.__version__, BESIDE), *there]
        if not hasattr(pyarrow.orc.ORCWriter, "__enter__"):  # in release 5
            options.remove(CALLS)
        self.writes = {**type(self).writes, "options": options}

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:
        """Read a whole file; raises whatever pyarrow raises."""
        with process_zone(config):
            return c_interface.read(self._whole(file, config))

    def _whole(self, file: str, config: dict[str, str]) -> Any:
        self.step = OPEN
        if config.get("api") == "dataset":
            data_set = self._data_set(file)
            self.step = ROWS
            return data_set.to_table()
        opened = self.pyarrow.orc.ORCFile(file)
        self.step = ROWS
        names = {"pa": self.pyarrow, "orc": self.pyarrow.orc, "file": opened, "FILE": file}
        text = WAYS[config.get("way", "default")]
        if "columns=" in text:  # columns are chosen by names, which must be unique then
            for name in opened.schema.names:
                only(name, opened.schema.names)
        return evaluate(text, names)

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:
        """Read a folder as a data set with a schema."""
        pyarrow_table.check(self.pyarrow, read)
        with process_zone(config):
            names = {"pa": self.pyarrow, "ds": self.pyarrow.dataset, "FOLDER": folder}
            return c_interface.read(evaluate(pyarrow_table.text(read, format), names))

    def query_table(
        self, folder: str, format: str, config: dict[str, str], read: TableRead, query: Query
    ) -> Table:
        """Return the answer to a query of a folder; without pushdown, a filter of the table in memory."""
        pushdown = config.get("pushdown") != "off"
        with process_zone(config):
            answer = pyarrow_table.ask(self.pyarrow, folder, format, read, query, pushdown=pushdown)
            return c_interface.read(answer)

    @contextmanager
    def stream(self, file: str, format: str, config: dict[str, str], first: int = 0) -> Iterator[Stream]:
        """Return the stripes of a file, or the batches of a data set that is that file."""
        from harness.engines.pyarrow import stream as pyarrow_stream

        with process_zone(config):
            if config.get("api") == "dataset":
                result = pyarrow_stream.of_data_set(self._data_set(file), first)
            else:
                result = pyarrow_stream.of_orc(self.pyarrow.orc.ORCFile(file))
            with result as stream:
                yield stream

    def query_one(self, file: str, format: str, config: dict[str, str], query: Query) -> Table:
        """Return the answer to a query; a filter, without pushdown, is of the table that was read whole."""
        from harness.engines.pyarrow import statements
        from harness.engines.pyarrow_orc.query import of_file, place

        pa = self.pyarrow
        with process_zone(config):
            where = place(query, config)
            if where == "table":
                opened, steps = self._whole(file, config), statements.of_table(query, pa.__version__)
            elif where == "data":
                opened, steps = self._data_set(file), statements.of_data_set(query, threads=True)
            else:
                opened, steps = pa.orc.ORCFile(file), of_file(query)
            names = {where: opened, "schema": opened.schema}
            return c_interface.read(statements.ask(pa, query, steps, names))

    def _data_set(self, file: str) -> Any:
        files = self.pyarrow.fs.LocalFileSystem()
        names = {"ds": self.pyarrow.dataset, "FILE": file, "files": files}
        return execute(open_orc(self.version()), names)["data"]

    def write(
        self, file: str, format: str, config: dict[str, str], table: Table, options: dict[str, Any]
    ) -> None:
        """Write a table with pyarrow's other options at their defaults."""
        from harness.engines.arrow.build import to_arrow

        if CHOSEN in options:
            names = {"pa": self.pyarrow, "orc": self.pyarrow.orc, "table": to_arrow(table), "FILE": file}
            execute(statements(table, options[CHOSEN]), names)
            return
        self.pyarrow.orc.write_table(to_arrow(table), file, **call_options(table, options))

    def classify(self, error: BaseException) -> str:
        """Return the kind of an exception; ORC C++ says in words alone that it lacks something."""
        arrow = isinstance(error, (self.pyarrow.ArrowException, OSError))
        beyond = _RANGE.search(str(error))
        if arrow and beyond:  # Arrow's timestamps are of 64 bits; one that would fit is refused without need
            nanos = int(beyond[1]) * 1_000_000_000 + int(beyond[2])
            return "refused" if -(1 << 63) <= nanos < 1 << 63 else "unsupported"
        if (arrow and str(error).startswith(_SAME_NAMES)) or str(error) == _NO_DATA_SETS:
            return "unsupported"
        lacking = arrow and lacks(str(error), self.pyarrow.__version__, _ORC_2)
        return "unsupported" if lacking else super().classify(error)
