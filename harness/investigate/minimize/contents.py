"""The decoded contents of a Parquet file, chunk by chunk."""

from __future__ import annotations

from harness.investigate.minimize.pages import ChunkContent
from harness.investigate.minimize.parquet import Parts
from harness.investigate.minimize.reduction import Impossible
from reference_impl.parquet import anatomy

_MOST = 1 << 22  # rows of a file that is decoded


class Contents:
    """All chunks of a file, decoded, by row group and column; raises Impossible."""

    def __init__(self, data: bytes) -> None:
        self.parts = Parts(data)
        own = self.parts.anatomy
        if sum(group.group.num_rows for group in own.groups) > _MOST:
            raise Impossible("too many rows to decode")
        leaves = anatomy.nodes(own)
        if any(len(group.chunks) != len(leaves) for group in own.groups):
            raise Impossible("a row group without a chunk for each leaf column")
        self.chunks = [
            [ChunkContent(chunk, node) for chunk, node in zip(group.chunks, leaves, strict=True)]
            for group in own.groups
        ]

    def pages(self) -> list[tuple[int, int, int]]:
        """Return the places of the data pages: row group, column, page."""
        return [
            (group, column, page)
            for group, chunks in enumerate(self.chunks)
            for column, chunk in enumerate(chunks)
            for page in chunk.pages
        ]
