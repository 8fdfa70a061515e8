"""Writing a plan as a file: the inverse of `file.py`, and an oracle for it.

    PAR1 | chunks of row group 0, 1, … | Bloom filters | column indexes | offset indexes | footer …

With `FilePlan.blooms_between`, the Bloom filters of each row group are behind its chunks.

    >>> data = write(FilePlan(schema, rows))

The writer follows its plan and writes legal files only; a `Tamper` breaks rules while parts are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reference_impl.errors import UsageError
from reference_impl.parquet import bloom, statistics
from reference_impl.parquet.chunk_writer import WrittenChunk, write_chunk
from reference_impl.parquet.encryption import modules
from reference_impl.parquet.encryption.modules import ModuleKind
from reference_impl.parquet.encryption.sealing import sealer
from reference_impl.parquet.file import ENCRYPTED_MAGIC, MAGIC
from reference_impl.parquet.index_writer import column_index, offset_index
from reference_impl.parquet.plan import FilePlan, Row
from reference_impl.parquet.schema import (
    ColumnChunk,
    ColumnOrder,
    Empty,
    FileMetaData,
    KeyValue,
    RowGroup,
    SortingColumn,
)
from reference_impl.parquet.shred import array, shred
from reference_impl.parquet.tamper import NOTHING, Tamper
from reference_impl.parquet.tree import Node, build
from reference_impl.plans import cut
from reference_impl.wire import thrift
from reference_impl.wire.table import Struct
from reference_impl.wire.unknown import THRIFT, with_fields

_GAP = b"\xde\xad"


def write(plan: FilePlan, tamper: Tamper = NOTHING) -> bytes:
    """Return the bytes of a file; raises UsageError for a plan that is not legal."""
    return _Writer(plan, tamper).file()


class _Writer:
    def __init__(self, plan: FilePlan, tamper: Tamper) -> None:
        self.plan = plan
        self.tamper = tamper
        self.root = build(list(plan.schema))
        self.leaves = list(self.root.leaves())
        self.sealer = sealer(plan, tamper)
        sealed = self.sealer is not None and not self.sealer.encryption.plaintext_footer
        self.magic = ENCRYPTED_MAGIC if sealed else MAGIC
        self.out = bytearray(self.magic)
        self.orders = _column_orders(plan, self.leaves)

    def file(self) -> bytes:
        groups = []
        for number, rows in enumerate(cut(self.plan.rows, self.plan.row_groups, "row groups")):
            groups.append((len(rows), self.chunks(number, rows)))
            if self.plan.blooms_between:
                self.blooms(groups[-1][1])
        written = [chunk for _, chunks in groups for chunk in chunks]
        if not self.plan.blooms_between:
            self.blooms(written)
        for chunk in written:
            self.index(chunk, "column_index", ModuleKind.COLUMN_INDEX, column_index(chunk))
        for chunk in written:
            self.index(chunk, "offset_index", ModuleKind.OFFSET_INDEX, offset_index(chunk))
        row_groups = [self.row_group(number, *group) for number, group in enumerate(groups)]
        footer = self.footer(row_groups)
        footer = self.tamper.footer(footer if self.sealer is None else self.sealer.described(footer))
        raw = self.tamper.footer_bytes(self.encoded(footer))
        if self.sealer is not None:
            raw = self.sealer.footer(raw)
        self.out += raw + len(raw).to_bytes(4, "little") + self.magic
        return self.tamper.whole(bytes(self.out))

    def encoded(self, struct: Struct) -> bytes:
        if self.plan.unknown_fields:
            struct = with_fields(struct, THRIFT)
        return thrift.encode(
            struct, long_headers=self.plan.long_headers, zero_is_false=self.plan.zero_is_false
        )

    def chunks(self, number: int, rows: Sequence[Row]) -> list[WrittenChunk]:
        """Write the chunks of a row group, and return them in the order of the schema."""
        entries = shred(self.root, rows)
        written = []
        for leaf, column in zip(self.leaves, entries, strict=True):
            layout = self.plan.column(number, leaf.index)
            order = statistics.order_of(leaf, self.orders[leaf.index] if self.orders else None)
            written.append(write_chunk(self.plan, layout, column, order, number, self.tamper))
        placing = self.plan.chunk_order or range(len(written))
        if sorted(placing) != list(range(len(written))):
            raise UsageError(f"chunk_order {self.plan.chunk_order} is no order of {len(written)} columns")
        for index in placing:
            self.place(written[index])
        return written

    def place(self, chunk: WrittenChunk) -> None:
        """Put a chunk into the file, and make its offsets absolute."""
        self.out += (_GAP * chunk.layout.gap)[: chunk.layout.gap]
        at = len(self.out)
        self.out += chunk.data
        chunk.starts = [start + at for start in chunk.starts]
        meta = chunk.metadata
        dictionary = None if meta.dictionary_page_offset is None else meta.dictionary_page_offset + at
        index = None if meta.index_page_offset is None else meta.index_page_offset + at
        meta = replace(
            meta,
            data_page_offset=meta.data_page_offset + at,
            index_page_offset=index,
            dictionary_page_offset=dictionary,
        )
        # "This field was initially intended to … writers should set this field to 0".
        column_chunk = ColumnChunk(file_path=chunk.layout.file_path, file_offset=0, meta_data=meta)
        chunk.chunk = self.tamper.chunk(chunk.place, column_chunk)

    def blooms(self, chunks: Sequence[WrittenChunk]) -> None:
        for chunk in chunks:
            self.bloom(chunk)

    def bloom(self, chunk: WrittenChunk) -> None:
        wanted = chunk.layout.bloom
        if wanted is None:
            return
        assert chunk.chunk is not None
        assert chunk.chunk.meta_data is not None
        assert chunk.node.physical is not None
        values = array(chunk.node.physical, [value for part in chunk.entries for value in part.values])
        bitset = bloom.build(values, wanted.blocks)
        header, bitset = self.tamper.bloom(chunk.place, bloom.header(wanted.blocks), bitset)
        at = len(self.out)
        data = self.module(ModuleKind.BLOOM_HEADER, chunk, self.encoded(header))
        data += self.module(ModuleKind.BLOOM_BITSET, chunk, bitset)
        self.out += data
        length = len(data) if wanted.length else None
        meta = replace(chunk.chunk.meta_data, bloom_filter_offset=at, bloom_filter_length=length)
        chunk.chunk = replace(chunk.chunk, meta_data=meta)

    def index(self, chunk: WrittenChunk, name: str, kind: ModuleKind, index: Struct | None) -> None:
        """Put a `column_index` or `offset_index` into the file, and its place into the chunk."""
        index = index and getattr(self.tamper, name)(chunk.place, index)
        if index is None:
            return
        assert chunk.chunk is not None
        at, data = len(self.out), self.module(kind, chunk, self.encoded(index))
        self.out += data
        places: dict[str, Any] = {f"{name}_offset": at, f"{name}_length": len(data)}
        chunk.chunk = replace(chunk.chunk, **places)

    def module(self, kind: ModuleKind, chunk: WrittenChunk, plain: bytes) -> bytes:
        """Seal an index or filter of a chunk, if the chunk is encrypted."""
        key = None if self.sealer is None else self.sealer.key(chunk.place.leaf)
        if self.sealer is None or key is None:
            return plain
        if kind is not ModuleKind.BLOOM_BITSET:
            plain += bytes(self.sealer.encryption.padding)
        return self.sealer.module(kind, modules.Place(*chunk.place[:2]), plain, key)

    def row_group(self, number: int, rows: int, chunks: list[WrittenChunk]) -> RowGroup:
        details = self.plan.row_group_details
        stored = [chunk for chunk in chunks if chunk.data]  # "to first page": a chunk may have none
        placed = [(chunk.place, chunk.chunk) for chunk in chunks if chunk.chunk is not None]
        sealer = self.sealer
        group = RowGroup(
            columns=[sealer.chunk(chunk, place) if sealer else chunk for place, chunk in placed],
            total_byte_size=sum(map(_uncompressed, chunks)),
            num_rows=rows,
            sorting_columns=[
                SortingColumn(column_idx=leaf, descending=descending, nulls_first=nulls_first)
                for leaf, descending, nulls_first in self.plan.sorting_columns
            ]
            or None,
            file_offset=min(map(_first_page, stored), default=0) if details else None,
            total_compressed_size=sum(len(chunk.data) for chunk in chunks) if details else None,
            ordinal=number if details or (sealer and sealer.encryption.ordinals) else None,
        )
        return self.tamper.row_group(number, group)

    def footer(self, groups: list[RowGroup]) -> FileMetaData:
        plan = self.plan
        pairs = [KeyValue(key=key, value=value) for key, value in plan.key_value_metadata]
        return FileMetaData(
            version=plan.version,
            schema=list(plan.schema),
            num_rows=len(plan.rows),
            row_groups=groups,
            key_value_metadata=pairs or None,
            created_by=plan.created_by,
            column_orders=self.orders,
        )


def _first_page(chunk: WrittenChunk) -> int:
    meta = chunk.chunk.meta_data if chunk.chunk else None
    if meta is None:
        return 0
    return meta.data_page_offset if meta.dictionary_page_offset is None else meta.dictionary_page_offset


def _uncompressed(chunk: WrittenChunk) -> int:
    meta = chunk.chunk.meta_data if chunk.chunk else None
    return (meta or chunk.metadata).total_uncompressed_size


def _column_orders(plan: FilePlan, leaves: list[Node]) -> list[ColumnOrder] | None:
    if plan.column_orders is None:
        return None
    if not plan.column_orders:
        return [ColumnOrder(TYPE_ORDER=Empty()) for _ in leaves]
    if len(plan.column_orders) != len(leaves):
        raise UsageError(f"{len(plan.column_orders)} column orders for {len(leaves)} columns")
    return list(plan.column_orders)
