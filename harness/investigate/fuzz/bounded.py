"""The reference for files that nobody vouches for: what it reads of one is bounded by the size of the file.

A run of a few bytes may stand for millions of values. Such a file is legal, and says nothing of a reader but
how it prints them: where the reference can read it all the same, it raises `Large`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from corpora.build.tagged_columns import tagged_table
from harness.engines.reference.adapter import Reference
from reference_impl.errors import LimitExceeded
from reference_impl.limits import Limits
from reference_impl.orc.file import OrcFile
from reference_impl.parquet.file import ParquetFile

if TYPE_CHECKING:
    from corpora.keys import Keys
    from corpora.tagged import Table
    from reference_impl.columns import Table as Columns

VALUES, VALUES_PER_BYTE = 1 << 14, 16
_MANY = Limits(values=1 << 22, page_bytes=1 << 28, footer_bytes=1 << 26)


class Large(Exception):  # noqa: N818 - it says what is so
    """A file holds more values than it is worth to ask about."""


class Bounded(Reference):
    """Reads what is small; raises Large for what is sound and large, else the errors of the reference."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002, ARG002 - interface
        """Read a whole file."""
        data = Path(file).read_bytes()
        try:
            few = Limits(VALUES + VALUES_PER_BYTE * len(data), 1 << 24, 1 << 24)
            found = _read(data, format, few, self.keys)
        except LimitExceeded:
            _read(data, format, _MANY, self.keys)
            raise Large(file) from None
        return tagged_table(found)


def _read(data: bytes, format_: str, limits: Limits, keys: Keys | None) -> Columns:
    if format_ == "orc":
        return OrcFile(data, limits=limits, keys=None if keys is None else keys.orc).read()
    return ParquetFile(data, keys, limits=limits).read()
