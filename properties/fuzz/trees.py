"""Targets of trees of fields, which keep the fields that no message table knows."""

from __future__ import annotations

from properties.fuzz import messages
from properties.fuzz.claims import Broken, attempt, same
from properties.fuzz.targets import Table
from properties.strategies.mutations import protobuf as protobuf_fields
from properties.strategies.mutations import thrift as thrift_fields
from reference_impl.orc.schema import Footer
from reference_impl.parquet.schema import FileMetaData
from reference_impl.wire import protobuf, protobuf_tree, thrift, thrift_tree

TABLE = Table()
_INVARIANT = (
    "Any bytes are read as a tree, or raise a documented error. A tree survives writing and reading. Bytes "
    "that the declared structs read are also read as a tree"
)


@TABLE.target(
    "protobuf_tree",
    "Trees of fields of Protocol Buffers (`wire/protobuf_tree.py`).",
    f"{_INVARIANT}.",
    lambda: [*messages.orc_footers(), *messages.stripe_footers()],
    lambda data, random: protobuf_fields.mutate(data, Footer, random),
)
def check_protobuf(data: bytes) -> None:
    """Read the bytes as a tree, with the names of a footer's fields and without."""
    parsed = attempt(protobuf_tree.parse, data, Footer)
    if parsed is None:
        if attempt(protobuf.decode, Footer, data) is not None:
            raise Broken("a table reads what a tree does not")
        return
    tree, size = parsed
    same(size, len(data), "bytes read")
    written = protobuf_tree.build(tree)
    same(protobuf_tree.parse(written, Footer), (tree, len(written)), "read, written and read")
    if (plain := attempt(protobuf_tree.parse, data)) is not None:
        again = protobuf_tree.build(plain[0])
        same(protobuf_tree.parse(again), (plain[0], len(again)), "read without names, written and read")


@TABLE.target(
    "thrift_tree",
    "Trees of fields in the compact protocol of Thrift (`wire/thrift_tree.py`).",
    f"{_INVARIANT}, to the same number of bytes.",
    lambda: [*messages.parquet_footers(), *messages.page_headers()],
    lambda data, random: thrift_fields.mutate(data, FileMetaData, random),
)
def check_thrift(data: bytes) -> None:
    """Read the bytes as a tree, with the names of a footer's fields and without."""
    known = attempt(thrift.decode, FileMetaData, data)
    parsed = attempt(thrift_tree.parse, data, FileMetaData)
    if parsed is None:
        if known is not None:
            raise Broken("a table reads what a tree does not")
        return
    tree, size = parsed
    if known is not None:
        same(size, known[1], "bytes read")
    written = thrift_tree.build(tree)
    same(thrift_tree.parse(written, FileMetaData), (tree, len(written)), "read, written and read")
    plain, used = thrift_tree.parse(data)
    same((used, thrift_tree.build(plain)), (size, written), "read without names")
