"""The frames of sheets that were read lately: the next query of a sheet does not list its files again."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from harness.children.links import Links, naming

_MOST = 4  # a run asks all queries of a sheet before it turns to the next
_Key = tuple[Any, ...]


class Relations:
    """Links to the files of sheets, and the frames that read them.

    Spark lists the files of a frame when it is loaded: measured, an eighth of the time of a query of ten
    small files.
    """

    def __init__(self, links: Links) -> None:
        self._links = links
        # Files by link, and the frames that were loaded of them, the latest at the end.
        self._held: OrderedDict[_Key, tuple[dict[str, str], dict[_Key, Any]]] = OrderedDict()

    @contextmanager
    def linked(self, files: list[str], suffix: str) -> Iterator[dict[str, str]]:
        """Give files by the names of links, which are the same as long as the files are.

        An exception raised meanwhile names the files, not the links.
        """
        status = [os.stat(file) for file in files]
        key = suffix, *((file, s.st_ino, s.st_size, s.st_mtime_ns) for file, s in zip(files, status))
        if key not in self._held:
            while len(self._held) >= _MOST:
                self._give_up_oldest()
            self._held[key] = {self._links.create(file, suffix): file for file in files}, {}
        self._held.move_to_end(key)
        names, _ = self._held[key]
        with naming(names):
            yield names

    def load(self, reader: Any, links: list[str], read: _Key) -> Any:
        """Return the frame of linked files; `read`: all that decides, beside them, how they are loaded."""
        frames = next((frames for names, frames in self._held.values() if links[0] in names), {})
        if read not in frames:
            frames[read] = reader.load(links)
        return frames[read]

    def _give_up_oldest(self) -> None:
        _, (names, _) = self._held.popitem(last=False)
        for link in names:
            os.unlink(link)
