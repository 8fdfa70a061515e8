"""The choices of a writer as facts that two files of one table share: no offsets, sizes or writers.

A fact has an aspect (`codec`, `encoding`, `statistics`, `layout`), a place (a column's dotted path, or "" for
the file) and a text; `about` is the place's type, which many places share.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from corpora.build.formats import FORMATS
from harness.investigate.upgrade.classes import Class
from reference_impl.errors import ReferenceError_
from reference_impl.orc.file import OrcFile
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.logical import Logical
from reference_impl.parquet.schema import ColumnChunk
from reference_impl.parquet.tree import Node

_TEXT = 120
_NONE = "none"
_SPAN = "span"  # where a message stands in the file


class Fact(NamedTuple):
    """A fact about a file, as above."""

    aspect: Class
    place: str
    about: str
    text: str


def facts(file: Path, format: str) -> dict[tuple[str, str, str], Fact]:  # noqa: A002 - the protocol's word
    """Return the facts of a file by aspect, place and name; raises ReferenceError_ and OSError."""
    opened = FORMATS[format].open(file, None)
    named = _parquet(opened) if isinstance(opened, ParquetFile) else _orc(opened)
    return {(fact.aspect.value, fact.place, name): fact for name, fact in named}


def changes(old: Path, new: Path, format: str) -> Iterator[tuple[Class, str, str, str, str]]:  # noqa: A002 - the format's name
    """Yield aspect, place, the change (the same for many files), and both texts.

    A file that the reference cannot read has no facts; the validator reports its violations.
    """
    try:
        before, after = facts(old, format), facts(new, format)
    except (ReferenceError_, OSError):
        return
    groups = Class.LAYOUT.value, "", "row groups"
    cut_alike = before.get(groups) == after.get(groups)
    for key in dict.fromkeys([*before, *after]):
        if key[0] == Class.STATISTICS.value and not cut_alike:
            continue  # of other rows
        left, right = before.get(key), after.get(key)
        if left != right:
            fact = left or right
            assert fact is not None
            texts = (left.text if left else _NONE, right.text if right else _NONE)
            yield fact.aspect, fact.place, _change(key[2], fact, *texts), *texts


def _change(name: str, fact: Fact, old: str, new: str) -> str:
    """Return the text of a change, without the values of statistics, which differ from file to file."""
    if fact.aspect is Class.STATISTICS and fact.about:
        if _NONE in (old, new):
            return f"{name}: {'written now' if old == _NONE else 'written no more'}"
        return f"{name}: another value, of {fact.about}"
    about = f"{fact.about}: " if fact.about else ""
    return f"{name}: {about}{old[:_TEXT]} → {new[:_TEXT]}"


def _parquet(file: ParquetFile) -> Iterator[tuple[str, Fact]]:
    meta = file.metadata
    yield "row groups", Fact(Class.LAYOUT, "", "", str(len(meta.row_groups)))
    keys = sorted(pair.key for pair in meta.key_value_metadata or ())
    yield "keys of metadata", Fact(Class.LAYOUT, "", "", ", ".join(keys))
    orders = sorted({_names(order) for order in meta.column_orders or ()})
    yield "column orders", Fact(Class.STATISTICS, "", "file", ", ".join(orders))
    for node in file.root.leaves():
        yield "type", Fact(Class.LAYOUT, ".".join(node.path), "", _type(node))
    for column, leaf in enumerate(file.leaves):
        for number, group in enumerate(meta.row_groups[:1]):
            yield from _chunk(file, number, column, leaf, group.columns[column])


def _type(node: Node) -> str:
    repetition = node.repetition.name if node.repetition is not None else ""
    logical = _logical(node.logical) if node.logical else ""
    return " ".join(filter(None, (repetition, _physical(node), logical)))


def _logical(logical: Logical) -> str:
    """Return a logical type with the parameters that apply to the type."""
    given = logical._asdict()
    applies = {"name": False, "utc": bool(logical.unit), "signed": bool(logical.bits)}
    parameters = [f"{name}={value}" for name, value in given.items() if applies.get(name, bool(value))]
    return f"{logical.name}({', '.join(parameters)})" if parameters else logical.name


def _physical(node: Node) -> str:
    return node.physical.type.name if node.physical is not None else "group"


def _chunk(
    file: ParquetFile, number: int, column: int, leaf: Node, chunk: ColumnChunk
) -> Iterator[tuple[str, Fact]]:
    place, about, meta = ".".join(leaf.path), _physical(leaf), chunk.meta_data
    if leaf.logical:
        about = f"{about} {leaf.logical.name}"
    if meta is None:
        return
    yield "codec", Fact(Class.CODEC, place, "", _name(meta.codec))
    pages = [page.header for page in file.pages(number, column)]
    kinds = list(dict.fromkeys(_name(page.type) for page in pages))
    data = [page.data_page_header or page.data_page_header_v2 for page in pages]
    encodings = dict.fromkeys(_name(header.encoding) for header in data if header is not None)
    yield "encodings", Fact(Class.ENCODING, place, about, ", ".join(encodings))
    yield "pages", Fact(Class.LAYOUT, place, "", ", ".join(kinds))
    for name, value in _set(meta.statistics).items():
        yield name, Fact(Class.STATISTICS, place, about, value)
    there = {
        "column index": chunk.column_index_offset,
        "offset index": chunk.offset_index_offset,
        "Bloom filter": meta.bloom_filter_offset,
        "size statistics": meta.size_statistics,
        "geospatial statistics": meta.geospatial_statistics,
        "checksums": next((page.crc for page in pages if page.crc is not None), None),
    }
    for name, mark in there.items():
        yield name, Fact(Class.STATISTICS, place, about, _NONE if mark is None else "there")


def _orc(file: OrcFile) -> Iterator[tuple[str, Fact]]:
    footer = file.footer
    yield "codec", Fact(Class.CODEC, "", "", file.tail.codec.name)
    yield "stripes", Fact(Class.LAYOUT, "", "", str(len(footer.stripes)))
    yield "rows of an index entry", Fact(Class.STATISTICS, "", "file", str(footer.row_index_stride))
    yield "calendar", Fact(Class.LAYOUT, "", "", file.calendar.name)
    yield "version", Fact(Class.LAYOUT, "", "", ".".join(map(str, file.postscript.version)))
    keys = sorted(str(pair.name) for pair in footer.metadata)
    yield "keys of metadata", Fact(Class.LAYOUT, "", "", ", ".join(keys))
    stripe = file.stripe(0) if footer.stripes else None
    if stripe:
        yield "zone", Fact(Class.LAYOUT, "", "", str(stripe.footer.writer_timezone))
    for at, node in enumerate(file.root.walk()):
        place, about = ".".join(node.path), node.kind.name
        yield "type", Fact(Class.LAYOUT, place, "", about)
        if stripe:
            yield "encoding", Fact(Class.ENCODING, place, about, stripe.encodings[at][0].name)
            kinds = [
                stream.kind.name
                for stream in stripe.streams
                if stream.column == at and stream.kind is not None
            ]
            yield "streams", Fact(Class.ENCODING, place, about, ", ".join(sorted(kinds)))
        if at < len(footer.statistics):
            statistics = _set(footer.statistics[at])
            statistics.pop("bytes_on_disk", None)
            for name, value in statistics.items():
                yield name, Fact(Class.STATISTICS, place, about, value)


def _set(struct: Any) -> dict[str, str]:
    """Return the set fields of a message as text; nested fields by their own names."""
    texts: dict[str, str] = {}
    for name in getattr(type(struct), "__dataclass_fields__", ()):
        value = getattr(struct, name)
        if value is None or value == () or name == _SPAN:
            continue
        inner = _set(value)
        texts |= inner or {name: value.hex() if isinstance(value, bytes) else str(value)}
    return texts


def _names(struct: Any) -> str:
    return ", ".join(name for name in type(struct).__dataclass_fields__ if getattr(struct, name) is not None)


def _name(value: Any) -> str:
    return str(getattr(value, "name", value))
