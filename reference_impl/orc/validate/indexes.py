"""Checks of row indexes: one entry per row group, and positions that lead to its values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl.byte_arrays import ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed
from reference_impl.orc import index as indexes
from reference_impl.orc.encodings import boolean_rle, byte_rle
from reference_impl.orc.index import Positions
from reference_impl.orc.schema import RowIndex, StreamKind, TypeKind
from reference_impl.orc.stripe import DICTIONARY_KINDS, wanted_streams
from reference_impl.orc.validate.opened import Opened
from reference_impl.orc.validate.scan import Scanned
from reference_impl.orc.validate.stripes import LenientStripe
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
    if source.encoding in DICTIONARY_KINDS:
        wanted = (StreamKind.DATA,)
    elif kind is TypeKind.DECIMAL and StreamKind.DATA in source.runs:
        wanted = (StreamKind.DATA,)  # of version 1.9999, integers
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
