"""The field ids of a Parquet file (parquet.thrift, SchemaElement.field_id), by the paths of tagged types."""

from __future__ import annotations

from collections.abc import Iterator

from corpora.build.opening import File
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.tree import Node

_INSIDE = {"LIST": ("element",), "MAP": ("key", "value")}


def field_ids(file: File) -> dict[tuple[str, ...], int]:
    """Return the field ids of a file, by path; a list's element is `element`, a map's `key` and `value`.

    Lists and maps are those of three levels (LogicalTypes.md, Nested Types). ORC has none.
    """
    return dict(_ids(file.root.children, ())) if isinstance(file, ParquetFile) else {}


def _ids(nodes: tuple[Node, ...], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    for node in nodes:
        yield from _of_node(node, (*path, node.name))


def _of_node(node: Node, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    if node.element.field_id is not None:
        yield path, node.element.field_id
    inside = _INSIDE.get(node.logical.name) if node.logical else None
    if inside is None:
        yield from _ids(node.children, path)
        return
    for name, child in zip(inside, node.children[0].children, strict=False):
        yield from _of_node(child, (*path, name))
