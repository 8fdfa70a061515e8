"""Opening a file that may be wrong: as the reader does, but on behind what can be left out."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from reference_impl.errors import Malformed, located
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.tree import Node, build

if TYPE_CHECKING:
    import mmap

    from reference_impl.limits import Limits
    from reference_impl.parquet.encryption.keys import KeySource
    from reference_impl.parquet.schema import ColumnOrder, FileMetaData, SchemaElement
    from reference_impl.validation import Report

_ELEMENT = re.compile(r"schema\[(\d+)\]")
_MOST_ANNOTATIONS = 100


class Opened(ParquetFile):
    """A file whose footer could be read; its schema stands, perhaps without annotations that are wrong."""

    def __init__(
        self, data: bytes | mmap.mmap, limits: Limits, report: Report, keys: KeySource | None = None
    ) -> None:
        """Read the footer and report what is wrong with it; raises what leaves nothing to look at."""
        self.data = data
        self.limits = limits
        self.verify_crc = False
        self._opened = {}
        if left := self._read_footer(keys, keep_spans=True, keep_modules=True):
            at = self.footer.base + len(self.footer.raw) - left
            report.add("PQ-FILE-005", ("footer",), at, f"{left} bytes are left behind the metadata")
        with located("footer"):
            self.root = _tree(self.metadata.schema, report)
        self.leaves = tuple(self.root.leaves())
        self.parts: list[tuple[int, int, str]] = []  # what lies where: filled while chunks are checked
        self.row_groups = _row_groups(self.metadata, len(self.leaves), report)

    def order(self, leaf: int) -> ColumnOrder | None:
        """Return the column order of a leaf, None if the file has none for it."""
        orders = self.metadata.column_orders
        return orders[leaf] if orders is not None and leaf < len(orders) else None

    def span(self, name: str) -> int | None:
        """Return where a field of the footer begins."""
        spans = self.metadata.field_spans
        return spans[name][0] if spans and name in spans else None


def _tree(elements: list[SchemaElement], report: Report) -> Node:
    """Build the schema; an annotation that is wrong is reported, and left out."""
    for _ in range(_MOST_ANNOTATIONS):
        try:
            return build(elements)
        except Malformed as error:
            found = filter(None, map(_ELEMENT.fullmatch, reversed(error.path)))
            number = next((match[1] for match in found), None)
            if number is None or error.rule is None or not error.rule.startswith("PQ-LOGICAL-"):
                raise
            report.note(error, ("footer",))
            elements = list(elements)
            plain = replace(elements[int(number)], logicalType=None, converted_type=None)
            elements[int(number)] = plain
    return build(elements)


def _row_groups(meta: FileMetaData, columns: int, report: Report) -> list[int]:
    """Check the row groups against the file and the schema; answer the numbers of those that can be read."""
    good, rows, sound = [], 0, True
    for number, group in enumerate(meta.row_groups):
        where, at = ("footer", f"row_groups[{number}]"), group.span[0] if group.span else None
        if group.num_rows < 0:
            report.add("PQ-FILE-007", where, at, f"num_rows is {group.num_rows}")
            sound = False
        elif len(group.columns) != columns:
            message = f"{len(group.columns)} column chunks for {columns} leaf columns"
            report.add("PQ-FILE-006", where, at, message)
        else:
            good.append(number)
        rows += group.num_rows
    if sound and rows != meta.num_rows:
        at = meta.field_spans["num_rows"][0] if meta.field_spans else None
        message = f"num_rows is {meta.num_rows}, but the row groups have {rows}"
        report.add("PQ-FILE-008", ("footer",), at, message)
    return good
