# Any bytes are a tree or a documented error. A tree that was read is written, and read again to the same;
# what a table reads, a tree reads as well.
"""Trees of fields of Protocol Buffers (`wire/protobuf_tree.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import orc_footer, orc_stripe_footer
from properties.fuzz.claims import Broken, attempt, same
from properties.strategies.mutations import protobuf as fields
from reference_impl.orc.schema import Footer
from reference_impl.wire import protobuf, protobuf_tree

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "protobuf_tree"


def seeds() -> Iterable[bytes]:
    """Return footers of files and stripes."""
    return [*orc_footer.seeds(), *orc_stripe_footer.seeds()]


def check(data: bytes) -> None:
    """Read the bytes as a tree, with the names of a footer's fields and without."""
    found = attempt(protobuf_tree.parse, data, Footer)
    if found is None:
        if attempt(protobuf.decode, Footer, data) is not None:
            raise Broken("a table reads what a tree does not")
        return
    tree, size = found
    same(size, len(data), "bytes read")
    written = protobuf_tree.build(tree)
    same(protobuf_tree.parse(written, Footer), (tree, len(written)), "read, written and read")
    if (plain := attempt(protobuf_tree.parse, data)) is not None:
        again = protobuf_tree.build(plain[0])
        same(protobuf_tree.parse(again), (plain[0], len(again)), "read without names, written and read")


def mutate(data: bytes, random: Random) -> bytes:
    """Change fields."""
    return fields.mutate(data, Footer, random)
