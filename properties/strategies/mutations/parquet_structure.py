"""Mutations of the structure of a Parquet file: pages, row groups, columns and the schema.

An operation returns the name of the change, "" if the file has no part to change.
"""

from __future__ import annotations

from dataclasses import replace

from properties.strategies.mutations.parquet_scene import Scene
from reference_impl.errors import ReferenceError_
from reference_impl.parquet import anatomy
from reference_impl.parquet.anatomy import Chunk
from reference_impl.parquet.schema import FieldRepetitionType, SchemaElement

_MOST_PARTS = 200  # pages of a chunk, chunks of a row group, row groups: none are doubled if there are more
_DEPTHS = (1, 10, 60, 100, 198, 199, 200, 201, 1000, 5000)
_MOST_NAMES = 20_000  # in all paths of chunks


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
