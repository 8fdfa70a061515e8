"""Digests of a table's columns over fixed blocks of rows, of a stream of batches, in bounded memory.

Rows are cut into leaves of LEAF_ROWS rows, counted from the first row of the table. The digest of a leaf is
that of its pieces, the digest of a block is SHA-256, cut, of its leaves' digests. A leaf that was read in
parts is sent as pieces until it is complete (`Cut`): the reader of a part needs only the number of its first
row. Standard library only, Python 3.9.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from corpora.tagged import Field
from harness.engines.digests.batches import Batch, Stream
from harness.engines.digests.canonical_bytes import DIGEST_BYTES, Piece, digest

LEAF_ROWS = 4_096


class Cut(NamedTuple):
    """A leaf, or a part of one: `rows` of them; of each column its nulls, and its digest or its pieces."""

    rows: int
    nulls: list[int]
    contents: list[bytes | list[Piece]]


class Cutter:
    """Cuts batches of consecutive rows, the first of which is row `first` of the table."""

    def __init__(self, first: int) -> None:
        self.whole = first % LEAF_ROWS == 0
        self.room = LEAF_ROWS - first % LEAF_ROWS
        self.rows = 0
        self.held: list[list[Piece]] = []

    def add(self, batch: Batch) -> Iterator[Cut]:
        """Take a batch; yield each leaf that is at its end."""
        at = 0
        while at < batch.rows:
            count = min(self.room - self.rows, batch.rows - at)
            self.held.append(batch.pieces(at, count))
            self.rows += count
            at += count
            if self.rows == self.room:
                yield self._cut(whole=self.whole)
                self.whole, self.room = True, LEAF_ROWS

    def end(self) -> Iterator[Cut]:
        """Yield what is left."""
        if self.rows:
            yield self._cut(whole=False)

    def _cut(self, *, whole: bool) -> Cut:
        columns = list(map(list, zip(*self.held)))
        nulls = [sum(piece.nulls for piece in held) for held in columns]
        result: list[Any] = [digest(held) for held in columns] if whole else columns
        cut = Cut(self.rows, nulls, result)
        self.held, self.rows = [], 0
        return cut


class Digests:
    """Puts cuts, in the order of their rows, together to the digests of blocks of `block_rows` rows."""

    def __init__(self, columns: Sequence[Field], block_rows: int) -> None:
        if block_rows < LEAF_ROWS or block_rows % LEAF_ROWS:
            raise ValueError(f"blocks of {block_rows} rows are not leaves of {LEAF_ROWS}")
        self.columns, self.block_rows, self.rows = tuple(columns), block_rows, 0
        self.digests: list[list[str]] = [[] for _ in columns]
        self.nulls: list[list[int]] = [[] for _ in columns]
        self.leaf: list[list[Piece]] = [[] for _ in columns]
        self._begin()

    def _begin(self) -> None:
        self.hashes = [hashlib.sha256() for _ in self.columns]
        self.counts = [0] * len(self.columns)

    def add(self, cut: Cut) -> None:
        """Take the cut of the next rows."""
        for index, (nulls, contents) in enumerate(zip(cut.nulls, cut.contents)):
            self.counts[index] += nulls
            if isinstance(contents, bytes):
                self.hashes[index].update(contents)
            else:
                self.leaf[index] += contents
        self.rows += cut.rows
        if self.rows % LEAF_ROWS == 0:
            self._end_leaf()
        if self.rows % self.block_rows == 0:
            self._end_block()

    def to_json(self) -> dict[str, Any]:
        """Return the member `digests` of a reply; what is left is the last block."""
        self._end_leaf()
        if self.rows % self.block_rows:
            self._end_block()
        columns = [
            {**column.to_json(), "digests": digests, "nulls": nulls}
            for column, digests, nulls in zip(self.columns, self.digests, self.nulls)
        ]
        return {"rows": self.rows, "block_rows": self.block_rows, "columns": columns}

    def _end_leaf(self) -> None:
        for index, held in enumerate(self.leaf):
            if held:
                self.hashes[index].update(digest(held))
        self.leaf = [[] for _ in self.columns]

    def _end_block(self) -> None:
        for index, (hashed, count) in enumerate(zip(self.hashes, self.counts)):
            self.digests[index].append(hashed.digest()[:DIGEST_BYTES].hex())
            self.nulls[index].append(count)
        self._begin()


def of(stream: Stream, block_rows: int) -> dict[str, Any]:
    """Return the digests of a stream, as a reply has them; raises ValueError for such blocks."""
    digests, cutter = Digests(stream.columns, block_rows), Cutter(stream.first)
    for batch in stream.batches:
        if batch.columns != digests.columns:
            raise ValueError(f"a batch of {batch.columns!r:.200} in a table of {digests.columns!r:.200}")
        for cut in cutter.add(batch):
            digests.add(cut)
    for cut in cutter.end():
        digests.add(cut)
    return digests.to_json()
