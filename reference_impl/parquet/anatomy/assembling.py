"""Putting a file together: parts are laid out anew, and numbers that follow from places are computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reference_impl.parquet.anatomy import truths
from reference_impl.parquet.anatomy.parts import Anatomy, Beside, Chunk, Group, Stretch, changed
from reference_impl.parquet.anatomy.seals import Seal, break_seal
from reference_impl.parquet.anatomy.truths import Places, Truths, lie_of
from reference_impl.parquet.schema import ColumnChunk, FileMetaData, RowGroup

_PASSES = 4  # an offset index before its chunk moves the chunk, and so changes itself


def assemble(anatomy: Anatomy, broken: Seal | None = None, *, turn: int = 0, by: int = 1) -> bytes:
    """Return the file of these parts; sizes and offsets are computed, and their stored errors added.

    `broken` is a seal to break by `by` at one place; `turn` selects among the places that have it.
    Raises UsageError if the file does not have that seal.
    """
    own = anatomy.copy() if broken is None else break_seal(anatomy, broken, turn=turn, by=by)
    return _Assembly(own).file()


class _Assembly:
    def __init__(self, anatomy: Anatomy) -> None:
        self.anatomy = anatomy
        self.places = Places()
        self.pages = {
            id(page): truths.page_bytes(anatomy, page) for chunk in anatomy.chunks() for page in chunk.pages
        }
        self.headers = {
            id(page): len(self.pages[id(page)]) - len(page.stored)
            for chunk in anatomy.chunks()
            for page in chunk.pages
        }

    def file(self) -> bytes:
        anatomy = self.anatomy
        # An empty part stands before another at its place, as its offset says, and not behind that.
        ordered = sorted(_laid_out(anatomy), key=lambda each: (each[0], self.part(*each[1:]) != b""))
        body: list[bytes] = []
        for _ in range(_PASSES):
            before = self.places
            body = self.lay_out(ordered)
            if self.places == before:
                break
        footer = anatomy.footer
        if footer is None:
            footer = anatomy.encoded(self.footer()) + anatomy.trailer
        length = (len(footer) + lie_of(anatomy.lies, "footer_length")) & 0xFFFFFFFF
        return b"".join((anatomy.head, *body, footer, length.to_bytes(4, "little"), anatomy.tail))

    def lay_out(self, ordered: list[tuple[int, Chunk | Beside | Stretch, Chunk | None]]) -> list[bytes]:
        """Return the parts' bytes by the places of the pass before, and note the new places."""
        at = len(self.anatomy.head)
        places, out = Places(), []
        for _, part, owner in ordered:
            data = self.part(part, owner)
            places.parts[id(part)] = (at, len(data))
            if isinstance(part, Chunk):
                start = at
                for page in part.pages:
                    places.pages[id(page)] = start
                    start += len(self.pages[id(page)])
            out.append(data)
            at += len(data)
        self.places = places
        return out

    def part(self, part: Chunk | Beside | Stretch, owner: Chunk | None) -> bytes:
        if isinstance(part, Stretch):
            return part.data
        if isinstance(part, Chunk):
            return b"".join(self.pages[id(page)] for page in part.pages) + part.rest
        if part.raw is not None or part.struct is None:
            return (part.raw or b"") + part.data
        struct = part.struct
        if owner is not None and id(owner) in self.places.parts:
            struct = truths.locations(owner, part, self.places) or struct
        return self.anatomy.encoded(struct) + part.data

    def footer(self) -> FileMetaData:
        known = {
            id(chunk): truths.of_chunk(chunk, self.places, self.headers) for chunk in self.anatomy.chunks()
        }
        groups = [self.row_group(group, number, known) for number, group in enumerate(self.anatomy.groups)]
        return replace(self.anatomy.metadata, row_groups=groups)

    def row_group(self, group: Group, number: int, known: dict[int, Truths]) -> RowGroup:
        known_of_group = truths.of_group(group, number, known, self.places)
        fields = truths.mended(group.group, truths.GROUP_FIELDS, known_of_group, group.lies)
        columns = [self.chunk(chunk, known.get(id(chunk), {})) for chunk in group.chunks]
        return changed(group.group, columns=columns, **fields)

    def chunk(self, chunk: Chunk, known: Truths) -> ColumnChunk:
        fields = truths.mended(chunk.chunk, truths.CHUNK_FIELDS, known, chunk.lies)
        meta = chunk.chunk.meta_data
        if meta is not None:
            meta = changed(meta, **truths.mended(meta, truths.META_FIELDS, known, chunk.lies))
        return changed(chunk.chunk, meta_data=meta, **fields)


def _laid_out(anatomy: Anatomy) -> Iterator[tuple[int, Chunk | Beside | Stretch, Chunk | None]]:
    for chunk in anatomy.chunks():
        if chunk.at is not None:
            yield chunk.at, chunk, None
        for part in chunk.beside():
            yield part.at, part, chunk
    for stretch in anatomy.stretches:
        yield stretch.at, stretch, None
