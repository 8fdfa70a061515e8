"""Archives of files: the same files give the same bytes, and nothing is unpacked outside of the folder.

The build of the wheel imports this module, too (`hatch_build.py`), so it uses only the standard library.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from corpora.files import whole_file
from corpora.problem import UserError

_MOST_FILES, _MOST_BYTES = 200_000, 1 << 28  # of an archive that somebody sent, unpacked
_OUTSIDE = {"", ".", ".."}  # "a//etc/x" joined to a folder is /etc/x


class ArchiveError(UserError):
    """An archive is not one of colconf's corpora, or is damaged; the message is one line."""


def write(archive: Path, top: str, contents: Mapping[str, bytes]) -> None:
    """Write an archive of files by their paths below the folder `top`; raises OSError.

    Members are sorted, and have no times, owners or modes of this machine.
    """
    with (
        whole_file(archive) as raw,
        gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for path, data in sorted(contents.items()):
            member = tarfile.TarInfo(f"{top}/{path}")
            member.size, member.mode = len(data), 0o644
            tar.addfile(member, io.BytesIO(data))


@contextmanager
def opened(archive: Path) -> Iterator[Iterator[tuple[str, bytes]]]:
    """Yield an iterator over the files of an archive: their paths below its folder, and their contents.

    Raises ArchiveError and OSError.
    """
    try:
        with (
            gzip.open(archive) as unpacked,
            tarfile.open(fileobj=_Bounded(archive, unpacked), mode="r|") as tar,
        ):
            yield _members(archive, tar)
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ArchiveError(f"{archive}: is no archive of colconf's corpora: {error}") from error


class _Bounded(io.RawIOBase):
    """The unpacked bytes of an archive: a small one can hold any number of them, also between its files."""

    def __init__(self, archive: Path, unpacked: gzip.GzipFile) -> None:
        self._archive, self._unpacked, self._left = archive, unpacked, _MOST_BYTES

    def read(self, size: int = -1) -> bytes:
        data = self._unpacked.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise ArchiveError(f"{self._archive}: has more than {_MOST_BYTES:,} bytes")
        return data


def _members(archive: Path, tar: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    top, total = "", 0
    for count, member in enumerate(tar):
        total += member.size
        folder, _, path = member.name.partition("/")
        top = top or folder
        is_safe = folder == top and folder not in _OUTSIDE and _is_below(path)
        is_file = member.isreg() and not member.issparse() and member.size >= 0
        if not (is_safe and is_file) or count >= _MOST_FILES or total > _MOST_BYTES:
            raise ArchiveError(f"{archive}: {member.name!r:.100} is nothing that an archive of corpora has")
        content = tar.extractfile(member)
        assert content is not None  # a regular file
        yield path, content.read()


def _is_below(path: str) -> bool:
    """Return whether a path of an archive names a file below its folder, in one way only."""
    return path.isprintable() and not _OUTSIDE & {*path.split("/")}
