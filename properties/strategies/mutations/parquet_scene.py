"""The parts of a Parquet file that is mutated: choosing parts, and sealing the file again."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from properties.strategies.mutations import scalars
from reference_impl.errors import ReferenceError_, UsageError
from reference_impl.parquet import anatomy
from reference_impl.parquet.anatomy import Anatomy, Beside, Chunk, PagePart, Sections, truths
from reference_impl.parquet.tree import Node

Change = Callable[[bytes], bytes]


class Scene:
    """Parts of a file and of a donor, and the changes that are still to be made to the footer's bytes."""

    def __init__(self, parts: Anatomy, random: Random, donor: Anatomy | None = None) -> None:
        self.parts = parts
        self.random = random
        self.donor = donor
        self.seal: anatomy.Seal | None = None
        self.miscounted = False  # pages were added or removed
        self.of_footer: list[Change] = []

    def chunk(self, wanted: Callable[[Chunk], bool] = bool) -> tuple[int, int] | None:
        """Choose a column chunk: row group and column."""
        candidates = [
            (number, column)
            for number, group in enumerate(self.parts.groups)
            for column, chunk in enumerate(group.chunks)
            if wanted(chunk)
        ]
        return self.random.choice(candidates) if candidates else None

    def page(self, wanted: Callable[[PagePart], bool] = bool) -> tuple[Chunk, int, Node | None] | None:
        """Choose a page: its chunk, its number there, and the column."""
        place = self.chunk(lambda chunk: any(map(wanted, chunk.pages)))
        if place is None:
            return None
        chunk = self.parts.groups[place[0]].chunks[place[1]]
        number = self.random.choice([at for at, page in enumerate(chunk.pages) if wanted(page)])
        return chunk, number, self.node(place[1])

    def metadata_part(self) -> tuple[Chunk, Beside] | None:
        """Choose an index or Bloom filter, with its chunk."""
        place = self.chunk(lambda chunk: bool(chunk.beside()))
        if place is None:
            return None
        chunk = self.parts.groups[place[0]].chunks[place[1]]
        return chunk, self.random.choice(chunk.beside())

    def node(self, column: int) -> Node | None:
        """Return a leaf column, None if the schema is invalid or has fewer leaves."""
        try:
            nodes = anatomy.nodes(self.parts)
        except ReferenceError_:
            return None
        return nodes[column] if column < len(nodes) else None

    def sections(self, chunk: Chunk, page: PagePart, node: Node | None) -> Sections | None:
        """Return the sections of a page, None if it cannot be read."""
        meta = chunk.chunk.meta_data
        try:
            return None if meta is None else anatomy.sections(page, node, meta.codec)
        except ReferenceError_:
            return None

    def header_bytes(self, page: PagePart) -> bytes:
        """Return the header of a page as it will be written."""
        whole = truths.page_bytes(self.parts, page)
        return whole[: len(whole) - len(page.stored)]

    def assembled(self) -> bytes:
        """Return the file: mostly with consistent counts, and with a broken seal if `seal` is set."""
        parts = anatomy.recount(self.parts) if self.miscounted and self.random.randrange(4) else self.parts
        if self.seal is not None:
            by = scalars.number(self.random, self.random.choice((0, 0, 8, 100)))
            try:
                return anatomy.assemble(parts, self.seal, turn=self.random.randrange(64), by=by)
            except UsageError:
                pass  # the part with the seal was removed, or the seal would not change
        return anatomy.assemble(parts)


def with_footer(data: bytes, change: Change) -> bytes:
    """Return a file with its footer changed and sealed again."""
    length = int.from_bytes(data[-8:-4], "little")
    if not 0 < length <= len(data) - 8:
        return data
    start = len(data) - 8 - length
    raw = change(data[start:-8])
    return b"".join((data[:start], raw, len(raw).to_bytes(4, "little"), data[-4:]))
