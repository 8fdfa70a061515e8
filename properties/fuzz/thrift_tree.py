# Any bytes are a tree or a documented error. A tree that was read is written, and read again to the same;
# what a table reads, a tree reads as well, to the same number of bytes.
"""Trees of fields in the compact protocol of Thrift (`wire/thrift_tree.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import parquet_footer, parquet_page_header
from properties.fuzz.claims import Broken, attempt, same
from properties.strategies.mutations import thrift as fields
from reference_impl.parquet.schema import FileMetaData
from reference_impl.wire import thrift, thrift_tree

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "thrift_tree"


def seeds() -> Iterable[bytes]:
    """Return footers and headers of pages."""
    return [*parquet_footer.seeds(), *parquet_page_header.seeds()]


def check(data: bytes) -> None:
    """Read the bytes as a tree, with the names of a footer's fields and without."""
    known = attempt(thrift.decode, FileMetaData, data)
    found = attempt(thrift_tree.parse, data, FileMetaData)
    if found is None:
        if known is not None:
            raise Broken("a table reads what a tree does not")
        return
    tree, size = found
    if known is not None:
        same(size, known[1], "bytes read")
    written = thrift_tree.build(tree)
    same(thrift_tree.parse(written, FileMetaData), (tree, len(written)), "read, written and read")
    plain, used = thrift_tree.parse(data)
    same((used, thrift_tree.build(plain)), (size, written), "read without names")


def mutate(data: bytes, random: Random) -> bytes:
    """Change fields."""
    return fields.mutate(data, FileMetaData, random)
