"""The format as which a file is read, however broken it is."""

from __future__ import annotations

from pathlib import Path

from corpora.build.formats import FORMATS, ORC, PARQUET, Format
from corpora.build.opening import Data


def format_of(path: str | Path, data: Data) -> Format:
    """Return the format by the first bytes, else by the name, else by the last bytes; else Parquet."""
    head, name = data[:4], Path(path).name.lower()
    by_head = [format_ for format_ in FORMATS.values() if head.startswith(format_.magics)]
    by_name = [format_ for format_ in FORMATS.values() if name.endswith(format_.suffixes)]
    by_tail = [ORC] if data[-4:-1] in ORC.magics else []  # the length of the postscript is the last byte
    return (*by_head, *by_name, *by_tail, PARQUET)[0]
