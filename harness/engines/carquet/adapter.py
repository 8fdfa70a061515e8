"""carquet, a Parquet reader in C, whose tables cross as Arrow."""

from __future__ import annotations

from typing import Any

from corpora.queries import Project, Query, RowGroup
from corpora.tagged import Table
from harness.children.protocol import OPEN, ROWS
from harness.engines.arrow import c_interface
from harness.engines.base import Engine
from harness.engines.errors import Unsupported

_LACKS = ("NOT_IMPLEMENTED", "UNSUPPORTED_CODEC", "VERSION_NOT_SUPPORTED")


class Carquet(Engine):
    """`carquet.open_reader`: all row groups at once, or one after the other (`api=groups`)."""

    name = "carquet"
    formats = ("parquet",)
    # https://github.com/Vitruves/carquet/blob/main/python/README.md: tables are Arrow's.
    equivalences = (
        "int96-as-timestamp",
        "time-utc-ignored",
        "uuid-as-bytes",
        "json-as-string",
        "enum-as-string",
        "enum-as-bytes",
        "bson-as-bytes",
        "geometry-as-bytes",
        "geography-as-bytes",
        "interval-as-bytes",
        "variant-as-struct",
        "variant-as-stored",
        "map-as-list-of-keys",
        "null-as-any",
        "arrow-schema-restored",
    )
    queries = ("project", "row_group")

    def __init__(self) -> None:
        import carquet
        import pyarrow as pa

        self.library = self.carquet = carquet
        self.pyarrow = pa

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:
        """Read a whole file."""
        self.step = OPEN
        with self.carquet.open_reader(file) as reader:
            self.step = ROWS
            if config.get("api") == "groups":
                schema = reader.schema
                batches = [reader.read_row_group(number) for number in range(reader.num_row_groups)]
                return c_interface.read(self.pyarrow.Table.from_batches(batches, schema))
            return c_interface.read(reader.read_all())

    def query_one(self, file: str, format: str, config: dict[str, str], query: Query) -> Table:
        """Return some columns, or one row group."""
        with self.carquet.open_reader(file) as reader:
            if isinstance(query, RowGroup):
                return c_interface.read(
                    self.pyarrow.Table.from_batches([reader.read_row_group(query.number)])
                )
            if isinstance(query, Project):
                return c_interface.read(reader.read_all(columns=list(query.columns)))
            raise Unsupported(f"carquet does not answer queries of kind {query.kind}")

    def classify(self, error: BaseException) -> str:
        """Return the kind of an exception by carquet's status, which is INTERNAL where it cannot decode."""
        status: Any = getattr(error, "status", None)
        if status is None:
            return super().classify(error)
        if status.name == "OUT_OF_MEMORY":
            return "out_of_memory"
        return "unsupported" if status.name in _LACKS else "refused"
