"""The user's files in two parts: those read under every switch, and those compared by digests.

The values of small files are sent under dozens of configurations, so the total size of these files is
bounded, the smallest files first. All other files are digested, a partitioned folder as one table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from corpora.cases import Case
from corpora.importers.files import digest
from harness.investigate.upgrade.large import size_of

_END = 1 << 16


def identity(file: Path, most: int) -> str:
    """Return a digest of a file, or above `most` bytes, of its size, time and end.

    A digest of all bytes would read a large file once more.
    """
    status = file.stat()
    if status.st_size <= most:
        return digest(file)
    with file.open("rb") as opened:
        opened.seek(max(0, status.st_size - _END))
        content = f"{status.st_size} {status.st_mtime_ns} ".encode() + opened.read()
    return hashlib.sha256(content).hexdigest()


def parted(
    files: Sequence[Case], tables: Sequence[Case], most: int
) -> tuple[tuple[Case, ...], tuple[Case, ...]]:
    """Return the smallest files, `most` bytes in total, and the files and tables to digest instead.

    A partitioned folder of more than `most` bytes is digested as a table; its files are not digested again.
    """
    left, small = most, []
    for size, _, case in sorted((size_of(case), place, case) for place, case in enumerate(files)):
        if size > left:
            break
        left -= size
        small.append(case)
    large = [case for case in tables if size_of(case) > most]
    folders = [case.file for case in large]
    small_ids = {case.id for case in small}
    others = (case for case in files if case.id not in small_ids)
    large += [case for case in others if not any(case.file.is_relative_to(folder) for folder in folders)]
    return tuple(case for case in files if case.id in small_ids), tuple(large)
