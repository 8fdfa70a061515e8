"""The short words that faults of Parquet are written with.

Files of faults have a column `row` that counts from 0, so that an engine that accepts such a file shows which
rows it lost or made up, and a column `x` (leaf 1): that is the wrong one unless a fault says otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from corpora.build.recipe import leaf, schema
from properties.strategies.faults.common import at, fields
from reference_impl.parquet.plan import Column, FilePlan, Row
from reference_impl.parquet.schema import FieldRepetitionType, Type
from reference_impl.parquet.tamper import Place, Tamper

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpora.build.recipe import Elements
    from properties.strategies.faults.common import Change
    from reference_impl.parquet.schema import (
        BloomFilterHeader,
        ColumnChunk,
        ColumnIndex,
        FileMetaData,
        OffsetIndex,
        PageHeader,
        RowGroup,
    )

T = TypeVar("T")
REQUIRED, OPTIONAL, REPEATED = FieldRepetitionType
ROW = leaf("row", Type.INT32)
X = Place(0, 1)


class Edit(Tamper):
    """Changes things by functions that have the names of `Tamper`'s methods, sections of pages their own.

    Those of a page are called for the page `at`, those of a chunk for its chunk; `bloom` takes a pair.
    """

    def __init__(self, at: Place, changes: dict[str, Change]) -> None:
        self.at = at
        self.changes = changes

    def section(self, place: Place, name: str, data: bytes) -> bytes:
        """Change a section."""
        return self._page(name, place, data)

    def stored(self, place: Place, data: bytes) -> bytes:
        """Change what is stored."""
        return self._page("stored", place, data)

    def page_header(self, place: Place, header: PageHeader) -> PageHeader:
        """Change a page header."""
        return self._page("page_header", place, header)

    def page(self, place: Place, data: bytes) -> bytes:
        """Change a page."""
        return self._page("page", place, data)

    def chunk(self, place: Place, chunk: ColumnChunk) -> ColumnChunk:
        """Change a chunk's metadata."""
        return self._chunk("chunk", place, chunk)

    def bloom(
        self, place: Place, header: BloomFilterHeader, bitset: bytes
    ) -> tuple[BloomFilterHeader, bytes]:
        """Change a Bloom filter."""
        return self._chunk("bloom", place, (header, bitset))

    def column_index(self, place: Place, index: ColumnIndex) -> ColumnIndex | None:
        """Change a column index."""
        return self._chunk("column_index", place, index)

    def offset_index(self, place: Place, index: OffsetIndex) -> OffsetIndex | None:
        """Change an offset index."""
        return self._chunk("offset_index", place, index)

    def row_group(self, number: int, group: RowGroup) -> RowGroup:
        """Change a row group."""
        return self._do("row_group", group, here=number == self.at.row_group)

    def footer(self, metadata: FileMetaData) -> FileMetaData:
        """Change the footer."""
        return self._do("footer", metadata)

    def footer_bytes(self, data: bytes) -> bytes:
        """Change the footer's bytes."""
        return self._do("footer_bytes", data)

    def whole(self, data: bytes) -> bytes:
        """Change the file."""
        return self._do("whole", data)

    def _page(self, name: str, place: Place, item: T) -> T:
        return self._do(name, item, here=place == self.at)

    def _chunk(self, name: str, place: Place, item: T) -> T:
        return self._do(name, item, here=place[:2] == self.at[:2])

    def _do(self, name: str, item: T, *, here: bool = True) -> T:
        change = self.changes.get(name)
        changed: T = change(item) if change and here else item
        return changed


def edit(place: Place = X, **changes: Change) -> Tamper:
    """Return a tamper that applies these changes, by the names that `Edit` has."""
    return Edit(place, changes)


def data_header(**changes: Any) -> Change:
    """Change fields of the header of a data page (v1 or v2) or dictionary page inside of a page header."""

    def change(header: PageHeader) -> PageHeader:
        names = ("data_page_header", "data_page_header_v2", "dictionary_page_header")
        name = next(name for name in names if getattr(header, name) is not None)
        return replace(header, **{name: fields(**changes)(getattr(header, name))})

    return change


def metadata(**changes: Any) -> Change:
    """Change fields of the ColumnMetaData inside of a chunk."""
    return fields(meta_data=fields(**changes))


def chunk_of(leaf: int, **changes: Any) -> Change:
    """Change fields of a ColumnChunk inside of a row group, when all places are known."""
    return fields(columns=at(leaf, fields(**changes)))


def chunk(**changes: Any) -> Change:
    """Change fields of the ColumnChunk of `x` inside of a row group, when all places are known."""
    return chunk_of(X.leaf, **changes)


def element_at(number: int, **changes: Any) -> Change:
    """Change fields of a schema element inside of the footer; 0 is the root."""
    return fields(schema=at(number, fields(**changes)))


def element(**changes: Any) -> Change:
    """Change fields of the schema element of `x` inside of the footer."""
    return element_at(2, **changes)


def table(field: Elements, values: Sequence[Any], column: Column | None = None, **more: Any) -> FilePlan:
    """Return the plan of a file of `row` and a field with these values; `column` lays out all its leaves."""
    rows: list[Row] = [{"row": number, field[0].name: value} for number, value in enumerate(values)]
    count = sum(one.type is not None for one in field)
    return FilePlan(schema(ROW, field), tuple(rows), (Column(), *[column or Column()] * count), **more)


def ints(values: Sequence[int | None] = (1, 2, 3), column: Column | None = None, **more: Any) -> FilePlan:
    """Return the plan of a file with an INT32 column `x`, optional if a value is None."""
    repetition = OPTIONAL if None in values else REQUIRED
    return table(leaf("x", Type.INT32, repetition), values, column, **more)
