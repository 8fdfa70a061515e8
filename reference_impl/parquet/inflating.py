"""Decompressing the body of a page, even if its declared size is not the decompressed one."""

from __future__ import annotations

from reference_impl.compression import SIZE, TRAILING, decompress, decompress_all
from reference_impl.errors import LimitExceeded, Malformed, ReferenceError_
from reference_impl.notes import Notes
from reference_impl.parquet.schema import CompressionCodec

UNKNOWN = -1  # a size that is known to be wrong
_MOST = 1 << 26  # bytes of a page whose declared size bounds nothing


def inflate(  # noqa: PLR0917 - what a compressed body is
    codec: CompressionCodec, stored: memoryview, size: int, base: int, limit: int, notes: Notes
) -> memoryview:
    """Return a body that should expand to `size` bytes; `base` is its offset in the file.

    A size that is wrong is a breach (PQ-CODEC-001), whether it is more than `limit` or not; so are bytes
    behind the end of the stream (PQ-CODEC-003). Raises Malformed (PQ-CODEC-*), LimitExceeded and Unsupported.
    """
    if not stored and size <= 0:  # no values: codecs need not write a frame
        return stored
    error: ReferenceError_ | None = None
    if size > limit:
        error = LimitExceeded(f"a page of {size} bytes; the limit is {limit}", offset=base)
    elif size != UNKNOWN:
        try:
            return memoryview(decompress(codec, stored, size, base=base))
        except Malformed as broken:
            if broken.rule not in (SIZE, TRAILING):
                raise
            error = broken
    return _all_of(codec, stored, min(limit, max(_MOST, len(stored))), base, error, notes)


def _all_of(  # noqa: PLR0917 - what a compressed body is
    codec: CompressionCodec,
    stored: memoryview,
    room: int,
    base: int,
    error: ReferenceError_ | None,
    notes: Notes,
) -> memoryview:
    """Return all that a body expands to, after the breach `error`; raise the error if that is not known."""
    try:
        body = decompress_all(codec, stored, room, base=base)
    except Malformed as broken:
        raise error or broken from None
    if isinstance(error, LimitExceeded):  # the size is not that of the body, so no limit was reached
        message = f"{codec.name}: {error.message}, but {len(body)} bytes found"
        error = Malformed(message, offset=base, rule=SIZE)
    if isinstance(error, Malformed):
        notes.breach(error)
    return body
