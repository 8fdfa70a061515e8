"""The reference as an engine that refuses every broken rule, also those that it notes elsewhere."""

from __future__ import annotations

from pathlib import Path

from corpora.build.tagged_columns import tagged_table
from corpora.keys import Keys
from corpora.tagged import Table
from harness.engines.reference.adapter import Reference
from reference_impl.errors import Malformed, ReferenceError_
from reference_impl.orc.file import OrcFile
from reference_impl.parquet.file import ParquetFile


class Strict(Reference):
    """Reads strictly, so that a check that is not made shows."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002, ARG002 - interface
        """Read a whole file; raises the errors of `reference_impl.errors`."""
        return read(file, format, self.keys)


def read(file: str | Path, format_: str, keys: Keys | None) -> Table:
    """Return the values of a file that breaks no rule; raises as `reading.read`."""
    if format_ == "parquet":
        return tagged_table(ParquetFile.open(file, keys, strict=True).read())
    return tagged_table(OrcFile.open(file, keys=None if keys is None else keys.orc, strict=True).read())


def is_refused(file: Path, format_: str, keys: Keys | None) -> bool:
    """Return whether a file is malformed to a strict reader."""
    try:
        read(file, format_, keys)
    except Malformed:
        return True
    except ReferenceError_:
        return False
    return False
