"""Reading a column chunk as far as possible, with the values that the rules need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

from reference_impl.errors import LimitExceeded, ReferenceError_, located
from reference_impl.parquet import chunk as chunks
from reference_impl.parquet import chunk_begin, chunk_end, levels
from reference_impl.parquet.encryption.opening import ChunkCipher
from reference_impl.parquet.levels import LeafData
from reference_impl.parquet.orders import Order, order_of
from reference_impl.parquet.page import Entries
from reference_impl.parquet.page_structs import DataPageHeader, DataPageHeaderV2
from reference_impl.parquet.page_walk import Page, crc_errors, walk
from reference_impl.parquet.schema import ColumnChunk, ColumnMetaData, PageType, RowGroup
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Values
from reference_impl.parquet.validate.decoding import Inspecting, Noting
from reference_impl.parquet.validate.measure import Measure, joined, measure
from reference_impl.parquet.validate.opened import Opened
from reference_impl.validation import Report


@dataclass
class DataPage:
    """A decoded data page; its first entry belongs to the row `first_row` of the row group."""

    number: int
    page: Page
    header: DataPageHeader | DataPageHeaderV2
    entries: Entries
    first_row: int
    rows: int
    begins_row: bool

    @property
    def nulls(self) -> int:
        """The number of entries without a value."""
        return self.entries.count - len(self.entries.values)


@dataclass
class Chunk:
    """A column chunk with sound metadata.

    `pages` are all pages in the order of the file, their bodies as stored, as far as headers could be read;
    `data` the data pages that were decoded. `walked`: all headers could be read. `whole`: every data page
    was decoded, so that `data` can be compared with the metadata of the chunk.
    """

    file: Opened
    row_group: int
    node: Node
    group: RowGroup
    chunk: ColumnChunk
    meta: ColumnMetaData
    start: int
    stop: int
    pages: list[Page] = field(default_factory=list)
    data: list[DataPage] = field(default_factory=list)
    dictionary: Values | None = None
    walked: bool = True
    whole: bool = True
    leaf: LeafData | None = None

    @property
    def path(self) -> tuple[str, ...]:
        """The fields that lead to the chunk."""
        return (f"row_groups[{self.row_group}]", f"column {'.'.join(self.node.path)}")

    @property
    def name(self) -> str:
        """The name of the chunk in messages."""
        return f"{'.'.join(self.node.path)} in row group {self.row_group}"

    @property
    def at(self) -> int | None:
        """The offset of its metadata."""
        return self.meta.begin

    @property
    def data_pages(self) -> list[Page]:
        """The data pages, decoded or not."""
        return [page for page in self.pages if page.header.type in chunks.DATA_PAGES]

    @property
    def dictionary_page(self) -> Page | None:
        """The dictionary page, at any place."""
        return next((page for page in self.pages if page.header.type == PageType.DICTIONARY_PAGE), None)

    @cached_property
    def order(self) -> Order:
        """The order of the column, UNDEFINED if the file has none."""
        return order_of(self.node, self.file.order(self.node.index))

    @cached_property
    def measures(self) -> list[Measure]:
        """The measure of each decoded data page, in the column's order."""
        return [measure(self.node, self.order, page.entries.values) for page in self.data]

    @cached_property
    def measure(self) -> Measure:
        """The measure of all decoded values of the chunk."""
        return joined(self.order, self.measures)

    @property
    def nulls(self) -> int:
        """The number of entries without a value."""
        return sum(page.nulls for page in self.data)

    def forget(self, *, values: bool) -> None:
        """Release the decoded pages, and with `values` the values of the chunk too."""
        self.data.clear()
        self.dictionary = None
        self.pages = [replace(page, body=page.body[:0], sealed=None) for page in self.pages]
        if values:
            self.leaf = None


def scan(file: Opened, row_group: int, node: Node, report: Report) -> Chunk | None:
    """Read a chunk; return None if its metadata does not allow that."""
    group = file.metadata.row_groups[row_group]
    try:
        meta = file.column_metadata(row_group, node.index)
        with located(f"row_groups[{row_group}]", f"column {'.'.join(node.path)}"):
            start, stop = chunk_begin.extent(file.data, meta, file.footer_start)
    except ReferenceError_ as error:
        report.note(error)
        return None
    chunk = Chunk(file, row_group, node, group, group.columns[node.index], meta, start, stop)
    with _watched(chunk, report):
        _Scanner(chunk, report).run()
    return chunk


@contextmanager
def _watched(chunk: Chunk, report: Report) -> Iterator[None]:
    """Note the error that ends the block; the chunk is then not whole."""
    try:
        yield
    except ReferenceError_ as error:
        chunk.whole = False
        report.note(error, chunk.path)


class _Scanner:
    """Decodes page by page, up to the first page that cannot be decoded."""

    def __init__(self, chunk: Chunk, report: Report) -> None:
        self.chunk = chunk
        self.report = report
        self.first_row = 0
        self.entries = 0

    def run(self) -> None:
        chunk = self.chunk
        try:
            cipher = chunk.file.chunk_cipher(chunk.row_group, chunk.node.index)
            self._walk(cipher)
        except ReferenceError_ as error:
            chunk.walked = False
            self.report.note(error, chunk.path)
        chunk.whole = chunk.walked
        with _watched(chunk, self.report):
            self._decode()
        if chunk.whole:
            with _watched(chunk, self.report):
                self._compare()

    def _walk(self, cipher: ChunkCipher | None) -> None:
        """Collect the pages; a chunk whose size leaves some of them out ends where its pages end."""
        chunk, failure = self.chunk, None
        try:
            self._collect(cipher)
        except ReferenceError_ as error:
            failure = error
        if failure is None and sum(page.values for page in chunk.pages) >= chunk.meta.num_values:
            return
        extent = (chunk.start, chunk.stop, chunk.file.behind_chunk(chunk.start))
        mended = chunk_end.mended(chunk.file.data, extent, chunk.meta, cipher)
        if mended is not None:
            chunk.stop, breach = mended
            self.report.note(breach, chunk.path)
            self._collect(cipher)
        elif failure is not None:
            raise failure

    def _collect(self, cipher: ChunkCipher | None) -> None:
        chunk = self.chunk
        chunk.pages.clear()
        raw = bytes(chunk.file.data[chunk.start : chunk.stop])

        def note(rule: str, at: int, message: str) -> None:
            self.report.add(rule, (*chunk.path, *notes.path), at, message)

        notes = Noting(note)
        chunk.pages.extend(walk(raw, chunk.start, cipher, verify_crc=False, notes=notes))

    def _decode(self) -> None:
        chunk = self.chunk
        decoder = Inspecting(chunk.node, chunk.meta.codec, chunk.file.limits)
        for number, page in enumerate(chunk.pages):
            try:
                with located(f"page[{number}]"):
                    self._page(decoder, page, number)
            finally:
                self._odd(decoder, number)

    def _page(self, decoder: Inspecting, page: Page, number: int) -> None:
        chunk = self.chunk
        self._sound(crc_errors(page), number)
        if page.header.type == PageType.DICTIONARY_PAGE:
            if self._sound(chunks.dictionary_errors(page, number), number):
                decoder.load_dictionary(page)
                chunk.dictionary = decoder.dictionary
        elif page.header.type in chunks.DATA_PAGES and chunk.whole:
            self._data(decoder, page, number)

    def _odd(self, decoder: Inspecting, number: int) -> None:
        """Note the unusual features of a page, even if its decoding fails because of them."""
        for oddity in decoder.oddities:
            where = (*self.chunk.path, f"page[{number}]")
            self.report.add(oddity.rule, where, oddity.offset, oddity.message)
        decoder.oddities.clear()

    def _sound(self, errors: Iterable[ReferenceError_], number: int) -> bool:
        """Note the errors of a page, behind which nothing that follows from its values is checked."""
        sound = self.report.note_all(errors, (*self.chunk.path, f"page[{number}]"))
        self.chunk.whole &= sound
        return sound

    def _data(self, decoder: Inspecting, page: Page, number: int) -> None:
        chunk = self.chunk
        self.report.note_all(chunks.encoding_errors(page, chunk.meta), (*chunk.path, f"page[{number}]"))
        entries = decoder.entries(page)
        header = page.header.data_page_header or page.header.data_page_header_v2
        assert header is not None
        self.entries += entries.count
        if self.entries > chunk.file.limits.values:
            raise LimitExceeded(f"more than {chunk.file.limits.values} values", offset=page.offset)
        begins = True
        rows = entries.count
        if entries.repetition is not None:
            rows = int((entries.repetition == 0).sum())
            begins = not entries.count or bool(entries.repetition[0] == 0)
        first = self.first_row if begins else self.first_row - 1
        chunk.data.append(DataPage(number, page, header, entries, first, rows, begins))
        self.first_row += rows

    def _compare(self) -> None:
        """Compare the entries with the metadata."""
        chunk, report = self.chunk, self.report
        leaf = chunks.join(chunk.node, [page.entries for page in chunk.data])
        report.note_all(chunks.count_errors(chunk.meta, leaf.count), chunk.path)
        levels.check(leaf, chunk.file.ancestors(chunk.node))
        report.note_all(chunks.value_errors(leaf, chunk.start), chunk.path)
        errors = chunks.row_errors(self.first_row, chunk.group.num_rows, chunk.start)
        if report.note_all(errors, chunk.path):
            chunk.leaf = leaf
