"""A reader that reads all there is in a file: what stands beside the values, then those. For child processes.

It is bounded as a reader of small files may be: what a few bytes stand for is not worth more.
"""

from __future__ import annotations

import os
from pathlib import Path

from corpora.build.tagged_columns import tagged_table
from corpora.tagged import Table, Type, Value
from harness.children.worker import describe_error
from harness.engines.reference.adapter import Reference
from harness.investigate.selftest.plant import ORC
from harness.investigate.selftest.planting import SEEN
from reference_impl.limits import Limits
from reference_impl.orc.file import OrcFile
from reference_impl.parquet import index
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.ranges import read_ranges

MARKS = "COLCONF_SELFTEST_MARKS"  # names the file that lists the plants whose places were reached
ERROR = "\0error"  # the column of a table that encodes an error: kind, class, message
_LIMITS = Limits(values=1 << 15, page_bytes=1 << 22, footer_bytes=1 << 22)


class Everything(Reference):
    """Reads values, indexes and filters of a file."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002, ARG002 - interface
        """Read a whole file strictly, so that checks show; raises the errors of `reference_impl.errors`."""
        data = Path(file).read_bytes()
        if format == ORC:
            return _orc(OrcFile(data, limits=_LIMITS, strict=True))
        return _parquet(ParquetFile(data, limits=_LIMITS, strict=True))

    def read_many(
        self,
        files: list[str],
        format: str,  # noqa: A002 - interface
        config: dict[str, str],
    ) -> list[Table]:
        """Read files one by one; an exception becomes a table."""
        return [self._answer(file, format, config) for file in files]

    def _answer(self, file: str, format_: str, config: dict[str, str]) -> Table:
        try:
            return self.read(file, format_, config)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001 - every exception becomes a reply
            description = describe_error(self.classify(error), error, "read")
            values: list[Value] = [description["kind"], description["class"], description["message"]]
            return Table.of([(ERROR, Type("string"))], [values], len(values))


class Marked(Everything):
    """Appends a line for each file with the plants whose places were reached."""

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:  # noqa: A002 - interface
        """Read a whole file."""
        SEEN.clear()
        try:
            return super().read(file, format, config)
        finally:
            with Path(os.environ[MARKS]).open("a", encoding="utf-8") as marks:
                marks.write(" ".join(sorted(SEEN)) + "\n")


def _parquet(file: ParquetFile) -> Table:
    groups = file.metadata.row_groups
    for number in range(len(groups)):
        for leaf in file.leaves:
            index.column_index(file, number, leaf.index)
            index.offset_index(file, number, leaf.index)
            index.bloom_filter_header(file, number, leaf.index)
    table = tagged_table(file.read())
    for number, group in enumerate(groups):
        read_ranges(file, number, [(group.num_rows // 2, group.num_rows)])
    return table


def _orc(file: OrcFile) -> Table:
    assert file.metadata is not None  # read at first use
    for number in range(len(file.footer.stripes)):
        for column in range(file.root.max_id + 1):
            file.row_index(number, column)
            file.bloom_filters(number, column)
    table = tagged_table(file.read())
    stride = file.footer.row_index_stride or 0
    for number, stripe in enumerate(file.footer.stripes):
        rows = stripe.number_of_rows or 0
        if 0 < stride < rows:
            file.read_rows(None, number, stride, rows)
    return table
