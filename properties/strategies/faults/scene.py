"""What a plan is written as, and so where in it a rule can be broken."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from properties.strategies.faults.fault import edit
from reference_impl.parquet.schema import (
    DataPageHeader,
    DataPageHeaderV2,
    DictionaryPageHeader,
    FileMetaData,
)
from reference_impl.parquet.tamper import Place, Tamper
from reference_impl.parquet.writer import write

if TYPE_CHECKING:
    from collections.abc import Callable

    from properties.strategies.faults.common import Change
    from reference_impl.parquet.plan import FilePlan
    from reference_impl.parquet.schema import (
        BloomFilterHeader,
        ColumnChunk,
        ColumnIndex,
        OffsetIndex,
        PageHeader,
        RowGroup,
    )

T = TypeVar("T")
DataHeader = DataPageHeader | DataPageHeaderV2 | DictionaryPageHeader


@dataclass
class Scene:
    """What a plan was written as; places are those of `Tamper`."""

    plan: FilePlan
    headers: dict[Place, PageHeader] = field(default_factory=dict)
    values: dict[Place, bytes] = field(default_factory=dict)
    chunks: dict[Place, ColumnChunk] = field(default_factory=dict)
    column_indexes: dict[Place, ColumnIndex] = field(default_factory=dict)
    offset_indexes: dict[Place, OffsetIndex] = field(default_factory=dict)
    blooms: dict[Place, bytes] = field(default_factory=dict)
    footer: FileMetaData | None = None

    def data_header(self, place: Place) -> DataHeader:
        """Return the header inside of the header of a page."""
        header = self.headers[place]
        found = header.data_page_header or header.data_page_header_v2 or header.dictionary_page_header
        assert found is not None
        return found


class Watch(Tamper):
    """Changes nothing, and keeps what it sees."""

    def __init__(self, plan: FilePlan) -> None:
        self.scene = Scene(plan)

    def section(self, place: Place, name: str, data: bytes) -> bytes:
        """See a section."""
        if name == "values":
            self.scene.values[place] = data
        return data

    def page_header(self, place: Place, header: PageHeader) -> PageHeader:
        """See the header of a page."""
        return self._seen(self.scene.headers, place, header)

    def column_index(self, place: Place, index: ColumnIndex) -> ColumnIndex:
        """See a column index."""
        return self._seen(self.scene.column_indexes, place, index)

    def offset_index(self, place: Place, index: OffsetIndex) -> OffsetIndex:
        """See an offset index."""
        return self._seen(self.scene.offset_indexes, place, index)

    def bloom(
        self, place: Place, header: BloomFilterHeader, bitset: bytes
    ) -> tuple[BloomFilterHeader, bytes]:
        """See a Bloom filter."""
        self.scene.blooms[place] = bitset
        return header, bitset

    def row_group(self, number: int, group: RowGroup) -> RowGroup:
        """See the chunks of a row group, when all places are known."""
        for leaf, chunk in enumerate(group.columns):
            self.scene.chunks[Place(number, leaf)] = chunk
        return group

    def footer(self, metadata: FileMetaData) -> FileMetaData:
        """See the footer."""
        self.scene.footer = metadata
        return metadata

    @staticmethod
    def _seen(found: dict[Place, T], place: Place, item: T) -> T:
        found[place] = item
        return item


def watch(plan: FilePlan) -> Scene:
    """Return what a plan is written as."""
    seen = Watch(plan)
    write(plan, seen)
    return seen.scene


@dataclass(frozen=True)
class Kind:
    """A way to break a rule: at which places of a scene it can be done, and the changes that do it."""

    rule: str
    what: str
    places: Callable[[Scene], list[Place]]
    changes: Callable[[Scene, Place], dict[str, Change]]

    def tamper(self, scene: Scene, place: Place) -> Tamper:
        """Return what breaks the rule at a place."""
        return edit(place, **self.changes(scene, place))
