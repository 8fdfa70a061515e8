"""Hyper, the database of Tableau, which queries Parquet files in place."""

from __future__ import annotations

import atexit
import os
import re
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Context
from typing import Any

from corpora import tagged
from corpora.queries import OF_COLUMNS, ONE_ROW, Query, Sorted
from corpora.tagged import Table, Type, Value
from harness.children.links import Links
from harness.engines.base import Engine
from harness.engines.errors import Unsupported, text_without
from harness.engines.hyper.query import quoted, sql
from harness.engines.hyper.ways import COPY, WAYS, copying

# What Hyper says of types that it does not read, of nested columns, and of values outside of its types; and
# its binding of a type that it has no name for: an array of REAL.
_LACKS = re.compile(
    r"data type that cannot be read by Hyper|nested columns in Parquet files is disabled"
    r"|numeric overflow|nested up to a depth|not (yet )?(supported|implemented)|unsupported"
    r"|^Invalid type tag value",
    re.IGNORECASE,
)
_ENDED = "connection terminated unexpectedly"
_MICROS_OF_DAY = 86_400_000_000
_LONGEST_SOCKETS = 70  # bytes of a folder: Hyper refuses 76, since a socket has 108, and it adds names
_EXACT = Context(prec=100)  # more digits than a NUMERIC has
_UNIX_DAY = 2_440_588  # the Julian day 1970-01-01

Column = tuple[Type, Callable[[Any], Value]]


class Hyper(Engine):
    """`SELECT * FROM external(…)`, asked of a `hyperd` that belongs to this process."""

    name = "hyper"
    formats = ("parquet",)
    # https://tableau.github.io/hyper-db/docs/sql/external/formats, "Apache Parquet", has the types.
    equivalences = (
        "unsigned-widened",
        "int-widened",
        "nanos-as-micros-toward-zero",
        "time-nanos-as-micros",
        "time-unit-widened",
        "timestamp-unit-widened",
        "time-utc-ignored",
        "int96-as-timestamp",
        "bson-as-bytes",
        "json-as-string",
        "uuid-as-bytes",
        "null-as-any",
    )
    queries = ("filter", "project", *ONE_ROW, "slice", "fields", *OF_COLUMNS)
    # https://tableau.github.io/hyper-db/docs/sql/datatype/numeric: as in PostgreSQL, NaN is the greatest.
    float_order = "nan-greatest"
    aggregate_order = "nan-greatest"
    # https://tableau.github.io/hyper-db/docs/sql/command/select: rows without ORDER BY come as the system
    # finds it fastest, which is row groups as they are read.
    row_order = False

    def __init__(self) -> None:
        import tableauhyperapi as api

        self.library = self.api = api
        settings = {"log_config": ""}  # or it writes logs into the working folder
        # Sockets lie where colconf cleans up after a process that it killed, unless their paths are too long.
        sockets = tempfile.mkdtemp(prefix="hyper-")
        if len(os.fsencode(sockets)) <= _LONGEST_SOCKETS:
            settings["domain_socket_dir"] = sockets
        self.process = api.HyperProcess(api.Telemetry.DO_NOT_SEND_USAGE_DATA_TO_TABLEAU, parameters=settings)
        self.connection = api.Connection(self.process.endpoint)
        atexit.register(self.process.close)
        atexit.register(self.connection.close)
        self.links = Links()
        self.file = ""

    def version(self) -> str:
        """Return the version of the package, which is that of the database."""
        from importlib.metadata import version

        return version("tableauhyperapi")

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:
        """Read a whole file, whose columns and types Hyper infers."""
        with self._table(file, config) as table:
            return self._answer(f"SELECT * FROM {table}")  # noqa: S608 - quoted, or a name of ours

    def query_one(self, file: str, format: str, config: dict[str, str], query: Query) -> Table:
        """Return the answer to a query."""
        with self._table(file, config) as table:
            return self._answer(sql(query, table), is_sorted=isinstance(query, Sorted))

    @contextmanager
    def _table(self, file: str, config: dict[str, str]) -> Iterator[str]:
        """Give, for a while, the table in SQL that has the rows of a file."""
        with self.links.to([file]) as (name,):
            self.file = name
            source = f"external({quoted(name)}, FORMAT => 'parquet')"
            table = WAYS[config.get("way", "in-place")].format(source=source)
            if table != COPY:
                yield table
                return
            with self._execute(copying(source)):
                pass
            try:
                yield COPY
            finally:
                self.connection.execute_command(f"DROP TABLE {COPY}")

    def _execute(self, text: str) -> Any:
        """Return the result of a statement; where `hyperd` ended, this process ends with it."""
        try:
            return self.connection.execute_query(text)
        except self.api.HyperException as error:
            if _ENDED not in str(error):
                raise
            print(f"hyperd ended: {error}", file=sys.stderr, flush=True)
            os.abort()

    def _answer(self, text: str, *, is_sorted: bool = False) -> Table:
        with self._execute(text) as result:
            fields = result.schema.columns
            columns = [self._column(field.type) for field in fields]
            rows = list(result) if is_sorted else sorted(result, key=repr)  # the same each time
        names = [field.name.unescaped for field in fields]
        values = [
            [None if row[at] is None else convert(row[at]) for row in rows]
            for at, (_, convert) in enumerate(columns)
        ]
        return Table.of([(name, type_) for name, (type_, _) in zip(names, columns)], values, len(rows))

    def _column(self, type_: Any) -> Column:
        """Return the tagged type of a type of Hyper, and what makes a tagged value of its value in Python."""
        tags = self.api.TypeTag
        if type_.tag == tags.NUMERIC:
            scale = type_.scale
            return tagged.decimal(type_.precision, scale), lambda value: str(int(value.scaleb(scale, _EXACT)))
        columns: dict[Any, Column] = {
            tags.BOOL: (tagged.BOOL, bool),
            tags.SMALL_INT: (tagged.integer(16), str),
            tags.INT: (tagged.integer(32), str),
            tags.BIG_INT: (tagged.integer(64), str),
            tags.FLOAT: (tagged.floating(32), lambda value: struct.pack(">f", value).hex()),
            tags.DOUBLE: (tagged.floating(64), lambda value: struct.pack(">d", value).hex()),
            tags.TEXT: (tagged.STRING, lambda value: tagged.text(value.encode("utf-8"))),
            tags.BYTES: (tagged.BYTES, tagged.binary),
            tags.DATE: (tagged.DATE, lambda value: str(_days(value))),
            tags.TIME: (tagged.time("us", utc=False), lambda value: str(_micros(value))),
            tags.TIMESTAMP: (tagged.timestamp("us", utc=False), _moment),
            tags.TIMESTAMP_TZ: (tagged.timestamp("us", utc=True), _moment),
        }
        if type_.tag not in columns:
            raise Unsupported(f"colconf has no column for Hyper's type {type_}")
        return columns[type_.tag]

    def classify(self, error: BaseException) -> str:
        """Return the kind of an exception, whose text says what cannot be read."""
        text = text_without(error, self.file)
        if "out of memory" in text.lower() or "memory limit" in text.lower():
            return "out_of_memory"
        return "unsupported" if _LACKS.search(text) else super().classify(error)

    def panicked(self, error: BaseException) -> bool:
        """Return whether Hyper says that its own code failed."""
        return "internal error" in text_without(error, self.file).lower() or super().panicked(error)


def _days(value: Any) -> int:
    """Return the days since 1970-01-01 of a date of the proleptic Gregorian calendar, of any year.

    https://en.wikipedia.org/wiki/Julian_day, "Converting Gregorian calendar date to Julian day number".
    """
    before = (14 - value.month) // 12
    year, month = value.year + 4800 - before, value.month + 12 * before - 3
    day = value.day + (153 * month + 2) // 5 + 365 * year + year // 4 - year // 100 + year // 400 - 32_045
    return int(day) - _UNIX_DAY


def _micros(value: Any) -> int:
    """Return the microseconds since midnight."""
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return int(seconds * 1_000_000 + value.microsecond)


def _moment(value: Any) -> Value:
    return str(_days(value) * _MICROS_OF_DAY + _micros(value))
