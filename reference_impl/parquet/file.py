"""A Parquet file: a pure function of its bytes (README.md of parquet-format, "File format").

    PAR1 | column chunks, indexes, anything … | FileMetaData | its length, 4 bytes LE | PAR1

`encryption/footers.py` describes the footers of encrypted files.

    >>> file = ParquetFile.open("people.parquet")
    >>> file.metadata.num_rows, [node.name for node in file.root.children]
    >>> table = file.read(columns=["name", "address.city"], row_groups=[0])
    >>> for page in file.pages(row_group=0, column=2): print(page.offset, page.header)

Every method raises only the four errors of `reference_impl.errors`.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path

from reference_impl.columns import Table
from reference_impl.errors import (
    LimitExceeded,
    Malformed,
    Unsupported,
    UsageError,
    located,
    raise_first,
)
from reference_impl.limits import DEFAULT, Limits
from reference_impl.notes import Notes
from reference_impl.parquet import chunk, chunk_begin, chunk_end, levels
from reference_impl.parquet.encryption import footers
from reference_impl.parquet.encryption.keys import KeySource
from reference_impl.parquet.encryption.opening import ChunkCipher, Module, is_encrypted, reveal
from reference_impl.parquet.levels import LeafData
from reference_impl.parquet.page_walk import Page
from reference_impl.parquet.row_groups import row_count_errors, sound_row_groups
from reference_impl.parquet.schema import ColumnChunk, ColumnMetaData, FileMetaData, RowGroup
from reference_impl.parquet.shape import Shape, prune, shape_of
from reference_impl.parquet.tree import Node, build
from reference_impl.wire import thrift

MAGIC = b"PAR1"
ENCRYPTED_MAGIC = b"PARE"


class ParquetFile:
    """An opened file: the footer has been read and checked, the data has not.

    `metadata` is the footer, `root` the schema as a tree, `leaves` its leaf columns in order.
    """

    def __init__(
        self,
        data: bytes | mmap.mmap,
        keys: KeySource | None = None,
        *,
        limits: Limits = DEFAULT,
        verify_crc: bool = True,
        keep_spans: bool = False,
        strict: bool = False,
    ) -> None:
        """Read the footer; `keep_spans` keeps the byte range of every field of it.

        A broken rule that does not stop decoding (`noted.py`) is noted in `notes`; `strict` refuses it.
        `keys` open encrypted modules. A signed footer is verified if its key is among them. Columns whose key
        is not are Unsupported (PQ-CRYPT-001) when they are read; all others can be read.
        Raises Malformed (PQ-FILE-*, PQ-THRIFT-*, PQ-SCHEMA-*, PQ-LOGICAL-*, PQ-CRYPT-*), Unsupported (without
        keys and in an encrypted footer: PQ-CRYPT-000) and LimitExceeded.
        """
        self.data = data
        self.limits = limits
        self.verify_crc = verify_crc
        self.handler = Notes(strict=strict)
        self._opened: dict[tuple[int, int], ColumnChunk] = {}
        self._read_footer(keys, self.handler.breach, keep_spans=keep_spans)
        with self.handler.located("footer"):
            self.root = build(self.metadata.schema)
            self.leaves = tuple(self.root.leaves())
            version = self.metadata.version
            if version not in (1, 2):  # "All other versions are reserved for potential future use-cases"
                raise Unsupported(f"file version {version}", offset=self.metadata.begin)
            sound_row_groups(self.metadata, len(self.leaves))
            self.handler.breach_all(row_count_errors(self.metadata))

    @property
    def notes(self) -> list[Malformed]:
        """The breaches of rules that were noted so far, in the order of discovery."""
        return self.handler.breaches

    def _read_footer(
        self,
        keys: KeySource | None,
        handle: Callable[[Malformed], None],
        *,
        keep_spans: bool,
        keep_modules: bool = False,
    ) -> None:
        """Set `metadata`, `cipher` and `footer`; bytes behind the metadata are given to `handle`."""
        self.footer_start, end = _footer(self.data, self.limits)
        raw = bytes(self.data[self.footer_start : end])
        with self.handler.located("footer"):
            if self.data[:4] == ENCRYPTED_MAGIC:
                self.footer = footers.open_encrypted(raw, self.footer_start, keys, keep=keep_modules)
            else:
                self.footer = footers.Opened(raw, self.footer_start)
            raw, base, self.cipher, _ = self.footer
            if self.cipher is not None:
                module = Module(raw, base, 0)
                self.metadata, _ = self.cipher.struct(FileMetaData, module, keep_spans=keep_spans)
                return
            self.metadata, used = thrift.decode(FileMetaData, raw, base=base, keep_spans=keep_spans)
            self.cipher = footers.verify(self.metadata, raw, used, base, keys, keep=keep_modules)
            left = len(raw) - used
            if left and self.metadata.encryption_algorithm is None:
                message = f"{left} unused bytes follow the metadata"
                handle(Malformed(message, offset=base + used, rule="PQ-FILE-005"))

    @classmethod
    def open(
        cls,
        path: str | Path,
        keys: KeySource | None = None,
        *,
        limits: Limits = DEFAULT,
        verify_crc: bool = True,
        strict: bool = False,
    ) -> ParquetFile:
        """Open a file by path, memory-mapped; raises OSError as well."""
        with Path(path).open("rb") as file:
            size = file.seek(0, 2)
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        return cls(data, keys, limits=limits, verify_crc=verify_crc, strict=strict)

    def read(self, columns: Sequence[str] | None = None, row_groups: Sequence[int] | None = None) -> Table:
        """Read columns (names of top-level fields, or dotted paths into them; default all) of row groups.

        Raises UsageError for a column or row group that is not there.
        """
        groups = range(len(self.metadata.row_groups)) if row_groups is None else row_groups
        rows = sum(self.row_group(index).num_rows for index in groups)
        return levels.table(self.select(columns), rows, lambda leaf: self.leaf(leaf, groups))

    def pages(self, row_group: int, column: int) -> Iterator[Page]:
        """Yield the pages of a column chunk undecoded; checksums are not verified."""
        start, stop = self.extent(row_group, column)
        return chunk.pages(bytes(self.data[start:stop]), start, self.chunk_cipher(row_group, column))

    def column_metadata(self, row_group: int, column: int) -> ColumnMetaData:
        """Return the metadata of a column chunk, decrypted if need be, and checked against the schema."""
        column_chunk = self.column_chunk(row_group, column)
        with located(f"row_groups[{row_group}]", f"columns[{column}]"):
            if self.cipher is not None and is_encrypted(column_chunk):
                column_chunk = self._revealed(column_chunk, row_group, column)
            return chunk.metadata(column_chunk, self.leaves[column])

    def extent(self, row_group: int, column: int) -> tuple[int, int]:
        """Return the half-open byte range of a chunk.

        Where the metadata let it reach into the footer, it ends with its last page, which is noted. Raises
        Malformed (PQ-CHUNK-004) if that is not where the next part of the file begins.
        """
        meta = self.column_metadata(row_group, column)
        try:
            return chunk_begin.extent(self.data, meta, self.footer_start)
        except Malformed:
            start, _ = chunk.claimed_extent(meta)
            cipher = self.chunk_cipher(row_group, column)
            behind = self.behind_chunk(start)
            mended = chunk_end.before_footer(self.data, meta, self.footer_start, behind, cipher)
            if mended is None:
                raise
        self.handler.breach(mended[1])
        return start, mended[0]

    def column_chunk(self, row_group: int, column: int) -> ColumnChunk:
        """Return the entry of a column chunk in the footer, as it is stored."""
        columns = self.row_group(row_group).columns
        if not 0 <= column < len(self.leaves):
            raise UsageError(f"there is no column {column}; the file has {len(self.leaves)}")
        return columns[column]

    def row_group(self, index: int) -> RowGroup:
        """Return a row group; raises UsageError if it is not there."""
        if not 0 <= index < len(self.metadata.row_groups):
            raise UsageError(f"there is no row group {index}; the file has {len(self.metadata.row_groups)}")
        return self.metadata.row_groups[index]

    def _revealed(self, column_chunk: ColumnChunk, row_group: int, column: int) -> ColumnChunk:
        """Return the chunk with its metadata decrypted, which is done once for each chunk."""
        if (row_group, column) not in self._opened:
            assert self.cipher is not None
            cipher = self._chunk_cipher(column_chunk, row_group, column)
            self._opened[row_group, column] = reveal(column_chunk, cipher, self.footer.crypto is not None)
        return self._opened[row_group, column]

    def chunk_cipher(self, row_group: int, column: int) -> ChunkCipher | None:
        """Return the cipher of a chunk, None if it is not encrypted.

        Raises Unsupported (PQ-CRYPT-000, -001) without its key, Malformed (PQ-CRYPT-012, -013).
        """
        column_chunk = self.column_chunk(row_group, column)
        if not is_encrypted(column_chunk):
            return None
        cipher = self._chunk_cipher(column_chunk, row_group, column)
        meta = self.column_metadata(row_group, column)
        return replace(cipher, has_dictionary=meta.dictionary_page_offset is not None)

    def _chunk_cipher(self, column_chunk: ColumnChunk, row_group: int, column: int) -> ChunkCipher:
        if self.cipher is None:
            raise Unsupported("the column is encrypted, and no keys were given", rule="PQ-CRYPT-000")
        if column_chunk.crypto_metadata is None:
            raise Malformed("encrypted metadata of a column without crypto_metadata", rule="PQ-CRYPT-012")
        ordinal = self.metadata.row_groups[row_group].ordinal
        return self.cipher.chunk(
            column_chunk.crypto_metadata,
            self.leaves[column].path,
            row_group if ordinal is None else ordinal,
            column,
        )

    def select(self, columns: Sequence[str] | None) -> list[Shape]:
        """Return the shapes of the selected columns; raises UsageError for a column that is not there."""
        shapes = [shape_of(node) for node in self.root.children]
        if columns is None:
            return shapes
        wanted: set[int] = set()
        for column in columns:
            path = tuple(column.split("."))
            selected = {
                leaf.index for leaf in self.leaves if leaf.path[0] == column or leaf.path[: len(path)] == path
            }
            if not selected:
                raise UsageError(f"there is no column {column!r}")
            wanted |= selected
        return [pruned for shape in shapes if (pruned := prune(shape, wanted)) is not None]

    def leaf(self, leaf: Node, groups: Sequence[int]) -> LeafData:
        """Return all entries of a leaf column in these row groups."""
        parts, count, value_bytes = [], 0, 0
        for index in groups:
            parts.append(self._chunk(leaf, index))
            count, value_bytes = count + parts[-1].count, value_bytes + parts[-1].values.nbytes
            with self.handler.located(f"column {'.'.join(leaf.path)}"):
                chunk.check_limits(count, value_bytes, self.limits)
        return parts[0] if len(parts) == 1 else chunk.join(leaf, parts)

    def _chunk(self, leaf: Node, index: int) -> LeafData:
        meta = self.column_metadata(index, leaf.index)
        group = self.metadata.row_groups[index]
        with self.handler.located(f"row_groups[{index}]", f"column {'.'.join(leaf.path)}"):
            data, start = self._decoded(leaf, index, meta)
            levels.check(data, self.ancestors(leaf))
            raise_first(chunk.value_errors(data, start))
            begun = data.rows()
            rows = data.count if begun is None else len(begun)
            raise_first(chunk.row_errors(rows, group.num_rows, start))
            return data

    def _decoded(self, leaf: Node, index: int, meta: ColumnMetaData) -> tuple[LeafData, int]:
        """Return the entries of a chunk, and where it begins.

        Where its pages cannot be decoded, or have too few values, its size is wrong if they go on behind it.
        """
        start, stop = self.extent(index, leaf.index)
        cipher = self.chunk_cipher(index, leaf.index)
        decode = partial(chunk.decode, base=start, node=leaf, meta=meta, limits=self.limits, cipher=cipher)
        decode = partial(decode, notes=self.handler, verify_crc=self.verify_crc)
        extent = start, stop, self.behind_chunk(start)
        mended = partial(chunk_end.mended, self.data, extent, meta, cipher)

        def check_size() -> None:
            if (wrong := mended()) is not None:
                raise wrong[1]

        try:
            return decode(bytes(self.data[start:stop]), too_few=check_size), start
        except Malformed:
            end = mended()
            if end is None:
                raise
        stop, breach = end
        self.handler.breach(breach)
        return decode(bytes(self.data[start:stop])), start

    def behind_chunk(self, start: int) -> int:
        """Return where the part of the file behind the chunk at `start` begins."""
        return chunk_end.following(self._part_offsets, start)

    @cached_property
    def _part_offsets(self) -> list[int]:
        return chunk_end.part_offsets(self.metadata, self.footer_start)

    def ancestors(self, leaf: Node) -> tuple[Node, ...]:
        """Return the fields from below the root to the leaf (found by index: names may repeat)."""
        return self._ancestors[leaf.index]

    @cached_property
    def _ancestors(self) -> dict[int, tuple[Node, ...]]:
        """The fields above each leaf and itself, by the leaf's index: looked up for each leaf of many."""
        result: dict[int, tuple[Node, ...]] = {}
        waiting: list[tuple[Node, ...]] = [(child,) for child in self.root.children]
        while waiting:
            path = waiting.pop()
            if path[-1].physical is not None:
                result[path[-1].index] = path
            waiting += [(*path, child) for child in path[-1].children]
        return result


def _footer(data: bytes | mmap.mmap, limits: Limits) -> tuple[int, int]:
    """Return the half-open byte range of the footer."""
    size = len(data)
    if size < 12:
        message = f"{size} bytes are too few for a Parquet file"
        raise Malformed(message, offset=0, rule="PQ-FILE-001")
    head, tail = bytes(data[:4]), bytes(data[-4:])
    if head not in (MAGIC, ENCRYPTED_MAGIC):
        raise Malformed(f"the file begins with {head!r}, not {MAGIC!r}", offset=0, rule="PQ-FILE-002")
    if tail != head:  # "The same magic bytes are written at the beginning of the file"
        raise Malformed(f"the file ends with {tail!r}, not {head!r}", offset=size - 4, rule="PQ-FILE-003")
    length = int.from_bytes(data[-8:-4], "little")
    if length > size - 12:
        message = f"the footer length is {length}, but {size - 12} bytes are there"
        raise Malformed(message, offset=size - 8, rule="PQ-FILE-004")
    if length > limits.footer_bytes:
        message = f"a footer of {length} bytes; the limit is {limits.footer_bytes}"
        raise LimitExceeded(message, offset=size - 8)
    return size - 8 - length, size - 8
