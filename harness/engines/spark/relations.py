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
        self._names: OrderedDict[_Key, dict[str, str]] = OrderedDict()  # files by link
        self._frames: dict[str, dict[_Key, Any]] = {}  # by the first link of a sheet

    @contextmanager
    def linked(self, files: list[str], suffix: str) -> Iterator[dict[str, str]]:
        """Give files by the names of links, which are the same as long as the files are.

        An exception raised meanwhile names the files, not the links.
        """
        status = [os.stat(file) for file in files]
        key = suffix, *((file, s.st_ino, s.st_size, s.st_mtime_ns) for file, s in zip(files, status))
        if key not in self._names:
            while len(self._names) >= _MOST:
                self._give_up_oldest()
            self._names[key] = {self._links.create(file, suffix): file for file in files}
            self._frames[next(iter(self._names[key]))] = {}
        self._names.move_to_end(key)
        with naming(self._names[key]):
            yield self._names[key]

    def load(self, reader: Any, links: list[str], read: _Key) -> Any:
        """Return the frame of linked files; `read`: all that decides, beside them, how they are loaded."""
        frames = self._frames.get(links[0])
        if frames is None:
            return reader.load(links)
        if read not in frames:
            frames[read] = reader.load(links)
        return frames[read]

    def _give_up_oldest(self) -> None:
        _, names = self._names.popitem(last=False)
        del self._frames[next(iter(names))]
        for link in names:
            os.unlink(link)
