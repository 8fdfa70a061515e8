"""Progress of a run on standard error: of each stage, the time it took, and which file takes long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from harness.children import ongoing
from harness.listings.text import line, show_line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import TaskID

_EVERY_SECONDS = 10.0
_SLOW_SECONDS = 5.0  # a request of as long is named
_TICK_SECONDS = 0.5
_ENOUGH = 0.1  # share of the units from which the rest can be estimated


def progress(*, quiet: bool = False) -> Bar | Lines:
    """Return a bar on a terminal, else lines now and then; nothing but the messages of errors if `quiet`."""
    if quiet:
        return Silent()
    return Bar() if sys.stderr.isatty() else Lines()


def slow() -> str:
    """Return which engine has been at work on which file for some seconds, "" if none has."""
    request, now = ongoing.longest(), time.time()
    return request.text(now) if request and now - request.begun >= _SLOW_SECONDS else ""


def estimate(done: int, total: int, seconds: float) -> str:
    """Return how long the rest of a stage takes at the rate so far, "" while that says little."""
    if not total * _ENOUGH <= done < total:
        return ""
    left = seconds * (total - done) / done
    return f"about {left:.0f} s left" if left < 100 else f"about {left / 60:.0f} min left"


class _Bars(Progress):
    """The bars, and below them the file that takes long: beside a bar there is no room for its path."""

    def get_renderables(self) -> Iterable[RenderableType]:
        """Yield what is displayed."""
        yield from super().get_renderables()
        if text := slow():
            yield Text(line(text, None), style="dim", overflow="fold")


class Bar(AbstractContextManager["Bar"]):
    """A bar for each stage."""

    def __init__(self) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        times = TimeElapsedColumn(), TimeRemainingColumn()
        self._bars = _Bars(*columns, *times, console=Console(stderr=True))
        self._current: TaskID | None = None

    def __enter__(self) -> Self:
        """Start the display."""
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the display; the bars stay visible."""
        self._bars.stop()

    def stage(self, name: str, total: int) -> None:
        """Begin a stage."""
        self._current = self._bars.add_task(Text(name).plain, total=total)

    def advance(self, count: int) -> None:
        """Advance its bar."""
        if self._current is not None and count:
            self._bars.advance(self._current, count)

    def note(self, text: str) -> None:
        """Print a line above the bars."""
        self._bars.console.print(Text(line(text, None)))


class Lines(AbstractContextManager["Lines"]):
    """A line when a stage begins, and every few seconds while it lasts, also while a single file is read."""

    def __init__(self) -> None:
        self._name, self._done, self._total = "", 0, 0
        self._begun = self._next = 0.0
        self._lock = threading.Lock()
        self._ended = threading.Event()

    def __enter__(self) -> Self:
        """Start the thread that prints while nothing advances."""
        threading.Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """End the thread."""
        self._ended.set()

    def stage(self, name: str, total: int) -> None:
        """Begin a stage."""
        with self._lock:
            self._name, self._done, self._total = name, 0, total
            self._begun = time.monotonic()
            self._next = self._begun + _EVERY_SECONDS
        self.note(f"{name}: {total:,}")

    def advance(self, count: int) -> None:
        """Count units, and print a line if the last one was printed some time ago."""
        with self._lock:
            self._done += count
            now = time.monotonic()
            if not self._name or now < self._next or self._done >= self._total:
                return
            self._next = now + _EVERY_SECONDS
            text = self._text(now - self._begun)
        self.note(text)

    def note(self, text: str) -> None:
        """Print a line."""
        show_line(text, err=True)

    def _text(self, seconds: float) -> str:
        state = f"{self._name}: {self._done:,} of {self._total:,} after {seconds:.0f} s"
        rest = estimate(self._done, self._total, seconds)
        return "; ".join(filter(None, (f"{state}, {rest}" if rest else state, slow())))

    def _watch(self) -> None:
        while not self._ended.wait(_TICK_SECONDS):
            self.advance(0)


class Silent(Lines):
    """No progress at all."""

    def note(self, text: str) -> None:
        """Print nothing."""
