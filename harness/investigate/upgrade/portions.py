"""Which of the user's files are read under every switch, and which are compared by digests.

Values of small files are sent, and read under dozens of configurations: what is read so is bounded in all,
the smallest files first. Everything else is digested, a partitioned folder as the table it is.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from corpora.importers.files import digest
from harness.investigate.upgrade.large import size_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from corpora.cases import Case

_END = 1 << 16


def identity(file: Path, most: int) -> str:
    """Return what tells a file from its later self: of a file of more bytes, its size, time and end.

    A digest of all of it would be one reading more.
    """
    status = file.stat()
    if status.st_size <= most:
        return digest(file)
    with file.open("rb") as opened:
        opened.seek(max(0, status.st_size - _END))
        said = f"{status.st_size} {status.st_mtime_ns} ".encode() + opened.read()
    return hashlib.sha256(said).hexdigest()


def parted(
    files: Sequence[Case], tables: Sequence[Case], most: int
) -> tuple[tuple[Case, ...], tuple[Case, ...]]:
    """Return files of `most` bytes in all, the smallest first, and what is digested instead of the others.

    A partitioned folder of more than `most` bytes is digested as a table, and its files not once more.
    """
    left, small = most, []
    for size, _, case in sorted((size_of(case), place, case) for place, case in enumerate(files)):
        if size > left:
            break
        left -= size
        small.append(case)
    large = [case for case in tables if size_of(case) > most]
    folders = [case.file for case in large]
    kept = {case.id for case in small}
    others = (case for case in files if case.id not in kept)
    large += [case for case in others if not any(case.file.is_relative_to(one) for one in folders)]
    return tuple(case for case in files if case.id in kept), tuple(large)
