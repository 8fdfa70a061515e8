"""Checks of statistics of chunks and pages (parquet.thrift, Statistics and ColumnOrder)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reference_impl.parquet.orders import Order, fits, is_nan, key, raws, type_order
from reference_impl.parquet.schema import FieldRepetitionType
from reference_impl.parquet.statistics_structs import Statistics
from reference_impl.parquet.validate import bounds
from reference_impl.parquet.validate.measure import Measure, is_float, joined, measure
from reference_impl.parquet.validate.scan import Chunk, DataPage
from reference_impl.validation import Report

_NUMBERS = (Order.BOOLEAN, Order.SIGNED, Order.FLOAT)
_SIGNED = (*_NUMBERS, Order.DECIMAL_BYTES)
_MODERN = bounds.Rules(
    length="PQ-STATS-001",
    valid="PQ-STATS-002",
    crossed="PQ-STATS-003",
    low="PQ-STATS-004",
    high="PQ-STATS-005",
    nan="PQ-STATS-006",
    all_nan="PQ-STATS-008",
    total="PQ-STATS-009",
    zero_low="PQ-STATS-010",
    zero_high="PQ-STATS-011",
)
# A file without nan_count may be older than the rule; then NaN was only discouraged.
_UNCOUNTED = _MODERN._replace(nan="PQ-STATS-007")
_DEPRECATED = ("PQ-STATS-022", "PQ-STATS-023", "PQ-STATS-024")


def check(chunk: Chunk, report: Report) -> None:
    """Check the statistics of a chunk, and of its page headers."""
    if chunk.meta.statistics is not None:
        about = (chunk.data, chunk.measure) if chunk.whole else None
        _Audit(chunk, report, chunk.meta.statistics, (*chunk.path, "statistics"), about).run()
    decoded = {page.page.offset: number for number, page in enumerate(chunk.data)}
    for number, page in enumerate(chunk.pages):
        header = page.header.data_page_header or page.header.data_page_header_v2
        if header is None or header.statistics is None:
            continue
        path = (*chunk.path, f"page[{number}]", "statistics")
        at = decoded.get(page.offset)
        about = ([chunk.data[at]], chunk.measures[at]) if at is not None else None
        _Audit(chunk, report, header.statistics, path, about).run()


class _Audit:
    """The check of a Statistics struct against its pages (None if they could not be read)."""

    def __init__(
        self,
        chunk: Chunk,
        report: Report,
        stats: Statistics,
        path: tuple[str, ...],
        about: tuple[Sequence[DataPage], Measure] | None,
    ) -> None:
        self.node, self.order = chunk.node, chunk.order
        self.stats = stats
        self.data: Sequence[DataPage] | None = about[0] if about else None
        self.found: Measure | None = about[1] if about else None
        self.report, self.path = report, path

    def add(self, rule: str, message: str) -> None:
        self.report.add(rule, self.path, self.stats.begin, message)

    def run(self) -> None:
        self.counts()
        self.nan_count()
        self.form()
        stats = self.stats
        rules = _UNCOUNTED if stats.nan_count is None else _MODERN
        pair = bounds.Pair(stats.min_value, stats.max_value, ("min_value", "max_value"), self.found)
        if bounds.check(rules, self.node, self.order, pair, self.add):
            self.exact()
        self.deprecated()

    def counts(self) -> None:
        stats = self.stats
        if stats.null_count is None:
            self.add("PQ-STATS-012", "there is no null_count")
        if self.data is None:
            return
        most = sum(page.nulls for page in self.data)
        if stats.null_count is not None and not self.least_nulls(most) <= stats.null_count <= most:
            self.add("PQ-STATS-013", f"null_count is {stats.null_count}, not {most}")
        if stats.distinct_count is not None:
            distinct: set[bytes] = set()
            for page in self.data:
                distinct.update(raws(page.entries.values))
            # The specification does not say whether the zeros, or several NaNs, are distinct values.
            least = len(distinct)
            if type_order(self.node) is Order.FLOAT:
                least = len({key(Order.FLOAT, raw) for raw in distinct if not is_nan(raw)})
            if not least <= stats.distinct_count <= len(distinct):
                self.add("PQ-STATS-014", f"distinct_count is {stats.distinct_count}, not {len(distinct)}")

    def least_nulls(self, most: int) -> int:
        """Return the nulls of the field itself: below lists, an absent or empty list may count or not."""
        node = self.node
        if not node.repetition_level or self.data is None:
            return most
        if node.repetition != FieldRepetitionType.OPTIONAL:
            return 0
        level = node.definition_level - 1
        levels = (page.entries.definition for page in self.data)
        return sum(int(np.count_nonzero(part == level)) for part in levels if part is not None)

    def nan_count(self) -> None:
        stats = self.stats
        if not is_float(self.node):
            if stats.nan_count is not None:
                self.add("PQ-STATS-016", f"nan_count of a column of {self.node.physical}")
            return
        if stats.nan_count is None:
            if type_order(self.node) is not Order.FLOAT:  # its annotation makes it no number
                return
            rule = "PQ-STATS-018" if self.order is Order.FLOAT_TOTAL else "PQ-STATS-017"
            self.add(rule, "there is no nan_count")
        elif self.data is not None:
            count = sum(measure(self.node, Order.UNDEFINED, page.entries.values).nans for page in self.data)
            if stats.nan_count != count:
                self.add("PQ-STATS-015", f"nan_count is {stats.nan_count}, not {count}")

    def form(self) -> None:
        """Check that the type may have these bounds."""
        stats, kind = self.stats, type_order(self.node)
        modern = stats.min_value is not None or stats.max_value is not None
        old = stats.min is not None or stats.max is not None
        if modern and kind is Order.UNDEFINED and self.order is Order.UNDEFINED:
            self.add("PQ-STATS-019", f"bounds of a column that has no order ({self.node.physical})")
        if old and not modern:
            self.add("PQ-STATS-020", "bounds in the deprecated min and max only")
        elif old and kind not in _SIGNED:
            self.add("PQ-STATS-021", f"the deprecated min and max for {kind.value}")

    def exact(self) -> None:
        stats, measured = self.stats, self.found
        if measured is None or measured.low is None or measured.high is None or self.order is Order.UNDEFINED:
            return
        for rule, name, raw, true_bound, is_exact in (
            ("PQ-STATS-025", "min_value", stats.min_value, measured.low, stats.is_min_value_exact),
            ("PQ-STATS-026", "max_value", stats.max_value, measured.high, stats.is_max_value_exact),
        ):
            if is_exact and raw is not None and key(self.order, raw) != key(self.order, true_bound):
                self.add(rule, f"is_{name}_exact is true, but {name} is no value of the data")

    def deprecated(self) -> None:
        """Check min and max, "determined by signed comparison only", if the values are numbers."""
        stats, kind = self.stats, type_order(self.node)
        order = Order.SIGNED if kind is Order.UNSIGNED else kind
        length, low, high = _DEPRECATED
        for name, raw in (("min", stats.min), ("max", stats.max)):
            if raw is not None and not fits(self.node, raw):
                self.add(length, f"{name} has {len(raw)} bytes, for {self.node.physical}")
                return
        if self.data is None or order not in _NUMBERS or (stats.min is None and stats.max is None):
            return
        measured = joined(order, [measure(self.node, order, page.entries.values) for page in self.data])
        if measured.low is None or measured.high is None:
            return
        # Old writers could store NaN as min or max, which readers ignore.
        if stats.min is not None and key(order, measured.low) < key(order, stats.min):
            self.add(low, f"min is {stats.min.hex()}, but the data contain {measured.low.hex()}")
        if stats.max is not None and key(order, measured.high) > key(order, stats.max):
            self.add(high, f"max is {stats.max.hex()}, but the data contain {measured.high.hex()}")
