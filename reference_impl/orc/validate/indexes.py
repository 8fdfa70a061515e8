"""Checks of row indexes and Bloom filters: their form, and that they agree with the values.

One entry per row group, positions that lead to its values, filters that admit every value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl.byte_arrays import ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed, ReferenceError_
from reference_impl.orc import bloom
from reference_impl.orc import index as indexes
from reference_impl.orc.column_encodings import DICTIONARY_KINDS, is_decimal64, wanted_streams
from reference_impl.orc.encodings import boolean_rle, byte_rle
from reference_impl.orc.index import Positions
from reference_impl.orc.schema import BloomFilter, BloomFilterIndex, RowIndex, StreamKind, TypeKind
from reference_impl.orc.types import TypeNode
from reference_impl.orc.validate.clocks import other_readings
from reference_impl.orc.validate.opened import LenientStripe, Opened
from reference_impl.orc.validate.scan import Scanned
from reference_impl.orc.validate.statistics import show
from reference_impl.validation import MOST_OF_A_RULE

ASTRAY, MISSING = "ORC-INDEX-003", "ORC-INDEX-004"
_AHEAD = 1 << 20  # values to decode behind the row groups of a column, all groups together
_WIDTHS = {TypeKind.FLOAT: 4, TypeKind.DOUBLE: 8}


def read(file: Opened, stripe: LenientStripe) -> dict[int, RowIndex]:
    """Return the readable row indexes of a stripe by column, and report the others."""
    places = [place for place in stripe.places.values() if place.kind == StreamKind.ROW_INDEX]
    if places and not file.footer.row_index_stride:
        error = indexes.stride_error(file.footer.row_index_stride, file.footer_at)
        file.report.note(error, stripe.path)
        return {}
    out = {}
    for place in places:
        with file.report.noting():
            index = indexes.row_index(stripe, place.column)
            if index is not None:
                out[place.column] = index
    if places and stripe.rows:
        without = [node for node in file.root.walk() if (node.id, StreamKind.ROW_INDEX) not in stripe.places]
        if without:
            message = f"column {without[0].id} has no row index, others have ({len(without)} have none)"
            file.report.add(MISSING, stripe.path, stripe.offset, message)
    return out


@dataclass(frozen=True)
class _Part:
    """A stream with positions, and the place of its values.

    `extras`: numbers behind its place. `values`: the values of a stream of runs. `starts`: where each value
    of bytes begins. `before`: how many values precede each row group.
    """

    kind: StreamKind
    extras: int
    before: NDArray[np.int64]
    values: NDArray[Any] | None = None
    starts: NDArray[np.int64] | None = None
    signed: bool = False


def check(column: Scanned, index: RowIndex) -> None:
    """Follow the positions of every entry, and compare the values there with the scan.

    Stops after a hundred wrong entries.
    """
    wrong = 0
    parts = list(_parts(column))
    stream = column.stripe.stream(column.node.id, StreamKind.ROW_INDEX)
    assert stream is not None
    for group, entry in enumerate(index.entry):
        positions = Positions(entry.positions, "positions", stream.base, first=group == 0)
        where = (*column.path, f"row group {group}")
        try:
            for part in parts:
                _follow(column, part, positions, group)
            positions.finish()
        except Malformed as error:
            column.file.report.note(error, where)
            wrong += 1
            if wrong == MOST_OF_A_RULE:
                return


def _parts(column: Scanned) -> Iterator[_Part]:
    """Yield the streams that have positions, in their order."""
    source, kind = column.source, column.node.kind
    if source.has(StreamKind.PRESENT):
        yield _Part(StreamKind.PRESENT, 2, column.existing, source.runs[StreamKind.PRESENT])
    wanted = wanted_streams(kind, source.encoding)
    version = column.stripe.tail.version
    if source.encoding in DICTIONARY_KINDS or is_decimal64(kind, column.node.precision, version):
        wanted = (StreamKind.DATA,)
    for stream_kind in wanted:
        if stream_kind in source.runs:
            extras = 2 if kind is TypeKind.BOOLEAN else 1
            signed = (stream_kind is StreamKind.DATA and column.ids is None) or kind is TypeKind.DECIMAL
            yield _Part(stream_kind, extras, column.present, source.runs[stream_kind], signed=signed)
        else:
            yield _Part(stream_kind, 0, column.present, starts=_starts(column))


def _starts(column: Scanned) -> NDArray[np.int64]:
    """Return where each value of a stream of bytes begins, and where the last ends."""
    if isinstance(column.values, ByteArrays):
        offsets: NDArray[np.int64] = column.values.offsets - column.values.offsets[0]
        return offsets
    width = _WIDTHS.get(column.node.kind)
    if width:
        return np.arange(len(column.values) + 1, dtype=np.int64) * width
    stream = column.stripe.stream(column.node.id, StreamKind.DATA)
    data = b"" if stream is None else stream.data
    starts = np.zeros(len(column.values) + 1, np.int64)
    starts[1:] = np.flatnonzero(np.frombuffer(data, np.uint8) < 0x80)[: len(column.values)] + 1
    return starts


def _follow(column: Scanned, part: _Part, positions: Positions, group: int) -> None:
    """Follow the positions of a stream; raises Malformed if they are too few, or wrong."""
    stripe, node = column.stripe, column.node
    begin, end = int(part.before[group]), int(part.before[group + 1])
    stream = stripe.stream(node.id, part.kind)
    at, extras = 0, (0,) * part.extras
    try:
        at = positions.place(stream, compressed=column.source.compressed)
    except Malformed as error:
        if error.rule != ASTRAY or end > begin:
            raise
        positions.take(part.extras)
        return
    if part.extras:
        extras = positions.take(part.extras)
    if end == begin or stream is None:
        return
    if part.starts is not None:
        if at != part.starts[begin]:
            message = f"{part.kind.name} at byte {at}, the value begins at {part.starts[begin]}"
            raise _astray(message, positions.offset)
        return
    assert part.values is not None
    cursor = Cursor(stream.data)
    cursor.pos = at
    # A wrong position among equal values shows only where they end: decode beyond the row group.
    total = int(part.before[-1])
    end = min(total, max(end, begin + _AHEAD // len(part.before)))
    try:
        positions.check(extras)
        decoded = _decode(column, part, cursor, extras, end - begin)
    except Malformed as error:
        message = f"{part.kind.name} at byte {at} behind {extras}: {error.message}"
        raise _astray(message, stream.base) from error
    if not np.array_equal(decoded, part.values[begin:end]):
        first = int((decoded != part.values[begin:end]).argmax())
        message = f"{part.kind.name} at byte {at} behind {extras}: value {first} is another one"
        raise _astray(message, stream.base)


def _decode(
    column: Scanned, part: _Part, cursor: Cursor, extras: tuple[int, ...], count: int
) -> NDArray[Any]:
    """Return the values of a row group; raises Malformed if they cannot be decoded from the position."""
    if part.extras == 2:
        return boolean_rle.decode(cursor, count, skip=extras[0], bits=extras[1])
    if column.node.kind in (TypeKind.BYTE, TypeKind.UNION):
        return byte_rle.decode(cursor, count, skip=extras[0])
    return column.source.decoder(signed=part.signed)(cursor, count, extras[0])


def _astray(message: str, offset: int) -> Malformed:
    return Malformed(message, offset=offset, rule=ASTRAY)


NOT_ADMITTED, SIZE, FUNCTIONS, NUMBER, ENCODING, FIELD = (f"ORC-BLOOM-{number:03}" for number in range(1, 7))
_MOST_HASHED = 200_000  # distinct values of a column in a stripe
_UTC = 1  # bloom_encoding of timestamps since ORC-135


def check_blooms(
    file: Opened, stripe: LenientStripe, node: TypeNode, column: Scanned | None, groups: int
) -> None:
    """Check the Bloom filters of a column, and that they admit its values if these could be read."""
    where = (*stripe.path, f"column {node.id} ({'.'.join(node.path)})")
    try:
        indexes_by_kind = indexes.bloom_filters(stripe, node.id)
    except ReferenceError_ as error:
        file.report.note(error)
        return
    for kind, index in indexes_by_kind.items():
        path = (*where, kind.name)
        at = stripe.places[node.id, kind].offset
        encoding = stripe.encodings[node.id][1].bloom_encoding
        if encoding not in (None, 0, _UTC):
            file.report.add(ENCODING, path, at, f"bloom_encoding of {node.kind.name} is {encoding}")
        if groups and len(index.bloom_filter) != groups:
            message = f"{len(index.bloom_filter)} Bloom filters for {groups} row groups"
            file.report.add(NUMBER, path, at, message)
            continue
        filters = enumerate(index.bloom_filter)
        sound = [_form(file, message, kind, (*path, f"[{number}]"), at) for number, message in filters]
        if column is not None and groups and all(sound) and node.kind in bloom.KINDS:
            if _is_current(file, node, kind, encoding):
                _check_values(column, index, path, at)
            else:
                what = f"{'.'.join(path)}: whether {node.kind.name}, hashed in an older way, is admitted"
                file.report.unchecked.append(what)


def _is_current(file: Opened, node: TypeNode, kind: StreamKind, encoding: int | None) -> bool:
    """Return whether values are hashed as today: text in UTF-8, times in UTC, decimals as text."""
    if node.kind in bloom.TIMES:
        return kind is StreamKind.BLOOM_FILTER_UTF8 and encoding == _UTC
    if is_decimal64(node.kind, node.precision, file.tail.version):
        return False
    return (kind is StreamKind.BLOOM_FILTER_UTF8 or node.kind not in bloom.TEXTS) and encoding in (
        None,
        0,
        _UTC,
    )


def _form(file: Opened, message: BloomFilter, kind: StreamKind, path: tuple[str, ...], at: int) -> bool:
    """Check a filter without values; return whether it can be tested with values."""
    wrong = message.bitset if kind is StreamKind.BLOOM_FILTER_UTF8 else message.utf8bitset
    if wrong:
        file.report.add(FIELD, path, at, f"the bit set of {kind.name} is in the other field")
    size = len(message.utf8bitset) if message.utf8bitset is not None else 8 * len(message.bitset)
    if not size or size % 8:
        file.report.add(SIZE, path, at, f"a bit set of {size} bytes")
    if not message.num_hash_functions:
        file.report.add(FUNCTIONS, path, at, f"{message.num_hash_functions} hash functions")
    return bool(size and not size % 8 and message.num_hash_functions)


def _check_values(column: Scanned, index: BloomFilterIndex, path: tuple[str, ...], at: int) -> None:
    node, hashed, others = column.node, 0, other_readings(column)
    for group, (begin, end) in enumerate(pairwise(column.present.tolist())):
        message = index.bloom_filter[group]
        words, functions = bloom.words_of(message), message.num_hash_functions or 0
        for value, *read_otherwise in _distinct_readings(column, others, begin, end):
            hashed += 1
            if hashed > _MOST_HASHED:
                what = f"{'.'.join(path)}: values behind the first {_MOST_HASHED}"
                column.file.report.unchecked.append(what)
                return
            readings = (value, *read_otherwise)
            hashes = chain.from_iterable(bloom.hashes_of(node.kind, each, node.scale) for each in readings)
            if not any(bloom.might_contain(words, functions, hashed_value) for hashed_value in hashes):
                problem = f"the Bloom filter of row group {group} does not admit {show(value)}"
                column.file.report.add(NOT_ADMITTED, path, at, problem)
                break


def _distinct_readings(
    column: Scanned, others: list[NDArray[Any]], begin: int, end: int
) -> Iterable[tuple[Any, ...]]:
    """Return the distinct values `begin:end`, each with its values by other readings."""
    if not others:
        return ((value,) for value in _distinct(column, begin, end))
    readings = (values[begin:end].tolist() for values in (column.values, *others))
    return dict.fromkeys(zip(*readings, strict=True))


def _distinct(column: Scanned, begin: int, end: int) -> Iterable[Any]:
    """Return the distinct values `begin:end`, as in plans."""
    if column.ids is not None and column.words is not None:
        return column.words.take(np.unique(column.ids[begin:end]))
    if isinstance(column.values, ByteArrays):
        first, last = int(column.values.offsets[begin]), int(column.values.offsets[end])
        offsets = column.values.offsets[begin : end + 1] - first
        return dict.fromkeys(ByteArrays(offsets, column.values.data[first:last]))
    values = column.values[begin:end]
    if column.node.kind in (TypeKind.FLOAT, TypeKind.DOUBLE):
        return [bits.tobytes() for bits in np.unique(values.view(f"<u{values.dtype.itemsize}"))]
    return dict.fromkeys(values.tolist())
