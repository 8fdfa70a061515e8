"""The format as which a file is read, however broken it is."""

from __future__ import annotations

import mmap
from pathlib import Path

from corpora.files import PARQUET_MAGICS, SUFFIXES

PARQUET, ORC = "parquet", "orc"
_ORC_MAGIC = b"ORC"


def format_of(path: str | Path, data: bytes | mmap.mmap) -> str:
    """Return the format by the first bytes, else by the name, else by the last bytes; else Parquet."""
    if data[:4] in PARQUET_MAGICS:
        return PARQUET
    if data[:3] == _ORC_MAGIC:
        return ORC
    name = Path(path).name.lower()
    for suffix, format_ in SUFFIXES.items():
        if name.endswith(suffix):
            return format_
    return ORC if data[-4:-1] == _ORC_MAGIC else PARQUET
