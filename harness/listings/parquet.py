"""A description of a Parquet file as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.listings import Listed, fields, pairs, short, span
from reference_impl.inspection import Data

_PAGE_HEADERS = ("data_page_header", "data_page_header_v2", "dictionary_page_header", "index_page_header")
_SIZES: tuple[str, ...] = ("uncompressed_page_size", "compressed_page_size", "crc", "values", "value_bytes")
_NESTED = ("statistics", "size_statistics", "geospatial_statistics", "encoding_stats", "key_value_metadata")


def lines(path: str, description: Data) -> Iterator[Listed]:
    """Yield a description of a Parquet file."""
    yield Listed(f"{path}: {description['bytes']} bytes")
    if "footer" not in description:
        return
    footer = description["footer"]
    yield Listed(f"\nfooter {span(footer['range'])}, {footer['length']} bytes", (footer["range"],))
    yield from fields(footer["fields"])
    yield Listed("\nschema (maximum definition and repetition level in front)")
    yield from map(_node, description["schema"])
    for group in description["row_groups"]:
        yield from _group(group)


def _node(node: Data) -> Listed:
    indent = "  " * len(node["path"])
    name = node["path"][-1] if node["path"] else "(root)"
    words = [node["repetition"] or "", node["type"] or "group", name]
    if node["logical"]:
        inner = {key: value for key, value in node["logical"].items() if key != "name"}
        parameters = ", ".join(f"{key}={value}" for key, value in inner.items())
        words.append(f"({node['logical']['name']}{': ' if parameters else ''}{parameters})")
    words += [f"converted={node['converted']}"] if node["converted"] is not None else []
    words += [f"field_id={node['field_id']}"] if node["field_id"] is not None else []
    levels = f"{node['definition_level']:>3} {node['repetition_level']:>2}"
    text = f"{levels}  {span(node['range']):<16} {indent}{' '.join(word for word in words if word)}"
    return Listed(text, (node["range"],))


def _group(group: Data) -> Iterator[Listed]:
    rest = {name: value for name, value in group.items() if name not in ("row_group", "range", "columns")}
    yield Listed(f"\nrow group {group['row_group']} {span(group['range'])} {pairs(rest)}", (group["range"],))
    for column in group["columns"]:
        yield from _column(column)


def _column(column: Data) -> Iterator[Listed]:
    yield Listed(
        f"\n  column {column['leaf']} {column['column']} {span(column['range'])}", (column["range"],)
    )
    yield Listed(f"    chunk: {pairs(column['chunk'])}")
    if "metadata" not in column:
        return
    meta = column["metadata"]
    yield Listed(
        f"    metadata: {pairs({name: value for name, value in meta.items() if name not in _NESTED})}"
    )
    yield from (Listed(f"    {name}: {_nested(meta[name])}") for name in _NESTED if name in meta)
    if "data" in column:
        yield Listed(f"    data {span(column['data']['range'])}", (column["data"]["range"],))
    for number, page in enumerate(column.get("pages", ())):
        yield from _page(number, page)
    for name in ("column_index", "offset_index"):
        if name in column:
            rest = {key: value for key, value in column[name].items() if key != "range"}
            yield Listed(f"    {name} {span(column[name]['range'])}", (column[name]["range"],))
            yield from (Listed(f"      {key}: {short(value)}") for key, value in rest.items())
    if "bloom" in column:
        bloom = column["bloom"]
        where = f"header {span(bloom['header_range'])}, bitset {span(bloom['bitset_range'])}"
        names = ("numBytes", "algorithm", "hash", "compression")
        ranges = (bloom["header_range"], bloom["bitset_range"])
        yield Listed(f"    bloom filter: {where}, {pairs({name: bloom[name] for name in names})}", ranges)


def _nested(value: Any) -> str:
    return pairs(value) if isinstance(value, dict) else short(value)


def _page(number: int, page: Data) -> Iterator[Listed]:
    header, body = page["header_range"], page["body_range"]
    where = f"header {span(header)} body {span(body)}"
    yield Listed(f"    page {number} {page['type']} {where}", (header, body))
    sizes = {name: page[name] for name in _SIZES if name in page}
    yield Listed(f"      {pairs(sizes)}")
    for name in _PAGE_HEADERS:
        if name in page:
            inner = {key: value for key, value in page[name].items() if key != "statistics"}
            yield Listed(f"      {name}: {pairs(inner)}")
            if "statistics" in page[name]:
                yield Listed(f"      statistics: {pairs(page[name]['statistics'])}")
    for name, levels in page.get("levels", {}).items():
        text = f"{levels['min']} to {levels['max']}, counts {short(levels['histogram'])}"
        yield Listed(f"      {name} levels: {text}")
