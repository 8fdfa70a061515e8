"""The reference for untrusted files: how much it reads of a file is bounded by the size of the file.

A run of a few bytes may encode millions of values. Such a file is legal, and tests little of a reader but how
it prints values: where the reference can read the file without the bound, it raises `Large`.
"""

from __future__ import annotations

from pathlib import Path

from corpora.build.formats import FORMATS
from corpora.build.tagged_columns import tagged_table
from corpora.tagged import Table
from harness.engines.reference.adapter import Reference
from reference_impl.errors import LimitExceeded
from reference_impl.limits import Limits

VALUES, VALUES_PER_BYTE = 1 << 14, 16
_MANY = Limits(values=1 << 22, page_bytes=1 << 28, footer_bytes=1 << 26)


class Large(Exception):  # noqa: N818 - it says what is so
    """A valid file holds more values than are worth sending to engines."""


class Bounded(Reference):
    """Reads small files; raises Large for a large valid file, else the errors of the reference."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002, ARG002 - interface
        """Read a whole file."""
        data = Path(file).read_bytes()
        try:
            few = Limits(VALUES + VALUES_PER_BYTE * len(data), 1 << 24, 1 << 24)
            columns = FORMATS[format].file(data, self.keys, few).read()
        except LimitExceeded:
            FORMATS[format].file(data, self.keys, _MANY).read()
            raise Large(file) from None
        return tagged_table(columns)
