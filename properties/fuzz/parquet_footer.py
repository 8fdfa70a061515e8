# Any bytes are a FileMetaData or a documented error. What was read is written and read again to the same;
# its schema is a tree or a documented error, whose leaves have the levels that their paths say.
"""Footer of a Parquet file: FileMetaData, and the schema in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_parquet, inputs
from properties.fuzz.claims import attempt, holds
from properties.fuzz.structs import check_thrift
from properties.strategies.mutations import thrift
from reference_impl.parquet import shape, tree
from reference_impl.parquet.schema import FileMetaData

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "parquet_footer"


def seeds() -> Iterable[bytes]:
    """Return the footers of the checked-in files."""
    return inputs.some(bytes(file.data[file.footer_start : -8]) for file in cut_parquet.opened())


def check(data: bytes) -> None:
    """Read the bytes as a footer, and its schema as a tree."""
    footer = check_thrift(FileMetaData, data)
    root = attempt(tree.build, footer.schema) if footer is not None else None
    if root is None:
        return
    leaves = list(root.leaves())
    holds([leaf.index for leaf in leaves] == list(range(len(leaves))), "leaves are numbered in order")
    for leaf in leaves:
        holds(leaf.repetition_level <= leaf.definition_level <= len(leaf.path), "levels fit the path")
    for node in root.children:
        found = attempt(shape.shape_of, node)
        below = [leaf.index for leaf in node.leaves()]
        holds(
            found is None or [leaf.index for leaf in shape.leaves(found)] == below, "a shape has all leaves"
        )


def mutate(data: bytes, random: Random) -> bytes:
    """Change fields."""
    return thrift.mutate(data, FileMetaData, random)
