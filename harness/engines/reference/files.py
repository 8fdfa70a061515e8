"""Files as queries meet them: one query goes over the files of a sheet, the next one over the same again.

Small files stay open, with the rows that pushdown left of them: most queries leave the same.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from harness.engines.reference.query import scan
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.ranges import read_ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpora.keys import Keys
    from corpora.predicates import Predicate
    from corpora.tagged import Table
    from harness.engines.reference.ranges import Ranges
    from reference_impl.columns import Table as Columns
    from reference_impl.orc.file import OrcFile

_SMALL = 256 << 10  # bytes of a file
_FILES = 32  # as many as a sheet has
_LEFT = 16  # ways to leave rows of a file


class Opened:
    """A file that is read, and what was read of it; `tagged` makes an answer of columns."""

    def __init__(self, file: ParquetFile | OrcFile, tagged: Callable[[Columns], Table]) -> None:
        self.file = file
        self._tagged = tagged
        self._rows = lru_cache(_LEFT)(self._read)

    def left(self, predicate: Predicate, pushdown: str, float_order: str) -> Iterator[Table]:
        """Yield what pushdown leaves of each row group or stripe."""
        if isinstance(self.file, ParquetFile):
            result = scan(self.file, predicate, pushdown, float_order)
        else:
            from harness.engines.reference.orc_query import scan as scan_orc

            result = scan_orc(self.file, predicate, pushdown, float_order)
        yield from (self._rows(number, tuple(ranges)) for number, ranges in result)

    def _read(self, number: int, ranges: tuple[tuple[int, int], ...]) -> Table:
        return self._tagged(read(self.file, number, ranges))


def read(file: ParquetFile | OrcFile, number: int, ranges: Ranges | tuple[tuple[int, int], ...]) -> Columns:
    """Read rows of a row group, or, if they are in one range, of a stripe."""
    if isinstance(file, ParquetFile):
        return read_ranges(file, number, ranges)
    ((start, stop),) = ranges
    return file.read_rows(None, number, start, stop)


def with_material(path: str, keys: Keys | None) -> Keys | None:
    """Return the keys, and the key material that stands beside the file; raises KeysError."""
    beside = Path(path).with_name(f"_KEY_MATERIAL_FOR_{Path(path).name}.json")
    if keys is None or keys.key_material or not beside.is_file():
        return keys
    return keys.with_material(beside.read_text(encoding="utf-8", errors="replace"))


def open_keyed(path: str, format: str, keys: Keys | None) -> ParquetFile | OrcFile:  # noqa: A002 - its name
    """Open a file with the keys of its format."""
    if format != "orc":
        return ParquetFile.open(path, keys)
    from reference_impl.orc.file import OrcFile

    return OrcFile.open(path, keys=None if keys is None else keys.orc)


def open_file(
    path: str,
    format: str,  # noqa: A002 - its name
    tagged: Callable[[Columns], Table],
    keys: Keys | None = None,
) -> Opened:
    """Open a file, or answer it as it was opened before, if it still holds the same bytes."""
    if keys is not None:
        return Opened(open_keyed(path, format, keys), tagged)
    if Path(path).stat().st_size <= _SMALL:
        return _small(Path(path).read_bytes(), format, tagged)
    return Opened(_type(format).open(path), tagged)


@lru_cache(_FILES)
def _small(data: bytes, format: str, tagged: Callable[[Columns], Table]) -> Opened:  # noqa: A002 - its name
    return Opened(_type(format)(data), tagged)


def _type(format: str) -> type[ParquetFile | OrcFile]:  # noqa: A002 - its name
    if format == "orc":
        from reference_impl.orc.file import OrcFile

        return OrcFile
    return ParquetFile
