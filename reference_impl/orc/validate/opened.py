"""Opening a malformed file: the reader's own checks, with their errors noted instead of raised."""

from __future__ import annotations

import mmap

from reference_impl.errors import ReferenceError_, located
from reference_impl.limits import Limits
from reference_impl.orc.tail import read_tail
from reference_impl.orc.types import build
from reference_impl.validation import Report

# The part of the tail that breaks a rule behind which the rest can still be read; others: the footer.
_PATHS: dict[str, tuple[str, ...]] = {
    "ORC-FILE-004": (),
    "ORC-FILE-007": ("postscript",),
    "ORC-FILE-008": ("postscript",),
}


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
        self.tail = read_tail(self.data, limits, keep_spans=True, handle=self._note)
        self.postscript = self.tail.postscript
        self.footer = self.tail.footer
        self.sound = self.tail.sound
        with located("footer"), self.tail.footer_stream.decoding():
            self.root = build(self.footer.types, self._note)

    def _note(self, error: ReferenceError_) -> None:
        path = _PATHS.get(error.rule or "", ("footer",))
        self.report.note(error, path)

    @property
    def footer_at(self) -> int:
        """Where the footer begins."""
        return self.tail.footer_stream.base
