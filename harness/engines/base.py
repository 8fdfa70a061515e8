"""The interface of adapters: a class without arguments, made and called in an engine's child process.

An adapter answers values exactly as its engine gives them, never mends them. Runs in engine children:
standard library only (plus the engine, imported when the adapter is made), Python 3.9.
"""

from __future__ import annotations

import platform
from contextlib import AbstractContextManager
from typing import Any

from corpora.keys import Keys
from corpora.queries import Query
from corpora.table_reads import TableRead
from corpora.tagged import Table
from harness.engines.digests.batches import Stream
from harness.engines.errors import Unsupported
from harness.engines.origins import origin
from harness.engines.panics import is_panic


class Engine:
    """Base of the adapters.

    `equivalences` names the documented mappings it claims (`harness/judging/equivalences.py`). `writes` is {}
    for an engine that cannot write, else the option values it takes: `codecs`, `page_versions`, `dictionary`;
    `options`, if given, are the names of the drawn options (`write_options.py`) that this version has;
    `defaults` options, by name, that stand for what this version does where nothing else is drawn.

    `queries` are the kinds of queries it answers (`corpora.queries.KINDS`). `float_order` is how its filters
    compare floats, `aggregate_order` how its minimum and maximum do (`corpora.constants.FLOAT_ORDERS`),
    `sort_order` how it sorts, "" if as its filters.
    `file_order`: a page promises that limit and offset take rows in the order of the file.
    `streams` are the formats whose files it hands out in batches, without holding a file whole (`stream`).
    `in_python`: the engine itself is written in Python, not a binding of it alone.

    `step` is what the engine is doing: an adapter sets it to OPEN before the engine opens a file, and to ROWS
    before it reads rows (`harness.children.protocol`); it stays "" where one call does both.

    `program`: the command that replies to requests in this process's place (`harness/children/worker.py`); ()
    where the adapter does.
    """

    name = ""
    library: Any = None  # the module of the engine
    # The keys of the file that is asked for, if it has any; why the engine cannot be told them, "" if it can.
    keys: Keys | None = None
    no_keys = "the engine has no way to be told keys"
    formats: tuple[str, ...] = ("parquet",)
    equivalences: tuple[str, ...] = ()
    writes: dict[str, Any] = {}  # noqa: RUF012 - overridden whole, never changed
    queries: tuple[str, ...] = ()
    streams: tuple[str, ...] = ()
    float_order = "ieee"
    aggregate_order = "ieee"
    sort_order = ""
    file_order = False
    row_order = True
    in_python = False
    step = ""
    program: tuple[str, ...] = ()

    def enter(self, keys: Keys | None) -> None:
        """Take the keys of the request that follows; raises Unsupported if the engine does not take keys."""
        self.keys, self.step = keys, ""
        if keys is not None and self.no_keys:
            raise Unsupported(self.no_keys)

    def version(self) -> str:
        """Return the version of the engine's library."""
        return str(self.library.__version__)

    def runtime(self) -> str:
        """Return the runtime of the engine."""
        return f"Python {platform.python_version()}"

    def describe(self) -> dict[str, Any]:
        """Return the description of the protocol (`protocol.DESCRIPTION`)."""
        return {
            "name": self.name,
            "version": self.version(),
            "runtime": self.runtime(),
            "equivalences": list(self.equivalences),
            "queries": list(self.queries),
            "float_order": self.float_order,
            "aggregate_order": self.aggregate_order,
            "file_order": self.file_order,
            **({} if self.row_order else {"row_order": False}),
            **({"sort_order": self.sort_order} if self.sort_order else {}),
            **({"writes": dict(self.writes)} if self.writes else {}),
            **({"streams": list(self.streams)} if self.streams else {}),
        }

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:
        """Read a whole file; raises whatever the engine raises."""
        raise NotImplementedError

    def read_many(self, files: list[str], format: str, config: dict[str, str]) -> list[Table]:
        """Read files of one schema, a table per file; raises if any of them cannot be read."""
        return [self.read(file, format, config) for file in files]

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:
        """Read the files of a folder and of those in it as one table; raises Unsupported without a way to."""
        raise Unsupported(f"{self.name} reads no folders of {format} with a schema")

    def query_table(
        self, folder: str, format: str, config: dict[str, str], read: TableRead, query: Query
    ) -> Table:
        """Return the answer to a query, of a kind in `queries`, of a folder that is read as one table."""
        raise Unsupported(f"{self.name} answers no queries of folders of {format}")

    def read_tables(
        self, folders: list[str], format: str, config: dict[str, str], read: TableRead
    ) -> list[Table]:
        """Read folders, each as one table; raises if any of them cannot be read."""
        return [self.read_table(folder, format, config, read) for folder in folders]

    def query_tables(
        self, folders: list[str], format: str, config: dict[str, str], read: TableRead, query: Query
    ) -> list[Table]:
        """Return the answers to a query of folders, each of which is read as one table."""
        return [self.query_table(folder, format, config, read, query) for folder in folders]

    def check_query(self, query: Query) -> None:
        """Raise Unsupported if the engine lacks a kind of queries."""
        if query.kind not in self.queries:
            raise Unsupported(f"{self.name} does not answer queries of kind {query.kind}")

    def query(self, files: list[str], format: str, config: dict[str, str], query: Query) -> list[Table]:
        """Return the answers to a query of each file; raises Unsupported if the engine lacks the query."""
        self.check_query(query)
        return [self.query_one(file, format, config, query) for file in files]

    def query_one(self, file: str, format: str, config: dict[str, str], query: Query) -> Table:
        """Return the answer to a query, of a kind in `queries`, of one file."""
        raise NotImplementedError(f"{self.name} does not answer {query}")

    def stream(
        self, file: str, format: str, config: dict[str, str], first: int = 0
    ) -> AbstractContextManager[Stream]:
        """Give, for a while, the batches of a file or of a folder, whose files are read in order of path.

        They begin at row `first` or, where the engine cannot skip, before it. Memory is bounded by what the
        engine reads at once: a row group, a stripe, a few batches.
        """
        raise Unsupported(f"{self.name} does not hand out files of {format} in batches")

    def digest(self, file: str, format: str, config: dict[str, str], block_rows: int) -> dict[str, Any]:
        """Digest a file's columns over blocks of rows (`digests`), in one pass."""
        from harness.engines.digests import blocks

        with self.stream(file, format, config) as stream:
            return blocks.of(stream, block_rows)

    def rows(self, file: str, format: str, config: dict[str, str], first: int, count: int) -> Table:
        """Read the rows `first:first + count`, as far as they exist, in the way that `digest` does."""
        from harness.engines.digests import batches

        with self.stream(file, format, config, first) as stream:
            return batches.table_of(stream, first, count)

    def digest_of(self, table: Table, block_rows: int) -> dict[str, Any]:
        """Return the digests of a table, as `digest` does those of a file."""
        from harness.engines.digests import batches, blocks

        return blocks.of(batches.of_table(table), block_rows)

    def rows_of(self, table: Table, first: int, count: int) -> Table:
        """Return the rows `first:first + count` of a table, as far as they exist."""
        from harness.engines.digests import batches

        return batches.table_of(batches.of_table(table), first, count)

    def probes(
        self, file: str, format: str, most: int, read: TableRead | None = None
    ) -> tuple[int, list[dict[str, Any]]]:
        """Return the number of values of a file, and at most `most` queries that it suggests.

        The queries are JSON, as `corpora.cases.Probe` has them. With a `read`, they are of the folder `file`.
        """
        raise Unsupported(f"{self.name} derives no queries from files")

    def write(
        self, file: str, format: str, config: dict[str, str], table: Table, options: dict[str, Any]
    ) -> None:
        """Write a table; raises Unsupported for a type or option that the engine cannot write.

        `options` may hold `codec`, `page_version` (1 or 2), `dictionary` (bool), `row_group_rows` and
        `indexed` (bool), which an engine refuses that has no option at all for small pages or indexes. Or
        `chosen` alone: drawn options of the engine's own (`harness/engines/writer_options.py`).
        """
        raise NotImplementedError(f"{self.name} does not write")

    def origin(self, error: BaseException) -> str:
        """Return whose Python code has a mistake that an exception shows (`harness/engines/origins.py`)."""
        return origin(error, in_python=self.in_python)

    def panicked(self, error: BaseException) -> bool:
        """Return whether an exception is a failure of the engine's own code, asked before `classify`."""
        return is_panic(error, self.library.__name__.partition(".")[0] if self.library else "")

    def classify(self, error: BaseException) -> str:
        """Return the kind of an exception of the engine: `refused`, `unsupported` or `out_of_memory`."""
        if isinstance(error, MemoryError):
            return "out_of_memory"
        return "unsupported" if isinstance(error, (Unsupported, NotImplementedError)) else "refused"
