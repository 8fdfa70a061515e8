"""False statistics, Bloom filters and indexes: a reader that trusts them loses rows.

A reader of all rows must return all rows. A filter may return all matching rows, return the rows that the
false statistics leave, or be refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from corpora import tagged
from corpora.build.recipe import Recipe, column_plan, leaf, text
from corpora.queries import Compare, Filter
from corpora.tagged import Value
from reference_impl.parquet.page_structs import BloomFilterHeader, ColumnIndex
from reference_impl.parquet.plan import Bloom, Column, Index, Page, Statistics
from reference_impl.parquet.schema import RowGroup, Type
from reference_impl.parquet.tamper import Place, Tamper

_ROWS = 20
_EITHER = (
    "a reader of all rows need not read the false metadata; a reader that skips rows by them loses rows; "
    "both may refuse the file"
)
_NOTES = {
    "statistics": "the statistics of the first {rows} rows are false",
    "bloom": "the Bloom filter of the first {rows} rows lacks their values",
    "column-index": "the bounds of the first {rows} rows in the column index are false",
}
_INT, _TEXT = "int32", "string"


@dataclass(frozen=True)
class _Lies(Tamper):
    """Falsifies the first row group: bounds of its chunk or of its first page, or its filter."""

    low: bytes
    high: bytes
    about: str

    def bloom(
        self, place: Place, header: BloomFilterHeader, bitset: bytes
    ) -> tuple[BloomFilterHeader, bytes]:
        clear = self.about == "bloom" and place.row_group == 0
        return header, bytes(len(bitset)) if clear else bitset

    def column_index(self, place: Place, index: ColumnIndex) -> ColumnIndex:
        if self.about != "column-index":
            return index
        assert place.row_group == 0
        return replace(
            index, min_values=[self.low, *index.min_values[1:]], max_values=[self.high, *index.max_values[1:]]
        )

    def row_group(self, number: int, group: RowGroup) -> RowGroup:
        if self.about != "statistics" or number:
            return group
        (chunk,) = group.columns
        meta = chunk.meta_data
        assert meta is not None
        assert meta.statistics is not None
        moved = replace(meta.statistics, min_value=self.low, max_value=self.high)
        return replace(group, columns=[replace(chunk, meta_data=replace(meta, statistics=moved))])


def recipes() -> Iterator[Recipe]:
    """Yield false statistics of chunks, filters and pages, each for integers and for texts."""
    whole, filtered = Column(statistics=Statistics()), Column(statistics=Statistics(), bloom=Bloom(1))
    paged = Column((Page(5),), statistics=Statistics(), index=Index())
    rising = tuple(range(_ROWS))
    mixed = (*range(0, _ROWS, 2), *range(1, _ROWS, 2))
    for kind in (_INT, _TEXT):
        yield _recipe("statistics", kind, "PQ-STATS-004", rising, whole, range(10))
        yield _recipe("bloom", kind, "PQ-BLOOM-005", mixed, filtered, range(10))
        yield _recipe("column-index", kind, "PQ-INDEX-010", rising, paged, range(5))


def _recipe(  # noqa: PLR0917 - the parts of false statistics
    about: str, kind: str, rule: str, numbers: tuple[int, ...], layout: Column, hidden: range
) -> Recipe:
    """Return a file of numbers, or of their texts; `hidden` are the rows with false statistics."""
    groups = (_ROWS,) if about == "column-index" else (_ROWS // 2, _ROWS // 2)
    values = [_value(kind, number) for number in numbers]
    field = leaf("x", Type.INT32) if kind == _INT else text("x")
    plan = column_plan(field, values, layout, row_groups=groups)
    first, other = numbers[3], numbers[12]
    queries = [(_filter("=", kind, number), [numbers.index(number)]) for number in (first, other)]
    if about != "bloom":
        queries.append((_filter("<", kind, 4), [0, 1, 2, 3]))
    lies = tuple((query, tuple(row for row in ordinals if row not in hidden)) for query, ordinals in queries)
    low, high = (_stored(kind, number) for number in (100, 109))
    return Recipe(
        f"lies/{about}/{kind}",
        plan,
        {"statistics": "parquet.thrift, Statistics", "bloom": "BloomFilter.md"}.get(about, "PageIndex.md"),
        notes=_NOTES[about].format(rows=len(hidden)),
        tamper=_Lies(low, high, about),
        refuse=rule,
        either=_EITHER,
        lies=lies,
    )


def _value(kind: str, number: int) -> int | bytes:
    return number if kind == _INT else f"v{number:03}".encode()


def _stored(kind: str, number: int) -> bytes:
    return number.to_bytes(4, "little") if kind == _INT else f"v{number:03}".encode()


def _filter(op: str, kind: str, number: int) -> Filter:
    value: Value = str(number) if kind == _INT else f"v{number:03}"
    type_ = tagged.integer(32) if kind == _INT else tagged.STRING
    return Filter(Compare(("x",), op, type_, value))
