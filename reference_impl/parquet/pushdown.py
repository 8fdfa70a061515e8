"""What a reader may skip: which rows of a row group can match a test, as far as its metadata tells.

Everything here errs on the side of reading: what is absent, unknown, damaged or not understood skips nothing.
`ranges.read_ranges` then reads only the pages that hold the rows which are left.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from reference_impl.errors import ReferenceError_
from reference_impl.parquet import bloom, index, orders
from reference_impl.parquet.orders import Order
from reference_impl.parquet.page import DICTIONARY_ENCODINGS, PageDecoder
from reference_impl.parquet.schema import ColumnIndex, PageType, Statistics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reference_impl.parquet.file import ParquetFile
    from reference_impl.parquet.tree import Node

Ranges = list[tuple[int, int]]
USING = frozenset({"statistics", "index", "dictionary", "bloom"})


class Test:
    """`leaf OPERATOR constants`: which values may match it.

    `operator`: = != < <= > >= in starts-with, "is null", "is not null". `constants` are PLAIN bytes (a byte
    array without its length). `float_order` says what NaN and -0.0 are in the query: `ieee` (NaN matches
    nothing but !=), `nan-greatest` (NaN equals itself, and is greater than all), `total`.
    """

    __test__ = False  # not one of pytest's

    def __init__(self, node: Node, operator: str, constants: Sequence[bytes], float_order: str) -> None:
        self.node = node
        self.operator = operator
        self.constants = list(constants)
        self.is_float = orders.type_order(node) is Order.FLOAT
        self.has_nan = self.is_float and any(map(orders.is_nan, self.constants))
        self.float_order = float_order

    def may_match_nan(self) -> bool:
        """Say whether a NaN may match; bounds tell nothing about it."""
        if not self.is_float:
            return False
        if self.float_order == "ieee":
            return self.operator == "!="
        if self.float_order == "total":  # NaN with its sign stands at either end
            return self.operator not in {"=", "in"} or self.has_nan
        return self.operator in {">", ">=", "!="} or self.has_nan

    def may_match_between(self, order: Order, low: bytes | None, high: bytes | None) -> bool:
        """Say whether a value that is neither null nor NaN may match, given bounds that may be absent."""
        if order is Order.UNDEFINED or self.has_nan:
            return True
        if self.operator == "starts-with":
            return self._may_start(low, high)
        if self.operator not in _BETWEEN:
            return True
        if not all(orders.fits(self.node, constant) for constant in self.constants):
            return True
        compared = Order.FLOAT if self.is_float else order  # -0.0 and +0.0 may stand for each other in bounds
        lower = None if low is None else orders.key(compared, low)
        upper = None if high is None else orders.key(compared, high)
        tests = (orders.key(compared, constant) for constant in self.constants)
        return any(_BETWEEN[self.operator](lower, upper, constant) for constant in tests)

    def _may_start(self, low: bytes | None, high: bytes | None) -> bool:
        prefix = self.constants[0]
        if low is not None and low[: len(prefix)] > prefix:
            return False
        return high is None or high[: len(prefix)] >= prefix

    def may_match_null(self) -> bool:
        """Say whether nulls match."""
        return self.operator == "is null"


# What is between two bounds, None being no bound; keys compare.
_BETWEEN: dict[str, Callable[..., bool]] = {
    "=": lambda low, high, x: (low is None or low <= x) and (high is None or x <= high),
    "in": lambda low, high, x: (low is None or low <= x) and (high is None or x <= high),
    "<": lambda low, _, x: low is None or low < x,
    "<=": lambda low, _, x: low is None or low <= x,
    ">": lambda _, high, x: high is None or high > x,
    ">=": lambda _, high, x: high is None or high >= x,
    "!=": lambda low, high, x: low is None or high is None or not low == x == high,
}


def candidates(
    file: ParquetFile, row_group: int, leaf: int, test: Test, using: frozenset[str] = USING
) -> Ranges:
    """Answer the half-open ranges of rows of a row group that may match; the whole of it where nothing helps.

    `using`: what to look at, a subset of USING. A column below a repeated field is never skipped by.
    """
    rows = file.metadata.row_groups[row_group].num_rows
    node = file.leaves[leaf]
    if not rows:
        return []
    if node.repetition_level:
        return [(0, rows)]
    with suppress(ReferenceError_):
        if "statistics" in using and not _by_statistics(file, row_group, leaf, test):
            return []
        if "bloom" in using and not _by_bloom(file, row_group, leaf, test):
            return []
        if "dictionary" in using and not _by_dictionary(file, row_group, leaf, test):
            return []
        if "index" in using:
            return list(_by_index(file, row_group, leaf, test, rows))
    return [(0, rows)]


def _order(file: ParquetFile, leaf: int) -> Order:
    """Answer the order of a column; one column order too few or too many is none."""
    found = file.metadata.column_orders
    usable = found is not None and len(found) == len(file.leaves)
    return orders.order_of(file.leaves[leaf], found[leaf] if found and usable else None)


def _by_statistics(file: ParquetFile, row_group: int, leaf: int, test: Test) -> bool:
    meta = file.column_metadata(row_group, leaf)
    stats = meta.statistics
    if stats is None:
        return True
    return may_match(test, _order(file, leaf), stats, meta.num_values)


def may_match(test: Test, order: Order, stats: Statistics, entries: int) -> bool:
    """Say whether any of `entries` entries with these statistics may match."""
    nulls = stats.null_count  # absent: "readers MUST NOT assume null_count == 0"
    if test.may_match_null():
        return nulls != 0
    if nulls == entries:
        return False
    if test.operator == "is not null":
        return True
    if test.may_match_nan() and stats.nan_count != 0:
        return True
    low, high = stats.min_value, stats.max_value
    if low is None and high is None:
        node, known = test.node, orders.type_order(test.node)
        # The deprecated fields compare signed: of use only where that is the type's order.
        if known in (Order.SIGNED, Order.FLOAT, Order.BOOLEAN) and orders.fits(node, stats.min or b""):
            order, low, high = known, stats.min, stats.max
    low, high = usable(test.node, order, low), usable(test.node, order, high)
    return test.may_match_between(order, low, high)


def usable(node: Node, order: Order, raw: bytes | None) -> bytes | None:
    """Answer a bound, or None for one that must be ignored: no value of the type, or NaN."""
    if raw is None or not orders.fits(node, raw):
        return None
    return None if order.is_float and orders.is_nan(raw) else raw


def _by_bloom(file: ParquetFile, row_group: int, leaf: int, test: Test) -> bool:
    if test.operator not in {"=", "in"} or test.has_nan:  # NaN has many forms, each with a hash of its own
        return True
    header = index.bloom_filter_header(file, row_group, leaf)
    if header is None or header.numBytes <= 0 or header.numBytes % bloom.BLOCK_BYTES:
        return True
    if header.algorithm.BLOCK is None or header.hash.XXHASH is None:
        return True
    if header.compression.UNCOMPRESSED is None or header.span is None:
        return True
    start = header.span[1]
    bitset = bytes(file.data[start : start + header.numBytes])
    return any(bloom.might_contain(bitset, raw) for raw in _twins(test))


def _twins(test: Test) -> Iterator[bytes]:
    """Yield the constants, and of a zero the other one."""
    for raw in test.constants:
        yield raw
        if test.is_float and orders.number(raw) == 0:
            yield bytes(len(raw))
            yield bytes(len(raw) - 1) + b"\x80"


def _by_dictionary(file: ParquetFile, row_group: int, leaf: int, test: Test) -> bool:
    """Look at the dictionary, if every data page of the chunk refers to it."""
    if test.operator not in {"=", "in"} or test.has_nan:
        return True
    meta, node = file.column_metadata(row_group, leaf), file.leaves[leaf]
    decoder = PageDecoder(node, meta.codec, file.limits)
    for page in file.pages(row_group, leaf):
        kind = page.header.type
        if kind == PageType.DICTIONARY_PAGE:
            decoder.load_dictionary(page)
            continue
        header = page.header.data_page_header or page.header.data_page_header_v2
        if header is not None and header.encoding not in DICTIONARY_ENCODINGS:
            return True
    if decoder.dictionary is None:
        return True
    wanted = set(_twins(test))
    return any(raw in wanted for raw in orders.raws(decoder.dictionary))


def _by_index(
    file: ParquetFile, row_group: int, leaf: int, test: Test, rows: int
) -> Iterator[tuple[int, int]]:
    """Yield the rows of the pages that may match, neighbours as one range."""
    found, places = index.column_index(file, row_group, leaf), index.offset_index(file, row_group, leaf)
    pages = len(places.page_locations) if places else 0
    if found is None or places is None or not pages or not _whole(found, pages):
        yield 0, rows
        return
    order = _order(file, leaf)
    starts = [location.first_row_index for location in places.page_locations] + [rows]
    held: tuple[int, int] | None = None
    for number in range(pages):
        # A page of a column that is not repeated has an entry for each of its rows.
        entries = starts[number + 1] - starts[number]
        null = found.null_pages[number]
        stats = Statistics(
            null_count=entries if null else (found.null_counts[number] if found.null_counts else None),
            nan_count=found.nan_counts[number] if found.nan_counts else None,
            min_value=None if null else found.min_values[number],
            max_value=None if null else found.max_values[number],
        )
        if not may_match(test, order, stats, entries):
            continue
        if held is not None and held[1] == starts[number]:
            held = held[0], starts[number + 1]
            continue
        if held is not None:
            yield held
        held = starts[number], starts[number + 1]
    if held is not None:
        yield held


def _whole(found: ColumnIndex, pages: int) -> bool:
    """Say whether an index has what it says for each page."""
    sizes = [len(found.null_pages), len(found.min_values), len(found.max_values)]
    sizes += [len(one) for one in (found.null_counts, found.nan_counts) if one is not None]
    return all(size == pages for size in sizes)
