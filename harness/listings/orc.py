"""A description of an ORC file as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.listings import fields, pairs, short, span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reference_impl.inspection import Data

_RANGES = ("range", "index_range", "data_range", "footer_range")
_LISTS = ("streams", "columns", "stripe")
_BLOOMS = ("bloom_filter", "bloom_filter_utf8")
_BUNDLES = ("id", "path", "kind", "subtypes")


def lines(path: str, told: Data) -> Iterator[str]:
    """Yield a description of an ORC file."""
    yield f"{path}: {told['bytes']} bytes"
    if "footer" not in told:
        return
    for name in ("postscript", "footer"):
        part = told[name]
        yield f"\n{name} {span(part['range'])}, {part['length']} bytes"
        yield from fields(part["fields"])
    yield f"\nmetadata {span(told['metadata']['range'])}, {told['metadata']['length']} bytes"
    yield "\ntypes"
    yield from map(_type, told["types"])
    yield "\nstatistics"
    yield from (f"  column {one['column']}: {_statistics(one)}" for one in told["statistics"])
    if "encryption" in told:
        yield "\nencryption"
        yield from (f"  {pairs(one)}" for one in told["encryption"])
    for stripe in told["stripes"]:
        yield from _stripe(stripe)


def _type(one: Data) -> str:
    name = one["path"][-1] if one["path"] else "(root)"
    rest = pairs({key: value for key, value in one.items() if key not in _BUNDLES})
    return f"{one['id']:>4}  {'  ' * len(one['path'])}{one['kind']} {name}{' ' if rest else ''}{rest}"


def _statistics(one: Data) -> str:
    return pairs({name: value for name, value in one.items() if name != "column"})


def _stripe(stripe: Data) -> Iterator[str]:
    shown = {name: value for name, value in stripe.items() if name not in (*_RANGES, *_LISTS)}
    yield f"\nstripe {stripe['stripe']} {span(stripe.get('range'))} {pairs(shown)}"
    if "columns" not in stripe:
        return
    areas = ((name.removesuffix("_range"), stripe[name]) for name in _RANGES[1:])
    yield "  " + ", ".join(f"{name} {span(area)}" for name, area in areas)
    for column in stripe["columns"]:
        yield from _column(column)


def _column(column: Data) -> Iterator[str]:
    yield f"\n  column {column['column']} {'.'.join(column['path'])} {column['type']}"
    yield f"    encoding: {pairs(column['encoding'])}"
    for one in column["streams"]:
        chunks = one.get("chunks")
        size = (
            ""
            if chunks is None
            else f" {one['bytes']} bytes in {len(chunks)} chunks: {short(_chunks(chunks))}"
        )
        yield f"    {one['kind']} {span(one['range'])}{size}"
    if "statistics" in column:
        yield f"    statistics: {_statistics(column['statistics'])}"
    for entry in column.get("row_index", ()):
        yield f"    row group {entry['row_group']}: positions {short(entry['positions'])}"
        if "statistics" in entry:
            yield f"      statistics: {_statistics(entry['statistics'])}"
    for name in _BLOOMS:
        for number, one in enumerate(column.get(name, ())):
            yield f"    {name} {number}: {pairs(one)}"


def _chunks(chunks: list[Data]) -> str:
    return ", ".join(f"{one['offset']}+{one['length']}{' original' * one['original']}" for one in chunks)
