# Any bytes are a Footer or a documented error. What was read is written and read again to the same, with
# packed lists and without.
"""Footer of a file (ORCv1.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_orc, inputs
from properties.fuzz.claims import attempt, holds, same
from properties.fuzz.structs import check_protobuf
from properties.strategies.mutations import protobuf
from reference_impl.orc import types
from reference_impl.orc.schema import Footer

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "orc_footer"


def seeds() -> Iterable[bytes]:
    """Return the footers of the checked-in files, decompressed."""
    return inputs.some(bytes(file.tail.footer_stream.data) for file in cut_orc.opened())


def check(data: bytes) -> None:
    """Read the bytes as a footer, and its types as a tree, whose ids are numbered in order."""
    footer = check_protobuf(Footer, data)
    root = attempt(types.build, footer.types) if footer is not None else None
    if root is not None and footer is not None:
        nodes = list(root.walk())
        same([node.id for node in nodes], list(range(len(footer.types))), "ids")
        holds(all(node.max_id == max(each.id for each in node.walk()) for node in nodes[:64]), "largest ids")


def mutate(data: bytes, random: Random) -> bytes:
    """Change fields."""
    return protobuf.mutate(data, Footer, random)
