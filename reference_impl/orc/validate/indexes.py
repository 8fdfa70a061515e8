"""Row indexes: that there are as many entries as row groups, and that positions lead to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from reference_impl.byte_arrays import ByteArrays
from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed
from reference_impl.orc import index as indexes
from reference_impl.orc.encodings import boolean_rle, byte_rle
from reference_impl.orc.index import Positions
from reference_impl.orc.schema import StreamKind, TypeKind
from reference_impl.orc.stripe import DICTIONARY_KINDS, wanted_streams

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from reference_impl.orc.framing import Stream
    from reference_impl.orc.schema import RowIndex
    from reference_impl.orc.validate.opened import Opened
    from reference_impl.orc.validate.scan import Scanned
    from reference_impl.orc.validate.stripes import LenientStripe

ASTRAY, MISSING, NO_STRIDE = "ORC-INDEX-003", "ORC-INDEX-004", "ORC-FILE-012"
_WIDTHS = {TypeKind.FLOAT: 4, TypeKind.DOUBLE: 8}
_TIMES = (TypeKind.TIMESTAMP, TypeKind.TIMESTAMP_INSTANT)


def read(file: Opened, stripe: LenientStripe) -> dict[int, RowIndex]:
    """Answer the row indexes of a stripe by column, those that are sound, and report the others."""
    places = [place for place in stripe.places.values() if place.kind == StreamKind.ROW_INDEX]
    if places and not file.footer.row_index_stride:
        message = f"rowIndexStride is {file.footer.row_index_stride}, and there are row indexes"
        file.report.add(NO_STRIDE, stripe.path, file.footer_at, message)
        return {}
    out = {}
    for place in places:
        with file.report.noting():
            found = indexes.row_index(stripe, place.column)
            if found is not None:
                out[place.column] = found
    if places and stripe.rows:
        without = [node for node in file.root.walk() if (node.id, StreamKind.ROW_INDEX) not in stripe.places]
        if without:
            message = f"column {without[0].id} has no row index, others have ({len(without)} have none)"
            file.report.add(MISSING, stripe.path, stripe.offset, message)
    return out


@dataclass(frozen=True)
class _Part:
    """A stream that has positions: how its values are found, and of which rows.

    `extras`: numbers behind its place. `values`: of runs what they hold. `starts`: of bytes where each value
    begins. `before`: how many values stand before each row group.
    """

    kind: StreamKind
    extras: int
    before: NDArray[np.int64]
    values: NDArray[Any] | None = None
    starts: NDArray[np.int64] | None = None
    signed: bool = False


def check(column: Scanned, index: RowIndex) -> None:
    """Follow the positions of every entry, and compare what stands there with the scan."""
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
    for one in wanted:
        if one in source.runs:
            extras = 2 if kind is TypeKind.BOOLEAN else 1
            signed = one is StreamKind.DATA and column.ids is None or kind is TypeKind.DECIMAL
            yield _Part(one, extras, column.present, source.runs[one], signed=signed)
        else:
            yield _Part(one, 0, column.present, starts=_starts(column))


def _starts(column: Scanned) -> NDArray[np.int64]:
    """Answer where each value of a stream of bytes begins, and the last one ends."""
    if isinstance(column.values, ByteArrays):
        return column.values.offsets - column.values.offsets[0]
    width = _WIDTHS.get(column.node.kind)
    if width:
        return np.arange(len(column.values) + 1, dtype=np.int64) * width
    stream = column.stripe.stream(column.node.id, StreamKind.DATA)
    data = b"" if stream is None else stream.data
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) < 0x80)[: len(column.values)] + 1
    return np.concatenate((np.zeros(1, np.int64), ends))


def _follow(column: Scanned, part: _Part, positions: Positions, group: int) -> None:
    """Use the positions of one stream; raises Malformed where they are too few, or lead astray."""
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
    _decode(column, part, stream, at, extras, begin, end)


def _decode(
    column: Scanned, part: _Part, stream: Stream, at: int, extras: tuple[int, ...], begin: int, end: int
) -> None:
    assert part.values is not None
    cursor, count, skip = Cursor(stream.data), end - begin, extras[0]
    cursor.pos = at
    where = f"{part.kind.name} at byte {at} behind {extras}"
    most = (indexes.LONGEST_RUN, 7)
    if any(number > limit for number, limit in zip(extras, most, strict=False)):
        raise _astray(f"{where}: more than a run or a byte holds", stream.base)
    try:
        if part.extras == 2:
            found: NDArray[Any] = boolean_rle.decode(cursor, count, skip=skip, bits=extras[1])
        elif column.node.kind in (TypeKind.BYTE, TypeKind.UNION):
            found = byte_rle.decode(cursor, count, skip=skip)
        else:
            found = column.source.decoder(signed=part.signed)(cursor, count, skip)
    except Malformed as error:
        raise _astray(f"{where}: {error.message}", stream.base) from error
    if not np.array_equal(found, part.values[begin:end]):
        first = int((found != part.values[begin:end]).argmax())
        raise _astray(f"{where}: value {first} of the row group is another one", stream.base)


def _astray(message: str, offset: int) -> Malformed:
    return Malformed(message, offset=offset, rule=ASTRAY)
