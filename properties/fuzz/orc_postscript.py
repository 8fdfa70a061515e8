# Any bytes are a PostScript or a documented error. What was read is written and read again to the same,
# with packed lists and without.
"""Postscript of a file (ORCv1.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_orc, inputs
from properties.fuzz.structs import check_protobuf
from properties.strategies.mutations import protobuf
from reference_impl.orc.schema import PostScript

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "orc_postscript"


def seeds() -> Iterable[bytes]:
    """Return the postscripts of the checked-in files."""
    return inputs.some(bytes(file.data[file.tail.postscript_start : -1]) for file in cut_orc.opened())


def check(data: bytes) -> None:
    """Read the bytes as a postscript."""
    check_protobuf(PostScript, data)


def mutate(data: bytes, random: Random) -> bytes:
    """Change fields."""
    return protobuf.mutate(data, PostScript, random)
