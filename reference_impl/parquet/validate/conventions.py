"""Conventions outside of the specification, such as GeoParquet, that a file uses and some readers follow."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reference_impl.parquet.schema import ConvertedType
from reference_impl.parquet.tree import Node
from reference_impl.parquet.validate.opened import Opened

SPARK_SCHEMA = "org.apache.spark.sql.parquet.row.metadata"
_VARIANT = re.compile(r'"type"\s*:\s*"variant"')


def notes(file: Opened) -> Iterator[str]:
    """Yield a line for each convention that a file follows."""
    keys = {pair.key: pair.value or "" for pair in file.metadata.key_value_metadata or ()}
    if "geo" in keys:
        yield (
            "key_value_metadata, geo: GeoParquet names columns of WKB outside of the schema; some readers"
            " return geometries, others bytes"
        )
    if _VARIANT.search(keys.get(SPARK_SCHEMA, "")) and "VARIANT" not in _annotations(file.root):
        yield (
            f"key_value_metadata, {SPARK_SCHEMA}: a Variant by Spark's own schema, without the annotation;"
            " Spark reads it as such, others as a group of two binaries"
        )
    for node in _nodes(file.root):
        converted = node.element.converted_type
        is_known = converted is None or isinstance(converted, ConvertedType)
        if not is_known and node.element.logicalType is None:
            yield (
                f"{'.'.join(node.path)}: ConvertedType {converted} is in no revision of the format (24 is the"
                " null type of old parquet-cpp); the column is read by its physical type"
            )


def _annotations(root: Node) -> set[str]:
    return {node.logical.name for node in _nodes(root) if node.logical is not None}


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _nodes(child)
