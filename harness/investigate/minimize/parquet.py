"""Reductions of Parquet files by their parts, through `reference_impl.parquet.anatomy`.

Where counts agreed with the pages before, they agree afterwards; where they did not, they only lose the
counts of the parts that were left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from harness.investigate.minimize import fields
from harness.investigate.minimize.reduction import NO_SITES, Reduction, Sites, whole_change
from reference_impl.parquet import anatomy
from reference_impl.parquet.anatomy import Anatomy, Chunk
from reference_impl.parquet.page_structs import OffsetIndex
from reference_impl.parquet.schema import ColumnMetaData, CompressionCodec, PageType

_BELOW = 1 << 12  # bytes that a file may grow to by becoming simpler
_GROWTH = 1 << 10


class Parts:
    """The parts of a file, and whether its counts are right."""

    def __init__(self, data: bytes) -> None:
        self.anatomy = anatomy.dissect(data)
        self.counts_hold = _counts(anatomy.recount(self.anatomy)) == _counts(self.anatomy)

    def assembled(self, changed: Anatomy) -> bytes:
        """Return the file that consists of changed parts."""
        return anatomy.assemble(anatomy.recount(changed) if self.counts_hold else changed)


def _counts(own: Anatomy) -> list[object]:
    """Return all numbers that `recount` recomputes."""
    counts: list[object] = [own.metadata.num_rows]
    for group in own.groups:
        counts.append(group.group.num_rows)
        for chunk in group.chunks:
            meta = chunk.chunk.meta_data
            stats = (meta and meta.encoding_stats) or []
            counted = Counter[tuple[int, int]]()
            for stats_ in stats:
                counted[stats_.page_type, stats_.encoding] += stats_.count
            index = chunk.offset_index.struct if chunk.offset_index else None
            places = index.page_locations if isinstance(index, OffsetIndex) else []
            counts.append((meta and meta.num_values, counted, [place.first_row_index for place in places]))
    return counts


def row_groups(data: bytes) -> Sites:
    """Leave out row groups."""
    parts = Parts(data)

    def reduced(start: int, stop: int) -> bytes:
        own = parts.anatomy.copy()
        gone = sum(group.group.num_rows for group in own.groups[start:stop])
        del own.groups[start:stop]
        own.metadata = replace(own.metadata, num_rows=own.metadata.num_rows - gone)
        return parts.assembled(own)

    return Sites(len(parts.anatomy.groups), reduced)


def columns(data: bytes) -> Sites:
    """Leave out leaf columns."""
    parts = Parts(data)

    def reduced(start: int, stop: int) -> bytes:
        own = parts.anatomy
        for leaf in reversed(range(start, stop)):
            own = anatomy.drop_column(own, leaf)
        return parts.assembled(own)

    return Sites(len(anatomy.nodes(parts.anatomy)), reduced)


def pages(data: bytes) -> Sites:
    """Leave out pages, each with its values; dictionaries only where no page uses them."""
    parts = Parts(data)
    places = [
        (group, column, page)
        for group, row_group in enumerate(parts.anatomy.groups)
        for column, chunk in enumerate(row_group.chunks)
        for page in range(len(chunk.pages))
    ]

    def reduced(start: int, stop: int) -> bytes:
        own = parts.anatomy
        for place in reversed(places[start:stop]):
            own = anatomy.drop_page(own, *place)
        return parts.assembled(own)

    return Sites(len(places), reduced)


def _beside(data: bytes, drop: Callable[[Anatomy, int, int], Anatomy], has: Callable[[Chunk], bool]) -> Sites:
    """Return the chunks for which `has` is true as sites, which `drop` reduces."""
    parts = Parts(data)
    places = [
        (group, column)
        for group, row_group in enumerate(parts.anatomy.groups)
        for column, chunk in enumerate(row_group.chunks)
        if has(chunk)
    ]

    def reduced(start: int, stop: int) -> bytes:
        own = parts.anatomy
        for place in places[start:stop]:
            own = drop(own, *place)
        return parts.assembled(own)

    return Sites(len(places), reduced)


def column_indexes(data: bytes) -> Sites:
    """Leave out column indexes."""
    return _beside(
        data,
        lambda own, group, column: anatomy.drop_index(own, group, column, "column_index"),
        lambda chunk: chunk.column_index is not None,
    )


def offset_indexes(data: bytes) -> Sites:
    """Leave out offset indexes, and with them column indexes, which are useless alone."""

    def drop(own: Anatomy, group: int, column: int) -> Anatomy:
        own = anatomy.drop_index(own, group, column, "column_index")
        return anatomy.drop_index(own, group, column, "offset_index")

    return _beside(data, drop, lambda chunk: chunk.offset_index is not None)


def bloom_filters(data: bytes) -> Sites:
    """Leave out Bloom filters."""
    return _beside(data, anatomy.drop_bloom, lambda chunk: chunk.bloom is not None)


def codecs(data: bytes) -> Sites:
    """Store chunks uncompressed."""

    def is_compressed(chunk: Chunk) -> bool:
        meta = chunk.chunk.meta_data
        return meta is not None and meta.codec != CompressionCodec.UNCOMPRESSED

    def plain(own: Anatomy, group: int, column: int) -> Anatomy:
        return anatomy.with_codec(own, group, column, CompressionCodec.UNCOMPRESSED)

    return _beside(data, plain, is_compressed)


def stretches(data: bytes) -> Sites:
    """Leave out bytes that belong to no part."""
    parts = Parts(data)

    def reduced(start: int, stop: int) -> bytes:
        own = parts.anatomy.copy()
        del own.stretches[start:stop]
        return parts.assembled(own)

    return Sites(len(parts.anatomy.stretches), reduced)


def statistics(data: bytes) -> Sites:
    """Leave out all statistics of chunks and pages."""
    parts = Parts(data)
    bare = anatomy.drop_statistics(parts.anatomy)
    return whole_change(parts.assembled(parts.anatomy), parts.assembled(bare))


def footer_kinds(data: bytes) -> Sites:
    """Leave out optional fields of the footer and of page headers, all of a kind at once."""
    parts = Parts(data)
    return fields.kind_sites(
        _structs(parts.anatomy), lambda new: parts.assembled(_with_structs(parts.anatomy, new))
    )


def footer_fields(data: bytes) -> Sites:
    """Leave out optional fields of the footer and of page headers, one by one."""
    parts = Parts(data)
    return fields.field_sites(
        _structs(parts.anatomy), lambda new: parts.assembled(_with_structs(parts.anatomy, new))
    )


def _structs(own: Anatomy) -> list[fields.Struct]:
    """Return the structs that describe a file: footer, row groups, chunks and page headers."""
    structs: list[fields.Struct] = [replace(own.metadata, row_groups=[])]  # the groups follow
    for group in own.groups:
        structs.append(group.group)
        for chunk in group.chunks:
            structs.append(chunk.chunk)
            structs += [page.header for page in chunk.pages]
    return structs


def _with_structs(anatomy_: Anatomy, structs: Sequence[fields.Struct]) -> Anatomy:
    """Return a file described by other structs, in the order of `_structs`."""
    own = anatomy_.copy()
    new = iter(structs)
    own.metadata = fields.as_(next(new), own.metadata)
    for group in own.groups:
        group.group = fields.as_(next(new), group.group)
        for chunk in group.chunks:
            chunk.chunk = fields.as_(next(new), chunk.chunk)
            for number, page in enumerate(chunk.pages):
                header = fields.as_(next(new), page.header)
                if header != page.header:
                    chunk.pages[number] = replace(page, header=header, raw=None)
    return own


def short_names(data: bytes, reserved: frozenset[str]) -> Sites:
    """Give fields of the schema names of one letter, except for `reserved` names."""
    parts = Parts(data)
    if not parts.anatomy.metadata.schema:
        return NO_SITES
    root, *rest = parts.anatomy.metadata.schema

    def renamed(new_names: list[str]) -> bytes:
        own = parts.anatomy.copy()
        *new, top = new_names
        schema = [replace(element, name=name) for element, name in zip(rest, new, strict=True)]
        own.metadata = replace(own.metadata, schema=[replace(root, name=top), *schema])
        for group in own.groups:
            for chunk, node in zip(group.chunks, anatomy.nodes(own), strict=False):
                anatomy.change_meta(chunk, partial(_renamed, path=list(node.path)))
        return parts.assembled(own)

    every = [element.name for element in (*rest, root)]  # columns take the first letters
    return fields.name_sites(every, reserved, renamed)


def _renamed(meta: ColumnMetaData, path: list[str]) -> ColumnMetaData:
    return replace(meta, path_in_schema=path)


def unused_dictionaries(data: bytes) -> Sites:
    """Leave out dictionary pages that no data page of the chunk refers to."""
    return _beside(
        data,
        lambda own, group, column: anatomy.drop_page(own, group, column, 0),
        lambda chunk: bool(chunk.pages) and chunk.pages[0].header.type == PageType.DICTIONARY_PAGE,
    )


COARSE = (
    Reduction("row groups", row_groups),
    Reduction("columns", columns),
    Reduction("bytes of nothing", stretches),
)
INDEXES = (
    Reduction("offset indexes", offset_indexes),
    Reduction("column indexes", column_indexes),
    Reduction("Bloom filters", bloom_filters),
    Reduction("statistics", statistics),
)
FIELDS = (Reduction("kinds of fields", footer_kinds), Reduction("fields", footer_fields))
CODECS = Reduction("codecs", codecs, _GROWTH, _BELOW)
PAGES = Reduction("pages", pages)
DICTIONARIES = Reduction("unused dictionaries", unused_dictionaries)
