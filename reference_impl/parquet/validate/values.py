"""Checks of values: whether a stored value is a value of its logical type (LogicalTypes.md)."""

from __future__ import annotations

import numpy as np

from reference_impl.byte_arrays import ByteArrays
from reference_impl.parquet.logical import Logical
from reference_impl.parquet.orders import integer_limits, is_text, raws
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Values
from reference_impl.parquet.validate.documents import bson_problem, json_problem
from reference_impl.parquet.validate.scan import Chunk
from reference_impl.validation import Report

_MOST_BYTES = 64 << 20  # limit of documents of a page that are parsed
_DAY = 86_400 * 10**9  # nanoseconds
_TEXT_RULES = {"STRING": "PQ-VALUE-001", "ENUM": "PQ-VALUE-002", "JSON": "PQ-VALUE-003"}


def check(chunk: Chunk, report: Report) -> None:
    """Check the values of a chunk, up to the first violation."""
    if chunk.node.logical is None:
        return
    for page in chunk.data:
        problem = _problem(chunk.node, chunk.node.logical, page.entries.values)
        if problem is not None:
            rule, message = problem
            report.add(rule, (*chunk.path, f"data page[{page.number}]"), page.page.offset, message)
            return


def _problem(node: Node, logical: Logical, values: Values) -> tuple[str, str] | None:
    """Return the rule that a value breaks, and how."""
    name = logical.name
    if isinstance(values, ByteArrays):
        if name in _TEXT_RULES and (bad := _not_utf8(values)) is not None:
            return _TEXT_RULES[name], f"{bad[:40]!r} is not UTF-8"
        if name in ("JSON", "BSON") and len(values.data) <= _MOST_BYTES:
            parse = json_problem if name == "JSON" else bson_problem
            rule = "PQ-VALUE-004" if name == "JSON" else "PQ-VALUE-005"
            return next(((rule, why) for raw in set(values) if (why := parse(raw))), None)
        return _decimal_bytes(logical, values) if name == "DECIMAL" else None
    if name == "DECIMAL" and values.ndim == 2:
        return _decimal_bytes(logical, values)
    if name == "INT96":
        nanoseconds = np.ascontiguousarray(values[:, :8]).view("<i8")
        outside = nanoseconds[(nanoseconds < 0) | (nanoseconds >= _DAY)]
        return ("PQ-VALUE-013", f"{outside[0]} nanoseconds are outside of a day") if outside.size else None
    limits = integer_limits(node)
    if limits is None or not len(values) or values.ndim != 1:
        return None
    rule = {"INTEGER": "PQ-VALUE-006", "DECIMAL": "PQ-VALUE-007", "TIME": "PQ-VALUE-010"}[name]
    least, most = int(values.min()), int(values.max())
    if limits[0] <= least and most <= limits[1]:
        return None
    bad_number = least if least < limits[0] else most
    return rule, f"{bad_number} is outside of {limits[0]} to {limits[1]}"


def _decimal_bytes(logical: Logical, values: Values) -> tuple[str, str] | None:
    most = 10 ** min(logical.precision, 10_000)  # longer precisions are not checked
    for raw in set(raws(values)):
        if not raw:
            return "PQ-VALUE-009", "a DECIMAL of no bytes"
        if abs(int.from_bytes(raw, "big", signed=True)) >= most:
            return "PQ-VALUE-007", f"{raw.hex():.80} has more than {logical.precision} digits"
    if not isinstance(values, ByteArrays):
        return None
    for raw in set(values):
        if len(raw) > 1 and (raw[0], raw[1] >> 7) in ((0, 0), (0xFF, 1)):
            return "PQ-VALUE-008", f"{raw.hex():.80} has more bytes than it needs"
    return None


def _not_utf8(values: ByteArrays) -> bytes | None:
    """Return a string that is not UTF-8, None if all are, so that all together are and split no character."""
    first, last = int(values.offsets[0]), int(values.offsets[-1])
    data = values.data[first:last]
    starts = values.offsets[:-1][values.lengths > 0] - first
    try:
        data.tobytes().decode("utf-8")
        if not bool(((data[starts] & 0xC0) == 0x80).any()):
            return None
    except UnicodeDecodeError:
        pass
    return next((raw for raw in values if not_utf8(raw)), None)


def not_utf8(raw: bytes) -> bool:
    """Return whether bytes are not UTF-8."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def not_of_type(node: Node, raw: bytes) -> str | None:
    """Return why bytes of a legal length are no value of the leaf's logical type, None if they are a value.

    A bound of JSON or BSON may be truncated, so it need not be a document.
    """
    logical = node.logical
    if logical is None:
        return None
    if is_text(node) and not_utf8(raw):
        return f"{raw[:40]!r} is not UTF-8"
    limits = integer_limits(node)
    if limits is not None:
        value = int.from_bytes(raw, "little", signed=True)
        if not limits[0] <= value <= limits[1]:
            return f"{value} is outside of {limits[0]} to {limits[1]}"
    if logical.name == "DECIMAL" and limits is None:
        problem = _decimal_bytes(logical, ByteArrays.of([raw]))
        if problem is not None and problem[0] != "PQ-VALUE-008":
            return problem[1]
    return None
