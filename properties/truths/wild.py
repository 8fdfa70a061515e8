"""Parquet files as writers have made them: several broken rules at once, and what rules leave open."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from corpora.build.recipe import OPTIONAL, REPEATED, REQUIRED, Recipe, group, leaf, list_group, text
from properties.strategies.faults.edit import Change
from properties.strategies.faults.edits import edit, table
from properties.strategies.faults.fault import at, fields
from reference_impl.parquet.page_structs import DataPageHeader, PageHeader
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Page
from reference_impl.parquet.schema import (
    ColumnChunk,
    CompressionCodec,
    ConvertedType,
    Empty,
    Encoding,
    LogicalType,
    PageType,
    Type,
)
from reference_impl.parquet.tamper import Place, Tamper
from reference_impl.wire import thrift

_READ = "the broken rule does not prevent reading all rows"
_UNKNOWN = LogicalType(UNKNOWN=Empty())
_DAY = 86_400_000_000_000


class Wild(NamedTuple):
    """The recipe of a file, and all rules that it breaks; the recipe has room for the first."""

    recipe: Recipe
    breaks: tuple[str, ...] = ()


def files() -> Iterator[Wild]:
    """Yield the files."""
    return chain(_careless(), _unknown(), _numbers(), _shapes(), _pages(), _streams(), _keys())


class Careless(Tamper):
    """Changes every chunk, and every page header, of a file."""

    def __init__(
        self, *, chunk: Change | None = None, header: Change | None = None, tail: bytes = b""
    ) -> None:
        self._chunk, self._header, self._tail = chunk, header, tail

    def chunk(self, place: Place, chunk: ColumnChunk) -> ColumnChunk:  # noqa: ARG002 - as declared
        """Change the metadata of a chunk."""
        changed: ColumnChunk = self._chunk(chunk) if self._chunk else chunk
        return changed

    def page_header(self, place: Place, header: PageHeader) -> PageHeader:  # noqa: ARG002 - as declared
        """Change the header of a page."""
        changed: PageHeader = self._header(header) if self._header else header
        return changed

    def footer_bytes(self, data: bytes) -> bytes:
        """Add bytes behind the struct of the footer."""
        return data + self._tail


def _meta(**changes: Any) -> Change:
    return fields(meta_data=fields(**changes))


def _v2(**changes: Any) -> Change:
    def change(header: PageHeader) -> PageHeader:
        inner = header.data_page_header_v2
        return header if inner is None else replace(header, data_page_header_v2=fields(**changes)(inner))

    return change


# What writers were careless about, each by the rules that it breaks.
_CARELESS: dict[str, tuple[tuple[str, ...], Tamper]] = {
    "sizes": (("PQ-CHUNK-007",), Careless(chunk=_meta(total_uncompressed_size=lambda size: size + 7))),
    "chunks": (("PQ-CHUNK-017",), Careless(chunk=_meta(total_compressed_size=lambda size: size - 5))),
    "footer": (("PQ-CHUNK-004",), Careless(chunk=_meta(total_compressed_size=lambda size: size + (1 << 16)))),
    "encodings": (("PQ-CHUNK-008",), Careless(chunk=_meta(encodings=[Encoding.BIT_PACKED]))),
    "counts": (("PQ-CHUNK-006",), Careless(chunk=_meta(num_values=lambda count: count + 1))),
    "trailing": (("PQ-FILE-005",), Careless(tail=bytes(9))),
    "nulls-of-v2": (("PQ-PAGE-008",), Careless(header=_v2(num_nulls=lambda count: count + 1))),
    "rows-of-v2": (("PQ-PAGE-009",), Careless(header=_v2(num_rows=lambda count: count + 1))),
    "sizes-encodings-trailing": (
        ("PQ-CHUNK-007", "PQ-CHUNK-008", "PQ-FILE-005"),
        Careless(chunk=_meta(total_uncompressed_size=1, encodings=[Encoding.BIT_PACKED]), tail=b"\1\2"),
    ),
    "v2-and-sizes": (
        ("PQ-CHUNK-007", "PQ-PAGE-008"),
        Careless(chunk=_meta(total_uncompressed_size=3), header=_v2(num_nulls=lambda count: count + 2)),
    ),
}


def _plans(version: int) -> dict[str, FilePlan]:
    """Return plans by the shape of their column."""
    page = Page(3, version=version)
    plain, squeezed = Column((page,)), Column((page,), CompressionCodec.SNAPPY)
    indexed = Column(
        (Page(3, Encoding.RLE_DICTIONARY, version=version),), CompressionCodec.GZIP, dictionary=Dictionary()
    )
    words: Sequence[Any] = [b"a", None, b"bc", b"a", b"", None, b"bc", b"d"]
    lists: Sequence[Any] = [
        None,
        {"list": []},
        {"list": [{"element": 1}, {"element": None}]},
        {"list": [{"element": 2}]},
    ]
    element = group("list", REPEATED, leaf("element", Type.INT64, OPTIONAL))
    return {
        "integers": table(leaf("x", Type.INT32, OPTIONAL), (1, None, 3, 4, None, 6, 7), plain),
        "texts": table(text("x", OPTIONAL), words, indexed),
        "lists": table(list_group("x", OPTIONAL, element), lists, squeezed),
        "doubles": table(leaf("x", Type.DOUBLE), (0.5, -0.0, float("nan"), float("inf")), squeezed),
    }


def _careless() -> Iterator[Wild]:
    """Yield files whose writer was careless everywhere, about one thing or several."""
    for name, (rules, tamper) in _CARELESS.items():
        for version in (2,) if "v2" in name else (1, 2):
            for shape, plan in _plans(version).items():
                yield _broken(f"careless/{name}/{shape}-v{version}", plan, tamper, *rules)


def _broken(name: str, plan: FilePlan, tamper: Tamper | None, *rules: str, **more: Any) -> Wild:
    """Return a file that breaks rules, and that may still be read."""
    more = {"either": _READ, **more}
    recipe = Recipe(f"wild/{name}", plan, "parquet.thrift", refuse=rules[0], tamper=tamper, **more)
    return Wild(recipe, rules)


def _legal(name: str, plan: FilePlan, tamper: Tamper | None = None, **more: Any) -> Wild:
    return Wild(Recipe(f"wild/{name}", plan, "parquet.thrift", tamper=tamper, **more))


def _unknown() -> Iterator[Wild]:
    """Yield UNKNOWN where parquet-java has no LogicalType: beside INTERVAL, and on groups MAP_KEY_VALUE."""
    intervals = [struct.pack("<III", months, 2, 3) for months in range(3)]
    unknown = edit(element=fields(logicalType=_UNKNOWN))
    field = leaf(
        "x", Type.FIXED_LEN_BYTE_ARRAY, OPTIONAL, type_length=12, converted_type=ConvertedType.INTERVAL
    )
    columns: dict[str, list[Any]] = {"some": [intervals[0], None, intervals[1]], "nulls": [None, None]}
    for name, column in columns.items():
        yield _broken(f"unknown/interval-{name}", table(field, column), unknown, "PQ-LOGICAL-003")
    key_value = {"converted_type": ConvertedType.MAP_KEY_VALUE}
    entry = group("map", REPEATED, text("key"), leaf("value", Type.INT32, OPTIONAL), **key_value)
    field = group("x", OPTIONAL, entry, converted_type=ConvertedType.MAP)
    values: list[Any] = [
        {"map": [{"key": b"a", "value": 1}, {"key": b"b", "value": None}]},
        None,
        {"map": []},
    ]
    on_group = edit(footer=fields(schema=at(3, fields(logicalType=_UNKNOWN))))
    for version in (1, 2):
        plan = table(field, values, Column((Page(version=version),)))
        yield _broken(f"unknown/map-key-value-v{version}", plan, on_group, "PQ-LOGICAL-003")


def _numbers() -> Iterator[Wild]:
    """Yield numbers outside of their type, of which nothing is defined, and nulls of old parquet-cpp."""
    small = {
        ConvertedType.INT_8: (1, 127, -128, 128, 300, -129),
        ConvertedType.UINT_8: (1, 255, 256, -1, 70_000),
        ConvertedType.INT_16: (1, 32_767, 32_768, -40_000),
        ConvertedType.UINT_16: (1, 65_535, 65_536, -1),
    }
    for kind, values in small.items():
        plan = table(leaf("x", Type.INT32, OPTIONAL, converted_type=kind), (*values, None))
        reason = "the behavior is not defined (LogicalTypes.md, Signed Integers)"
        name = f"numbers/{kind.name.lower().replace('_', '-')}"
        yield _broken(name, plan, None, "PQ-VALUE-006", either=reason)
    moments = {
        "after-the-day": (_DAY, 2_440_588),
        "before-the-day": (-1, 2_440_588),
        "days-later": (3 * _DAY, 0),
    }
    for name, moment in moments.items():
        plan = table(leaf("x", Type.INT96), [struct.pack("<qi", *moment), struct.pack("<qi", 5, 2_440_588)])
        reason = "the format does not say what nanoseconds outside of a day are to a reader"
        yield _broken(f"numbers/int96-{name}", plan, None, "PQ-VALUE-013", either=reason, meant=False)
    nulls = leaf("x", Type.INT32, OPTIONAL, converted_type=24)
    yield _legal("numbers/null-of-parquet-cpp", table(nulls, [None, None]))


def _shapes() -> Iterator[Wild]:
    """Yield a repeated MAP, which the specification does not define."""
    entry = group("key_value", REPEATED, text("key"), leaf("value", Type.INT32, OPTIONAL))
    values = [[{"key_value": [{"key": b"a", "value": 1}]}], [], [{"key_value": []}, {"key_value": []}]]
    plan = table(group("x", REPEATED, entry), values)
    tamper = edit(footer=fields(schema=at(2, fields(converted_type=ConvertedType.MAP))))
    reason = "a group annotated as MAP must not be repeated; nothing says what it is then"
    yield _broken("shapes/repeated-map", plan, tamper, "PQ-MAP-007", either=reason, meant=False)


class _EmptyPage(Tamper):
    """Writes an empty data page behind a page of each chunk."""

    def __init__(self, after: int) -> None:
        self._after = after

    def page(self, place: Place, data: bytes) -> bytes:
        """Add an empty page."""
        if place.page != self._after:
            return data
        inner = DataPageHeader(
            num_values=0,
            encoding=Encoding.PLAIN,
            definition_level_encoding=Encoding.RLE,
            repetition_level_encoding=Encoding.RLE,
        )
        header = PageHeader(
            type=PageType.DATA_PAGE, uncompressed_page_size=0, compressed_page_size=0, data_page_header=inner
        )
        return data + thrift.encode(header)

    def chunk(self, place: Place, chunk: ColumnChunk) -> ColumnChunk:  # noqa: ARG002 - as declared
        """Count the header in the size before compression, too."""
        meta = chunk.meta_data
        assert meta is not None
        return replace(chunk, meta_data=replace(meta, total_uncompressed_size=meta.total_compressed_size))


def _pages() -> Iterator[Wild]:
    """Yield chunks with an empty page at the end, or in between: num_values of a page may be 0."""
    plan = table(leaf("x", Type.INT32, REQUIRED), range(7), Column((Page(3),)))
    for name, after in {"last": 2, "between": 0}.items():
        yield _legal(f"pages/empty-{name}", plan, _EmptyPage(after))
    plan = table(leaf("x", Type.INT32, OPTIONAL), (1, None, 3, 4, None, 6, 7), Column((Page(3),)))
    yield _broken("pages/empty-without-levels", plan, _EmptyPage(2), "PQ-RLE-001")


def _streams() -> Iterator[Wild]:
    """Yield pages with bytes behind the end of a compressed stream, which shows where it ends."""
    behind = edit(stored=lambda data: data + bytes(8))
    for codec in (CompressionCodec.SNAPPY, CompressionCodec.GZIP, CompressionCodec.ZSTD):
        plan = table(leaf("x", Type.INT64, OPTIONAL), (1, None, 3, 4, 4, 4), Column((Page(3),), codec))
        yield _broken(f"streams/bytes-behind-{codec.name.lower()}", plan, behind, "PQ-CODEC-003")


def _keys() -> Iterator[Wild]:
    """Yield key-value metadata that say something about columns beside the schema."""
    point = struct.pack("<BIdd", 1, 1, 1.5, -2.5)
    column = '{"encoding": "WKB", "geometry_types": ["Point"]}'
    geo = f'{{"version": "1.0.0", "primary_column": "x", "columns": {{"x": {column}}}}}'
    plan = table(leaf("x", Type.BYTE_ARRAY, OPTIONAL), [point, None], key_value_metadata=(("geo", geo),))
    yield _legal("keys/geoparquet-1", plan)
    spark = (
        '{"type":"struct","fields":[{"name":"row","type":"integer","nullable":true,"metadata":{}},'
        '{"name":"x","type":"variant","nullable":true,"metadata":{}}]}'
    )
    field = group("x", OPTIONAL, leaf("value", Type.BYTE_ARRAY), leaf("metadata", Type.BYTE_ARRAY))
    values = [
        {"value": b"\x0c\x01", "metadata": b"\x01\0\0"},
        None,
        {"value": b"\0", "metadata": b"\x01\0\0"},
    ]
    pairs = (("org.apache.spark.sql.parquet.row.metadata", spark), ("org.apache.spark.version", "4.0.0"))
    yield _legal("keys/variant-of-spark", table(field, values, key_value_metadata=pairs))
