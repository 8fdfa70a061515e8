"""Engines that misbehave on purpose, each with files that have something; else they read as the reference."""

# ruff: noqa: D102 - each is named after what it does wrong

from __future__ import annotations

import ctypes
import time
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.answers import take
from corpora.queries import Filter
from corpora.tagged import Table
from harness.engines.reference.adapter import Reference
from reference_impl.orc.file import OrcFile
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.schema import Encoding

if TYPE_CHECKING:
    from corpora.queries import Query


class CrashesOnDelta(Reference):
    """Crashes where a page is in DELTA_BINARY_PACKED."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002 - interface
        if Encoding.DELTA_BINARY_PACKED in _encodings(file):
            ctypes.string_at(0)
        return super().read(file, format, config)


class HangsWithStatistics(Reference):
    """Hangs where a chunk has statistics."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002 - interface
        groups = ParquetFile.open(file).metadata.row_groups
        metas = [chunk.meta_data for group in groups for chunk in group.columns]
        if any(meta is not None and meta.statistics is not None for meta in metas):
            time.sleep(600)
        return super().read(file, format, config)


class WrongAfterNulls(Reference):
    """Reads null integers as zeros, and refuses files without rows: two problems with two signatures."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002 - interface
        table = super().read(file, format, config)
        if not table.num_rows:
            raise ValueError("no rows")
        columns = [table.column(at) for at in range(len(table.columns))]
        for at, field in enumerate(table.columns):
            if field.type.kind == "int":
                columns[at] = ["0" if value is None else value for value in columns[at]]
        return Table.of([(field.name, field.type) for field in table.columns], columns, table.num_rows)


class FilterLosesFirst(Reference):
    """Loses the first row of a filter's result if there are two or more."""

    def query_one(
        self,
        file: str,
        format: str,  # noqa: A002 - interface
        config: dict[str, str],
        query: Query,
    ) -> Table:
        found = super().query_one(file, format, config, query)
        if isinstance(query, Filter) and found.num_rows > 1:
            return take(found, range(1, found.num_rows))
        return found


class TwoCauses(FilterLosesFirst):
    """Loses a row if there are Bloom filters, and if there are no statistics: one signature, two causes."""

    def query_one(
        self,
        file: str,
        format: str,  # noqa: A002 - interface
        config: dict[str, str],
        query: Query,
    ) -> Table:
        groups = ParquetFile.open(file).metadata.row_groups
        metas = [chunk.meta_data for group in groups for chunk in group.columns if chunk.meta_data]
        blooms = any(meta.bloom_filter_offset for meta in metas)
        if blooms or not any(meta.statistics for meta in metas):
            return super().query_one(file, format, config, query)
        return Reference.query_one(self, file, format, config, query)


class Wavers(Reference):
    """Returns other values in every third read."""

    times = 0

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002 - interface
        self.times += 1
        table = super().read(file, format, config)
        return take(table, range(1, table.num_rows)) if table.num_rows and not self.times % 3 else table


class CrashesNowAndThen(Reference):
    """Crashes in every third read of a file with rows; counts the reads in a file next to it."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002 - interface
        table = super().read(file, format, config)
        mark = Path(file).with_name("reads")
        reads = len(mark.read_text()) + 1 if mark.exists() else 1
        mark.write_text("x" * reads)
        if table.num_rows and not reads % 3:
            ctypes.string_at(0)
        return table


class CrashesOnDictionary(Reference):
    """Crashes where a column of an ORC file has a dictionary."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002 - interface
        opened = OrcFile.open(file)
        for number in range(len(opened.footer.stripes)):
            if any(encoding.dictionary_size for _, encoding in opened.stripe(number).encodings):
                ctypes.string_at(0)
        return super().read(file, format, config)


class AcceptsAll(Reference):
    """Returns a table without columns where it should refuse."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002 - interface
        try:
            return super().read(file, format, config)
        except Exception:  # noqa: BLE001 - that is what is wrong with it
            return Table.of([], [], 0)


def _encodings(file: str) -> set[Encoding | int]:
    opened = ParquetFile.open(file)
    found: set[Encoding | int] = set()
    for group in range(len(opened.metadata.row_groups)):
        for leaf in opened.leaves:
            headers = (page.header for page in opened.pages(group, leaf.index))
            found |= {one.data_page_header.encoding for one in headers if one.data_page_header}
    return found


class HangsInFilters(Reference):
    """Never answers a filter."""

    def query_one(
        self,
        file: str,
        format: str,  # noqa: A002 - interface
        config: dict[str, str],
        query: Query,
    ) -> Table:
        if isinstance(query, Filter):
            time.sleep(600)
        return super().query_one(file, format, config, query)


class Refuses(Reference):
    """Reads nothing that has rows."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002 - interface
        table = super().read(file, format, config)
        if table.num_rows:
            raise ValueError("no")
        return table


class RefusesWhole(FilterLosesFirst):
    """Loses a row of a filter, and reads no whole file."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002, ARG002 - interface
        raise ValueError("no")


class RefusesFew(FilterLosesFirst):
    """Loses a row of a filter, and reads no whole file of fewer than nine rows."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002 - interface
        table = super().read(file, format, config)
        if 0 < table.num_rows < 9:
            raise ValueError("no")
        return table


class WrongWhereEncrypted(Reference):
    """Loses the first row of an ORC file with encrypted columns, if the keys were given."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002 - interface
        table = super().read(file, format, config)
        decryption = OrcFile.open(file, keys=None if self.keys is None else self.keys.orc).decryption
        if table.num_rows and decryption is not None and decryption.opened:
            return take(table, range(1, table.num_rows))
        return table
