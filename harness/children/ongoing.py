"""The requests that engines are at work on: a run names the one that takes long.

Processes that do tasks of a run, such as workers of Spark, publish theirs in a folder that the run reads.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from corpora.files import write_whole

_PREFIX, _SUFFIX = ".ongoing-", ".json"
_EVERY_SECONDS = 1.0
_FORGOTTEN_SECONDS = 10.0  # a process that has not published for as long has ended

_DOING = {
    "read": "reads",
    "read_many": "reads",
    "read_table": "reads",
    "read_tables": "reads",
    "query": "runs a query on",
    "digest": "reads",
    "rows": "reads",
    "probes": "derives queries from",
}


class Ongoing(NamedTuple):
    """A request about a file or several, of which `file` is the first; `begun` is in seconds of the clock."""

    engine: str
    op: str
    file: str
    files: int
    begun: float

    def text(self, now: float) -> str:
        """Return what the engine does, with which file, and for how long."""
        more = f" and {self.files - 1:,} more" if self.files > 1 else ""
        return f"{self.engine} {_DOING[self.op]} {self.file}{more} for {now - self.begun:.0f} s"


_REQUESTS: dict[int, Ongoing] = {}  # threads add and remove their own ones
_ELSEWHERE: list[Ongoing] = []
_NUMBERS = count()


@contextmanager
def listed(engine: str, op: str, fields: Mapping[str, Any]) -> Iterator[None]:
    """List a request while it is under way; one about no file is not."""
    files = fields.get("files") or ([fields["file"]] if "file" in fields else [])
    if op not in _DOING or not files:
        yield
        return
    number = next(_NUMBERS)
    _REQUESTS[number] = Ongoing(engine, op, os.fspath(files[0]), len(files), time.time())
    try:
        yield
    finally:
        del _REQUESTS[number]


def longest() -> Ongoing | None:
    """Return the request that is under way for the longest time, None if there is none."""
    requests = [*_REQUESTS.values(), *_ELSEWHERE]
    return min(requests, key=lambda request: request.begun, default=None)


@contextmanager
def published(folder: Path) -> Iterator[None]:
    """Publish the longest request of this process in a folder, while the block lasts."""
    ended = threading.Event()
    file = folder / f"{_PREFIX}{os.getpid()}-{threading.get_ident()}{_SUFFIX}"
    thread = threading.Thread(target=_publish, args=(file, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        file.unlink(missing_ok=True)


def _publish(file: Path, ended: threading.Event) -> None:
    while not ended.wait(_EVERY_SECONDS):
        with suppress(OSError):  # only the display lacks it
            write_whole(file, json.dumps(longest()), durable=False)


def collect(folder: Path) -> None:
    """Take over the requests that other processes publish in a folder."""
    requests: list[Ongoing] = []
    for file in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        # Only the display lacks it if its process has just ended, or a power cut has left it incomplete.
        with suppress(OSError, ValueError, TypeError):
            fields = json.loads(file.read_text("ascii"))
            if fields and time.time() - file.stat().st_mtime < _FORGOTTEN_SECONDS:
                requests.append(Ongoing(*fields))
    _ELSEWHERE[:] = requests


def forget() -> None:
    """Forget the requests of other processes, which have ended."""
    _ELSEWHERE.clear()
