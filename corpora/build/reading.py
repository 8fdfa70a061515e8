"""Files read by the reference: opened with their keys, whole or in part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from corpora.build.opening import File, open_path
from corpora.build.tagged_columns import tagged_table
from corpora.keys import Keys
from corpora.tagged import Table
from reference_impl.columns import Table as Columns
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.ranges import read_ranges


def read(path: str, format: str, keys: Keys | None = None) -> Table:  # noqa: A002 - its name
    """Return the values of a file; raises the errors of `reference_impl.errors`, and KeysError."""
    return tagged_table(open_file(path, format, keys).read())


def open_file(path: str, format: str, keys: Keys | None = None) -> File:  # noqa: A002 - its name
    """Return a file that is opened with the keys of its format; raises as `read`."""
    keys = _with_material(path, keys)
    return open_path(path, format, keys)


def read_rows(file: File, number: int, ranges: Sequence[tuple[int, int]]) -> Columns:
    """Return some rows of a row group or of a stripe; of a stripe only a single range can be read."""
    if isinstance(file, ParquetFile):
        return read_ranges(file, number, ranges)
    ((start, stop),) = ranges
    return file.read_rows(None, number, start, stop)


def _with_material(path: str, keys: Keys | None) -> Keys | None:
    """Return the keys with the key material that is stored next to a file; raises KeysError."""
    material = Path(path).with_name(f"_KEY_MATERIAL_FOR_{Path(path).name}.json")
    if keys is None or keys.key_material or not material.is_file():
        return keys
    return keys.with_material(material.read_text(encoding="utf-8", errors="replace"))
