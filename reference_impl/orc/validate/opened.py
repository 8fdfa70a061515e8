"""Opening a malformed file: the reader's own checks, with their errors noted instead of raised."""

from __future__ import annotations

import mmap
from itertools import pairwise

from reference_impl.errors import ReferenceError_, located, within
from reference_impl.limits import Limits
from reference_impl.orc.column_encodings import wanted_streams
from reference_impl.orc.decryption import Decryption
from reference_impl.orc.framing import Stream
from reference_impl.orc.schema import INDEX_KINDS, StreamKind
from reference_impl.orc.stripe import PLACEHOLDERS, StreamPlace, Stripe
from reference_impl.orc.tail import read_tail
from reference_impl.orc.types import TypeNode, build
from reference_impl.validation import Report


class Opened:
    """A file with a readable tail; `sound` are the numbers of the stripes that can be read.

    `zone` is the writer's time zone for stripes that do not name it. Errors go to `report`.
    """

    def __init__(self, data: bytes | mmap.mmap, limits: Limits, report: Report, zone: str = "UTC") -> None:
        """Read the tail and report its errors; raises errors behind which nothing can be read."""
        self.data = memoryview(data)
        self.limits = limits
        self.zone = zone
        self.report = report
        self.tail = read_tail(self.data, limits, keep_spans=True, handle=report.note, breach=report.note)
        self.postscript = self.tail.postscript
        self.footer = self.tail.footer
        self.sound = self.tail.sound
        with located("footer"), self.tail.footer_stream.decoding():
            note = within(report.note, "footer")
            self.root = build(self.footer.types, note, note)

    @property
    def footer_at(self) -> int:
        """Where the footer begins."""
        return self.tail.footer_stream.base


class LenientStripe(Stripe):
    """A stripe that reports the errors of its footer instead of raising them.

    Raises ReferenceError_ where footer or encodings cannot be read at all.
    """

    def __init__(self, file: Opened, number: int, decryption: Decryption | None = None) -> None:
        """Read the footer of a stripe; `decryption` opens encrypted columns."""
        self.report = file.report
        self.path: tuple[str, ...] = (f"stripes[{number}]",)
        super().__init__(
            file.data, file.tail, number, file.root, file.limits, keep_spans=True, decryption=decryption
        )

    def forget(self, column: int) -> None:
        """Release the decompressed streams of a column."""
        for kind in StreamKind:
            self._opened.pop((column, kind), None)

    def described(self) -> list[StreamPlace]:
        """Return the streams of columns; decrypted columns have those of the encrypted variant."""
        sealed = [place for place in self.places.values() if place.variant is not None]
        hidden = {place.column for place in sealed}
        plain = [place for place in self.streams if place.kind not in PLACEHOLDERS]
        return [*(place for place in plain if place.column not in hidden), *sealed]

    def note(self, rule: str, message: str, at: int | None = None) -> None:
        """Report an error of the footer."""
        where = (*self.path, "footer")
        self.report.add(rule, where, self.footer_offset if at is None else at, message)

    def _handle(self, message: str, rule: str, at: int | None = None) -> None:
        self.note(rule, message, at)

    def _note(self, message: str, rule: str, at: int | None = None) -> None:
        self.note(rule, message, at)

    def check_kinds(self, root: TypeNode) -> None:
        """Report streams that the column's encoding does not have, unless the encoding is wrong itself."""
        nodes = list(root.walk())
        for place in (*self.streams, *(place for place in self.places.values() if place.variant is not None)):
            if place.kind in PLACEHOLDERS or place.column > root.max_id or place.column in self.unreadable:
                continue
            encodings = self.masked_encodings if place.variant is None else self.encodings
            node, encoding = nodes[place.column], encodings[place.column][0]
            has = (*wanted_streams(node.kind, encoding), StreamKind.PRESENT, *INDEX_KINDS)
            if place.kind not in has:
                name = "a stream of a kind that is not known" if place.kind is None else place.kind.name
                message = f"column {node.id}: {name}, which no {node.kind.name} in {encoding.name} has"
                self.note("ORC-STRIPE-013", message, place.offset)


EMPTY, LARGER = "ORC-COMP-005", "ORC-COMP-007"


def check_chunks(stream: Stream, path: tuple[str, ...], report: Report) -> bool:
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
