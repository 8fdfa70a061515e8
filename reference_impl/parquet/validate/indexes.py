"""Checks of column indexes and offset indexes (PageIndex.md; parquet.thrift, ColumnIndex, OffsetIndex)."""

from __future__ import annotations

from reference_impl.parquet import index
from reference_impl.parquet.index import location_errors
from reference_impl.parquet.orders import Order, is_ordered, type_order
from reference_impl.parquet.page_structs import BoundaryOrder, ColumnIndex, OffsetIndex
from reference_impl.parquet.schema import PageType, Type
from reference_impl.parquet.validate import bounds
from reference_impl.parquet.validate.chunks import differs, histogram, unencoded
from reference_impl.parquet.validate.measure import Measure, is_float, measure
from reference_impl.parquet.validate.scan import Chunk
from reference_impl.validation import Report

_RULES = bounds.Rules(
    length="PQ-INDEX-007",
    valid="PQ-INDEX-008",
    crossed="PQ-INDEX-009",
    low="PQ-INDEX-010",
    high="PQ-INDEX-011",
    nan="PQ-INDEX-012",
    all_nan="PQ-INDEX-013",
    total="PQ-INDEX-014",
    zero_low="PQ-INDEX-015",
    zero_high="PQ-INDEX-016",
)


def check(chunk: Chunk, report: Report) -> None:
    """Check both indexes of a chunk against its pages."""
    where = (f"row_groups[{chunk.row_group}]", f"column {'.'.join(chunk.node.path)}")
    columns, offsets = None, None
    with report.noting(*where):
        columns = index.column_index(chunk.file, chunk.row_group, chunk.node.index)
    with report.noting(*where):
        offsets = index.offset_index(chunk.file, chunk.row_group, chunk.node.index)
    if chunk.chunk.column_index_offset is not None and chunk.chunk.offset_index_offset is None:
        report.add("PQ-INDEX-004", chunk.path, chunk.at, "there is a column index, but no offset index")
    if columns is not None:
        chunk.file.parts.append((*_span(columns), f"column index of {chunk.name}"))
        _Columns(chunk, report, columns).run()
    if offsets is not None:
        chunk.file.parts.append((*_span(offsets), f"offset index of {chunk.name}"))
        _Offsets(chunk, report, offsets).run()


def _span(struct: ColumnIndex | OffsetIndex) -> tuple[int, int]:
    return struct.span or (0, 0)


class _Columns:
    """The check of a column index, against the pages of the chunk if all could be decoded."""

    def __init__(self, chunk: Chunk, report: Report, given: ColumnIndex) -> None:
        self.chunk, self.report, self.index = chunk, report, given
        self.at = given.begin
        self.order = chunk.order

    def add(self, rule: str, message: str, page: int | None = None) -> None:
        where = () if page is None else (f"[{page}]",)
        self.report.add(rule, (*self.chunk.path, "column_index", *where), self.at, message)

    def run(self) -> None:
        chunk, given = self.chunk, self.index
        self.form()
        pages = len(chunk.data_pages)
        if chunk.walked and len(given.null_pages) != pages:
            self.add("PQ-INDEX-005", f"{len(given.null_pages)} pages, and the chunk has {pages}")
            return
        known = chunk.whole and len(chunk.data) == len(given.null_pages)
        measures = chunk.measures if known else [None] * len(given.null_pages)
        good = [self.page(number, page_measure) for number, page_measure in enumerate(measures)]
        if all(good) and self.order is not Order.UNDEFINED:
            self.boundary_order()
        if known:
            self.counts()
            self.histograms()

    def form(self) -> None:
        given, kind = self.index, type_order(self.chunk.node)
        if given.null_counts is None:
            self.add("PQ-INDEX-017", "there are no null_counts")
        if given.nan_counts is not None and not is_float(self.chunk.node):
            self.add("PQ-INDEX-018", f"nan_counts of a column of {self.chunk.node.physical}")
        if kind is Order.UNDEFINED and self.order is Order.UNDEFINED:
            physical = self.chunk.node.physical
            is_int96 = physical is not None and physical.type == Type.INT96
            rule = "PQ-INDEX-019" if is_int96 else "PQ-INDEX-021"
            self.add(rule, f"a column index of a column that has no order ({physical})")

    def page(self, number: int, measured: Measure | None) -> bool:
        """Check the bounds of a page; return whether they are right."""
        given = self.index
        low, high = given.min_values[number], given.max_values[number]
        is_null = given.null_pages[number]
        if measured is not None and is_null != (measured.values == 0):
            self.add(
                "PQ-INDEX-006", f"null_pages is {is_null}, but there are {measured.values} values", number
            )
            return False
        if is_null:
            if low or high:
                self.add("PQ-INDEX-022", "bounds of a page of nulls are not empty", number)
            return True
        pair = bounds.Pair(low, high, ("min_values", "max_values"), measured)

        def add(rule: str, message: str) -> None:
            self.add(rule, message, number)

        return bounds.check(_RULES, self.chunk.node, self.order, pair, add)

    def boundary_order(self) -> None:
        given = self.index
        stated = given.boundary_order
        if not isinstance(stated, BoundaryOrder):
            self.add("PQ-INDEX-023", f"boundary_order is {stated}")
        elif not is_ordered(given.min_values, given.max_values, given.null_pages, self.order, stated):
            self.add("PQ-INDEX-023", f"boundary_order is {stated.name}, which the bounds are not")

    def counts(self) -> None:
        chunk, given = self.chunk, self.index
        if given.null_counts is not None:
            for number, (stated, page) in enumerate(zip(given.null_counts, chunk.data, strict=True)):
                # Below lists, the specification does not say whether an absent or empty list counts.
                least = 0 if chunk.node.repetition_level else page.nulls
                if not least <= stated <= page.nulls:
                    self.add("PQ-INDEX-024", f"null_counts is {stated}, not {page.nulls}", number)
                    break
        if given.nan_counts is not None and is_float(chunk.node):
            for number, (stated, page) in enumerate(zip(given.nan_counts, chunk.data, strict=True)):
                nans = measure(chunk.node, Order.UNDEFINED, page.entries.values).nans
                if stated != nans:
                    self.add("PQ-INDEX-025", f"nan_counts is {stated}, not {nans}", number)
                    break

    def histograms(self) -> None:
        node, given = self.chunk.node, self.index
        for rule, name in (("PQ-INDEX-026", "repetition"), ("PQ-INDEX-027", "definition")):
            stated, most = getattr(given, f"{name}_level_histograms"), getattr(node, f"{name}_level")
            levels = [getattr(page.entries, name) for page in self.chunk.data]
            if not stated:
                continue
            if len(stated) != len(levels) * (most + 1):
                self.add(rule, f"{len(stated)} counts of levels for {len(levels)} pages of {most + 1}")
                continue
            for number, page in enumerate(self.chunk.data):
                part = stated[number * (most + 1) : (number + 1) * (most + 1)]
                if differs(part, histogram([levels[number]], most), page.entries.count):
                    self.add(rule, f"the counts of levels are {part!r:.200}", number)
                    break


class _Offsets:
    """The check of an offset index, against the headers of the pages."""

    def __init__(self, chunk: Chunk, report: Report, given: OffsetIndex) -> None:
        self.chunk, self.report, self.index = chunk, report, given
        self.at = given.begin

    def add(self, rule: str, message: str, page: int | None = None) -> None:
        where = () if page is None else (f"page_locations[{page}]",)
        self.report.add(rule, (*self.chunk.path, "offset_index", *where), self.at, message)

    def run(self) -> None:
        chunk, locations = self.chunk, self.index.page_locations
        if not chunk.walked:
            return
        if len(locations) != len(chunk.data_pages):
            self.add("PQ-INDEX-028", f"{len(locations)} pages, and the chunk has {len(chunk.data_pages)}")
            return
        for number, page in enumerate(chunk.data_pages):
            if not self.place(number, page.offset, page.body_offset - page.offset + len(page.stored)):
                return
        if chunk.whole:
            self.rows()
            self.sizes()

    def place(self, number: int, offset: int, size: int) -> bool:
        """Check the location of a page; return whether it is right."""
        location, chunk = self.index.page_locations[number], self.chunk
        for error in location_errors(location, chunk.start, chunk.stop):
            self.add("PQ-INDEX-020", error.message, number)
            return False
        if location.offset != offset:
            self.add("PQ-INDEX-029", f"offset is {location.offset}, but the page begins at {offset}", number)
            return False
        if location.compressed_page_size != size:
            message = f"compressed_page_size is {location.compressed_page_size}, not {size}, header included"
            self.add("PQ-INDEX-030", message, number)
            return False
        return True

    def rows(self) -> None:
        locations, data = self.index.page_locations, self.chunk.data
        for number, page in enumerate(data):
            stated = locations[number].first_row_index
            if page.page.header.type == PageType.DATA_PAGE and not page.begins_row:
                self.add("PQ-INDEX-031", "the page begins inside of a row", number)
                return
            if stated != page.first_row:
                message = f"first_row_index is {stated}, but the page begins with row {page.first_row}"
                self.add("PQ-INDEX-032", message, number)
                return
            if number and stated == locations[number - 1].first_row_index:
                message = f"first_row_index is {stated}, and that of the page before, too"
                self.add("PQ-INDEX-033", message, number)
                return

    def sizes(self) -> None:
        stated, chunk = self.index.unencoded_byte_array_data_bytes, self.chunk
        if stated is None:
            return
        sizes = [unencoded(page.entries.values) for page in chunk.data]
        if stated and stated != sizes:
            self.add(
                "PQ-INDEX-034", f"unencoded_byte_array_data_bytes is {stated!r:.100}, not {sizes!r:.100}"
            )
