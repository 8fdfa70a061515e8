"""Checks of Bloom filters (BloomFilter.md)."""

from __future__ import annotations

import numpy as np

from reference_impl.errors import ReferenceError_
from reference_impl.parquet import bloom, index
from reference_impl.parquet.orders import raws
from reference_impl.parquet.validate.scan import Chunk
from reference_impl.validation import Report


def check(chunk: Chunk, report: Report) -> None:
    """Check a chunk's filter, and that it admits all values of the chunk."""
    where = (*chunk.path, "bloom_filter")
    filter_ = None
    with report.noting():
        filter_ = index.bloom_filter(chunk.file, chunk.row_group, chunk.node.index)
    if filter_ is None:
        return
    header, at = filter_.header, filter_.at
    chunk.file.parts.append((at, filter_.stop, f"Bloom filter of {chunk.name}"))
    if chunk.meta.bloom_filter_length is None:
        report.add("PQ-BLOOM-006", where, at, "there is no bloom_filter_length")
    unknown = [
        name
        for name in ("algorithm", "hash", "compression")
        if (union := getattr(header, name)).which() is None and union.unknown
    ]
    if unknown:
        report.add("PQ-BLOOM-004", where, at, f"{', '.join(unknown)} of the filter is none that is defined")
        return
    if header.numBytes < bloom.BLOCK_BYTES or header.numBytes % bloom.BLOCK_BYTES:
        report.add("PQ-BLOOM-003", where, at, f"a bitset of {header.numBytes} bytes")
        return
    try:
        bitset = index.bloom_bitset(chunk.file, chunk.row_group, chunk.node.index, filter_)
    except ReferenceError_ as error:
        report.note(error, where)
        return
    for page in chunk.data:
        values = sorted(set(raws(page.entries.values)))
        admitted = bloom.admitted(bitset, values)
        if not bool(admitted.all()):
            missing = values[int(np.argmin(admitted))]
            count = int(np.count_nonzero(~admitted))
            message = f"{count} values are not admitted, such as {missing[:40].hex()}"
            report.add("PQ-BLOOM-005", where, at, message)
            return
