"""Reads and queries of folders, each as one table with a schema."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from corpora.queries import VALUE, Aggregate, CountRows, Fields, Query
from corpora.table_reads import TableRead
from corpora.tagged import Table
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import evaluate
from harness.engines.spark import clocks as spark_clocks
from harness.engines.spark import declared as spark_declared
from harness.engines.spark import formats as spark_formats
from harness.engines.spark import table as spark_table
from harness.engines.spark.in_session import InSession
from harness.engines.spark.query import OF_VALUES, OfValues, aggregate, ask
from harness.engines.spark.session import collect
from harness.engines.spark.sheets import apart, together
from harness.engines.spark.versions import has_metadata
from harness.engines.spark.ways import Way, way_of
from harness.engines.zones import UTC

FILE_COLUMN = "__colconf_file"  # the column of file names that a sheet carries beside its own


class FolderReads(InSession):
    """Tables of folders; several folders of one schema are one query."""

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:
        """Read a folder with a schema, of data columns and of partition columns."""
        (table,) = self.read_tables([folder], format, config, read)
        return table

    def read_tables(
        self, folders: list[str], format: str, config: dict[str, str], read: TableRead
    ) -> list[Table]:
        """Read folders with the schema in one query, a union; each keeps its own partitions and splits."""
        way = way_of(config, of_query=False)
        with self._tables(folders, format, config, read, way) as frames:
            return self._united([self._as_clocks(frame, read) for frame in frames], way)

    def query_table(
        self, folder: str, format: str, config: dict[str, str], read: TableRead, query: Query
    ) -> Table:
        """Return the answer to a query of a folder."""
        (table,) = self.query_tables([folder], format, config, read, query)
        return table

    def query_tables(
        self, folders: list[str], format: str, config: dict[str, str], read: TableRead, query: Query
    ) -> list[Table]:
        """Return the answers to a query of folders, as a union of a query of each."""
        pushdown, way = config.get("pushdown", "on"), way_of(config, of_query=True)
        pushed = spark_formats.settings(format, pushdown, query)
        with self._set(pushed), self._tables(folders, format, config, read, way, pushdown) as frames:
            if isinstance(query, OF_VALUES):
                requests = [aggregate(frame, query, way) for frame in frames]
                clocks = [self._clocks_of(frame, read) for frame in frames]
                answers = [
                    self._as_shown(request, frame, schema, query)
                    for request, frame, schema in zip(requests, frames, clocks)
                ]
                return self._collected(answers, alone=way.alone)
            rows_of = [ask(frame, query, way) for frame in frames]
            named = query.named if isinstance(query, Fields) else None
            answers = [
                self._as_clocks(rows.select(*columns), read, named, frame)
                for (rows, columns), frame in zip(rows_of, frames)
            ]
            return self._united(answers, way)

    def _clocks_of(self, frame: Any, read: TableRead) -> Any:
        """Return the schema of a table with its zone's wall clocks as such; in UTC, they stay instants."""
        return frame.schema if self.zone == UTC else spark_clocks.with_clocks_of(frame.schema, read.schema)

    def _as_clocks(
        self,
        rows: Any,
        read: TableRead,
        named: dict[str, tuple[str, ...]] | None = None,
        frame: Any = None,
    ) -> Any:
        """Return rows with the values that the session's zone shows; `named` as in `Spark._answers`."""
        if self.zone == UTC:
            return rows
        if named is None:
            types = spark_clocks.changed(rows.schema, self._clocks_of(rows, read))
        else:
            clocks = self._clocks_of(frame, read)
            types = {name: spark_clocks.at_path(clocks, path) for name, path in named.items()}
        return spark_clocks.as_shown(rows, types) if types else rows

    def _as_shown(self, request: Any, frame: Any, clocks: Any, query: OfValues) -> Any:
        """Return the frame of an answer with values of the column as `clocks`, a schema, has them."""
        if isinstance(query, CountRows):
            return request
        type_ = spark_clocks.at_path(clocks, query.path)
        if type_ != spark_clocks.at_path(frame.schema, query.path):
            names = query.names[2:] if isinstance(query, Aggregate) else (VALUE,)
            request = spark_clocks.as_shown(request, dict.fromkeys(names, type_))
        return request

    @contextmanager
    def _tables(  # noqa: PLR0917 - what is read, and how
        self,
        folders: list[str],
        format: str,
        config: dict[str, str],
        read: TableRead,
        way: Way,
        pushdown: str = "on",
    ) -> Iterator[list[Any]]:
        """Give, for a while, the frames of folders."""
        self._configure(format, config)
        settings = {**way.settings, **spark_table.settings(read)}
        if way.splits and {"block_start", "block_length"}.intersection(read.metadata):
            raise Unsupported("the parts of a file that tasks read are other ones in this way")
        options = spark_formats.options(format, pushdown) | dict(way.options)
        copied = self._copied(folders) if read.removed else nullcontext(folders)
        with copied as given, self._linked(given, format) as links, self._set(settings):
            if read.metadata and not has_metadata(self.session):
                raise Unsupported("the newer data sources of this version have no _metadata (SPARK-56335)")
            try:
                frames = spark_table.frames(self.session, read, format, links, options)
                yield [self._framed(frame, way) for frame in frames]
            finally:
                if spark_declared.is_declared(read):
                    spark_declared.drop(self.session)

    @contextmanager
    def _copied(self, folders: list[str]) -> Iterator[list[str]]:
        """Give, for a while, copies of folders, of which files may be removed."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as scratch:
            copies = [os.path.join(scratch, str(number)) for number in range(len(folders))]
            for folder, copy in zip(folders, copies):
                shutil.copytree(folder, copy)
            yield copies

    def _united(self, frames: list[Any], way: Way) -> list[Table]:
        """Return the tables of frames, in one query unless the way has an answer of its own."""
        has_own = (way.answer, way.plan) != ("answer", "")
        answers = [evaluate(way.answer, {"answer": frame}) for frame in frames]
        return self._collected(answers, alone=has_own)

    def _collected(self, frames: list[Any], *, alone: bool) -> list[Table]:
        """Return the tables of frames, in one query if they have one schema."""
        alone = alone or len(frames) == 1 or FILE_COLUMN in frames[0].columns
        if alone or len({frame.schema.simpleString() for frame in frames}) > 1:
            return [collect(frame) for frame in frames]
        return apart(collect(together(frames, FILE_COLUMN)), len(frames))

    def _framed(self, frame: Any, way: Way) -> Any:
        return evaluate(way.frame, {"frame": frame, "session": self.session})
