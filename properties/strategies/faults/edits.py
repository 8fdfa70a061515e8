"""The plans, edits and scenes from which faults of Parquet are built.

Files of faults have a column `row` that counts from 0, so that an engine that accepts such a file shows which
rows it lost or invented, and a column `x` (leaf 1), which holds the fault unless the fault says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from corpora.build.recipe import Elements, leaf, schema
from properties.strategies.faults.edit import Change, Edit, Part, Scene, Visitor
from properties.strategies.faults.fault import at, fields
from reference_impl.parquet.page_structs import (
    BloomFilterHeader,
    DataPageHeader,
    DataPageHeaderV2,
    DictionaryPageHeader,
    PageHeader,
)
from reference_impl.parquet.plan import Column, FilePlan, Index, Page, Row
from reference_impl.parquet.schema import ColumnChunk, FieldRepetitionType, FileMetaData, RowGroup, Type
from reference_impl.parquet.tamper import Place, Tamper
from reference_impl.parquet.tree import Node, build
from reference_impl.parquet.writer import write

REQUIRED, OPTIONAL, REPEATED = FieldRepetitionType
ROW = leaf("row", Type.INT32)
X = Place(0, 1)


class _Visitor(Visitor):
    """The two methods of `Tamper` that take more than a place and an item."""

    def section(self, place: Place, name: str, data: bytes) -> bytes:
        """Visit a section of a page by the section's own name."""
        section: bytes = self.visit(name, (place,), data)
        return section

    def bloom(
        self, place: Place, header: BloomFilterHeader, bitset: bytes
    ) -> tuple[BloomFilterHeader, bytes]:
        """Visit a Bloom filter as a pair."""
        pair: tuple[BloomFilterHeader, bytes] = self.visit("bloom", (place,), (header, bitset))
        return pair


class ParquetEdit(Edit, _Visitor, Tamper):
    """Changes items of a page, its chunk, its row group, or the file."""

    parts: ClassVar[Mapping[str, Part]] = {
        # A schema element of the footer: that of the leaf in a schema without groups, behind the root.
        "element": lambda place, change: ("footer", fields(schema=at(place.leaf + 1, change))),
        "column_order": lambda place, change: ("footer", fields(column_orders=at(place.leaf, change))),
        # A chunk's metadata as in the footer, with the places of its indexes and its Bloom filter.
        "placed_chunk": lambda place, change: ("row_group", fields(columns=at(place.leaf, change))),
    }

    def is_here(self, name: str, *where: Any) -> bool:
        """Return whether an item is of the page, its chunk or its row group, or of the file."""
        if name in ("chunk", "bloom", "column_index", "offset_index"):
            return bool(where[0][:2] == self.at[:2])
        return not where or where[0] in (self.at, self.at.row_group)


def edit(place: Place = X, **changes: Change) -> Tamper:
    """Return a tamper that applies these changes, named like methods of `Tamper`, sections, or parts."""
    return ParquetEdit(place, changes)


class ParquetScene(Scene, _Visitor, Tamper):
    """The items of a file that is written; places are those of `Tamper`."""

    @property
    def headers(self) -> dict[Place, PageHeader]:
        """The headers of data pages and dictionary pages: those of index pages have nothing to break."""
        seen: dict[Place, PageHeader] = self.seen["page_header"]
        return {place: header for place, header in seen.items() if header.index_page_header is None}

    @property
    def values(self) -> dict[Place, bytes]:
        """The values of pages, encoded."""
        return self.seen["values"]

    @property
    def chunks(self) -> dict[Place, ColumnChunk]:
        """The metadata of chunks, as in the footer."""
        groups: dict[int, RowGroup] = self.seen["row_group"]
        return {
            Place(number, leaf): chunk
            for number, group in groups.items()
            for leaf, chunk in enumerate(group.columns)
        }

    @property
    def file_metadata(self) -> FileMetaData:
        """The footer."""
        footer: FileMetaData = self.seen["footer"][None]
        return footer

    @property
    def leaves(self) -> list[Node]:
        """The leaf columns."""
        return list(build(list(self.plan.schema)).leaves())

    def data_header(self, place: Place) -> DataPageHeader | DataPageHeaderV2 | DictionaryPageHeader:
        """Return the header inside of the header of a page."""
        header = self.headers[place]
        inner = header.data_page_header or header.data_page_header_v2 or header.dictionary_page_header
        assert inner is not None
        return inner


def watch(plan: FilePlan) -> ParquetScene:
    """Return the items that a plan is written as."""
    scene = ParquetScene(plan)
    write(plan, scene)
    return scene


def data_header(**changes: Any) -> Change:
    """Return the change of the header of a data page or dictionary page inside of a page header."""

    def change(header: PageHeader) -> PageHeader:
        names = ("data_page_header", "data_page_header_v2", "dictionary_page_header")
        name = next(name for name in names if getattr(header, name) is not None)
        return replace(header, **{name: fields(**changes)(getattr(header, name))})

    return change


def metadata(**changes: Any) -> Change:
    """Return the change of fields of the ColumnMetaData of a chunk."""
    return fields(meta_data=fields(**changes))


def table(field: Elements, values: Sequence[Any], column: Column | None = None, **more: Any) -> FilePlan:
    """Return the plan of a file of `row` and a field with these values; `column` lays out all its leaves."""
    rows: list[Row] = [{"row": number, field[0].name: value} for number, value in enumerate(values)]
    count = sum(element.type is not None for element in field)
    return FilePlan(schema(ROW, field), tuple(rows), (Column(), *[column or Column()] * count), **more)


def ints(values: Sequence[int | None] = (1, 2, 3), column: Column | None = None, **more: Any) -> FilePlan:
    """Return the plan of a file with an INT32 column `x`, optional if a value is None."""
    repetition = OPTIONAL if None in values else REQUIRED
    return table(leaf("x", Type.INT32, repetition), values, column, **more)


PAGED = Column((Page(2),), index=Index())
TWO_PAGES = ints((1, 2, 3), PAGED)
FOUR_ROWS = ints((1, 2, 5, 7), PAGED)
LISTS = table(
    leaf("x", Type.INT32, REPEATED), ([1], [2, 3]), Column((Page(1),), index=Index(histograms=True))
)
