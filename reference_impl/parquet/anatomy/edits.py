"""Edits of a file: each returns a new anatomy and does not change the old one.

Counts are updated by `recount` only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from reference_impl.errors import UsageError
from reference_impl.parquet.anatomy.bodies import recompressed
from reference_impl.parquet.anatomy.parts import Anatomy, Chunk, PagePart, changed
from reference_impl.parquet.page_structs import ColumnIndex, OffsetIndex, PageHeader
from reference_impl.parquet.schema import ColumnMetaData, CompressionCodec, PageType, RowGroup, SchemaElement
from reference_impl.parquet.tree import Node, build

_STATISTICS = ("statistics", "encoding_stats", "size_statistics", "geospatial_statistics")
_PER_LOCATION = ("page_locations", "unencoded_byte_array_data_bytes")
_PER_PAGE = ("null_pages", "min_values", "max_values", "null_counts", "nan_counts")
_HISTOGRAMS = ("repetition_level_histograms", "definition_level_histograms")


def nodes(anatomy: Anatomy) -> tuple[Node, ...]:
    """Return the leaf columns of the schema; raises what `tree.build` raises."""
    return tuple(build(anatomy.metadata.schema).leaves())


def drop_group(anatomy: Anatomy, group: int) -> Anatomy:
    """Leave out a row group with its indexes and filters."""
    own = anatomy.copy()
    del own.groups[group]
    return own


def drop_stretch(anatomy: Anatomy, number: int) -> Anatomy:
    """Leave out bytes that belong to no part."""
    own = anatomy.copy()
    del own.stretches[number]
    return own


def drop_column(anatomy: Anatomy, leaf: int) -> Anatomy:
    """Leave out a leaf column: from the schema (with groups that would be empty), chunks, orders and sorting.

    Raises UsageError if it is the only column, and the errors of `tree.build`.
    """
    if len(nodes(anatomy)) < 2:
        raise UsageError("the only column cannot be left out")
    own = anatomy.copy()
    for group in own.groups:
        if leaf < len(group.chunks):
            del group.chunks[leaf]
        group.group = _without_sorting(group.group, leaf)
    orders = own.metadata.column_orders
    own.metadata = replace(
        own.metadata,
        schema=_without(own.metadata.schema, leaf),
        column_orders=None if orders is None else [*orders[:leaf], *orders[leaf + 1 :]],
    )
    return own


def _without_sorting(group: RowGroup, leaf: int) -> RowGroup:
    columns = [
        replace(column, column_idx=column.column_idx - (column.column_idx > leaf))
        for column in group.sorting_columns or ()
        if column.column_idx != leaf
    ]
    return replace(group, sorting_columns=columns or None)


def _without(schema: list[SchemaElement], leaf: int) -> list[SchemaElement]:
    """Return the flattened schema without a leaf and without the groups that would be empty."""
    path: list[tuple[int, int]] = []  # position of each open group, and the number of its remaining children
    seen = -1
    for position, element in enumerate(schema):
        while path and not path[-1][1]:
            path.pop()
        if path:
            path[-1] = (path[-1][0], path[-1][1] - 1)
        if element.type is None or element.num_children:
            path.append((position, element.num_children or 0))
            continue
        seen += 1
        if seen == leaf:
            break
    else:
        raise UsageError(f"there is no column {leaf}")
    dropped = {position}
    out = list(schema)
    for parent, _ in reversed(path):
        left = (out[parent].num_children or 0) - 1
        if left or not parent:
            out[parent] = replace(out[parent], num_children=left)
            break
        dropped.add(parent)
    return [element for position, element in enumerate(out) if position not in dropped]


def drop_page(anatomy: Anatomy, group: int, column: int, page: int) -> Anatomy:
    """Leave out a page of a chunk, its entries in the indexes, and its values from the chunk's num_values."""
    own = anatomy.copy()
    drop_page_of(own.groups[group].chunks[column], page)
    return own


def drop_page_of(chunk: Chunk, page: int) -> None:
    """Leave out a page of a chunk, in place, as `drop_page` does."""
    number = sum(part.is_data for part in chunk.pages[:page])
    gone = chunk.pages.pop(page)
    if gone.is_data:
        _drop_indexed(chunk, number)
        change_meta(chunk, lambda meta: replace(meta, num_values=meta.num_values - count(gone.header)))
    elif gone.header.type == PageType.DICTIONARY_PAGE and not page:
        change_meta(chunk, lambda meta: replace(meta, dictionary_page_offset=None))


def change_meta(chunk: Chunk, change: Callable[[ColumnMetaData], ColumnMetaData]) -> None:
    """Change the metadata of a chunk, in place, if it has any."""
    if chunk.chunk.meta_data is not None:
        chunk.chunk = replace(chunk.chunk, meta_data=change(chunk.chunk.meta_data))


def _drop_indexed(chunk: Chunk, number: int) -> None:
    part = chunk.offset_index
    if part is not None and isinstance(part.struct, OffsetIndex):
        part.struct, part.raw = _without_page(part.struct, _PER_LOCATION, number, 0), None
    part = chunk.column_index
    if part is not None and isinstance(part.struct, ColumnIndex):
        pages = len(part.struct.null_pages)
        part.struct = _without_page(part.struct, _PER_PAGE, number, 0)
        part.struct, part.raw = _without_page(part.struct, _HISTOGRAMS, number, pages), None


def _without_page(struct: Any, names: tuple[str, ...], number: int, pages: int) -> Any:
    """Return an index whose lists are without the elements of a page (one each, or an equal share)."""
    changed = {}
    for name in names:
        items = getattr(struct, name)
        if items is not None:
            share = len(items) // pages if pages else 1
            changed[name] = [*items[: number * share], *items[(number + 1) * share :]]
    return replace(struct, **changed)


def drop_statistics(anatomy: Anatomy) -> Anatomy:
    """Leave out statistics of chunks and pages."""
    own = anatomy.copy()
    for chunk in own.chunks():
        change_meta(chunk, lambda meta: changed(meta, **dict.fromkeys(_STATISTICS)))
        chunk.pages = [_without_statistics(page) for page in chunk.pages]
    return own


def _without_statistics(page: PagePart) -> PagePart:
    for name in ("data_page_header", "data_page_header_v2"):
        data = getattr(page.header, name)
        if data is not None and data.statistics is not None:
            return page.edited(**{name: replace(data, statistics=None)})
    return page


def drop_index(anatomy: Anatomy, group: int, column: int, name: str) -> Anatomy:
    """Leave out a `column_index` or `offset_index`."""
    own = anatomy.copy()
    chunk = own.groups[group].chunks[column]
    chunk.chunk = changed(chunk.chunk, **{f"{name}_offset": None, f"{name}_length": None})
    setattr(chunk, name, None)
    return own


def drop_bloom(anatomy: Anatomy, group: int, column: int) -> Anatomy:
    """Leave out a Bloom filter."""
    own = anatomy.copy()
    chunk = own.groups[group].chunks[column]
    chunk.bloom = None
    change_meta(chunk, lambda meta: replace(meta, bloom_filter_offset=None, bloom_filter_length=None))
    return own


def drop_optional(anatomy: Anatomy, name: str) -> Anatomy:
    """Leave out an optional field of the footer, such as key_value_metadata or created_by."""
    own = anatomy.copy()
    own.metadata = changed(own.metadata, **{name: None})
    return own


def with_codec(anatomy: Anatomy, group: int, column: int, codec: CompressionCodec) -> Anatomy:
    """Store the pages of a chunk in another codec; raises what `bodies.sections` raises."""
    own = anatomy.copy()
    chunk = own.groups[group].chunks[column]
    meta = chunk.chunk.meta_data
    if meta is None:
        raise UsageError("a chunk without metadata")
    old = meta.codec
    chunk.pages = [recompressed(page, old, codec) for page in chunk.pages]
    change_meta(chunk, lambda meta: replace(meta, codec=codec))
    return own


def count(header: PageHeader) -> int:
    """Return num_values of a data page, 0 for other pages."""
    data = header.data_page_header or header.data_page_header_v2
    return data.num_values if data is not None else 0
