"""A description of an ORC file as text."""

from __future__ import annotations

from collections.abc import Iterator

from harness.listings import fields, pairs, short, span
from reference_impl.inspection import Data

_RANGES = ("range", "index_range", "data_range", "footer_range")
_LISTS = ("streams", "columns", "stripe")
_BLOOMS = ("bloom_filter", "bloom_filter_utf8")
_BUNDLES = ("id", "path", "kind", "subtypes")


def lines(path: str, description: Data) -> Iterator[str]:
    """Yield a description of an ORC file."""
    yield f"{path}: {description['bytes']} bytes"
    if "footer" not in description:
        return
    for name in ("postscript", "footer"):
        part = description[name]
        yield f"\n{name} {span(part['range'])}, {part['length']} bytes"
        yield from fields(part["fields"])
    yield f"\nmetadata {span(description['metadata']['range'])}, {description['metadata']['length']} bytes"
    yield "\ntypes"
    yield from map(_type, description["types"])
    yield "\nstatistics"
    yield from (f"  column {column['column']}: {_statistics(column)}" for column in description["statistics"])
    if "encryption" in description:
        yield "\nencryption"
        yield from (f"  {pairs(variant)}" for variant in description["encryption"])
    for stripe in description["stripes"]:
        yield from _stripe(stripe)


def _type(node: Data) -> str:
    name = node["path"][-1] if node["path"] else "(root)"
    rest = pairs({key: value for key, value in node.items() if key not in _BUNDLES})
    return f"{node['id']:>4}  {'  ' * len(node['path'])}{node['kind']} {name}{' ' if rest else ''}{rest}"


def _statistics(column: Data) -> str:
    return pairs({name: value for name, value in column.items() if name != "column"})


def _stripe(stripe: Data) -> Iterator[str]:
    rest = {name: value for name, value in stripe.items() if name not in (*_RANGES, *_LISTS)}
    yield f"\nstripe {stripe['stripe']} {span(stripe.get('range'))} {pairs(rest)}"
    if "columns" not in stripe:
        return
    areas = ((name.removesuffix("_range"), stripe[name]) for name in _RANGES[1:])
    yield "  " + ", ".join(f"{name} {span(area)}" for name, area in areas)
    for column in stripe["columns"]:
        yield from _column(column)


def _column(column: Data) -> Iterator[str]:
    yield f"\n  column {column['column']} {'.'.join(column['path'])} {column['type']}"
    yield f"    encoding: {pairs(column['encoding'])}"
    for bloom in column["streams"]:
        chunks = bloom.get("chunks")
        size = (
            ""
            if chunks is None
            else f" {bloom['bytes']} bytes in {len(chunks)} chunks: {short(_chunks(chunks))}"
        )
        yield f"    {bloom['kind']} {span(bloom['range'])}{size}"
    if "statistics" in column:
        yield f"    statistics: {_statistics(column['statistics'])}"
    for entry in column.get("row_index", ()):
        yield f"    row group {entry['row_group']}: positions {short(entry['positions'])}"
        if "statistics" in entry:
            yield f"      statistics: {_statistics(entry['statistics'])}"
    for name in _BLOOMS:
        for number, bloom in enumerate(column.get(name, ())):
            yield f"    {name} {number}: {pairs(bloom)}"


def _chunks(chunks: list[Data]) -> str:
    return ", ".join(
        f"{chunk['offset']}+{chunk['length']}{' original' * chunk['original']}" for chunk in chunks
    )
