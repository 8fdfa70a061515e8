"""pyorc: ORC's own C++ library for Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from inspect import signature
from itertools import islice
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from corpora.answers import answer, take
from corpora.counts import count_of
from corpora.predicates import Computed, NullSafe, leaves
from corpora.queries import Batches, CountRows, Filter, Project, Query, RowGroup, Slice
from corpora.table_reads import TableRead
from corpora.tagged import BLOCK_ROWS, Field, Table, Value
from harness.children.protocol import OPEN, ROWS
from harness.engines.base import Engine
from harness.engines.digests.batches import Stream, Values
from harness.engines.errors import Unsupported
from harness.engines.orc_columns import lacks
from harness.engines.origins import EngineCall
from harness.engines.pyorc import table as pyorc_table
from harness.engines.pyorc.values import SAME_NAMES, Micros, column_of, converters, reconverted, type_of
from harness.engines.pyorc.ways import QUERIES, WAYS, Way, slice_of
from harness.engines.pyorc.write import drawn_options, write
from harness.engines.scripts.literals import evaluate
from harness.engines.terms import only
from harness.engines.zones import GAPS, UTC, process_zone, zone_of

_ORC_2 = (0, 10)  # the first release with ORC C++ 2.0


class Pyorc(Engine):
    """`pyorc.Reader`, row by row, with converters that answer tagged values.

    A TIMESTAMP is moved from the zone of its writer to that of the reader; its wall clock is the one there.
    """

    name = "pyorc"
    formats = ("orc",)
    # https://pyorc.readthedocs.io/en/stable/tutorial.html: maps are dicts, unions bare values.
    equivalences = (
        "duplicate-keys-last-wins",
        "union-tag-lost",
        "orc-hive11-decimal",
        *GAPS,
    )
    writes = {  # noqa: RUF012 - as in the base
        "codecs": ["UNCOMPRESSED", "ZLIB", "SNAPPY", "LZ4", "ZSTD"],
        "page_versions": [],
        "dictionary": [True, False],
    }
    queries = ("filter", "project", "row_group", "batches", "count", "slice")
    streams = ("orc",)
    float_order = "ieee"  # no page says so; its comparisons are those of C++
    file_order = (
        True  # https://pyorc.readthedocs.io/en/stable/api_reference.html, Reader.seek and Reader.read
    )

    def __init__(self) -> None:
        import pyorc

        self.library = self.pyorc = pyorc
        self.converters = converters(pyorc)
        self.writes = {**type(self).writes, "options": drawn_options(pyorc)}

    def runtime(self) -> str:
        """Return the version of Python, and of the ORC library inside, where pyorc says it."""
        inside = getattr(self.pyorc, "orc_version_info", None)
        return super().runtime() + (f", ORC C++ {'.'.join(map(str, inside[:3]))}" if inside else "")

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:
        """Read a whole file; raises whatever pyorc raises."""
        way = WAYS.get(config.get("way", "default"), WAYS["default"])
        with process_zone(config):
            return self._read(file, zone_of(config), way=way, **self._options(file, way.options))

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:
        """Read the files of a folder one after the other, of each the columns that are read."""
        selected, columns = pyorc_table.names(read), [field.name for field in read.columns]
        tables = []
        with process_zone(config):
            for path in sorted(Path(folder).rglob("*.orc")):
                with path.open("rb") as opened:
                    schema = self.pyorc.Reader(opened, converters=self.converters).schema
                    pyorc_table.check(read, schema)
                part = self._read(str(path), zone_of(config), column_names=selected)
                tables.append(take(part, range(part.num_rows), columns))
        return Table.of(
            [(field.name, field.type) for field in read.columns],
            [[value for part in tables for value in part.column(at)] for at in range(len(columns))],
        )

    def _options(self, file: str, text: str) -> dict[str, Any]:
        """Return the options of a reader for a way of reading."""
        if not text:
            return {}
        with open(file, "rb") as opened:
            schema = self.pyorc.Reader(opened, converters=self.converters).schema
        if schema.name != "struct":
            raise Unsupported("pyorc selects the columns of a struct")
        options: dict[str, Any] = evaluate(f"dict({text.removeprefix(', ')})", {"schema": schema})
        return options

    def _read(
        self, file: str, zone: str, stripe: int | None = None, way: Way = WAYS["default"], **options: Any
    ) -> Table:
        if way.converted:
            return self._converted(file, zone, way)
        with open(file, "rb") as opened:
            self.step = OPEN
            reader = self.pyorc.Reader(opened, **self._own(zone), **options)
            described = reader.selected_schema
            self.step = ROWS
            if way.rows != "reader":
                return _table(_Listed(evaluate(way.rows, {"reader": reader})), described, zone)
            rows = reader if stripe is None else reader.read_stripe(stripe)
            return _table(rows, described, zone)

    def _converted(self, file: str, zone: str, way: Way) -> Table:
        """Read a file with pyorc's own converters; raises Unsupported for what Python's types cannot hold.

        https://docs.python.org/3/library/datetime.html: years from 1 to 9999, and microseconds.
        """
        with open(file, "rb") as opened:
            own = self._own(zone)
            own["converters"] = {**own["converters"], self.pyorc.TypeKind.TIMESTAMP: Micros}
            for _ in self.pyorc.Reader(opened, **own):
                pass
        with open(file, "rb") as opened:
            reader = self.pyorc.Reader(opened, **{**self._own(zone), "converters": None})
            try:
                rows = list(evaluate(way.rows, {"reader": reader, "reconverted": reconverted}))
            except OverflowError as error:
                raise Unsupported(f"dates and datetimes have years from 1 to 9999: {error}") from error
            return _table(_Listed(rows), reader.selected_schema, zone)

    def _own(self, zone: str) -> dict[str, Any]:
        """Return the options of a reader in a zone; 0.4 has none but UTC."""
        if "timezone" in signature(self.pyorc.Reader).parameters:
            return {"converters": self.converters, "timezone": ZoneInfo(zone)}
        if zone != UTC:
            raise Unsupported(f"this pyorc reads timestamps in UTC, not in {zone}")
        return {"converters": self.converters}

    @contextmanager
    def stream(self, file: str, format: str, config: dict[str, str], first: int = 0) -> Iterator[Stream]:
        """Return the rows of a file, a few at a time; those before row `first` are read as well."""
        with process_zone(config), open(file, "rb") as opened:
            zone = zone_of(config)
            reader = self.pyorc.Reader(opened, **self._own(zone))
            result = _Rows(reader, reader.selected_schema, zone)
            yield Stream(result.fields, 0, (Values(result.fields, *block) for block in result.blocks()))

    def query_one(self, file: str, format: str, config: dict[str, str], query: Query) -> Table:
        """Return the answer to a query.

        A search argument skips row groups and stripes, it does not filter: the rows that are left are.
        """
        way = QUERIES.get(config.get("way", "default"), QUERIES["default"])
        with process_zone(config):
            return self._query_one(file, zone_of(config), config.get("pushdown") != "off", query, way)

    def _query_one(self, file: str, zone: str, pushdown: bool, query: Query, way: Way) -> Table:
        if isinstance(query, Filter):
            from harness.engines.pyorc.query import NO_OPERATOR, places_of, search_argument

            if any(isinstance(test, (Computed, NullSafe)) for test in leaves(query.predicate)):
                raise Unsupported(NO_OPERATOR)
            options = self._options(file, way.options)
            schema = self._schema(file)
            if query.columns is not None:
                options["column_indices"] = places_of(query, list(schema.fields))
            if pushdown:
                options["predicate"] = search_argument(self.pyorc, schema, query.predicate, zone, way)
            return answer(query, self._read(file, zone, way=way, **options), self.float_order)
        if isinstance(query, RowGroup):
            return self._read(file, zone, stripe=query.number)
        if isinstance(query, Batches):
            return self._read(file, zone, batch_size=query.rows)
        if isinstance(query, CountRows):
            return self._count(file, query)
        if isinstance(query, Slice):
            return self._slice(file, zone, query, self._options(file, way.options))
        assert isinstance(query, Project)
        names = list(self._schema(file).fields)
        places = [names.index(only(name, names)) for name in query.columns]
        result = self._read(file, zone, way=way, column_indices=places, **self._options(file, way.options))
        return take(result, range(result.num_rows), query.columns)

    def _schema(self, file: str) -> Any:
        """Return the schema by which columns are chosen; raises Unsupported where it lacks columns.

        Its places and ids count fields of one name once, those of a reader all: one more is then valid.
        """
        with open(file, "rb") as opened:
            schema = self.pyorc.Reader(opened, converters=self.converters).schema
            if schema.name == "struct":
                opened.seek(0)
                with suppress(ValueError):
                    self.pyorc.Reader(opened, column_indices=[len(schema.fields)])
                    raise Unsupported(SAME_NAMES)
        return schema

    def _count(self, file: str, query: CountRows) -> Table:
        """Return the number of rows; https://pyorc.readthedocs.io/en/stable/api.html, Reader: `len`."""
        if query.predicate is not None:
            raise Unsupported("pyorc counts the rows of a file, not those of a filter")
        with open(file, "rb") as opened:
            return count_of(len(self.pyorc.Reader(opened, converters=self.converters)))

    def _slice(self, file: str, zone: str, query: Slice, options: dict[str, Any]) -> Table:
        """Return rows from a row on, of all columns: a search argument leaves other rows than a filter."""
        if query.predicate is not None:
            raise Unsupported("pyorc does not filter rows, so that a limit would be one of other rows")
        with open(file, "rb") as opened:
            reader = self.pyorc.Reader(opened, **self._own(zone), **options)
            rows = _Listed(evaluate(slice_of(query), {"reader": reader}))
            result = _table(rows, reader.selected_schema, zone)
        return take(result, range(result.num_rows), query.columns)

    def write(
        self, file: str, format: str, config: dict[str, str], table: Table, options: dict[str, Any]
    ) -> None:
        """Write a table, with pyorc's other options at their defaults."""
        write(self.pyorc, file, table, options, self.converters)

    def classify(self, error: BaseException) -> str:
        """Return the kind of an exception; ORC C++ says in words alone that it lacks something."""
        own = isinstance(error, (self.pyorc.ORCError, RuntimeError, ValueError))
        lacking = own and lacks(str(error), self.pyorc.__version__, _ORC_2)
        return "unsupported" if lacking else super().classify(error)


class _Listed:
    """Rows that a way has read, as a reader hands them out."""

    def __init__(self, rows: Iterable[Any]) -> None:
        self._rows = iter(rows)

    def read(self, count: int) -> list[Any]:
        """Return the next rows."""
        return list(islice(self._rows, count))


class _Rows:
    """The rows of a reader or stripe; a root that is no struct is one column without a name."""

    def __init__(self, rows: Any, described: Any, zone: str) -> None:
        self.rows, self.is_struct = rows, described.name == "struct"
        fields = list(described.fields.items()) if self.is_struct else [("", described)]
        self.convert = [column_of(field, zone) for _, field in fields]
        self.fields = tuple(Field(name, type_of(field)) for name, field in fields)

    def blocks(self) -> Iterator[tuple[list[list[Value]], int]]:
        """Yield blocks of values, and how many rows each has; one that is not full is the last.

        https://pyorc.readthedocs.io/en/stable/api_reference.html, Reader.read: rows up to the number. 0.4
        goes on after an empty stripe if it is called once more, which neither iteration nor `read()` do.
        """
        count = BLOCK_ROWS
        while count == BLOCK_ROWS:
            with EngineCall():
                result = self.rows.read(BLOCK_ROWS)
            count = len(result)
            if not count:
                return
            given: Iterable[Any] = zip(*self._whole(result)) if self.is_struct else [result]
            yield [column(list(values)) for column, values in zip(self.convert, given)], count

    def _whole(self, rows: list[Any]) -> list[Any]:
        """Return rows that are all there; raises Unsupported where their fields cannot be told apart.

        A root that is null (ORCv1.md, Struct Columns: PRESENT is optional) is None, and in a table, which
        has no null rows, a row of nulls.
        """
        if len(next(filter(None, rows), self.fields)) != len(self.fields):
            raise Unsupported(SAME_NAMES)
        nulls = (None,) * len(self.fields)
        return [nulls if row is None else row for row in rows] if None in rows else rows


def _table(rows: Any, described: Any, zone: str) -> Table:
    """Return the rows of a reader or stripe as a table."""
    result = _Rows(rows, described, zone)
    blocks, counts = [], []
    for block, count in result.blocks():
        blocks.append(block)
        counts.append(count)
    return Table(result.fields, sum(counts), blocks if result.fields else ())
