"""`colconf inspect`: what is in a Parquet file, with the byte range of each part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.problem import Problem
from reference_impl.errors import UsageError
from reference_impl.parquet.inspect import Selection
from reference_impl.parquet.inspect import inspect as describe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reference_impl.parquet.inspect import Data

_BROKEN = 1
_WIDEST = 160
_PAGE_HEADERS = ("data_page_header", "data_page_header_v2", "dictionary_page_header", "index_page_header")
_SIZES: tuple[str, ...] = ("uncompressed_page_size", "compressed_page_size", "crc", "values", "value_bytes")
_NESTED = ("statistics", "size_statistics", "geospatial_statistics", "encoding_stats", "key_value_metadata")


@click.command()
@click.argument("path", metavar="FILE")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--pages/--no-pages", default=True, help="Show the pages of each column chunk (the default).")
@click.option("--row-group", type=click.IntRange(0), metavar="N", help="Only this row group, from 0.")
@click.option("--column", metavar="PATH", help="Only this column, by its dotted path.")
@click.pass_context
def inspect(
    ctx: click.Context, /, *, path: str, as_json: bool, pages: bool, row_group: int | None, column: str | None
) -> None:
    """Show a file's footer, schema, row groups, pages, levels, statistics, indexes and Bloom filters.

    Every part comes with its byte range, end excluded. Exit status 1 if something could not be read: what
    could is shown, and a line on standard error says what could not.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise Problem(f"{path}: {error.strerror or error}") from error
    try:
        told = describe(data, Selection(row_group, column, pages))
    except UsageError as error:
        raise Problem(f"{path}: {error.message}") from error
    if as_json:
        click.echo(json.dumps(told, indent=2))
    else:
        for line in _lines(path, told):
            click.echo(line)
    for one in told["errors"]:
        click.echo(f"colconf: {path}: {_error(one)}", err=True)
    ctx.exit(_BROKEN if told["errors"] else 0)


def _error(error: Data) -> str:
    where = [] if error["offset"] is None else [f"at byte {error['offset']}"]
    where += [f"in {error['path']}"] if error["path"] else []
    rule = f"[{error['rule']}] " if error["rule"] else ""
    said = " ".join(str(error["message"]).split())
    return f"{rule}{said}" + (f" ({' '.join(where)})" if where else "")


def _lines(path: str, told: Data) -> Iterator[str]:
    yield f"{path}: {told['bytes']} bytes"
    if "footer" not in told:
        return
    footer = told["footer"]
    yield f"\nfooter {_range(footer['range'])}, {footer['length']} bytes"
    for name, one in footer["fields"].items():
        value = f"{one['count']} elements" if "count" in one else _short(one["value"])
        yield f"  {_range(one['range']):<18} {name}: {value}"
    yield "\nschema (maximum definition and repetition level in front)"
    yield from map(_node, told["schema"])
    for group in told["row_groups"]:
        yield from _group(group)


def _range(span: list[int] | None) -> str:
    return f"[{span[0]}, {span[1]})" if span else "[?)"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}… ({len(text)} characters)"


def _node(node: Data) -> str:
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
    return f"{levels}  {_range(node['range']):<16} {indent}{' '.join(word for word in words if word)}"


def _group(group: Data) -> Iterator[str]:
    told = {name: value for name, value in group.items() if name not in ("row_group", "range", "columns")}
    yield f"\nrow group {group['row_group']} {_range(group['range'])} {_pairs(told)}"
    for column in group["columns"]:
        yield from _column(column)


def _pairs(told: Data) -> str:
    return ", ".join(f"{name}={_short(value)}" for name, value in told.items())


def _column(column: Data) -> Iterator[str]:
    yield f"\n  column {column['leaf']} {column['column']} {_range(column['range'])}"
    yield f"    chunk: {_pairs(column['chunk'])}"
    if "metadata" not in column:
        return
    meta = column["metadata"]
    yield f"    metadata: {_pairs({name: one for name, one in meta.items() if name not in _NESTED})}"
    yield from (f"    {name}: {_nested(meta[name])}" for name in _NESTED if name in meta)
    if "data" in column:
        yield f"    data {_range(column['data']['range'])}"
    for number, page in enumerate(column.get("pages", ())):
        yield from _page(number, page)
    for name in ("column_index", "offset_index"):
        if name in column:
            told = {key: value for key, value in column[name].items() if key != "range"}
            yield f"    {name} {_range(column[name]['range'])}"
            yield from (f"      {key}: {_short(value)}" for key, value in told.items())
    if "bloom" in column:
        bloom = column["bloom"]
        where = f"header {_range(bloom['header_range'])}, bitset {_range(bloom['bitset_range'])}"
        names = ("numBytes", "algorithm", "hash", "compression")
        yield f"    bloom filter: {where}, {_pairs({name: bloom[name] for name in names})}"


def _nested(value: Any) -> str:
    return _pairs(value) if isinstance(value, dict) else _short(value)


def _page(number: int, page: Data) -> Iterator[str]:
    ranges = f"header {_range(page['header_range'])} body {_range(page['body_range'])}"
    yield f"    page {number} {page['type']} {ranges}"
    sizes = {name: page[name] for name in _SIZES if name in page}
    yield f"      {_pairs(sizes)}"
    for name in _PAGE_HEADERS:
        if name in page:
            inner = {key: value for key, value in page[name].items() if key != "statistics"}
            yield f"      {name}: {_pairs(inner)}"
            if "statistics" in page[name]:
                yield f"      statistics: {_pairs(page[name]['statistics'])}"
    for name, levels in page.get("levels", {}).items():
        told = f"{levels['min']} to {levels['max']}, counts {_short(levels['histogram'])}"
        yield f"      {name} levels: {told}"
