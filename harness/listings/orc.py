"""A description of an ORC file as text."""

from __future__ import annotations

from collections.abc import Iterator

from harness.listings import Listed, fields, pairs, short, span
from reference_impl.inspection import Data

_RANGES = ("range", "index_range", "data_range", "footer_range")
_LISTS = ("streams", "columns", "stripe")
_BLOOMS = ("bloom_filter", "bloom_filter_utf8")
_BUNDLES = ("id", "path", "kind", "subtypes")


def lines(path: str, description: Data) -> Iterator[Listed]:
    """Yield a description of an ORC file."""
    yield Listed(f"{path}: {description['bytes']} bytes")
    if "footer" not in description:
        return
    for name in ("postscript", "footer"):
        part = description[name]
        yield Listed(f"\n{name} {span(part['range'])}, {part['length']} bytes", (part["range"],))
        yield from fields(part["fields"])
    yield Listed(
        f"\nmetadata {span(description['metadata']['range'])}, {description['metadata']['length']} bytes",
        (description["metadata"]["range"],),
    )
    yield Listed("\ntypes")
    yield from map(_type, description["types"])
    yield Listed("\nstatistics")
    yield from (
        Listed(f"  column {column['column']}: {_statistics(column)}") for column in description["statistics"]
    )
    if "encryption" in description:
        yield Listed("\nencryption")
        yield from (Listed(f"  {pairs(variant)}") for variant in description["encryption"])
    for stripe in description["stripes"]:
        yield from _stripe(stripe)


def _type(node: Data) -> Listed:
    name = node["path"][-1] if node["path"] else "(root)"
    rest = pairs({key: value for key, value in node.items() if key not in _BUNDLES})
    return Listed(
        f"{node['id']:>4}  {'  ' * len(node['path'])}{node['kind']} {name}{' ' if rest else ''}{rest}"
    )


def _statistics(column: Data) -> str:
    return pairs({name: value for name, value in column.items() if name != "column"})


def _stripe(stripe: Data) -> Iterator[Listed]:
    rest = {name: value for name, value in stripe.items() if name not in (*_RANGES, *_LISTS)}
    yield Listed(
        f"\nstripe {stripe['stripe']} {span(stripe.get('range'))} {pairs(rest)}", (stripe.get("range"),)
    )
    if "columns" not in stripe:
        return
    areas = [(name.removesuffix("_range"), stripe[name]) for name in _RANGES[1:]]
    yield Listed(
        "  " + ", ".join(f"{name} {span(area)}" for name, area in areas), tuple(area for _, area in areas)
    )
    for column in stripe["columns"]:
        yield from _column(column)


def _column(column: Data) -> Iterator[Listed]:
    yield Listed(f"\n  column {column['column']} {'.'.join(column['path'])} {column['type']}")
    yield Listed(f"    encoding: {pairs(column['encoding'])}")
    for bloom in column["streams"]:
        chunks = bloom.get("chunks")
        size = (
            ""
            if chunks is None
            else f" {bloom['bytes']} bytes in {len(chunks)} chunks: {short(_chunks(chunks))}"
        )
        yield Listed(f"    {bloom['kind']} {span(bloom['range'])}{size}", (bloom["range"],))
    if "statistics" in column:
        yield Listed(f"    statistics: {_statistics(column['statistics'])}")
    for entry in column.get("row_index", ()):
        yield Listed(f"    row group {entry['row_group']}: positions {short(entry['positions'])}")
        if "statistics" in entry:
            yield Listed(f"      statistics: {_statistics(entry['statistics'])}")
    for name in _BLOOMS:
        for number, bloom in enumerate(column.get(name, ())):
            yield Listed(f"    {name} {number}: {pairs(bloom)}")


def _chunks(chunks: list[Data]) -> str:
    return ", ".join(
        f"{chunk['offset']}+{chunk['length']}{' original' * chunk['original']}" for chunk in chunks
    )
