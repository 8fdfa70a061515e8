"""Daft's Parquet reader."""

from __future__ import annotations

import os
import re

from corpora.queries import Query
from corpora.table_reads import TableRead
from corpora.tagged import Table
from harness.children.links import Links
from harness.children.protocol import OPEN, ROWS
from harness.engines.arrow import c_interface
from harness.engines.base import Engine
from harness.engines.daft import table as daft_table
from harness.engines.daft.query import QUERIES, ask
from harness.engines.errors import text_without


class Daft(Engine):
    """`daft.read_parquet`, collected and handed out as Arrow's arrays."""

    name = "daft"
    formats = ("parquet",)
    # https://docs.daft.ai/en/stable/api/datatypes/ has the types: no time in seconds, no UUID, JSON or ENUM.
    equivalences = (
        "int96-as-timestamp",
        "time-utc-ignored",
        "time-unit-widened",
        "uuid-as-bytes",
        "json-as-string",
        "enum-as-bytes",
        "enum-as-string",
        "bson-as-bytes",
        "geometry-as-bytes",
        "geography-as-bytes",
        "float16-as-float32",
        "null-as-any",
        "variant-as-struct",
        "variant-as-stored",
        "map-as-list-of-keys",
        "arrow-schema-restored",
    )
    queries = QUERIES
    # No page says so. Seen in memory: filters and extremes in totalOrder, as the comparisons of arrow-rs are
    # documented (https://docs.rs/arrow-ord/latest/arrow_ord/cmp/); sorts with equal zeros, and NaN last.
    float_order = "total"
    aggregate_order = "total"
    sort_order = "nan-greatest"

    def __init__(self) -> None:
        os.environ["DO_NOT_TRACK"] = "true"  # nothing is sent anywhere
        os.environ["DAFT_PROGRESS_BAR"] = "0"
        import daft

        self.library = self.daft = daft
        self.daft.set_runner_native()
        self.links = Links()
        self.file = ""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:
        """Read a whole file."""
        with self.links.to([file]) as (name,):
            self.file, self.step = name, OPEN
            frame = self.daft.read_parquet(name)
            self.step = ROWS
            return c_interface.read(frame.to_arrow())

    def query_one(self, file: str, format: str, config: dict[str, str], query: Query) -> Table:
        """Return the answer to a query."""
        with self.links.to([file]) as (name,):
            self.file = name
            return c_interface.read(ask(self.daft, self.daft.read_parquet(name), query).to_arrow())

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:
        """Read the files of a folder with a schema."""
        with self.links.to([folder]) as (name,):
            self.file = name
            return c_interface.read(daft_table.frame(self.daft, name, read).to_arrow())

    def query_table(
        self, folder: str, format: str, config: dict[str, str], read: TableRead, query: Query
    ) -> Table:
        """Return the answer to a query of a folder that is read with a schema."""
        with self.links.to([folder]) as (name,):
            self.file = name
            frame = daft_table.frame(self.daft, name, read)
            return c_interface.read(ask(self.daft, frame, query).to_arrow())

    def classify(self, error: BaseException) -> str:
        """Return the kind of an exception; Daft says what is not implemented."""
        lacking = re.search(
            r"not implemented|unsupported|NYI:|Cannot sort on expression",
            text_without(error, self.file),
            re.IGNORECASE,
        )
        return "unsupported" if lacking else super().classify(error)
