# Any bytes are a OffsetIndex or a documented error. What was read is written and read again to the same.
"""Offset index of a chunk (PageIndex.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_parquet, inputs
from properties.fuzz.structs import check_thrift
from properties.strategies.mutations import thrift
from reference_impl.parquet.schema import OffsetIndex

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "parquet_offset_index"


def seeds() -> Iterable[bytes]:
    """Return the indexes of all chunks."""
    return inputs.some(
        bytes(file.data[chunk.offset_index_offset : chunk.offset_index_offset + chunk.offset_index_length])
        for file in cut_parquet.opened()
        for group in file.metadata.row_groups
        for chunk in group.columns
        if chunk.offset_index_offset and chunk.offset_index_length
    )


def check(data: bytes) -> None:
    """Read the bytes as an index."""
    check_thrift(OffsetIndex, data)


def mutate(data: bytes, random: Random) -> bytes:
    """Change fields."""
    return thrift.mutate(data, OffsetIndex, random)
