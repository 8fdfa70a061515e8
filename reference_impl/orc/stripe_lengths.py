"""Which length of a stripe is wrong, if no stripe footer is found after its index and data.

A stripe footer is found by the lengths in the tail. A wrong length leads to bytes that are no footer: errors
in these are only a symptom. If a footer ends where the next stripe or the tail begins, and its streams fill
the stripe up to there, the lengths of the streams tell which of the tail's is wrong.
"""

from __future__ import annotations

from reference_impl.errors import Malformed, ReferenceError_
from reference_impl.limits import Limits
from reference_impl.orc.framing import open_stream
from reference_impl.orc.schema import INDEX_KINDS, StripeFooter
from reference_impl.orc.tail import Tail, read_message


def wrong_length(data: memoryview, tail: Tail, number: int, columns: int, limits: Limits) -> Malformed | None:
    """Return the error of a wrong length of a stripe (ORC-STRIPE-005, -006), None if none is known.

    `columns` is the number of types of the file.
    """
    info = tail.footer.stripes[number]
    begin, index, length = info.offset or 0, info.index_length or 0, info.data_length or 0
    behind = tail.footer.stripes[number + 1 : number + 2]  # stripes stand in the order of the footer
    end = behind[0].offset or 0 if behind else tail.body_end
    at = end - (info.footer_length or 0)
    if at <= begin or at == begin + index + length:
        return None
    footer = _footer(data[at:end], tail, at, limits)
    if footer is None or len(footer.columns) != columns:
        return None
    indexes = sum(stream.length or 0 for stream in footer.streams if stream.known_kind() in INDEX_KINDS)
    total = sum(stream.length or 0 for stream in footer.streams)
    if total != at - begin:
        return None
    if indexes != index:
        message = f"index streams of {indexes} bytes in an area of {index}"
        return Malformed(message, offset=at, rule="ORC-STRIPE-005")
    message = f"data streams of {total - indexes} bytes in an area of {length}"
    return Malformed(message, offset=at, rule="ORC-STRIPE-006")


def _footer(raw: memoryview, tail: Tail, at: int, limits: Limits) -> StripeFooter | None:
    """Return the stripe footer that fills some bytes, None if they are none."""
    stream = open_stream(raw, tail.codec, tail.block_size, at, limits)
    try:
        with stream.decoding():
            return read_message(StripeFooter, stream)
    except ReferenceError_:
        return None
