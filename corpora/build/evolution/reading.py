"""A folder as one table: its files read by the reference, and put together by the oracle."""

from __future__ import annotations

from pathlib import Path

from corpora.build.field_ids import field_ids
from corpora.build.reading import open_file
from corpora.build.tagged_columns import tagged_table
from corpora.evolution import TableFile, read_as
from corpora.folders import files_of
from corpora.table_reads import TableRead
from corpora.tagged import Table


def read_folder(folder: Path, format_: str, read: TableRead) -> Table:
    """Return what a read of a folder must return; raises Undefined, and as `open_file` does."""
    files = []
    for path in files_of(folder):
        opened = open_file(str(path), format_)
        name = path.relative_to(folder).as_posix()
        files.append(TableFile(name, tagged_table(opened.read()), field_ids(opened)))
    return read_as(files, read).table
