"""Description of a file as JSON data, part by part with byte ranges.

Ranges are half-open, in bytes from the start of the file. Parts that cannot be read are left out and listed
in `errors`; no content of a file raises.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reference_impl.errors import ReferenceError_, UsageError
from reference_impl.inspection import FORMAT, Data, Errors, moment, plain, printable
from reference_impl.limits import DEFAULT, Limits
from reference_impl.orc import bloom, index
from reference_impl.orc.column_encodings import is_decimal64
from reference_impl.orc.decryption import Decryption, MasterKeys, Unwrap
from reference_impl.orc.encryption import Variant
from reference_impl.orc.schema import BloomFilterIndex, CompressionKind, Metadata, RowIndexEntry, StreamKind
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.orc.stripe import StreamPlace
from reference_impl.orc.types import TypeNode
from reference_impl.orc.validate import encryption
from reference_impl.orc.validate.opened import LenientStripe, Opened
from reference_impl.validation import Report

_APART = ("stripes", "types", "statistics")  # fields of the footer that have a part of their own


@dataclass(frozen=True)
class Selection:
    """The parts to describe: a stripe or all, a column (by its dotted path) or all, row groups or not."""

    stripe: int | None = None
    column: str | None = None
    row_groups: bool = True


def inspect(
    data: bytes | mmap.mmap,
    selection: Selection | None = None,
    keys: MasterKeys | Unwrap | None = None,
    *,
    limits: Limits = DEFAULT,
) -> Data:
    """Return a description of the file; raises UsageError for a stripe or column that is not there.

    Columns with a key among `keys` are described as in their encrypted variant, others as masked.
    """
    errors = Errors()
    out: Data = {"format": FORMAT, "bytes": len(data), "errors": errors.entries}
    report = Report()
    try:
        file = Opened(data, limits, report)
    except ReferenceError_ as error:
        errors.add(error)
        errors.add_all(report)
        return out
    selection = selection or Selection()
    out["postscript"] = _postscript(file)
    out["footer"] = _footer(file)
    out["types"] = [_type(node) for node in file.root.walk()]
    variants = encryption.check(file)
    decryption = encryption.opened(file, variants, keys)
    statistics = (
        file.footer.statistics if decryption is None else decryption.over_file(file.footer.statistics)
    )
    out["statistics"] = [
        _statistics(node, entry) for node, entry in zip(file.root.walk(), statistics, strict=False)
    ]
    if variants:
        out["encryption"] = [_variant(variant, decryption) for variant in variants]
    metadata = _metadata(file, errors)
    if metadata is not None and decryption is not None:
        with report.noting("metadata"):
            metadata = Metadata(stripe_stats=decryption.over_stripes(metadata.stripe_stats))
    start, length = file.tail.metadata_stream.base, len(file.tail.metadata_stream.raw)
    out["metadata"] = {"range": [start, start + length], "length": length}
    out["stripes"] = list(_stripes(file, selection, metadata, errors, decryption))
    errors.add_all(report)
    return out


def _postscript(file: Opened) -> Data:
    start, end = file.tail.postscript_start, len(file.data) - 1
    spans = file.postscript.field_spans or {}
    fields = {
        name: {"range": list(span), "value": plain(getattr(file.postscript, name))}
        for name, span in spans.items()
    }
    return {"range": [start, end], "length": end - start, "fields": fields}


def _footer(file: Opened) -> Data:
    """Return the fields of the footer, without ranges if the footer is compressed."""
    start, end = file.footer_at, file.footer_at + len(file.tail.footer_stream.raw)
    fields: Data = {}
    for name, span in (file.footer.field_spans or {}).items():
        value = getattr(file.footer, name)
        value_data = {"count": len(value)} if name in _APART else {"value": plain(value)}
        fields[name] = {"range": None if file.tail.footer_stream.compressed else list(span), **value_data}
    return {"range": [start, end], "length": end - start, "fields": fields}


def _variant(variant: Variant, decryption: Decryption | None) -> Data:
    key = variant.key
    return {
        "variant": variant.number,
        "root": variant.root.id,
        "path": _path(variant.root),
        "key": printable(key.key_name or ""),
        "version": key.key_version or 0,
        "algorithm": None if key.algorithm is None else key.algorithm.name,
        "opened": decryption is not None and variant in decryption.opened,
    }


def _type(node: TypeNode) -> Data:
    fields = {key: value for key, value in plain(node.type).items() if key not in ("kind", "field_names")}
    return {"id": node.id, "path": _path(node), "kind": node.kind.name, **fields}


def _path(node: TypeNode) -> list[str]:
    return [printable(name) for name in node.path]


def _metadata(file: Opened, errors: Errors) -> Metadata | None:
    try:
        return file.tail.read_metadata()
    except ReferenceError_ as error:
        errors.add(error)
        return None


def _statistics(node: TypeNode, statistics: ColumnStatistics) -> Data:
    """Return statistics as data, with dates beside the numbers of days and timestamps."""
    out: Data = {"column": node.id, **plain(statistics)}
    for name, unit in (("date_statistics", ""), ("timestamp_statistics", "ms")):
        inner = out.get(name, {})
        for key, value in inner.items():
            date = None if "nanos" in key else moment(value, unit)
            inner[key] = f"{value} ({date})" if date else value
    return out


def _stripes(
    file: Opened,
    selection: Selection,
    metadata: Metadata | None,
    errors: Errors,
    decryption: Decryption | None,
) -> Iterator[Data]:
    stripes = file.footer.stripes
    if selection.stripe is not None and not 0 <= selection.stripe < len(stripes):
        raise UsageError(f"there is no stripe {selection.stripe}; the file has {len(stripes)}")
    nodes = [node for node in file.root.walk() if selection.column in (None, ".".join(node.path))]
    if not nodes:
        raise UsageError(f"there is no column {selection.column!r:.100}")
    sound = frozenset(file.sound)
    for number, info in enumerate(stripes):
        if selection.stripe not in (None, number):
            continue
        statistics = metadata.stripe_stats[number].col_stats if metadata and metadata.stripe_stats else ()
        out: Data = {"stripe": number, **plain(info)}
        if number in sound:
            try:
                stripe = LenientStripe(file, number, decryption)
            except ReferenceError_ as error:
                errors.add(error)
            else:
                out |= _stripe(stripe)
                described = _Stripe(file, stripe, statistics, errors)
                out["columns"] = [described.column(node, row_groups=selection.row_groups) for node in nodes]
        yield out


def _stripe(stripe: LenientStripe) -> Data:
    end = stripe.footer_offset + (stripe.info.footer_length or 0)
    return {
        "range": [stripe.offset, end],
        "index_range": [stripe.offset, stripe.data_offset],
        "data_range": [stripe.data_offset, stripe.footer_offset],
        "footer_range": [stripe.footer_offset, end],
        "writer_timezone": printable(stripe.footer.writer_timezone),
        "streams": [_place(place) for place in stripe.streams],
    }


def _place(place: StreamPlace) -> Data:
    kind = "unknown" if place.kind is None else place.kind.name
    out = {"kind": kind, "column": place.column, "range": [place.offset, place.offset + place.length]}
    return out if place.variant is None else {**out, "variant": place.variant}


class _Stripe:
    """Describes the columns of a stripe."""

    def __init__(
        self, file: Opened, stripe: LenientStripe, statistics: tuple[ColumnStatistics, ...], errors: Errors
    ) -> None:
        self.file = file
        self.stripe = stripe
        self.statistics = statistics
        self.errors = errors
        self.by_column: dict[int, list[StreamPlace]] = {}
        for place in stripe.described():
            self.by_column.setdefault(place.column, []).append(place)

    def column(self, node: TypeNode, *, row_groups: bool) -> Data:
        """Describe a column: its encoding, streams, statistics, row index and Bloom filters."""
        kind, encoding = self.stripe.encodings[node.id]
        out: Data = {"column": node.id, "path": _path(node), "type": node.kind.name}
        out["encoding"] = {**plain(encoding), "kind": kind.name}
        out["streams"] = [self._stream(place) for place in self.by_column.get(node.id, ())]
        if node.id < len(self.statistics):
            out["statistics"] = _statistics(node, self.statistics[node.id])
        if row_groups:
            try:
                row_index = index.row_index(self.stripe, node.id)
                if row_index is not None:
                    out["row_index"] = list(self._entries(node, row_index.entry))
                filters = index.bloom_filters(self.stripe, node.id)
            except ReferenceError_ as error:
                self.errors.add(error)
            else:
                out |= {
                    name.name.lower(): _filters(filters_of_kind) for name, filters_of_kind in filters.items()
                }
        self.stripe.forget(node.id)
        return out

    def _stream(self, place: StreamPlace) -> Data:
        """Describe a stream: its place and, if it is compressed, its chunks and its size uncompressed."""
        out = _place(place)
        stream = None if place.kind is None else self.stripe.stream(place.column, place.kind)
        if stream is not None and stream.compressed:
            try:
                out["bytes"] = len(stream.data)
                out["chunks"] = [
                    {"offset": chunk.start, "length": chunk.length, "original": chunk.original}
                    for chunk in stream.chunks
                ]
            except ReferenceError_ as error:
                self.errors.add(
                    error, f"stripes[{self.stripe.number}]", f"column {place.column}", out["kind"]
                )
        return out

    def _entries(self, node: TypeNode, entries: Iterable[RowIndexEntry]) -> Iterator[Data]:
        for number, entry in enumerate(entries):
            out: Data = {"row_group": number, "positions": self._positions(node, entry.positions)}
            if entry.statistics is not None:
                out["statistics"] = _statistics(node, entry.statistics)
            yield out

    def _positions(self, node: TypeNode, numbers: tuple[int, ...]) -> dict[str, list[int]] | list[int]:
        """Return positions by stream, or as a list if they are more or fewer than the streams need."""
        place = 1 if self.file.tail.codec == CompressionKind.NONE else 2
        encoding = self.stripe.encodings[node.id][0]
        present = (node.id, StreamKind.PRESENT) in self.stripe.places
        out: dict[str, list[int]] = {}
        at = 0
        is_short = is_decimal64(node.kind, node.precision, self.file.tail.version)
        for kind, extras in index.positioned(node.kind, encoding, present=present, is_decimal64=is_short):
            out[kind.name] = list(numbers[at : at + place + extras])
            at += place + extras
        return out if at == len(numbers) else list(numbers)


def _filters(filters: BloomFilterIndex) -> list[Data]:
    """Describe Bloom filters: their number of bits, and how many of these are set."""
    out = []
    for message in filters.bloom_filter:
        words = bloom.words_of(message)
        bits = {"bits": 64 * len(words), "set": sum(word.bit_count() for word in words)}
        out.append({"num_hash_functions": message.num_hash_functions, **bits})
    return out
