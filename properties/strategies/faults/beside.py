"""Faults that fit many files, in what stands beside the data: statistics, indexes, sizes, Bloom filters.

A reader of all rows need not see them; one that skips loses rows, or refuses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.strategies.faults.common import at, fields
from properties.strategies.faults.fault import chunk_of, metadata
from properties.strategies.faults.scene import Kind, Scene
from reference_impl.parquet.orders import Order, key, order_of
from reference_impl.parquet.tree import build

if TYPE_CHECKING:
    from collections.abc import Callable

    from properties.strategies.faults.common import Change
    from reference_impl.parquet.schema import ColumnMetaData, Statistics
    from reference_impl.parquet.tamper import Place

_EXACT = (Order.SIGNED, Order.UNSIGNED, Order.BYTES, Order.DECIMAL_BYTES)  # equal keys are equal values


def _metas(fits: Callable[[ColumnMetaData], bool]) -> Callable[[Scene], list[Place]]:
    def places(scene: Scene) -> list[Place]:
        metas = ((place, chunk.meta_data) for place, chunk in scene.chunks.items())
        return [place for place, meta in metas if meta is not None and fits(meta)]

    return places


def _stats(fits: Callable[[Statistics], bool]) -> Callable[[Scene], list[Place]]:
    return _metas(lambda meta: meta.statistics is not None and fits(meta.statistics))


def _order(scene: Scene, place: Place) -> Order:
    orders = scene.footer.column_orders if scene.footer is not None else None
    leaf = list(build(list(scene.plan.schema)).leaves())[place.leaf]
    return order_of(leaf, orders[place.leaf] if orders else None)


def _has_two_bounds(scene: Scene) -> list[Place]:
    """Return the chunks with bounds that differ, in an order in which that can be told."""
    found = []
    for place in _stats(lambda stats: None not in (stats.min_value, stats.max_value))(scene):
        meta, order = scene.chunks[place].meta_data, _order(scene, place)
        if meta is not None and meta.statistics is not None and order in _EXACT:
            low, high = meta.statistics.min_value, meta.statistics.max_value
            if low is not None and high is not None and key(order, low) != key(order, high):
                found.append(place)
    return found


def _swap(stats: Statistics) -> Statistics:
    changed: Statistics = fields(min_value=stats.max_value, max_value=stats.min_value)(stats)
    return changed


def _has_values(scene: Scene) -> list[Place]:
    """Return the chunks whose Bloom filter admits a value."""
    return [place for place, bitset in scene.blooms.items() if any(bitset)]


def _offsets(least: int) -> Callable[[Scene], list[Place]]:
    """Return the chunks whose offset index has so many pages at least."""
    return lambda scene: [
        place for place, found in scene.offset_indexes.items() if len(found.page_locations) >= least
    ]


def _null_counts(scene: Scene) -> list[Place]:
    return [place for place, found in scene.column_indexes.items() if found.null_counts]


def _one_more(number: int) -> int:
    return number + 1


def _one_less(number: int) -> int:
    return number - 1


def _location(number: int, **changes: object) -> Change:
    return fields(page_locations=at(number, fields(**changes)))


def _statistics(**changes: object) -> Change:
    return metadata(statistics=fields(**changes))


KINDS = (
    Kind(
        "PQ-STATS-003",
        "bounds the wrong way round",
        _has_two_bounds,
        lambda *_: {"chunk": metadata(statistics=_swap)},
    ),
    Kind(
        "PQ-STATS-013",
        "one null more",
        _stats(lambda stats: stats.null_count is not None),
        lambda *_: {"chunk": _statistics(null_count=_one_more)},
    ),
    Kind(
        "PQ-STATS-014",
        "one distinct value more",
        _stats(lambda stats: stats.distinct_count is not None),
        lambda *_: {"chunk": _statistics(distinct_count=_one_more)},
    ),
    Kind(
        "PQ-STATS-015",
        "one NaN more",
        _stats(lambda stats: stats.nan_count is not None),
        lambda *_: {"chunk": _statistics(nan_count=_one_more)},
    ),
    Kind(
        "PQ-SIZE-002",
        "one byte more",
        _metas(
            lambda meta: (
                meta.size_statistics is not None
                and meta.size_statistics.unencoded_byte_array_data_bytes is not None
            )
        ),
        lambda *_: {"chunk": metadata(size_statistics=fields(unencoded_byte_array_data_bytes=_one_more))},
    ),
    Kind(
        "PQ-CHUNK-016",
        "one page more",
        _metas(lambda meta: bool(meta.encoding_stats)),
        lambda *_: {"chunk": metadata(encoding_stats=at(0, fields(count=_one_more)))},
    ),
    Kind(
        "PQ-GROUP-001",
        "a row group one byte larger",
        _metas(lambda _: True),
        lambda *_: {"row_group": fields(total_byte_size=_one_more)},
    ),
    Kind(
        "PQ-INDEX-004",
        "a column index alone",
        lambda scene: list(scene.column_indexes),
        lambda _, place: {
            "row_group": chunk_of(place.leaf, offset_index_offset=None, offset_index_length=None)
        },
    ),
    Kind(
        "PQ-INDEX-024",
        "one null more in a page",
        _null_counts,
        lambda *_: {"column_index": fields(null_counts=at(0, _one_more))},
    ),
    Kind(
        "PQ-INDEX-028",
        "a page not listed",
        _offsets(1),
        lambda *_: {"offset_index": fields(page_locations=lambda found: found[:-1])},
    ),
    Kind(
        "PQ-INDEX-029",
        "a page one byte later",
        _offsets(1),
        lambda *_: {
            "offset_index": _location(0, offset=_one_more, compressed_page_size=_one_less),
        },
    ),
    Kind(
        "PQ-INDEX-030",
        "a page one byte shorter",
        _offsets(1),
        lambda *_: {"offset_index": _location(0, compressed_page_size=_one_less)},
    ),
    Kind(
        "PQ-INDEX-032",
        "a page one row later",
        _offsets(2),
        lambda *_: {"offset_index": _location(1, first_row_index=_one_more)},
    ),
    Kind(
        "PQ-BLOOM-005",
        "a Bloom filter of nothing",
        _has_values,
        lambda *_: {"bloom": lambda found: (found[0], bytes(len(found[1])))},
    ),
)
