"""Databend, a database as a library, which queries Parquet and ORC files in place."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from typing import Any

from corpora.queries import OF_COLUMNS, ONE_ROW, Query
from corpora.tagged import Table
from harness.children.links import Links
from harness.engines.arrow import c_interface
from harness.engines.base import Engine
from harness.engines.databend.query import quoted, sql
from harness.engines.databend.ways import settings
from harness.engines.errors import text_without

# Types, codecs and functions that Databend has not, and tables without columns. What arrow-rs does not parse
# or decode ("not implemented", "not supported") is a refusal of the file.
_LACKS = re.compile(r"Unsupported Arrow type|\bNYI: The codec|no function matches|SELECT with no columns")


class Databend(Engine):
    """`SELECT * FROM 'fs://…'`, handed out as Arrow's arrays."""

    name = "databend"
    formats = ("parquet", "orc")
    # https://docs.databend.com/sql/sql-reference/data-types/ has the types: moments in microseconds and UTC
    # only, no text but STRING, tuples whose elements are numbered.
    equivalences = (
        "nanos-as-micros-toward-zero",
        "timestamp-unit-widened",
        "timestamp-utc-ignored",
        "int96-as-timestamp-toward-zero",
        "enum-as-bytes",
        "json-as-string",
        "bson-as-bytes",
        "uuid-as-bytes",
        "map-as-list-of-keys",
        "struct-fields-numbered",
    )
    queries = ("filter", "project", *ONE_ROW, "slice", "fields", *OF_COLUMNS)
    # No page says so. Seen in memory: NaN is equal to itself and the greatest value.
    float_order = "nan-greatest"
    aggregate_order = "nan-greatest"
    # https://docs.databend.com/sql/sql-commands/query-syntax/query-select, "ORDER BY Clause": rows have an
    # order only with it. IN of four constants is a join.
    row_order = False

    def __init__(self) -> None:
        import databend

        self.library = databend
        folder = tempfile.mkdtemp(prefix="databend-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        self.connection = databend.SessionContext(data_path=folder)
        self.links = Links()
        self.file = ""

    def version(self) -> str:
        """Return the version of the package, which is that of the database."""
        from importlib.metadata import version

        return version("databend")

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:
        """Read a whole file, whose columns and types Databend infers."""
        return self._answer(file, format, config, lambda source: f"SELECT * FROM {source}")  # noqa: S608

    def query_one(self, file: str, format: str, config: dict[str, str], query: Query) -> Table:
        """Return the answer to a query."""
        return self._answer(file, format, config, lambda source: sql(query, source))

    def _answer(self, file: str, format: str, config: dict[str, str], statement: Any) -> Table:
        with self.links.to([file]) as (name,):
            self.file = name
            source = f"{quoted('fs://' + os.path.abspath(name))} (FILE_FORMAT => '{format}')"
            answer = self.connection.sql(f"SETTINGS ({settings(config)}) {statement(source)}")
            return c_interface.read(answer.to_arrow_table())

    def classify(self, error: BaseException) -> str:
        """Return the kind of an exception, whose text says what cannot be read."""
        return "unsupported" if _LACKS.search(text_without(error, self.file)) else super().classify(error)
