"""Coverage of the ORC corpus: the items that code requires, and the items that files reach.

An item is a path: `encoding/DIRECT_V2/INT/list`. `required` lists all items, from the tables of readers and
writers; `reached` reads a file and lists its items, whatever the file's case expects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from corpora.build import structs
from corpora.build.orc import samples
from corpora.build.orc.runs import V2, WIDTHS, runs, sort_of
from reference_impl.orc import bloom
from reference_impl.orc.column_encodings import V2_KINDS, encodings_of
from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import (
    BloomFilterIndex,
    ColumnarStripeStatistics,
    CompressionKind,
    FileStatistics,
    Footer,
    Metadata,
    PostScript,
    RowIndex,
    StreamKind,
    StripeFooter,
    TypeKind,
)
from reference_impl.orc.statistics import FIELDS
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.orc.stripe import Stripe
from reference_impl.orc.types import TypeNode

ROOTS = (PostScript, Footer, Metadata, StripeFooter, RowIndex, BloomFilterIndex)
_PLACES = ("row-group", "stripe", "file")
_NESTED = (TypeKind.STRUCT, TypeKind.LIST, TypeKind.MAP, TypeKind.UNION)
# The least and the greatest numbers of values of a run.
_LENGTHS = {
    "short-repeat": (3, 10),
    "direct": (1, 2, 512),
    "patched-base": (20, 512),
    "delta": (1, 2, 3, 512),
    "v1-run": (3, 130),
    "v1-literals": (1, 2, 128),
    "byte-run": (3, 130),
    "byte-literals": (1, 2, 128),
}
_PATCHED = (
    *(f"base-{size}" for size in range(1, 9)),
    *(f"patch-{width}" for width in WIDTHS[:-1]),
    *(f"gap-{bits}" for bits in range(1, 9)),
    *(f"list-{count}" for count in (1, 2, 30, 31)),
)
_SIGNS = ("signed", "unsigned")


def required(rules: Iterable[str]) -> set[str]:
    """Return all items that the corpus must reach; `rules` are the ids of all rules."""
    items = {f"rule/{rule}" for rule in rules}
    for kind in TypeKind:
        for encoding in encodings_of(kind):
            newest = encoding is encodings_of(kind)[-1] or encoding in V2_KINDS
            names = [nesting.name for nesting in samples.NESTINGS] if newest else samples.OLD
            items |= {f"encoding/{encoding.name}/{kind.name}/{name}" for name in names}
        if kind in FIELDS:
            items |= {
                f"statistics/{kind.name}/{place}/{form}" for place in _PLACES for form in ("typed", "bare")
            }
    for codec in CompressionKind:
        if codec is not CompressionKind.NONE:
            items |= {f"compression/{codec.name}/{form}" for form in ("original", "compressed")}
    items |= {
        f"bloom/{kind.name}/{stream.name}"
        for kind in bloom.KINDS
        for stream in (StreamKind.BLOOM_FILTER, StreamKind.BLOOM_FILTER_UTF8)
    }
    items |= {f"root/{kind.name}" for kind in (*_NESTED, TypeKind.INT, TypeKind.STRING, TypeKind.TIMESTAMP)}
    return items | set(_runs()) | set(structs.required(ROOTS))


def _runs() -> Iterator[str]:
    for kind, lengths in _LENGTHS.items():
        yield from (f"run/{kind}/length-{length}" for length in lengths)
    for sign in _SIGNS:
        yield from (f"run/{kind}/{sign}" for kind in (*V2, "v1-run", "v1-literals"))
        yield from (f"run/short-repeat/{sign}/width-{size}" for size in range(1, 9))
        yield from (f"run/direct/{sign}/width-{width}" for width in WIDTHS)
        yield from (f"run/delta/{sign}/width-{width}" for width in (0, *WIDTHS[1:]))
    yield from (f"run/patched-base/width-{width}" for width in WIDTHS[:-1])
    yield from (f"run/patched-base/{form}" for form in _PATCHED)


def reached(file: OrcFile) -> Iterator[str]:
    """Yield the items that a file reaches; raises the reader's errors."""
    yield from structs.reached(file.postscript)
    yield from structs.reached(file.footer)
    yield from structs.reached(file.metadata)
    yield from _sealed(file)
    yield f"root/{file.root.kind.name}"
    nodes = list(file.root.walk())
    for node, statistics in zip(nodes, file.footer.statistics, strict=False):
        yield from _statistics(node, statistics, "file")
    for stripe in file.metadata.stripe_stats:
        for node, statistics in zip(nodes, stripe.col_stats, strict=False):
            yield from _statistics(node, statistics, "stripe")
    for number in range(len(file.footer.stripes)):
        yield from _stripe(file, file.stripe(number))
    file.read()


def _sealed(file: OrcFile) -> Iterator[str]:
    """Yield the items of the messages of encrypted statistics."""
    opened = file.decryption
    if opened is not None and opened.file_statistics:
        yield from structs.reached(FileStatistics(column=tuple(opened.file_statistics.values())))
    for columns in opened.stripe_statistics.values() if opened is not None else ():
        yield from structs.reached(ColumnarStripeStatistics(col_stats=columns))


def names_of_runs(file: OrcFile) -> set[str]:
    """Return the kinds of runs of integers that a file has."""
    return {
        run.kind
        for number in range(len(file.footer.stripes))
        for _, sort, data in _streams(file, file.stripe(number))
        if sort != "bytes"
        for run in runs(data, sort)
    }


def _stripe(file: OrcFile, stripe: Stripe) -> Iterator[str]:
    yield from structs.reached(stripe.footer)
    for node, (encoding, _) in zip(file.root.walk(), stripe.encodings, strict=True):
        if stripe.rows:
            yield f"encoding/{encoding.name}/{node.kind.name}/{nesting_of(node, stripe)}"
        index = file.row_index(stripe.number, node.id)
        if index is not None:
            yield from structs.reached(index)
            for entry in index.entry:
                if entry.statistics is not None:
                    yield from _statistics(node, entry.statistics, "row-group")
        for kind, filters in file.bloom_filters(stripe.number, node.id).items():
            yield from structs.reached(filters)
            yield f"bloom/{node.kind.name}/{kind.name}"
    for place in stripe.places.values():
        stream = stripe.stream(place.column, place.kind) if place.kind is not None else None
        for chunk in stream.chunks if stream is not None else ():
            yield f"compression/{file.tail.codec.name}/{'original' if chunk.original else 'compressed'}"
    for _, sort, data in _streams(file, stripe):
        for run in runs(data, sort):
            yield from _run(run.kind, run.length, run.width, "signed" if "signed" in sort else "unsigned")


def _streams(file: OrcFile, stripe: Stripe) -> Iterator[tuple[TypeNode, str, bytes]]:
    """Yield the streams that consist of runs."""
    nodes = list(file.root.walk())
    for place in stripe.places.values():
        if place.kind is None:
            continue
        node, encoding = nodes[place.column], stripe.encodings[place.column][0]
        sort = sort_of(node.kind, encoding, place.kind)
        stream = stripe.stream(place.column, place.kind)
        if sort is not None and stream is not None:
            yield node, sort, bytes(stream.data)


def _run(kind: str, length: int, width: str, sign: str) -> Iterator[str]:
    if length in _LENGTHS[kind]:
        yield f"run/{kind}/length-{length}"
    if not kind.startswith("byte"):
        yield f"run/{kind}/{sign}"
    if kind == "patched-base":
        distances, *forms = width.split("/")
        yield f"run/{kind}/width-{distances}"
        yield from (f"run/{kind}/{form}" for form in forms)
    elif width:
        yield f"run/{kind}/{sign}/width-{width}"


def _statistics(node: TypeNode, statistics: ColumnStatistics, place: str) -> Iterator[str]:
    if node.kind in FIELDS:
        typed = getattr(statistics, FIELDS[node.kind]) is not None
        yield f"statistics/{node.kind.name}/{place}/{'typed' if typed else 'bare'}"


def nesting_of(node: TypeNode, stripe: Stripe) -> str:
    """Return the nesting (a name of `samples.NESTINGS`) of a column."""
    above = []
    parent = node.parent
    while parent is not None and parent.parent is not None:
        above.append(parent.kind)
        parent = parent.parent
    if len(above) > 1:
        return "deep"
    if above:
        return above[0].name.lower()
    return "nullable" if stripe.stream(node.id, StreamKind.PRESENT) is not None else "required"
