"""Values of an ORC column as tagged values, by the column's type."""

from __future__ import annotations

from corpora import tagged
from corpora.build.tagged_arrays import bits, hexes, numbers, strings
from corpora.tagged import Value
from reference_impl.byte_arrays import ByteArrays
from reference_impl.orc.schema import TypeKind
from reference_impl.orc.types import INTEGERS, STRINGS, TypeNode
from reference_impl.parquet.types import Values

_BYTES = {TypeKind.BINARY: "bytes", TypeKind.GEOMETRY: "geometry", TypeKind.GEOGRAPHY: "geography"}
_MOMENTS = {TypeKind.TIMESTAMP: False, TypeKind.TIMESTAMP_INSTANT: True}
_NANOS = 1_000_000_000


def leaf(node: TypeNode, values: Values) -> tuple[tagged.Type, list[Value]]:
    """Return the tagged type and values of a column of a primitive type; nulls are not among them."""
    kind = node.kind
    if isinstance(values, ByteArrays):
        if kind in STRINGS:
            return tagged.STRING, strings(values)
        return tagged.Type(_BYTES[kind]), hexes(values)
    if kind == TypeKind.BOOLEAN:
        return tagged.BOOL, values.tolist()
    if kind in INTEGERS:
        return tagged.integer(INTEGERS[kind]), numbers(values)
    if kind in (TypeKind.FLOAT, TypeKind.DOUBLE):
        return tagged.floating(8 * values.dtype.itemsize), bits(values)
    if kind == TypeKind.DATE:
        return tagged.DATE, numbers(values)
    if kind == TypeKind.DECIMAL:
        return tagged.decimal(node.precision, node.scale), numbers(values)
    counts: list[Value] = [str(seconds * _NANOS + nanos) for seconds, nanos in values.tolist()]
    return tagged.timestamp("ns", utc=_MOMENTS[kind]), counts
