"""Where faults can be put into any Parquet file: the places of a scene that fit."""

from __future__ import annotations

from collections.abc import Callable

from properties.strategies.faults.edit import Change
from properties.strategies.faults.edits import ParquetScene
from properties.strategies.faults.fault import Places, places
from reference_impl.parquet.encodings.dispatch import DICTIONARY_ENCODINGS
from reference_impl.parquet.orders import Order, key, order_of
from reference_impl.parquet.page_structs import ColumnIndex, OffsetIndex
from reference_impl.parquet.schema import ColumnMetaData, CompressionCodec, Encoding, Type
from reference_impl.parquet.statistics_structs import Statistics
from reference_impl.parquet.tamper import DICTIONARY, Place

LONGER_THAN_ANY_FILE = 1 << 24
_EXACT = (Order.SIGNED, Order.UNSIGNED, Order.BYTES, Order.DECIMAL_BYTES)  # equal keys are equal values


def in_file(what: str = "", **changes: Change) -> Places:
    """Return the only place of a fault of the whole file."""
    return places(lambda _: [Place(0, 0)], what, **changes)


def elements(what: str = "", **changes: Change) -> Places:
    """Return the schema elements below the root, in place of leaves."""
    return places(lambda scene: [Place(0, at) for at in range(len(scene.plan.schema) - 1)], what, **changes)


def column_orders(what: str = "", **changes: Change) -> Places:
    """Return the columns, if the footer has column orders."""
    return places(
        lambda scene: [Place(0, leaf) for leaf in range(len(scene.file_metadata.column_orders or ()))],
        what,
        **changes,
    )


def pages(
    fits: Callable[[ParquetScene, Place], bool] = lambda *_: True, what: str = "", **changes: Change
) -> Places:
    """Return the pages that fit, those of dictionaries too."""
    return places(lambda scene: [place for place in scene.headers if fits(scene, place)], what, **changes)


def chunks(
    fits: Callable[[ColumnMetaData], bool] = lambda _: True, what: str = "", **changes: Change
) -> Places:
    """Return the chunks whose metadata fit."""

    def fitting(scene: ParquetScene) -> list[Place]:
        metadata = ((place, chunk.meta_data) for place, chunk in scene.chunks.items())
        return [place for place, meta in metadata if meta is not None and fits(meta)]

    return places(fitting, what, **changes)


def statistics(fits: Callable[[Statistics], bool]) -> Places:
    """Return the chunks whose statistics fit."""
    return chunks(lambda meta: meta.statistics is not None and fits(meta.statistics))


def null_counts_of_chunks() -> Places:
    """Return the chunks outside of lists that count nulls.

    The specification does not say whether an absent or empty list counts as a null of the column below it.
    """

    def fits(scene: ParquetScene, place: Place, meta: ColumnMetaData | None) -> bool:
        stats = None if meta is None else meta.statistics
        return stats is not None and stats.null_count is not None and not _below_list(scene, place)

    return places(
        lambda scene: [at for at, chunk in scene.chunks.items() if fits(scene, at, chunk.meta_data)]
    )


def null_counts_of_pages() -> Places:
    """Return the column indexes of chunks outside of lists that count nulls, as `null_counts_of_chunks`."""

    def fitting(scene: ParquetScene) -> list[Place]:
        counted = (place for place, index in scene.seen["column_index"].items() if index.null_counts)
        return [place for place in counted if not _below_list(scene, place)]

    return places(fitting)


def _below_list(scene: ParquetScene, place: Place) -> bool:
    return scene.leaves[place.leaf].repetition_level > 0


def column_indexes(
    fits: Callable[[ColumnIndex], bool] = lambda _: True, what: str = "", **changes: Change
) -> Places:
    """Return the chunks whose column index fits."""
    return places(
        lambda scene: [place for place, index in scene.seen["column_index"].items() if fits(index)],
        what,
        **changes,
    )


def offset_indexes(least_pages: int = 1, what: str = "", **changes: Change) -> Places:
    """Return the chunks whose offset index has so many pages at least."""

    def fits(index: OffsetIndex) -> bool:
        return len(index.page_locations) >= least_pages

    return places(
        lambda scene: [place for place, index in scene.seen["offset_index"].items() if fits(index)],
        what,
        **changes,
    )


def blooms_of_values() -> Places:
    """Return the chunks whose Bloom filter admits a value."""
    return places(lambda scene: [place for place, (_, bitset) in scene.seen["bloom"].items() if any(bitset)])


def is_v2(scene: ParquetScene, place: Place) -> bool:
    """Return whether a page is a data page of version 2."""
    return scene.headers[place].data_page_header_v2 is not None


def is_data(_: ParquetScene, place: Place) -> bool:
    """Return whether a page is a data page."""
    return place.page != DICTIONARY


def encoded(*encodings: Encoding) -> Callable[[ParquetScene, Place], bool]:
    """Return whether a page has values, in one of these encodings."""
    return lambda scene, place: bool(scene.values[place]) and scene.data_header(place).encoding in encodings


def indexed(scene: ParquetScene, place: Place) -> bool:
    """Return whether a page has dictionary indices."""
    return is_data(scene, place) and encoded(*DICTIONARY_ENCODINGS)(scene, place)


def plain(*, texts: bool) -> Callable[[ParquetScene, Place], bool]:
    """Return whether a page has PLAIN values, of BYTE_ARRAY (`texts`) or of the other types."""

    def fits(scene: ParquetScene, place: Place) -> bool:
        physical = scene.leaves[place.leaf].physical
        assert physical is not None
        # The header of a dictionary page has PLAIN_DICTIONARY in old files.
        is_plain = place.page == DICTIONARY or scene.data_header(place).encoding == Encoding.PLAIN
        return bool(scene.values[place]) and is_plain and (physical.type == Type.BYTE_ARRAY) == texts

    return fits


def encoded_alone(scene: ParquetScene, place: Place) -> bool:
    """Return whether neither levels nor a dictionary have the encoding of a data page."""
    if place.page == DICTIONARY:
        return False
    encoding = scene.data_header(place).encoding
    if encoding == Encoding.PLAIN:
        return place._replace(page=DICTIONARY) not in scene.headers
    return encoding not in (Encoding.RLE, *DICTIONARY_ENCODINGS)


def compressed(*codecs: CompressionCodec) -> Callable[[ParquetScene, Place], bool]:
    """Return whether a page has values that are compressed, by one of these codecs if any are given."""

    def fits(scene: ParquetScene, place: Place) -> bool:
        header = scene.headers[place].data_page_header_v2
        is_stored_plain = header is not None and header.is_compressed is False
        codec = scene.plan.column(place.row_group, place.leaf).codec
        is_wanted = codec in codecs if codecs else codec != CompressionCodec.UNCOMPRESSED
        return bool(scene.values[place]) and not is_stored_plain and is_wanted

    return fits


def two_bounds(what: str = "", **changes: Change) -> Places:
    """Return the chunks whose two bounds differ, in an order in which bytes that differ are other values."""

    def differ(scene: ParquetScene, place: Place, stats: Statistics | None) -> bool:
        if stats is None or stats.min_value is None or stats.max_value is None:
            return False
        orders = scene.file_metadata.column_orders
        order = order_of(scene.leaves[place.leaf], orders[place.leaf] if orders else None)
        return order in _EXACT and key(order, stats.min_value) != key(order, stats.max_value)

    def fitting(scene: ParquetScene) -> list[Place]:
        metadata = ((place, chunk.meta_data) for place, chunk in scene.chunks.items())
        return [place for place, meta in metadata if meta and differ(scene, place, meta.statistics)]

    return places(fitting, what, **changes)
