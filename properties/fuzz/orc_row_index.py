# Any bytes are a RowIndex or a documented error. What was read is written and read again to the same, with
# packed lists and without.
"""Row index of a column (ORCv1.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_orc, inputs
from properties.fuzz.structs import check_protobuf
from properties.strategies.mutations import protobuf
from reference_impl.orc.schema import RowIndex, StreamKind

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "orc_row_index"


def seeds() -> Iterable[bytes]:
    """Return the row indexes of all columns, decompressed."""
    return inputs.some(one.data for one in cut_orc.streams() if one.kind == StreamKind.ROW_INDEX)


def check(data: bytes) -> None:
    """Read the bytes as a row index."""
    check_protobuf(RowIndex, data)


def mutate(data: bytes, random: Random) -> bytes:
    """Change fields."""
    return protobuf.mutate(data, RowIndex, random)
