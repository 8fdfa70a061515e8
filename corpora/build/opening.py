"""Files opened by the reference, by the name of their format: an engine starts with the readers alone."""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from pathlib import Path

from corpora.formats import ORC
from corpora.keys import Keys
from reference_impl.limits import DEFAULT, Limits
from reference_impl.orc.file import OrcFile
from reference_impl.parquet.file import ParquetFile

Data = bytes | mmap.mmap
File = ParquetFile | OrcFile


def open_bytes(data: Data, format: str, keys: Keys | None = None, limits: Limits = DEFAULT) -> File:  # noqa: A002 - its name
    """Return the file that bytes are, opened with the keys of its format."""
    if format == ORC:
        return OrcFile(data, limits=limits, keys=orc_keys(keys))
    return ParquetFile(data, keys, limits=limits)


def open_path(path: str | Path, format: str, keys: Keys | None = None) -> File:  # noqa: A002 - its name
    """Return the file at a path, opened with the keys of its format."""
    if format == ORC:
        return OrcFile.open(path, keys=orc_keys(keys))
    return ParquetFile.open(path, keys)


def orc_keys(keys: Keys | None) -> Mapping[str, Mapping[int, bytes]] | None:
    """Return the keys of columns of ORC."""
    return None if keys is None else keys.orc
