"""Pushdown: the rows of a stripe that can match a test, by statistics, row indexes and Bloom filters.

In doubt rows are read: statistics that are absent, unknown, damaged, or of a writer that is known to
write them wrongly skip nothing. `OrcFile.read_rows` then reads the remaining row groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import copysign, isnan
from typing import Any

from reference_impl import matching
from reference_impl.errors import ReferenceError_, UsageError
from reference_impl.orc import bloom, calendars, statistics, zones
from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import BloomFilter, TypeKind
from reference_impl.orc.statistics import Summary
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.orc.trust import trusted, usable_bloom
from reference_impl.orc.types import TypeNode
from reference_impl.orc.values import number
from reference_impl.orc.zones import Zone

__all__ = ["USING", "Ranges", "Test", "candidates"]

Ranges = list[tuple[int, int]]
USING = frozenset({"statistics", "index", "bloom"})
_NANOS = 10**9
_BY_ZERO = {TypeKind.FLOAT, TypeKind.DOUBLE}


class Test:
    """A test `column OPERATOR constants`.

    `operator` and `float_order` are those of `reference_impl.matching.check`; `constants` are values of plans
    (see `reference_impl.orc.plan`), a DECIMAL at the type's scale; None for a constant that is no
    value of the type, which excludes nothing.

    Raises UsageError for another operator, number of constants, or float order.
    """

    __test__ = False  # pytest does not collect it

    def __init__(self, node: TypeNode, operator: str, constants: Sequence[Any], float_order: str) -> None:
        matching.check(operator, len(constants), float_order)
        self.node = node
        self.kind = node.kind
        self.operator = operator
        self.constants = list(constants)
        self.float_order = float_order
        self.scale = node.scale if node.kind is TypeKind.DECIMAL else 0
        self.fits = None not in self.constants
        self.is_float = self.kind in statistics.FLOATS
        self.has_nan = (
            self.is_float
            and self.fits
            and any(isnan(number(self.kind, constant)) for constant in self.constants)
        )

    def may_match(self, summary: Summary) -> bool:
        """Return whether any value that is not null may match, by a summary of the values."""
        if summary.count == 0:
            return False
        if self.operator == "is not null" or not self.fits:
            return True
        # Bounds do not include NaN, but the sum is NaN if a value is.
        may_be_nan = self.is_float and (summary.sum is None or isnan(summary.sum))
        if may_be_nan and matching.nan_may_match(self.operator, self.float_order, has_nan=self.has_nan):
            return True
        if self.has_nan:
            return True
        low, high = summary.low, summary.high
        if self.operator == "starts-with":
            return self.kind not in statistics.TEXTS or matching.may_start(self.constants[0], low, high)
        keys = [statistics.key_of(self.kind, constant, self.scale) for constant in self.constants]
        if any(key is None for key in keys):
            return True
        if self.is_float and self.float_order == "total":
            # Bounds that are zero may be of either zero.
            low, high = _total(low, -1.0), _total(high, 1.0)
            keys = [_total(key, key) for key in keys]
        return matching.between(self.operator, low, high, keys)

    def hashes(self) -> Iterator[int]:
        """Yield the hashes of the constants; for a zero, those of both zeros."""
        for constant in self.constants:
            yield bloom.hash_of(self.kind, constant, self.scale)
            if self.kind in _BY_ZERO and number(self.kind, constant) == 0:
                yield bloom.hash_of(self.kind, 0.0)
                yield bloom.hash_of(self.kind, -0.0)


def _total(value: float | None, sign: float) -> tuple[float, float] | None:
    """Return a key that orders -0.0 before 0.0."""
    return None if value is None else (value, copysign(1.0, sign) if value == 0 else 0.0)


def candidates(file: OrcFile, stripe: int, column: int, test: Test, using: frozenset[str] = USING) -> Ranges:
    """Return the half-open ranges of rows of a stripe that may match, the whole stripe in doubt.

    `using` is a subset of USING; `statistics` are those of the file and of the stripe. No
    column below a LIST, MAP or UNION skips anything. Raises UsageError for a stripe or column that is not
    there.
    """
    if not 0 <= stripe < len(file.footer.stripes):
        raise UsageError(f"there is no stripe {stripe}")
    if not 0 <= column <= file.root.max_id:
        raise UsageError(f"there is no column {column}")
    rows = file.footer.stripes[stripe].number_of_rows or 0
    if not rows:
        return []
    line = test.node.lineage()
    if not all(node.kind is TypeKind.STRUCT for node in line[1:]):
        return [(0, rows)]
    with suppress(ReferenceError_):
        zone = _zone(file, stripe, test)
        if "statistics" in using and not all(_statistics(file, stripe, line, test, zone)):
            return []
        return list(_groups(file, stripe, test, using, zone))
    return [(0, rows)]


def _zone(file: OrcFile, stripe: int, test: Test) -> Zone | None:
    """Return the time zone of a stripe's TIMESTAMP if libraries read old wall clocks of it differently."""
    if test.kind is not TypeKind.TIMESTAMP:
        return None
    zone = zones.load(file.stripe(stripe).footer.writer_timezone or file.zone)
    return zone if zone is not None and zone.assumed else None


def _statistics(
    file: OrcFile, stripe: int, line: list[TypeNode], test: Test, zone: Zone | None
) -> Iterator[bool]:
    """Yield whether the statistics of the file and of the stripe admit a match."""
    yield _admitted(file, [_at(file.statistics, node.id) for node in line], line, test, zone)
    stripes = file.stripe_statistics
    if len(stripes) == len(file.footer.stripes):
        yield _admitted(file, [_at(stripes[stripe].col_stats, node.id) for node in line], line, test, zone)


def _at(found_statistics: Sequence[ColumnStatistics], column: int) -> ColumnStatistics:
    return found_statistics[column] if column < len(found_statistics) else ColumnStatistics()


def _admitted(
    file: OrcFile,
    found_statistics: Sequence[ColumnStatistics],
    line: list[TypeNode],
    test: Test,
    zone: Zone | None,
) -> bool:
    """Return whether a column's statistics admit a match; a value is null where a type above it is, too."""
    if test.operator == "is null":
        return any(item.has_null is not False for item in found_statistics)
    summary = statistics.read(test.kind, found_statistics[0])
    if zone is not None:
        begin, end = zone.certain
        summary = summary.widened(zone.spread * _NANOS, certain=(begin * _NANOS, end * _NANOS))
    if file.hybrid:
        low, high = (calendars.bound(test.kind, key) for key in (summary.low, summary.high))
        summary = replace(summary, low=low, high=high)
    return test.may_match(trusted(file, line[0], summary))


def _groups(
    file: OrcFile, stripe: int, test: Test, using: frozenset[str], zone: Zone | None
) -> Iterator[tuple[int, int]]:
    """Yield the rows of the row groups that may match, adjacent groups as one range."""
    rows = file.footer.stripes[stripe].number_of_rows or 0
    stride = file.footer.row_index_stride or rows
    count = -(-rows // stride)
    by_index = _by_index(file, stripe, test, zone, count) if "index" in using else None
    is_certain = not (zone and _is_uncertain(test, zone))
    by_bloom = _by_bloom(file, stripe, test, count) if "bloom" in using and is_certain else None
    admitted = [groups for groups in (by_index, by_bloom) if groups is not None]
    if not admitted:  # no stream has as many entries: the number of row groups is only what the footer says
        yield 0, rows
        return
    begin = None
    for number_, wanted in enumerate([*map(all, zip(*admitted, strict=True)), False]):
        if wanted and begin is None:
            begin = number_ * stride
        elif not wanted and begin is not None:
            yield begin, min(number_ * stride, rows)
            begin = None


def _is_uncertain(test: Test, zone: Zone) -> bool:
    """Return whether a constant is a wall clock that libraries read differently."""
    begin, end = zone.certain
    return test.fits and any(not begin <= constant[0] < end for constant in test.constants)


def _by_index(file: OrcFile, stripe: int, test: Test, zone: Zone | None, count: int) -> list[bool] | None:
    """Return for each row group whether the statistics of its row index entries admit a match.

    None without a row index. One of another number of entries than `count` is none (`index.row_index`).
    """
    tested = test.node.lineage() if test.operator == "is null" else [test.node]
    indexes = [file.row_index(stripe, node.id) for node in tested]
    if all(index is None for index in indexes):
        return None
    return [
        _admitted(
            file,
            [(index.entry[at].statistics if index else None) or ColumnStatistics() for index in indexes],
            tested,
            test,
            zone,
        )
        for at in range(count)
    ]


def _by_bloom(file: OrcFile, stripe: int, test: Test, count: int) -> list[bool] | None:
    """Return for each row group whether its Bloom filter admits one of the constants; None without one."""
    if test.operator not in {"=", "in"} or not test.fits or test.has_nan or test.kind not in bloom.KINDS:
        return None
    if file.hybrid and any(_is_moved(test.kind, constant) for constant in test.constants):
        return None
    kind = usable_bloom(file, stripe, test.node)
    filters = file.bloom_filters(stripe, test.node.id).get(kind) if kind is not None else None
    if filters is None or len(filters.bloom_filter) != count:
        return None
    hashes = list(test.hashes())
    return [_contains(bloom_filter, hashes) for bloom_filter in filters.bloom_filter]


def _is_moved(kind: TypeKind, constant: Any) -> bool:
    """Return whether a hybrid file stores another number, or one of several, for a date."""
    if kind not in calendars.DATED:
        return False
    return bool((constant if kind is TypeKind.DATE else constant[0] // 86_400) < calendars.CUTOVER)


def _contains(bloom_filter: BloomFilter, hashes: list[int]) -> bool:
    words, functions = bloom.words_of(bloom_filter), bloom_filter.num_hash_functions or 0
    if not words or functions < 1:
        return True
    return any(bloom.might_contain(words, functions, hashed) for hashed in hashes)
