"""Apache DataFusion's Parquet reader and writer (the Rust `parquet` crate)."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

from corpora.queries import OF_COLUMNS, ONE_ROW, Batches, Query
from corpora.table_reads import TableRead
from corpora.tagged import Table
from harness.children.links import Links
from harness.children.protocol import OPEN, ROWS
from harness.engines import arrow_forms
from harness.engines.arrow import c_interface
from harness.engines.arrow.types import BEYOND_DIGITS
from harness.engines.base import Engine
from harness.engines.datafusion import table as datafusion_table
from harness.engines.datafusion import versions
from harness.engines.datafusion.ways import QUERIES, WAYS, Way
from harness.engines.datafusion.write_options import OPTIONS, defaults, frame_of, statements
from harness.engines.datafusion.write_script import CODECS, call_options
from harness.engines.errors import Unsupported
from harness.engines.partitioned import partitions_of
from harness.engines.scripts.literals import evaluate, execute
from harness.engines.writer_options import CHOSEN

_BEYOND_BYTES = (
    "DECIMAL must be a Fixed Length Byte Array with length 1 to 32"  # Arrow's decimals have 256 bits
)


# Also functions of texts, of a binary column, which an ENUM is.
_LACKS = re.compile(
    r"NYI[:(]|NotImplemented|not implemented|requires String, but received Binary", re.IGNORECASE
)


class Datafusion(Engine):
    """`read_parquet` with one partition, so that rows come in the file's order."""

    name = "datafusion"
    formats = ("parquet",)
    # https://docs.rs/parquet/latest/parquet/arrow/index.html and the crate's conversion of logical types.
    equivalences = (
        "int96-as-timestamp",
        "time-utc-ignored",
        "uuid-as-bytes",
        "json-as-string",
        "enum-as-bytes",
        "bson-as-bytes",
        "geometry-as-bytes",
        "geography-as-bytes",
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

    queries = ("filter", "project", "batches", *ONE_ROW, "slice", "fields", *OF_COLUMNS)
    # No page says so. Seen in memory: totalOrder for NaN, by sign and payload, but zeros are equal.
    float_order = "total-equal-zeros"
    aggregate_order = "total-equal-zeros"

    def __init__(self) -> None:
        import datafusion
        import datafusion.functions
        import pyarrow as pa

        self.library = self.datafusion = datafusion
        self.config = datafusion.SessionConfig().with_target_partitions(1)
        self.options: frozenset[str] = frozenset()
        self.links = Links()
        chosen = defaults(datafusion)
        names = [] if chosen else [option.name for option in OPTIONS["parquet"].options]
        self.writes = {
            **type(self).writes,
            "defaults": chosen,
            "options": arrow_forms.available(pa.__version__, names),
        }

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:
        """Read a whole file, in a session of its own: sessions remember the files they saw."""
        way = WAYS.get(config.get("way", "default"), WAYS["default"])
        with self.links.to([file]) as names:
            session = self._session(self._configured(way, way.options))
            self.step = OPEN
            frame = session.read_parquet(next(iter(names)))
            self.step = ROWS
            return _table(evaluate(way.expression, {"frame": frame}))

    def _configured(self, way: Way, options: dict[str, str]) -> Any:
        """Return a new configuration of a session; raises Unsupported for an option of a way that is unknown.

        DataFusion panics at an option that it does not know. What sets an option changes the configuration.
        """
        lacking = way.options.keys() - self._options() if way.options else ()
        if lacking:
            raise Unsupported(f"this DataFusion has no option {min(lacking)}")
        given = [options] if options else []
        return self.datafusion.SessionConfig(*given).with_target_partitions(way.partitions)

    def _options(self) -> frozenset[str]:
        """Return the names of all options, which an information schema lists."""
        if not self.options:
            listed = {"datafusion.catalog.information_schema": "true"}
            session = self._session(self.datafusion.SessionConfig(listed))
            batches = session.sql("SELECT name FROM information_schema.df_settings").collect()
            self.options = frozenset(name for batch in batches for name in batch.column(0).to_pylist())
        return self.options

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:
        """Read a folder as a listing table with a schema, in a session of its own."""
        import pyarrow as pa

        way = Way(datafusion_table.options(read))
        session = self._session(self._configured(way, way.options))
        names = {"pa": pa, "session": session, "FOLDER": f"{folder}/"}
        return _table(evaluate(datafusion_table.text(read, version=self.datafusion.__version__), names))

    def query_table(
        self, folder: str, format: str, config: dict[str, str], read: TableRead, query: Query
    ) -> Table:
        """Return the answer to a query of a folder in a session of its own, which `pushdown` configures."""
        import pyarrow as pa

        from harness.engines.datafusion.query import ask, settings

        pushdown = config.get("pushdown", "on")
        way = Way(datafusion_table.options(read))
        given = {**way.options, **settings(pushdown, self.datafusion.__version__)}
        session = self._session(self._configured(way, given))
        names = {"pa": pa, "session": session, "FOLDER": f"{folder}/"}
        text = datafusion_table.text(read, pruning=pushdown != "off", version=self.datafusion.__version__)
        frame = evaluate(text, names)
        return _table(ask(self.datafusion, session, frame, query))

    def _session(self, config: Any) -> Any:
        text = versions.session("config", self.datafusion.__version__)
        return evaluate(text, {"datafusion": self.datafusion, "config": config})

    def query_one(self, file: str, format: str, config: dict[str, str], query: Query) -> Table:
        """Return the answer to a query in a session of its own, which `pushdown` configures."""
        from harness.engines.datafusion.query import ask, settings

        pushdown = config.get("pushdown", "on")
        way = QUERIES.get(config.get("way", "default"), QUERIES["default"])
        options = {**settings(pushdown, self.datafusion.__version__), **way.options}
        chosen = self._configured(way, options)
        if isinstance(query, Batches):
            chosen = chosen.with_batch_size(query.rows)
        with self.links.to([file]) as names:
            session = self._session(chosen)
            frame = session.read_parquet(next(iter(names)), parquet_pruning=pushdown != "off")
            answer = ask(self.datafusion, session, frame, query)
            return _table(evaluate(way.expression, {"frame": answer}))

    def write(
        self, file: str, format: str, config: dict[str, str], table: Table, options: dict[str, Any]
    ) -> None:
        """Write a table as one file."""
        import pyarrow as pa

        from harness.engines.arrow.build import to_arrow

        if CHOSEN in options:
            chosen = options[CHOSEN]
            if partitions_of(chosen) and not hasattr(self.datafusion, "DataFrameWriteOptions"):
                raise Unsupported("this DataFusion has no option of its Python writer for partitions")
            names = execute(arrow_forms.statements(table, chosen), {"pa": pa, "table": to_arrow(table)})
            given = {"session": self._session(self.config), "table": names["table"]}
            frame = evaluate(frame_of(chosen, "session"), given)
            execute(statements(table, chosen), {"datafusion": self.datafusion, "frame": frame, "FILE": file})
            if not partitions_of(chosen):
                _one_file(file)
            return
        chosen = call_options(options)
        if not hasattr(self.datafusion, "ParquetWriterOptions"):
            raise Unsupported("this DataFusion has no options of its Parquet writer in Python")
        frame = self._session(self.config).from_arrow(to_arrow(table))
        frame.write_parquet_with_options(file, self.datafusion.ParquetWriterOptions(**chosen))

    def classify(self, error: BaseException) -> str:
        """Return the kind of an exception; DataFusion names its kind of error at the front of the text."""
        text = str(error)
        if "C Data interface error: Null byte" in text:  # it answers nothing but by that interface
            return "unsupported"
        if BEYOND_DIGITS in text or _BEYOND_BYTES in text:
            return "unsupported"
        if _LACKS.search(text):
            return "unsupported"
        return super().classify(error)


def _one_file(path: str) -> None:
    """Put the one part in the place of a folder, which releases before 38 write."""
    if os.path.isdir(path):
        (part,) = Path(path).glob("*.parquet")
        data = part.read_bytes()
        shutil.rmtree(path)
        Path(path).write_bytes(data)


def _table(frame: Any) -> Table:
    """Return the rows of a frame; before capsules were exported, as a table of pyarrow."""
    c_interface.check_names(frame.schema().names)
    return c_interface.read(frame if hasattr(frame, "__arrow_c_stream__") else frame.to_arrow_table())
