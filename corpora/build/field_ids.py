"""What a Parquet schema says of its fields beside their types, by the paths of tagged types.

A list's element is `element`, a map's `key` and `value`; lists and maps are those of three levels
(LogicalTypes.md, Nested Types). ORC has neither field ids nor required fields.
"""

from __future__ import annotations

from collections.abc import Iterator

from corpora.build.opening import File
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.schema import FieldRepetitionType
from reference_impl.parquet.tree import Node

_INSIDE = {"LIST": ("element",), "MAP": ("key", "value")}
FieldPath = tuple[str, ...]


def field_ids(file: File) -> dict[FieldPath, int]:
    """Return the field ids of a file (parquet.thrift, SchemaElement.field_id)."""
    nodes = _fields(file)
    return {path: node.element.field_id for path, node in nodes if node.element.field_id is not None}


def required(file: File) -> dict[FieldPath, bool]:
    """Return whether each field is required, not optional; nothing of repeated ones, and of ORC."""
    kinds: dict[int | None, bool] = {FieldRepetitionType.REQUIRED: True, FieldRepetitionType.OPTIONAL: False}
    fields = ((path, node.element.repetition_type) for path, node in _fields(file))
    return {path: kinds[kind] for path, kind in fields if kind in kinds}


def _fields(file: File) -> Iterator[tuple[FieldPath, Node]]:
    return _among(file.root.children, ()) if isinstance(file, ParquetFile) else iter(())


def _among(nodes: tuple[Node, ...], path: FieldPath) -> Iterator[tuple[FieldPath, Node]]:
    for node in nodes:
        yield from _of_node(node, (*path, node.name))


def _of_node(node: Node, path: FieldPath) -> Iterator[tuple[FieldPath, Node]]:
    yield path, node
    inside = _INSIDE.get(node.logical.name) if node.logical else None
    if inside is None:
        yield from _among(node.children, path)
        return
    for name, child in zip(inside, node.children[0].children, strict=False):
        yield from _of_node(child, (*path, name))
