"""Description of a file as JSON data, part by part with byte ranges.

Ranges are half-open, in bytes from the start of the file. Parts that cannot be read are left out and listed
in `errors`; no content of a file raises.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl.byte_arrays import ByteArrays
from reference_impl.errors import LimitExceeded, ReferenceError_, UsageError
from reference_impl.inspection import FORMAT, Data, Errors, moment, plain, printable
from reference_impl.limits import DEFAULT, Limits
from reference_impl.parquet import chunk as chunks
from reference_impl.parquet import chunk_begin, index
from reference_impl.parquet.encryption.keys import KeySource
from reference_impl.parquet.file import MAGIC
from reference_impl.parquet.logical import Logical
from reference_impl.parquet.orders import Order, fits, is_text, key, type_order
from reference_impl.parquet.page import PageDecoder
from reference_impl.parquet.page_walk import Page
from reference_impl.parquet.schema import ColumnMetaData, PageType, Type
from reference_impl.parquet.statistics_structs import Statistics
from reference_impl.parquet.tree import Node
from reference_impl.parquet.validate.opened import Opened
from reference_impl.validation import Report

_BOUNDS = ("min", "max", "min_value", "max_value")


@dataclass(frozen=True)
class Selection:
    """The parts to describe: a row group or all, a leaf column (by its dotted path) or all, pages or not."""

    row_group: int | None = None
    column: str | None = None
    pages: bool = True


def inspect(
    data: bytes | mmap.mmap,
    selection: Selection | None = None,
    keys: KeySource | None = None,
    *,
    limits: Limits = DEFAULT,
) -> Data:
    """Return a description of the file; raises UsageError for a row group or column that is not there."""
    errors = Errors()
    out: Data = {"format": FORMAT, "bytes": len(data), "errors": errors.entries}
    report = Report()
    try:
        file = Opened(data, limits, report, keys)
    except ReferenceError_ as error:
        errors.add(error)
        return out
    errors.add_all(report)
    selection = selection or Selection()
    out["footer"] = _footer(file)
    if (crypto := file.footer.crypto) is not None:
        out["file_crypto_metadata"] = {"range": list(crypto.span or ()), **plain(crypto)}
    out["schema"] = [_node(node) for node in _nodes(file.root)]
    out["row_groups"] = list(_row_groups(file, selection, errors))
    return out


def _footer(file: Opened) -> Data:
    meta = file.metadata
    spans = meta.field_spans or {}
    fields = {
        name: {"range": list(span), **_value_of(getattr(meta, name), name)} for name, span in spans.items()
    }
    end = len(file.data) - len(MAGIC) - 4
    return {"range": [file.footer_start, end], "length": end - file.footer_start, "fields": fields}


def _value_of(value: Any, name: str) -> Data:
    """Return a field of the footer; of schema and row groups, which have own parts, only the count."""
    if name in ("schema", "row_groups"):
        return {"count": len(value)}
    if name == "column_orders":
        return {"value": [order.which() or "unknown" for order in value]}
    return {"value": plain(value)}


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _nodes(child)


def _node(node: Node) -> Data:
    element = node.element
    logical = node.logical
    pairs = logical._asdict().items() if logical else ()
    described = {name: value for name, value in pairs if value != Logical._field_defaults.get(name)}
    return {
        "path": [printable(name) for name in node.path],
        "range": list(element.span) if element.span else None,
        "repetition": node.repetition.name if node.path else None,
        "type": str(node.physical) if node.physical else None,
        "logical": described or None,
        "converted": plain(element.converted_type),
        "field_id": element.field_id,
        "definition_level": node.definition_level,
        "repetition_level": node.repetition_level,
        "leaf": node.index if node.physical else None,
    }


def _row_groups(file: Opened, selection: Selection, errors: Errors) -> Iterator[Data]:
    groups = file.metadata.row_groups
    if selection.row_group is not None and not 0 <= selection.row_group < len(groups):
        raise UsageError(f"there is no row group {selection.row_group}; the file has {len(groups)}")
    leaves = [leaf for leaf in file.leaves if selection.column in (None, ".".join(leaf.path))]
    if not leaves and selection.column is not None:
        raise UsageError(f"there is no column {selection.column!r:.100}")
    sound = frozenset(file.row_groups)
    for number, group in enumerate(groups):
        if selection.row_group not in (None, number):
            continue
        fields = plain(replace(group, columns=[]))
        del fields["columns"]
        readable = leaves if number in sound else []
        yield {
            "row_group": number,
            "range": list(group.span) if group.span else None,
            **fields,
            "columns": [_column(file, number, leaf, selection, errors) for leaf in readable],
        }


def _column(file: Opened, number: int, leaf: Node, selection: Selection, errors: Errors) -> Data:
    chunk = file.metadata.row_groups[number].columns[leaf.index]
    path = (f"row_groups[{number}]", f"column {'.'.join(leaf.path)}")
    out: Data = {"column": ".".join(map(printable, leaf.path)), "leaf": leaf.index}
    out["range"] = list(chunk.span) if chunk.span else None
    out["chunk"] = {name: value for name, value in plain(chunk).items() if name != "meta_data"}
    try:
        meta = file.column_metadata(number, leaf.index)
    except ReferenceError_ as error:
        errors.add(error)
        return out
    out["metadata"] = plain(meta)
    if meta.statistics is not None:
        out["metadata"]["statistics"] = statistics(leaf, meta.statistics)
    for name, describe in _BESIDE.items():
        try:
            described = describe(file, number, leaf)
        except ReferenceError_ as error:
            errors.add(error, *path)
        else:
            if described is not None:
                out[name] = described
    try:
        start, stop = chunk_begin.extent(file.data, meta, file.footer_start)
        out["data"] = {"range": [start, stop]}
        if selection.pages:
            out["pages"] = []
            _pages(file, number, leaf, meta, out["pages"])
    except ReferenceError_ as error:
        errors.add(error, *path)
    return out


def statistics(leaf: Node, stored: Statistics) -> Data:
    """Return statistics as data, with readable bounds."""
    out: Data = plain(stored)
    for name in _BOUNDS:
        raw = getattr(stored, name)
        if raw is not None:
            out[name] = readable(leaf, raw)
    return out


def readable(leaf: Node, raw: bytes) -> str:
    """Return the PLAIN bytes of a value as text: a number, a string, a time, or hexadecimal."""
    assert leaf.physical is not None
    order, logical, kind = type_order(leaf), leaf.logical, leaf.physical.type
    if not fits(leaf, raw) or order is Order.UNDEFINED:
        return f"0x{raw.hex()}"
    if order is Order.BYTES:
        if is_text(leaf):
            return repr(raw.decode("utf-8", "backslashreplace"))
        return f"0x{raw.hex()}"
    number = key(order, raw)
    if kind == Type.BOOLEAN:
        return "true" if number else "false"
    if logical is not None and logical.name == "DECIMAL":
        return f"{number}e-{logical.scale}" if logical.scale else str(number)
    if logical is not None and logical.name in ("DATE", "TIMESTAMP"):
        date = moment(int(number), logical.unit)
        return f"{number} ({date})" if date else str(number)
    return repr(number)


def _column_index(file: Opened, number: int, leaf: Node) -> Data | None:
    column_index = index.column_index(file, number, leaf.index)
    if column_index is None:
        return None
    out: Data = {"range": list(column_index.span or ()), **plain(column_index)}
    for name in ("min_values", "max_values"):
        pairs = zip(getattr(column_index, name), column_index.null_pages, strict=True)
        out[name] = [None if is_null and not raw else readable(leaf, raw) for raw, is_null in pairs]
    return out


def _offset_index(file: Opened, number: int, leaf: Node) -> Data | None:
    offset_index = index.offset_index(file, number, leaf.index)
    return None if offset_index is None else {"range": list(offset_index.span or ()), **plain(offset_index)}


def _bloom(file: Opened, number: int, leaf: Node) -> Data | None:
    bloom = index.bloom_filter(file, number, leaf.index)
    if bloom is None:
        return None
    ranges = {"header_range": [bloom.at, bloom.begin], "bitset_range": [bloom.begin, bloom.stop]}
    return {**ranges, **plain(bloom.header)}


_BESIDE = {"column_index": _column_index, "offset_index": _offset_index, "bloom": _bloom}


def _pages(file: Opened, number: int, leaf: Node, meta: ColumnMetaData, out: list[Data]) -> None:
    """Add the descriptions of the pages of a chunk, up to the first page that cannot be decoded."""
    decoder = PageDecoder(leaf, meta.codec, file.limits)
    entries = 0
    for page in file.pages(number, leaf.index):
        described = _page(leaf, page)
        out.append(described)
        if page.header.type == PageType.DICTIONARY_PAGE:
            decoder.load_dictionary(page)
        elif page.header.type in chunks.DATA_PAGES:
            page_entries = decoder.entries(page)
            entries += page_entries.count
            if entries > file.limits.values:
                raise LimitExceeded(f"more than {file.limits.values} values", offset=page.offset)
            described["values"] = len(page_entries.values)
            if isinstance(page_entries.values, ByteArrays):
                described["value_bytes"] = int(page_entries.values.lengths.sum())
            levels = {"repetition": page_entries.repetition, "definition": page_entries.definition}
            described["levels"] = {name: _levels(each) for name, each in levels.items() if each is not None}


def _page(leaf: Node, page: Page) -> Data:
    header = plain(page.header)
    for name in ("data_page_header", "data_page_header_v2"):
        inner = getattr(page.header, name)
        if inner is not None and inner.statistics is not None:
            header[name]["statistics"] = statistics(leaf, inner.statistics)
    return {
        "header_range": [page.offset, page.body_offset],
        "body_range": [page.body_offset, page.body_offset + len(page.stored)],
        **header,
    }


def _levels(levels: NDArray[np.unsignedinteger]) -> Data:
    """Return the least and the greatest level, and the number of occurrences of each level."""
    if not len(levels):
        return {"min": None, "max": None, "histogram": []}
    counts = [int(count) for count in np.bincount(levels)]
    return {"min": int(levels.min()), "max": int(levels.max()), "histogram": counts}
