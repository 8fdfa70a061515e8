"""What a Parquet file says, chunk by chunk."""

from __future__ import annotations

from harness.investigate.minimize.pages import ChunkContent
from harness.investigate.minimize.parquet import Parts
from reference_impl.errors import UsageError
from reference_impl.parquet import anatomy

_MOST = 1 << 22  # entries of a file that is taken apart so far


class Contents:
    """All chunks of a file, decoded, by row group and column."""

    def __init__(self, data: bytes) -> None:
        self.parts = Parts(data)
        own = self.parts.anatomy
        if sum(group.group.num_rows for group in own.groups) > _MOST:
            raise UsageError("too many rows to look at each")
        leaves = anatomy.nodes(own)
        self.chunks = [
            [ChunkContent(chunk, node) for chunk, node in zip(group.chunks, leaves, strict=True)]
            for group in own.groups
        ]

    def pages(self) -> list[tuple[int, int, int]]:
        """Return where the data pages are: row group, column, page."""
        return [
            (group, column, page)
            for group, chunks in enumerate(self.chunks)
            for column, chunk in enumerate(chunks)
            for page in chunk.pages
        ]
