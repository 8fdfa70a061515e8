"""The reference implementation as an engine. Unlike the other adapters it may use numpy and Python 3.11."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from corpora import tagged
from corpora.answers import answer, take
from corpora.queries import OF_VARIANTS, Filter, Project, RowGroup
from corpora.tagged import Table, Value
from harness.engines.base import Engine
from harness.engines.reference.files import open_file, open_keyed, with_material
from harness.engines.reference.orc import leaf
from harness.engines.reference.values import bits as _bits
from harness.engines.reference.values import numbers as _numbers
from harness.engines.reference.values import texts as _texts
from harness.version import __version__
from reference_impl.byte_arrays import ByteArrays
from reference_impl.columns import Column, LeafColumn, ListColumn, StructColumn, UnionColumn
from reference_impl.errors import LimitExceeded, Unsupported
from reference_impl.orc.types import TypeNode
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.schema import Type
from reference_impl.variant.columns import rows as rows_of
from reference_impl.variant.schema import is_variant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from corpora.queries import Query
    from reference_impl.columns import Table as Columns
    from reference_impl.orc.file import OrcFile
    from reference_impl.parquet.logical import Logical
    from reference_impl.parquet.tree import Node
    from reference_impl.parquet.types import Physical, Values

# Keys were given, and one is missing, or the AAD prefix: not for want of a feature is the file not read.
_LACKED = ("PQ-CRYPT-001", "PQ-CRYPT-002")
_JULIAN_EPOCH = 2_440_588  # the Julian day number of 1970-01-01, which INT96 timestamps count days from
_DAY_NANOS = 86_400_000_000_000


class Reference(Engine):
    """Reads exactly what the specification says is in the file."""

    name = "reference"
    no_keys = ""
    formats = ("parquet", "orc")
    queries = ("filter", "project", "row_group", "aggregate", *OF_VARIANTS)
    float_order = "ieee"  # what the specification's statistics leave a NaN out for
    aggregate_order = "ieee"

    def version(self) -> str:
        """Return colconf's own version."""
        return __version__

    def runtime(self) -> str:
        """Return the versions of Python and numpy."""
        return f"{super().runtime()}, numpy {np.__version__}"

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002 - interface
        """Read a whole file; raises the errors of `reference_impl.errors`."""
        return _tagged(open_keyed(file, format, with_material(file, self.keys)).read())

    def query_one(
        self,
        file: str,
        format: str,  # noqa: A002 - the protocol's word
        config: dict[str, str],
        query: Query,
    ) -> Table:
        """Return a query; a filter is of what pushdown leaves of the file."""
        opened = open_file(file, format, _tagged, with_material(file, self.keys))
        pushdown = config.get("pushdown", "on")
        if isinstance(query, Filter) and pushdown != "off":
            parts = list(opened.left(query.predicate, pushdown, self.float_order))
            return answer(query, _joined(parts or [_tagged(_read_parts(opened.file, []))]), self.float_order)
        if isinstance(query, RowGroup):
            return _tagged(_read_parts(opened.file, [query.number]))
        if isinstance(query, Project):
            whole = _tagged(opened.file.read(query.columns))
            return take(whole, range(whole.num_rows), query.columns)
        return answer(query, _tagged(opened.file.read()), self.float_order)

    def classify(self, error: BaseException) -> str:
        """Return which kind of protocol error an exception is."""
        if isinstance(error, Unsupported) and error.rule in _LACKED:
            return "refused"
        if isinstance(error, Unsupported) or super().classify(error) == "unsupported":
            return "unsupported"
        return "out_of_memory" if isinstance(error, (LimitExceeded, MemoryError)) else "refused"


def _read_parts(opened: ParquetFile | OrcFile, numbers: list[int]) -> Columns:
    """Read some row groups, or stripes."""
    if isinstance(opened, ParquetFile):
        return opened.read(row_groups=numbers)
    return opened.read(stripes=numbers)


def _tagged(table: Columns) -> Table:
    columns = [convert(column) for column in table.columns]
    names = [column.name for column in table.columns]
    types = [(name, type_) for name, (type_, _) in zip(names, columns, strict=True)]
    return Table.of(types, [values for _, values in columns], table.num_rows)


def _joined(parts: list[Table]) -> Table:
    fields = [(column.name, column.type) for column in parts[0].columns]
    columns = [[value for part in parts for value in part.column(at)] for at in range(len(fields))]
    return Table.of(fields, columns, sum(part.num_rows for part in parts))


def convert(column: Column) -> tuple[tagged.Type, list[Value]]:
    """Return the tagged type and values of a column."""
    if isinstance(column, LeafColumn):
        type_, values = _leaf(column.node, column.values)
        return type_, _spread(values, column.valid, column.length)
    if isinstance(column, StructColumn):
        return _struct(column)
    if isinstance(column, ListColumn):
        element, items = convert(column.element)
        return tagged.list_of(element), _cut(items, column.offsets, column.valid)
    if isinstance(column, UnionColumn):
        return _union(column)
    key_type, keys = convert(column.key)
    value_type, values = convert(column.value) if column.value else _nulls(len(keys))
    pairs = [list(pair) for pair in zip(keys, values, strict=True)]
    return tagged.map_of(key_type, value_type), _cut(pairs, column.offsets, column.valid)


def _nulls(count: int) -> tuple[tagged.Type, list[Value]]:
    return tagged.NULL, [None] * count


def _spread(values: list[Value], valid: NDArray[np.bool_] | None, length: int) -> list[Value]:
    """Put the non-null values where they belong."""
    if valid is None:
        return values
    out: list[Value] = [None] * length
    for at, value in zip(np.flatnonzero(valid).tolist(), values, strict=True):
        out[at] = value
    return out


def _cut(items: list[Any], offsets: NDArray[np.int64], valid: NDArray[np.bool_] | None) -> list[Value]:
    cuts = offsets.tolist()
    out: list[Value] = [items[start:stop] for start, stop in zip(cuts, cuts[1:], strict=False)]
    return (
        out if valid is None else [item if ok else None for item, ok in zip(out, valid.tolist(), strict=True)]
    )


def _struct(column: StructColumn) -> tuple[tagged.Type, list[Value]]:
    if is_variant(column):
        return tagged.Type("variant"), [row and [*map(tagged.binary, row)] for row in rows_of(column)]
    fields = [convert(field) for field in column.fields]
    rows: list[Value] = [list(row) for row in zip(*(values for _, values in fields), strict=True)]
    if not fields:
        rows = [[] for _ in range(column.length)]
    if column.valid is not None:
        rows = [row if ok else None for row, ok in zip(rows, column.valid.tolist(), strict=True)]
    names = [field.name for field in column.fields]
    types = [type_ for type_, _ in fields]
    return tagged.struct_of(list(zip(names, types, strict=True))), rows


def _union(column: UnionColumn) -> tuple[tagged.Type, list[Value]]:
    variants = [convert(variant) for variant in column.variants]
    held = [iter(values) for _, values in variants]
    values: list[Value] = [[str(tag), next(held[tag])] for tag in column.tags.tolist()]
    return tagged.union_of(type_ for type_, _ in variants), _spread(values, column.valid, column.length)


def _leaf(node: Node | TypeNode, values: Values) -> tuple[tagged.Type, list[Value]]:
    if isinstance(node, TypeNode):
        return leaf(node, values)
    physical, logical = node.physical, node.logical
    assert physical is not None
    if logical is None or logical.name == "NEW":
        return _plain(physical, values)
    return _LOGICAL[logical.name](logical, values)


def _plain(physical: Physical, values: Values) -> tuple[tagged.Type, list[Value]]:
    if isinstance(values, ByteArrays):
        return tagged.BYTES, [tagged.binary(raw) for raw in values]
    if physical.type == Type.BOOLEAN:
        return tagged.BOOL, values.tolist()
    if physical.type in (Type.INT32, Type.INT64):
        return tagged.integer(8 * physical.width), _numbers(values)
    if physical.type in (Type.FLOAT, Type.DOUBLE):
        return tagged.floating(8 * physical.width), _bits(values)
    return tagged.BYTES, list(_texts(values))


def _rows(values: Values) -> Iterator[bytes]:
    """Yield byte arrays, or the rows of an (n, width) uint8 array, one at a time."""
    if isinstance(values, ByteArrays):
        return iter(values)
    width, raw = values.shape[1], values.tobytes()
    return (raw[at * width : (at + 1) * width] for at in range(len(values)))


def _text(kind: str) -> Callable[[Logical, Values], tuple[tagged.Type, list[Value]]]:
    return lambda _, values: (tagged.Type(kind), [tagged.text(raw) for raw in _rows(values)])


def _binary(kind: str) -> Callable[[Logical, Values], tuple[tagged.Type, list[Value]]]:
    return lambda _, values: (tagged.Type(kind), [tagged.binary(raw) for raw in _rows(values)])


def _integer(logical: Logical, values: Values) -> tuple[tagged.Type, list[Value]]:
    assert not isinstance(values, ByteArrays)
    if not logical.signed:
        values = values.view(np.dtype(f"<u{values.dtype.itemsize}"))
    return tagged.integer(logical.bits, signed=logical.signed), _numbers(values)


def _decimal(logical: Logical, values: Values) -> tuple[tagged.Type, list[Value]]:
    type_ = tagged.decimal(logical.precision, logical.scale)
    if not isinstance(values, ByteArrays) and values.ndim == 1:
        return type_, _numbers(values)
    return type_, [str(int.from_bytes(raw, "big", signed=True)) for raw in _rows(values)]


def _count(type_: tagged.Type, values: Values) -> tuple[tagged.Type, list[Value]]:
    assert not isinstance(values, ByteArrays)
    return type_, _numbers(values)


def _float16(_: Logical, values: Values) -> tuple[tagged.Type, list[Value]]:
    return tagged.floating(16), [raw[::-1].hex() for raw in _rows(values)]


def _interval(_: Logical, values: Values) -> tuple[tagged.Type, list[Value]]:
    parts = [[int.from_bytes(raw[at : at + 4], "little") for at in (0, 4, 8)] for raw in _rows(values)]
    return tagged.INTERVAL, [[str(m), str(d), str(ms * 1_000_000)] for m, d, ms in parts]


def _int96(_: Logical, values: Values) -> tuple[tagged.Type, list[Value]]:
    """Write the nanoseconds of the day (first 8 bytes) and the Julian day (last 4) as one count."""
    out: list[Value] = []
    for raw in _rows(values):
        nanos = int.from_bytes(raw[:8], "little", signed=True)
        days = int.from_bytes(raw[8:], "little", signed=True) - _JULIAN_EPOCH
        out.append(str(days * _DAY_NANOS + nanos))
    return tagged.INT96, out


_LOGICAL: dict[str, Callable[[Logical, Values], tuple[tagged.Type, list[Value]]]] = {
    "STRING": _text("string"),
    "ENUM": _text("enum"),
    "JSON": _text("json"),
    "BSON": _binary("bson"),
    "UUID": _binary("uuid"),
    "GEOMETRY": _binary("geometry"),
    "GEOGRAPHY": _binary("geography"),
    "INTEGER": _integer,
    "DECIMAL": _decimal,
    "DATE": lambda _, values: _count(tagged.DATE, values),
    "TIME": lambda kind, values: _count(tagged.time(kind.unit, utc=kind.utc), values),
    "TIMESTAMP": lambda kind, values: _count(tagged.timestamp(kind.unit, utc=kind.utc), values),
    "FLOAT16": _float16,
    "INTERVAL": _interval,
    "INT96": _int96,
    "UNKNOWN": lambda _, values: _nulls(len(values)),
}
