"""The tables that engines write as ORC: those of `tables.py` whose types ORC has, in ORC's layouts.

ORC has no unsigned integers, half floats, times of day or untyped columns. Its timestamps count nanoseconds,
so a table with coarser timestamps is written and expected in nanoseconds. ORC cannot store most moments of
the last second before 1970 (ORCv1.md, Timestamp Columns); these tables have them one second earlier.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from corpora.tables import WRITER_TABLES, WriterTable
from corpora.tagged import NANOSECONDS, Table, Type, Value, timestamp

_LACKS = ("null", "time")
_SECOND = 10**9


class OrcLayout(NamedTuple):
    """Physical options of a file, for the protocol's `write`; `codec` as orc_proto names it.

    `row_group_rows`: rows of a stripe. `indexed`: a short row index stride and Bloom filters.
    """

    codec: str
    dictionary: bool
    row_group_rows: int = 1_000_000
    indexed: bool = False

    @property
    def name(self) -> str:
        """Return a slug, such as `zlib-dictionary` or `zstd-plain-indexed`."""
        return (
            f"{self.codec.lower()}-{'dictionary' if self.dictionary else 'plain'}{'-indexed' * self.indexed}"
        )

    @property
    def features(self) -> tuple[str, ...]:
        """Return the features of the layout."""
        return ()

    def options(self) -> dict[str, Any]:
        """Return the `options` of the protocol's `write`."""
        return self._asdict()


ORC_LAYOUTS = (
    OrcLayout("UNCOMPRESSED", dictionary=True),
    OrcLayout("ZLIB", dictionary=False, row_group_rows=7_000),
    OrcLayout("SNAPPY", dictionary=True, row_group_rows=7_000),
    OrcLayout("ZSTD", dictionary=False),
    OrcLayout("LZ4", dictionary=True),
    OrcLayout("UNCOMPRESSED", dictionary=False, indexed=True),
    OrcLayout("ZLIB", dictionary=True, row_group_rows=400, indexed=True),
)


def _fits(type_: Type) -> bool:
    lacking = type_.kind in _LACKS or type_.signed is False or (type_.kind, type_.bits) == ("float", 16)
    return not lacking and all(_fits(child.type) for child in type_.children)


def _type(type_: Type) -> Type:
    if type_.kind == "timestamp":
        return timestamp("ns", utc=bool(type_.utc))
    return replace(type_, children=tuple(child._replace(type=_type(child.type)) for child in type_.children))


def _values(type_: Type, values: Sequence[Value]) -> Sequence[Value]:
    """Return the values of a column in its ORC type; the tables have no nested timestamps."""
    if type_.kind != "timestamp":
        return values
    unit = NANOSECONDS[str(type_.unit)]
    return [None if value is None else _moment(int(str(value)) * unit) for value in values]


def _moment(nanos: int) -> str:
    return str(nanos - _SECOND if -_SECOND < nanos < 0 else nanos)


def _tables() -> Iterator[WriterTable]:
    for source in WRITER_TABLES:
        fields = source.table.columns
        if all(_fits(field.type) for field in fields):
            columns = [_values(field.type, source.table.column(at)) for at, field in enumerate(fields)]
            types = [(field.name, _type(field.type)) for field in fields]
            yield WriterTable(source.name, (), Table.of(types, columns, source.table.num_rows))


ORC_TABLES = tuple(_tables())
