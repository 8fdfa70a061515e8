"""fastparquet: Parquet to pandas, read column by column without passing values through Python objects.

pandas cannot say everything: a null in a column of floats is a NaN there, which is fastparquet's answer
(`null-as-nan`). Nested columns are Unsupported: fastparquet spreads them over columns and objects that
have no single meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from corpora import tagged
from corpora.queries import CountRows, Query, predicate_of
from corpora.tagged import Table, Type, Value
from harness.children.links import Links
from harness.children.protocol import OPEN, ROWS
from harness.engines.base import Engine
from harness.engines.errors import Unsupported
from harness.engines.fastparquet.query import JSON
from harness.engines.fastparquet.ways import QUERIES, WAYS, Way
from harness.engines.fastparquet.write_options import call_options as drawn_options
from harness.engines.scripts.literals import evaluate, execute
from harness.engines.writer_options import CHOSEN

_CODECS = ("UNCOMPRESSED", "SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4_RAW")
_NOT_A_TIME = -(1 << 63)  # numpy's NaT
_BYTE_ARRAY, _FIXED_LEN_BYTE_ARRAY = 6, 7  # Type
_UTF8 = 0  # of ConvertedType

# https://pandas.pydata.org/docs/whatsnew/v2.0.0.html, "Index can now hold numpy numeric dtypes"
_INDEX_OF_ANY_TYPE = 2


class Fastparquet(Engine):
    """`ParquetFile(file).to_pandas()`."""

    name = "fastparquet"
    in_python = True
    formats = ("parquet",)
    # https://fastparquet.readthedocs.io/en/latest/details.html#data-types
    equivalences = (
        "decimal-as-float64",
        "date-as-timestamp",
        "time-as-duration",
        "timestamp-utc-ignored",
        "int96-as-timestamp",
        "float16-as-bytes",
        "null-as-nan",
        "uuid-as-bytes",
        "bson-as-bytes",
        "geometry-as-bytes",
        "geography-as-bytes",
        "null-as-any",  # no page says so; parquet.thrift says of UNKNOWN that its type is a guess
    )
    writes = {  # noqa: RUF012 - as in the base
        "codecs": list(_CODECS),
        "page_versions": [1],
        "dictionary": [False],
    }

    queries = ("filter", "project", "row_group", "count", "slice")
    float_order = "ieee"  # pandas compares as numpy does
    file_order = True  # https://fastparquet.readthedocs.io/en/latest/api.html, ParquetFile.head

    def __init__(self) -> None:
        import fastparquet
        import numpy as np
        import pandas as pd

        self.library = self.fastparquet = fastparquet
        self.numpy = np
        self.pandas = pd
        self.links = Links()

    def runtime(self) -> str:
        """Return the versions of pandas and numpy, too: they determine the types of columns."""
        return f"{super().runtime()}, pandas {self.pandas.__version__}, numpy {self.numpy.__version__}"

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:
        """Read a whole file; raises Unsupported for nested columns."""
        way = WAYS.get(config.get("way", "default"), WAYS["default"])
        if way is WAYS["index"] and int(self.pandas.__version__.partition(".")[0]) < _INDEX_OF_ANY_TYPE:
            raise Unsupported("an index of this pandas has its integers in 64 bits")
        with self.links.to([file]) as (name,):
            self.step = OPEN
            opened, elements = self._open(name, way)
            self.step = ROWS
            names = {"pd": self.pandas, "file": opened, "names": list(elements)}
            return self._table(evaluate(way.whole, names), elements)

    def query_one(self, file: str, format: str, config: dict[str, str], query: Query) -> Table:
        """Return the answer to a query.

        `filters` passes over row groups; what was read goes through fastparquet's own filter of rows. With
        `pushdown=rows` that happens while reading (`row_filter`, "experimental").
        """
        way = QUERIES.get(config.get("way", "default"), QUERIES["default"])
        with self.links.to([file]) as (name,):
            return self._answer(name, config.get("pushdown", "on"), query, way)

    def _answer(self, file: str, pushdown: str, query: Query, way: Way) -> Table:
        from harness.engines.fastparquet.query import check, statements

        opened, elements = self._open(file, way)
        predicate = predicate_of(query)
        if predicate is not None:
            check(predicate, elements)
        names = {"np": self.numpy, "pd": self.pandas, "file": opened, "names": list(elements)}
        frame = execute(statements(query, pushdown, way), names)["frame"]
        return self._table(frame, {} if isinstance(query, CountRows) else elements)

    def _open(self, file: str, way: Way) -> tuple[Any, dict[str, Any]]:
        opened = evaluate(way.opened, {"fastparquet": self.fastparquet, "FILE": file})
        elements = opened.schema.root["children"]
        for name, element in elements.items():
            if element.num_children or element.repetition_type == 2:
                raise Unsupported(f"column {name!r} is nested; colconf does not ask for it")
        return opened, elements

    def _table(self, frame: Any, elements: dict[str, Any]) -> Table:
        columns, values = [], []
        for at, name in enumerate(frame.columns):
            type_, column = self._column(frame.iloc[:, at], elements.get(name))
            columns.append((str(name), type_))
            values.append(column)
        return Table.of(columns, values, len(frame))

    def _column(self, series: Any, element: Any) -> tuple[Type, list[Value]]:
        if element is not None and element.converted_type == JSON:
            raise Unsupported("fastparquet parses JSON: its values are Python objects, whatever they are")
        dtype = series.dtype
        kind = dtype.kind
        if kind in "iu" or kind == "b":
            return self._numbers(series)
        if kind == "f":
            return self._floats(series)
        if kind in "mM":
            return self._times(series)
        if isinstance(dtype, self.pandas.CategoricalDtype):
            if (
                not len(series)
                and isinstance(dtype.categories, self.pandas.RangeIndex)
                and _is_bytes(element)
            ):
                return _objects([], element)  # the labels stand for those that no row group was read for
            if dtype.categories.dtype.kind not in "biu":
                return self._column(series.astype(dtype.categories.dtype), element)
            # Not by a cast to the labels' type: pandas makes True of a null that becomes a boolean.
            type_, labels = self._column(self.pandas.Series(dtype.categories), element)
            return type_, [None if code < 0 else labels[code] for code in series.cat.codes.tolist()]
        return _objects(list(series.array), element)

    def _numbers(self, series: Any) -> tuple[Type, list[Value]]:
        kind, bits = series.dtype.kind, 8 * series.dtype.itemsize
        null = series.isna().to_numpy(dtype=bool).tolist()
        if kind == "b":
            result = series.to_numpy(dtype=bool, na_value=False) if any(null) else series.to_numpy(dtype=bool)
            return tagged.BOOL, [None if gone else item for item, gone in zip(result.tolist(), null)]
        width = f"{kind}{bits // 8}"
        result = series.to_numpy(dtype=width, na_value=0) if any(null) else series.to_numpy(dtype=width)
        numbers: list[Value] = list(map(str, result.tolist()))
        return (
            tagged.integer(bits, signed=kind == "i"),
            [None if gone else number for number, gone in zip(numbers, null)],
        )

    def _floats(self, series: Any) -> tuple[Type, list[Value]]:
        result = self.numpy.ascontiguousarray(series.to_numpy())
        size = result.dtype.itemsize
        text = result.byteswap().tobytes().hex()
        cuts = range(0, len(text), 2 * size)
        return tagged.floating(8 * size), [text[at : at + 2 * size] for at in cuts]

    def _times(self, series: Any) -> tuple[Type, list[Value]]:
        utc = getattr(series.dtype, "tz", None) is not None
        plain = series.dt.tz_convert("UTC").dt.tz_localize(None) if utc else series
        result = plain.to_numpy()
        unit = self.numpy.datetime_data(result.dtype)[0]
        counts = result.view("i8").tolist()
        values: list[Value] = [None if count == _NOT_A_TIME else str(count) for count in counts]
        return (
            tagged.duration(unit) if result.dtype.kind == "m" else tagged.timestamp(unit, utc=utc)
        ), values

    def write(
        self, file: str, format: str, config: dict[str, str], table: Table, options: dict[str, Any]
    ) -> None:
        """Write a flat table of integers, booleans, floats without null, text, bytes, and timestamps."""
        if CHOSEN in options:
            self._write(file, table, drawn_options(options[CHOSEN]))
            return
        codec = options.get("codec", "SNAPPY")
        if codec not in _CODECS or options.get("page_version", 1) != 1 or options.get("dictionary"):
            raise Unsupported(f"fastparquet does not write {options}")
        if options.get("indexed"):
            raise Unsupported("fastparquet has no option for the size of pages, and writes no page index")
        given = {"compression": codec, "row_group_offsets": options.get("row_group_rows")}
        self._write(file, table, given)

    def _write(self, file: str, table: Table, given: dict[str, Any]) -> None:
        data, encodings = {}, {}
        for at, field in enumerate(table.columns):
            if field.type.kind not in _WRITERS:
                raise Unsupported(f"column {field.name!r}: fastparquet does not write {field.type}")
            data[field.name] = _WRITERS[field.type.kind](self, field.type, table.column(at))
            encodings[field.name] = {"string": "utf8", "bytes": "bytes"}.get(field.type.kind, "infer")
        self.fastparquet.write(
            file,
            self.pandas.DataFrame(data),
            **given,
            object_encoding=encodings,
            write_index=False,
        )


def _is_bytes(element: Any) -> bool:
    """Return whether the physical type of a column is a byte array (parquet.thrift, Type)."""
    return element is not None and element.type in {_BYTE_ARRAY, _FIXED_LEN_BYTE_ARRAY}


def _objects(values: list[Any], element: Any) -> tuple[Type, list[Value]]:
    """Return text or bytes; raise Unsupported for other objects, whose Parquet type is lost in pandas."""
    given = [None if value is None or value != value else value for value in values]  # noqa: PLR0124 - NaN
    if all(isinstance(value, (str, type(None))) for value in given):
        # A column without values has the type that fastparquet gives its other columns: text only if UTF8.
        has_text = element is not None and element.converted_type == _UTF8
        if has_text or any(value is not None for value in given):
            texts = [None if item is None else item.encode("utf-8", "surrogatepass") for item in given]
            return tagged.STRING, [None if text is None else tagged.text(text) for text in texts]
        return tagged.BYTES, list(given)
    if all(isinstance(value, (bytes, type(None))) for value in given):
        return tagged.BYTES, [None if value is None else tagged.binary(value) for value in given]
    kinds = sorted({type(value).__name__ for value in given if value is not None})
    raise Unsupported(f"fastparquet answers Python objects ({', '.join(kinds)})")


def _write_integers(engine: Fastparquet, type_: Type, values: list[Any]) -> Any:
    width = f"{'' if type_.signed else 'u'}int{type_.bits}"
    numbers = engine.numpy.array([0 if value is None else int(value) for value in values], width)
    null = engine.numpy.array([value is None for value in values], bool)
    return engine.pandas.Series(engine.pandas.arrays.IntegerArray(numbers, null))


def _write_booleans(engine: Fastparquet, _: Type, values: list[Any]) -> Any:
    null = engine.numpy.array([value is None for value in values], bool)
    result = engine.numpy.array([bool(value) for value in values], bool)
    return engine.pandas.Series(engine.pandas.arrays.BooleanArray(result, null))


def _write_floats(engine: Fastparquet, type_: Type, values: list[Any]) -> Any:
    if type_.bits == 16 or None in values:
        raise Unsupported("pandas has no nulls in floats, and fastparquet no half floats")
    width = f"u{(type_.bits or 64) // 8}"
    bits = engine.numpy.array([int(value, 16) for value in values], width)
    return engine.pandas.Series(bits.view(width.replace("u", "f")))


def _write_text(engine: Fastparquet, _: Type, values: list[Any]) -> Any:
    return engine.pandas.Series(values, dtype=object)


def _write_bytes(engine: Fastparquet, _: Type, values: list[Any]) -> Any:
    return engine.pandas.Series(
        [None if value is None else bytes.fromhex(value) for value in values], dtype=object
    )


def _write_timestamps(engine: Fastparquet, type_: Type, values: list[Any]) -> Any:
    counts = engine.numpy.array([_NOT_A_TIME if value is None else int(value) for value in values], "i8")
    series = engine.pandas.Series(counts.view(f"M8[{type_.unit}]"))
    return series.dt.tz_localize("UTC") if type_.utc else series


_WRITERS: dict[str, Callable[[Fastparquet, Type, list[Any]], Any]] = {
    "int": _write_integers,
    "bool": _write_booleans,
    "float": _write_floats,
    "string": _write_text,
    "bytes": _write_bytes,
    "timestamp": _write_timestamps,
}
