"""Plain names for files whose own names an engine would take as a pattern, a URL or hidden."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_PLAIN = re.compile(r"(/[\w-][\w.-]*)+\.parquet", re.ASCII)
_NOT_TEXT = re.compile("[\ud800-\udfff]")  # what Python makes of other bytes


def has_other_bytes(name: str) -> bool:
    """Return whether the name of a file is no UTF-8."""
    return bool(_NOT_TEXT.search(name))


class Links:
    """Symbolic links in a folder of its own, numbered, that end with the process."""

    def __init__(self, folder: str = "") -> None:
        self.folder = folder or tempfile.mkdtemp(prefix="colconf-links-")
        self.count = 0
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)

    @contextmanager
    def to(
        self, files: list[str], *, always: bool = False, suffix: str = ".parquet"
    ) -> Iterator[dict[str, str]]:
        """Give, for the duration of a block, plain names that link to files.

        `always`: also for files whose own names are plain. A link's name ends with `suffix`.
        An exception raised meanwhile names the files, not the links.
        """
        built: list[str] = []
        names: dict[str, str] = {}
        try:
            for file in files:
                if not always and _PLAIN.fullmatch(file):
                    names[file] = file
                    continue
                self.count += 1
                link = os.path.join(self.folder, f"{self.count}{suffix}")
                os.symlink(os.path.abspath(file), link)
                built.append(link)
                names[link] = file
            yield names
        except Exception as error:
            error.args = tuple(_named(argument, names) for argument in error.args)
            raise
        finally:
            for link in built:
                os.unlink(link)


def _named(argument: Any, names: dict[str, str]) -> Any:
    if isinstance(argument, str):
        for link, file in names.items():
            argument = argument.replace(link, file)
    return argument
