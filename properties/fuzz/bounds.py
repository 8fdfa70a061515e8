"""Bounds of time and memory for one call of a target, in proportion to its input.

Reading the clock and the highest resident size takes two microseconds. Neither is reliable: the clock runs on
while other processes use the machine, and a process that was once large hides later peaks. So they only raise
a suspicion, and a suspicious call is repeated: the quickest of three is timed, and memory is counted by
tracemalloc, to which numpy reports every array. Every `_SAMPLED`th call is counted without a suspicion.

The limits of readers are in proportion too (`limits`): a run of two bytes may stand for millions of values,
and a target that allowed that would fuzz numpy. The figures come from measurements of all seeds and a few
hundred thousand mutants, with room to spare, also for the overhead of instrumentation.
"""

from __future__ import annotations

import resource
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from reference_impl.limits import Limits

SECONDS, SECONDS_PER_BYTE = 0.5, 300e-6
MEMORY, MEMORY_PER_BYTE = 16 << 20, 4 << 10
VALUES, VALUES_PER_BYTE = 1 << 14, 16
PAGE_BYTES, PAGE_BYTES_PER_BYTE = 1 << 18, 64
_SAMPLED = 256
_SUSPICIOUS = 8 << 20
_UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss


class TooSlow(AssertionError):  # noqa: N818 - the name is the finding
    """A call took more CPU time than its input accounts for."""


class TooLarge(AssertionError):  # noqa: N818 - as above
    """A call took more memory than its input accounts for."""


def limits(data: bytes) -> Limits:
    """Return the limits of a reader that reads these bytes."""
    size = len(data)
    return Limits(
        values=VALUES + VALUES_PER_BYTE * size,
        page_bytes=PAGE_BYTES + PAGE_BYTES_PER_BYTE * size,
        footer_bytes=1 << 24,
    )


class Watch:
    """Calls the check of a target, and raises TooSlow or TooLarge if a call exceeds the bounds.

    `high` is the highest size of the process in bytes, as last measured; `spent` are the seconds of all
    calls.
    """

    def __init__(self, check: Callable[[bytes], object], *, sampled: int = _SAMPLED) -> None:
        self._check = check
        self._sampled = sampled
        self._calls = 0
        self.high = _resident()
        self.spent = 0.0

    def __call__(self, data: bytes) -> None:
        """Check these bytes."""
        self._calls += 1
        if self._calls % self._sampled == 0:
            self._weigh(data)
            return
        start = time.perf_counter()  # which is quicker to read than CPU time, and never less
        self._check(data)
        seconds = time.perf_counter() - start
        self.spent += seconds
        if seconds > SECONDS + SECONDS_PER_BYTE * len(data):
            self._time(data)
        before, self.high = self.high, _resident()
        if self.high > before + _SUSPICIOUS:
            self._weigh(data)

    def _time(self, data: bytes) -> None:
        taken = []
        for _ in range(3):
            start = time.process_time()
            self._check(data)
            taken.append(time.process_time() - start)
        allowed = SECONDS + SECONDS_PER_BYTE * len(data)
        if min(taken) > allowed:
            message = f"{min(taken):.3f} s for {len(data)} bytes; {allowed:.3f} s are allowed"
            raise TooSlow(message)

    def _weigh(self, data: bytes) -> None:
        tracemalloc.start(1)
        try:
            self._check(data)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        allowed = MEMORY + MEMORY_PER_BYTE * len(data)
        if peak > allowed:
            message = f"{peak:,} bytes of memory for {len(data)} bytes; {allowed:,} are allowed"
            raise TooLarge(message)


def resident() -> int:
    """Return the bytes that are resident now; `_resident` returns the peak, which may be that of a parent."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize()


def _resident() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT
