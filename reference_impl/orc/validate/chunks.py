"""Checks of the compression chunks of a stream: readable, and cut as writers should."""

from __future__ import annotations

from itertools import pairwise

from reference_impl.errors import ReferenceError_
from reference_impl.orc.framing import Stream
from reference_impl.validation import Report

EMPTY, LARGER = "ORC-COMP-005", "ORC-COMP-007"


def check(stream: Stream, path: tuple[str, ...], report: Report) -> bool:
    """Decompress a stream and report broken rules; return whether all of it can be read."""
    try:
        data = stream.data
    except ReferenceError_ as error:
        report.note(error, path)
        return False
    if not stream.compressed:
        return True
    starts = stream._starts  # noqa: SLF001 - readers do not need the uncompressed size of each chunk
    for chunk, (begin, end) in zip(stream.chunks, pairwise([*starts[:-1], len(data)]), strict=True):
        at = stream.base + chunk.start
        if not chunk.length or begin == end:
            report.add(EMPTY, path, at, "a chunk of no bytes")
        elif not chunk.original and chunk.length > end - begin:
            message = f"a chunk of {end - begin} bytes, which compression made {chunk.length} of"
            report.add(LARGER, path, at, message)
    return True
