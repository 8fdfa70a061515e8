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
        names: dict[str, str] = {}
        try:
            for file in files:
                is_plain = not always and _PLAIN.fullmatch(file)
                names[file if is_plain else self.create(file, suffix)] = file
            with naming(names):
                yield names
        finally:
            for name, file in names.items():
                if name != file:
                    os.unlink(name)

    def create(self, file: str, suffix: str) -> str:
        """Create a link to a file, which stays; return its name."""
        self.count += 1
        link = os.path.join(self.folder, f"{self.count}{suffix}")
        os.symlink(os.path.abspath(file), link)
        return link


@contextmanager
def naming(names: dict[str, str]) -> Iterator[None]:
    """Have an exception that is raised in a block name the files, by link in `names`, not the links."""
    try:
        yield
    except Exception as error:
        error.args = tuple(_named(argument, names) for argument in error.args)
        raise


def _named(argument: Any, names: dict[str, str]) -> Any:
    if isinstance(argument, str):
        for link, file in names.items():
            argument = argument.replace(link, file)
    return argument
