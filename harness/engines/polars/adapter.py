"""Polars' own Parquet reader and writer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from types import MappingProxyType
from typing import Any

from corpora.keys import Keys
from corpora.queries import OF_COLUMNS, ONE_ROW, Filter, Project, Query, Slice
from corpora.table_reads import TableRead
from corpora.tagged import Table
from harness.children.links import Links
from harness.engines import arrow_forms
from harness.engines.arrow import c_interface
from harness.engines.base import Engine
from harness.engines.digests.batches import Batch, Stream
from harness.engines.errors import Unsupported
from harness.engines.partitioned import partitions_of
from harness.engines.polars import keys as polars_keys
from harness.engines.polars import table as polars_table
from harness.engines.polars import write_encrypted
from harness.engines.polars.versions import (
    known_values,
    length,
    one_string_cache,
    parameters,
    raises_between_batches,
    taken,
    without_types,
)
from harness.engines.polars.ways import NUMBER, QUERIES, WAYS, Way
from harness.engines.polars.write_options import BESIDE, arguments, defaults, statements
from harness.engines.polars.write_script import CODECS, call_options
from harness.engines.scripts.literals import evaluate, execute
from harness.engines.writer_options import CHOSEN

# So that a path is neither a pattern (since 0.20.8) nor a source of columns (since 0.19.9).
_PLAIN = {"glob": False, "hive_partitioning": False}
_SLICE_ROWS = 1 << 20  # what versions without batches are asked for at once


class Polars(Engine):
    """`read_parquet`, or `scan_parquet` collected by the streaming engine."""

    name = "polars"
    formats = ("parquet",)
    # https://docs.pola.rs/user-guide/concepts/data-types-and-structures: Time is nanoseconds since midnight;
    # there is no type for UUID, JSON, ENUM of Parquet, BSON, nor (before 2) for maps.
    equivalences: tuple[str, ...] = (
        "time-unit-widened",
        "duration-unit-widened",  # API reference, polars.datatypes.Duration: "us", "ns" or "ms"
        "time-utc-ignored",
        "null-as-any",  # no page of Polars says so; parquet.thrift says of UNKNOWN that its type is a guess
        "int96-as-timestamp",
        "uuid-as-bytes",
        "json-as-string",
        "enum-as-string",
        "bson-as-bytes",
        "map-as-list-of-structs",
        "map-as-list-of-keys",
        "decimal-precision-widened",
        # https://docs.pola.rs/api/python/dev/reference/api/polars.datatypes.Map.html
        "duplicate-keys-last-wins",
        # https://docs.pola.rs/api/rust/dev/polars/prelude/fn.infer_schema.html
        "arrow-schema-restored",
    )
    writes = {  # noqa: RUF012 - as in the base
        "codecs": list(CODECS),
        "page_versions": [1],
        "dictionary": [True],
    }

    queries = ("filter", "project", *ONE_ROW, "slice", "fields", *OF_COLUMNS)
    streams = ("parquet",)
    # https://docs.pola.rs/user-guide/concepts/data-types-and-structures/, "Floating point numbers": NaN is
    # equal to itself and greatest; minimum and maximum pass it over (Expr.min, Expr.nan_min).
    float_order = "nan-greatest"
    aggregate_order = "ieee"
    # https://docs.pola.rs/api/python/stable/reference/lazyframe/api/polars.LazyFrame.slice.html: by row index
    file_order = True
    no_keys = ""  # of versions that take them
    keyed: Mapping[str, Any] = MappingProxyType({})

    def __init__(self) -> None:
        import polars as pl
        import pyarrow as pa

        self.library = self.polars = pl
        self.equivalences = (*type(self).equivalences, *without_types(pl.__version__))
        self.writes = {
            **self.writes,
            "options": [
                *arrow_forms.available(pa.__version__, BESIDE),
                *parameters(pl.DataFrame.write_parquet),
                *write_encrypted.available(pl),
            ],
        }
        self.writes["defaults"] = defaults(pl)
        self.links = Links()
        self.no_keys = polars_keys.lacking(pl)

    def enter(self, keys: Keys | None) -> None:
        """Take the keys of the request that follows; raises Unsupported for keys without an option."""
        super().enter(keys)
        self.keyed = {} if keys is None else {"decryption": polars_keys.decryption(self.polars, keys)}

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:
        """Read a whole file; the path is neither a pattern nor a source of columns."""
        with self._named(file) as name:
            if config.get("api") == "lazy":
                return _table(self._collected(self._scan(name), streaming=True))
            return _table(self._in_way(name, WAYS.get(config.get("way", "default"), WAYS["default"])))

    def _in_way(self, name: str, way: Way) -> Any:
        """Read a whole file in a way; raises Unsupported where this version lacks an option."""
        pl = self.polars
        if way.of_scan:
            scan = self._scan(name)
            rows = self._collected(scan.select(length(pl)), streaming=False).item()
            with known_values({"engine": "streaming"}), one_string_cache(pl):
                return evaluate(way.expression, {"pl": pl, "scan": scan, "rows": rows})
        lacking = way.options.keys() - parameters(pl.read_parquet)
        if lacking:
            raise Unsupported(f"this Polars reads files without the option {min(lacking)}")
        with known_values(way.options):
            frame = self._whole(name, **way.options)
        return evaluate(way.expression, {"pl": pl, "frame": frame})

    def read_table(self, folder: str, format: str, config: dict[str, str], read: TableRead) -> Table:
        """Read a folder as a lazy scan with a schema."""
        scan = polars_table.scan(self.polars, folder, read)
        return _table(self._collected(scan, streaming=config.get("api") == "lazy"))

    def query_table(
        self, folder: str, format: str, config: dict[str, str], read: TableRead, query: Query
    ) -> Table:
        """Return the answer to a query of a folder; what `api` and `pushdown` mean is as of files."""
        from harness.engines.polars.query import ask

        lazy, off = config.get("api") == "lazy", config.get("pushdown") == "off"
        frame = polars_table.scan(self.polars, folder, read, statistics=not (off and lazy))
        schema = frame.collect_schema()
        if off and not lazy:
            frame = self._collected(frame, streaming=False).lazy()
        answer = ask(self.polars, frame, query, schema)
        return _table(self._collected(answer, streaming=lazy, pushdown=not off))

    @contextmanager
    def _named(self, file: str) -> Iterator[str]:
        """Give, for a while, the name to ask by: versions without `glob` take patterns alone."""
        if "glob" in parameters(self.polars.scan_parquet):
            yield file
            return
        with self.links.to([file]) as names:
            yield next(iter(names))

    def _scan(self, name: str, **options: Any) -> Any:
        scan = self.polars.scan_parquet
        return scan(name, **taken(scan, **_PLAIN, **options), **self.keyed)

    def _whole(self, name: str, **options: Any) -> Any:
        read = self.polars.read_parquet
        return read(name, **taken(read, **_PLAIN), **options, **self.keyed)

    @contextmanager
    def stream(self, file: str, format: str, config: dict[str, str], first: int = 0) -> Iterator[Stream]:
        """Return the batches of a lazy scan, as the streaming engine makes them (1.34), or slices of it."""
        from harness.engines.digests.batches import Stream

        with self._named(file) as name:
            scan = self._scan(name)
            frames = self._slices(scan, first)
            if hasattr(scan, "collect_batches") and raises_between_batches(self.polars):
                frames = scan.slice(first).collect_batches(maintain_order=True)
            result = (batch for frame in frames for batch in _batches(frame))
            head = next(result, None)  # an empty decimal of 0.20 has another precision
            if head is None:
                empty = _table(self._collected(scan.slice(0, 0), streaming=False))
                yield Stream(empty.columns, first, iter(()))
            else:
                yield Stream(head.columns, first, chain([head], result))

    def _slices(self, scan: Any, first: int) -> Iterator[Any]:
        while True:
            frame = self._collected(scan.slice(first, _SLICE_ROWS), streaming=False)
            if not frame.height:
                return
            yield frame
            first += frame.height

    def query_one(self, file: str, format: str, config: dict[str, str], query: Query) -> Table:
        """Return the answer to a query of a lazy scan, collected in memory or streaming as `api` says.

        Without pushdown, `api=eager` asks the frame that was read whole, `api=lazy` a scan whose filter stays
        above it and that is not told of statistics; `way` is of scans.
        """
        from harness.engines.polars.query import ask

        pl, lazy, off = self.polars, config.get("api") == "lazy", config.get("pushdown") == "off"
        way = QUERIES.get(config.get("way", "default"), QUERIES["default"])
        with self._named(file) as name:
            if off and not lazy:
                frame = self._whole(name)
                return _table(ask(pl, frame, query, frame.schema))
            lacking = way.options.keys() - parameters(pl.scan_parquet)
            if lacking:
                raise Unsupported(f"this Polars scans files without the option {min(lacking)}")
            if way.in_parts and not isinstance(query, (Filter, Slice, Project)):
                raise Unsupported("only filters, slices and projections keep the order of a file")
            with known_values(way.options):
                scan = self._scan(name, **{"use_statistics": not off, **way.options})
            schema = scan.collect_schema() if hasattr(scan, "collect_schema") else scan.schema
            answer = ask(pl, scan, query, schema)
            if NUMBER in way.options.values() and getattr(query, "columns", ()) is None:
                answer = answer.drop(NUMBER)

            def collected(frame: Any) -> Any:
                return self._collected(
                    frame, streaming=lazy or way.streaming, pushdown=not off, without=way.off
                )

            return _table(evaluate(way.expression, {"pl": pl, "answer": answer, "collected": collected}))

    def _collected(self, scan: Any, *, streaming: bool, pushdown: bool = True, without: str = "") -> Any:
        """Collect a scan: with the options of 1.30 and later (`QueryOptFlags`), or with those before."""
        more = {without: False} if without else {}
        if not hasattr(self.polars, "QueryOptFlags"):
            options = taken(scan.collect, streaming=streaming, predicate_pushdown=pushdown, **more)
            return scan.collect(**options)
        flags = self.polars.QueryOptFlags(predicate_pushdown=pushdown, **more)
        return scan.collect(engine="streaming" if streaming else "in-memory", optimizations=flags)

    def write(
        self, file: str, format: str, config: dict[str, str], table: Table, options: dict[str, Any]
    ) -> None:
        """Write a table; Polars chooses dictionaries and page versions itself."""
        from harness.engines.arrow.build import refuse, to_arrow

        if CHOSEN in options:
            import pyarrow as pa

            given = arguments(options[CHOSEN])
            lacking = given.keys() - parameters(self.polars.LazyFrame.sink_parquet)
            if partitions_of(options[CHOSEN]) and "partition_by" not in parameters(
                self.polars.DataFrame.write_parquet
            ):
                raise Unsupported("write_parquet of this Polars lacks the option partition_by")
            if "sink" in options[CHOSEN] and lacking:
                raise Unsupported(f"sink_parquet of this Polars lacks the option {min(lacking)}")
            names = {"pa": pa, "pl": self.polars, "table": to_arrow(table), "FILE": file}
            with known_values(given):
                execute(statements(table, options[CHOSEN]), names)
            return
        chosen = call_options(options)
        refuse(table, lambda type_: type_.kind == "time" and type_.unit != "ns", "Polars")
        frame = self.polars.from_arrow(to_arrow(table))
        frame.columns = [field.name for field in table.columns]  # those without a name were given one
        frame.write_parquet(file, **chosen)

    def classify(self, error: BaseException) -> str:
        """Return the kind of an exception; Polars has no class for what it lacks, and says so in the text.

        Before 0.19 the text has the name of parquet2's error, `NotYetImplemented`; later, the error of a type
        that is not implemented within a struct or list names the type alone. A Decimal has up to 38
        digits: https://docs.pola.rs/api/python/stable/reference/api/polars.datatypes.Decimal.html.
        """
        lacking = re.search(
            r"not ?(yet ?)?(supported|implemented)|unsupported|precision must be between 1 and 38, got"
            r"|^Deserializing type .+ from parquet\b",
            str(error),
            re.IGNORECASE,
        )
        return "unsupported" if lacking else super().classify(error)


def _table(frame: Any) -> Table:
    """Return the rows of a frame; before 1.3, which has no capsules, by its own conversion to pyarrow.

    The conversion of 0.16.1 and 0.16.2 panics where columns have different numbers of chunks.
    """
    c_interface.check_names(frame.columns)
    return c_interface.read(frame if hasattr(frame, "__arrow_c_stream__") else frame.rechunk().to_arrow())


def _batches(frame: Any) -> Iterator[Batch]:
    """Yield the batches of a frame, by the way that `_table` takes."""
    from harness.engines.digests.batches import arrow_stream, c_stream

    c_interface.check_names(frame.columns)
    if hasattr(frame, "__arrow_c_stream__"):
        result = c_stream(frame)
    else:
        table = frame.rechunk().to_arrow()
        result = arrow_stream(table.to_batches(), table.slice(0, 0))
    with result as stream:
        yield from stream.batches
