"""Mutations of the parts of a Parquet file.

An operation returns the name of the change, "" if the file has no part to change.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from properties.strategies.mutations import scalars, streams, thrift
from reference_impl.errors import ReferenceError_
from reference_impl.parquet import anatomy
from reference_impl.parquet.anatomy import Chunk, PagePart, Sections
from reference_impl.parquet.schema import (
    BloomFilterHeader,
    ColumnIndex,
    CompressionCodec,
    Encoding,
    FieldRepetitionType,
    FileMetaData,
    OffsetIndex,
    PageHeader,
    SchemaElement,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from properties.strategies.mutations.parquet_scene import Scene
    from reference_impl.parquet.tree import Node

    Other = Callable[[Scene, PagePart, Node | None, Sections], Sections]

_MOST_PARTS = 200  # pages of a chunk, chunks of a row group, row groups: none are doubled if there are more
_DEPTHS = (1, 10, 60, 100, 198, 199, 200, 201, 1000, 5000)
_MOST_NAMES = 20_000  # in all paths of chunks
_INDEXES: dict[str, type[ColumnIndex | OffsetIndex | BloomFilterHeader]] = {
    "column_index": ColumnIndex,
    "offset_index": OffsetIndex,
    "bloom": BloomFilterHeader,
}
_CODECS = [codec for codec in CompressionCodec if codec != CompressionCodec.LZO]  # needs a library


def footer_fields(scene: Scene) -> str:
    """Mutate the fields of the footer, when the places of all parts are known."""
    other = None if scene.donor is None else scene.donor.encoded(scene.donor.metadata)
    scene.of_footer.append(lambda raw: thrift.mutate(raw, FileMetaData, scene.random, other))
    return "footer fields"


def page_header_fields(scene: Scene) -> str:
    """Mutate the fields of a page header; sizes of the chunk follow."""
    target = scene.page()
    if target is None:
        return ""
    page = target[0].pages[target[1]]
    page.raw = thrift.mutate(scene.header_bytes(page), PageHeader, scene.random)
    return "page header fields"


def index_fields(scene: Scene) -> str:
    """Mutate the fields of a column index, offset index or Bloom filter header."""
    target = scene.metadata_part()
    if target is None:
        return ""
    chunk, part = target
    name = next(name for name in _INDEXES if getattr(chunk, name) is part)
    raw = part.raw or (scene.parts.encoded(part.struct) if part.struct is not None else part.data)
    part.raw = thrift.mutate(raw, _INDEXES[name], scene.random)
    return f"{name} fields"


def bloom_bits(scene: Scene) -> str:
    """Mutate the bitset of a Bloom filter."""
    place = scene.chunk(lambda chunk: chunk.bloom is not None)
    part = scene.parts.groups[place[0]].chunks[place[1]].bloom if place else None
    if part is None:
        return ""
    part.data = scalars.mutated(scene.random, part.data)
    return "bloom bits"


def stored_bytes(scene: Scene) -> str:
    """Mutate the bytes of a page as they are stored; size and checksum follow."""
    target = scene.page()
    if target is None:
        return ""
    page = target[0].pages[target[1]]
    target[0].pages[target[1]] = page.edited(scalars.mutated(scene.random, page.stored))
    return "stored bytes"


def level_streams(scene: Scene) -> str:
    """Mutate levels, compressed again."""
    return _streams(scene, "levels", _other_levels)


def value_streams(scene: Scene) -> str:
    """Mutate values by the structure of their encoding, compressed again."""
    return _streams(scene, "values", _other_values)


def _streams(scene: Scene, name: str, change: Other) -> str:
    target = scene.page(lambda page: page.is_data or name == "values")
    if target is None:
        return ""
    chunk, number, node = target
    page, meta = chunk.pages[number], chunk.chunk.meta_data
    parts = scene.sections(chunk, page, node)
    if parts is None or meta is None:
        return ""
    changed = change(scene, page, node, parts)
    if changed is parts:
        return ""
    chunk.pages[number] = anatomy.with_sections(page, changed, meta.codec)
    return name


def _other_levels(scene: Scene, page: PagePart, node: Node | None, parts: Sections) -> Sections:
    if node is None:
        return parts
    most = {"repetition": node.repetition_level, "definition": node.definition_level}
    names = [name for name, level in most.items() if level]
    if not names:
        return parts
    name = scene.random.choice(names)
    v1 = page.header.data_page_header
    encoding = getattr(v1, f"{name}_level_encoding", Encoding.RLE)
    data = streams.levels(
        getattr(parts, name), most[name], scene.random, prefixed=v1 is not None, encoding=encoding
    )
    return replace(parts, repetition=data) if name == "repetition" else replace(parts, definition=data)


def _other_values(scene: Scene, page: PagePart, node: Node | None, parts: Sections) -> Sections:
    header = page.header
    data = header.data_page_header or header.data_page_header_v2
    encoding = data.encoding if data is not None else Encoding.PLAIN
    physical = node.physical if node is not None else None
    return replace(parts, values=streams.values(parts.values, encoding, physical, scene.random))


def change_pages(scene: Scene) -> str:
    """Remove or double a page, or shuffle the pages of a chunk."""
    place = scene.chunk(lambda chunk: bool(chunk.pages))
    if place is None:
        return ""
    chunk = scene.parts.groups[place[0]].chunks[place[1]]
    scene.miscounted = True
    at = scene.random.randrange(len(chunk.pages))
    kind = scene.random.randrange(3)
    if kind == 0:
        scene.parts = anatomy.drop_page(scene.parts, *place, at)
        return "drop page"
    if kind == 1 and len(chunk.pages) < _MOST_PARTS:
        chunk.pages.insert(at, chunk.pages[at])
        return "double page"
    scene.random.shuffle(chunk.pages)
    return "reorder pages"


def change_groups(scene: Scene) -> str:
    """Remove or double a row group, or shuffle the row groups."""
    groups = scene.parts.groups
    if not groups:
        return ""
    scene.miscounted = True
    at = scene.random.randrange(len(groups))
    kind = scene.random.randrange(3)
    if kind == 0:
        scene.parts = anatomy.drop_group(scene.parts, at)
        return "drop row group"
    if kind == 1 and len(groups) < _MOST_PARTS:
        groups.insert(at, groups[at])
        return "double row group"
    scene.random.shuffle(groups)
    return "reorder row groups"


def change_columns(scene: Scene) -> str:
    """Remove a column, or shuffle the chunks of a row group, or replace a chunk by another."""
    groups = [group for group in scene.parts.groups if len(group.chunks) > 1]
    if not groups:
        return ""
    group = scene.random.choice(groups)
    kind = scene.random.randrange(3)
    if kind == 0:
        try:
            scene.parts = anatomy.drop_column(scene.parts, scene.random.randrange(len(group.chunks)))
        except ReferenceError_:
            return ""
        return "drop column"
    if kind == 1:
        scene.random.shuffle(group.chunks)
        return "reorder chunks"
    at = scene.random.randrange(len(group.chunks))
    group.chunks[at] = scene.random.choice(group.chunks)
    return "repeat chunk"


def splice_page(scene: Scene) -> str:
    """Insert a page of another chunk, of this file or another, before a page or in its place."""
    donor = scene.donor if scene.donor is not None and scene.random.randrange(2) else scene.parts
    pages = [page for chunk in donor.chunks() for page in chunk.pages]
    target = scene.page()
    if target is None or not pages:
        return ""
    chunk, number, _ = target
    scene.miscounted = True
    chunk.pages[number : number + scene.random.randrange(2)] = [scene.random.choice(pages)]
    return "splice page"


def splice_chunk(scene: Scene) -> str:
    """Replace a chunk by one of another column or file, with or without its metadata."""
    donor = scene.donor if scene.donor is not None and scene.random.randrange(2) else scene.parts
    chunks = [chunk for chunk in donor.chunks() if chunk.pages]
    place = scene.chunk(lambda chunk: chunk.at is not None)
    if place is None or not chunks:
        return ""
    group, column = scene.parts.groups[place[0]], place[1]
    old, new = group.chunks[column], scene.random.choice(chunks)
    scene.miscounted = True
    choice = scene.random.randrange(3)
    metadata = old.chunk if choice else new.chunk
    meta = metadata.meta_data
    if (
        choice == 1
        and meta is not None
        and old.chunk.meta_data is not None
        and new.chunk.meta_data is not None
    ):
        theirs = new.chunk.meta_data
        meta = replace(meta, codec=theirs.codec, type=theirs.type, encodings=theirs.encodings)
    spliced = replace(metadata, meta_data=meta)
    group.chunks[column] = Chunk(spliced, at=old.at, pages=list(new.pages), rest=new.rest)
    return "splice chunk"


def splice_footer(scene: Scene) -> str:
    """Replace the footer by that of another file."""
    if scene.donor is None:
        return ""
    scene.parts.footer = scene.donor.encoded(scene.donor.metadata)
    return "splice footer"


def splice_schema(scene: Scene) -> str:
    """Replace the schema by that of another file."""
    if scene.donor is None:
        return ""
    scene.parts.metadata = replace(scene.parts.metadata, schema=scene.donor.metadata.schema)
    return "splice schema"


def deep_schema(scene: Scene) -> str:
    """Wrap a top-level field into so many groups that readers run out of stack; paths are adapted."""
    schema = scene.parts.metadata.schema
    if len(schema) < 2 or not schema[0].num_children:
        return ""
    depth = min(scene.random.choice(_DEPTHS), _MOST_NAMES // max(1, len(scene.parts.chunks())))
    repetition = scene.random.choice((*FieldRepetitionType, FieldRepetitionType.REQUIRED))
    wrap = [SchemaElement(name="g", repetition_type=repetition, num_children=1)] * depth
    scene.parts.metadata = replace(scene.parts.metadata, schema=[schema[0], *wrap, *schema[1:]])
    try:
        leaves = sum(node.path[0] == "g" for node in anatomy.nodes(scene.parts))
    except ReferenceError_:
        leaves = 1
    for group in scene.parts.groups:
        for chunk in group.chunks[:leaves]:
            meta = chunk.chunk.meta_data
            if meta is not None:
                path = ["g"] * depth + meta.path_in_schema
                chunk.chunk = replace(chunk.chunk, meta_data=replace(meta, path_in_schema=path))
    return "deep schema"


def other_codec(scene: Scene) -> str:
    """Store a chunk in another codec."""
    place = scene.chunk(lambda chunk: bool(chunk.pages))
    if place is None:
        return ""
    try:
        scene.parts = anatomy.with_codec(scene.parts, *place, scene.random.choice(_CODECS))
    except ReferenceError_:
        return ""
    return "other codec"


def break_seal(scene: Scene) -> str:
    """Break a seal when the file is assembled."""
    if scene.seal is not None:
        return ""
    scene.seal = scene.random.choice(list(anatomy.Seal))
    return f"break {scene.seal.name}"


OPERATIONS: dict[str, tuple[int, Callable[[Scene], str]]] = {
    "footer fields": (20, footer_fields),
    "page header fields": (14, page_header_fields),
    "index fields": (6, index_fields),
    "bloom bits": (1, bloom_bits),
    "stored bytes": (4, stored_bytes),
    "levels": (14, level_streams),
    "values": (22, value_streams),
    "pages": (5, change_pages),
    "row groups": (2, change_groups),
    "columns": (3, change_columns),
    "splice page": (5, splice_page),
    "splice chunk": (4, splice_chunk),
    "splice footer": (1, splice_footer),
    "splice schema": (1, splice_schema),
    "deep schema": (2, deep_schema),
    "codec": (3, other_codec),
    "seal": (6, break_seal),
}
