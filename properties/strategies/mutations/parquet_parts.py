"""Mutations of the parts of a Parquet file.

An operation returns the name of the change, "" if the file has no part to change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from properties.strategies.mutations import parquet_structure as structure
from properties.strategies.mutations import scalars, streams, thrift
from properties.strategies.mutations.parquet_scene import Scene
from reference_impl.compression import has_lzo
from reference_impl.errors import ReferenceError_
from reference_impl.parquet import anatomy
from reference_impl.parquet.anatomy import PagePart, Sections
from reference_impl.parquet.page_structs import BloomFilterHeader, ColumnIndex, OffsetIndex, PageHeader
from reference_impl.parquet.schema import CompressionCodec, Encoding, FileMetaData
from reference_impl.parquet.tree import Node

Other = Callable[[Scene, PagePart, Node | None, Sections], Sections]

_INDEXES: dict[str, type[ColumnIndex | OffsetIndex | BloomFilterHeader]] = {
    "column_index": ColumnIndex,
    "offset_index": OffsetIndex,
    "bloom": BloomFilterHeader,
}
_CODECS = [codec for codec in CompressionCodec if codec != CompressionCodec.LZO or has_lzo()]


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
    "pages": (5, structure.change_pages),
    "row groups": (2, structure.change_groups),
    "columns": (3, structure.change_columns),
    "splice page": (5, structure.splice_page),
    "splice chunk": (4, structure.splice_chunk),
    "splice footer": (1, structure.splice_footer),
    "splice schema": (1, structure.splice_schema),
    "deep schema": (2, structure.deep_schema),
    "codec": (3, other_codec),
    "seal": (6, break_seal),
}
