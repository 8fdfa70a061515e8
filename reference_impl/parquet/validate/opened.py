"""Opening a malformed file: the reader's own checks, with their errors noted instead of raised."""

from __future__ import annotations

import mmap
import re
from dataclasses import replace

from reference_impl.errors import Malformed, ReferenceError_, located
from reference_impl.limits import Limits
from reference_impl.notes import STRICT
from reference_impl.parquet.encryption.keys import KeySource
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.row_groups import row_count_errors, sound_row_groups
from reference_impl.parquet.schema import ColumnOrder, SchemaElement
from reference_impl.parquet.tree import Node, build
from reference_impl.validation import Report

_ELEMENT = re.compile(r"schema\[(\d+)\]")
_MOST_ANNOTATIONS = 100


class Opened(ParquetFile):
    """A file with a readable footer; its schema is without wrong annotations."""

    def __init__(
        self, data: bytes | mmap.mmap, limits: Limits, report: Report, keys: KeySource | None = None
    ) -> None:
        """Read the footer and report its errors; raises errors behind which nothing can be read."""
        self.data = data
        self.limits = limits
        self.verify_crc = False
        self.handler = STRICT
        self._opened = {}

        def handle(error: ReferenceError_) -> None:
            report.note(error, ("footer",))

        self._read_footer(keys, handle, keep_spans=True, keep_modules=True)
        with located("footer"):
            self.root = _tree(self.metadata.schema, report)
        self.leaves = tuple(self.root.leaves())
        # Start, end and name of parts, filled while chunks are checked.
        self.parts: list[tuple[int, int, str]] = []
        self.row_groups = sound_row_groups(self.metadata, len(self.leaves), handle)
        report.note_all(row_count_errors(self.metadata), ("footer",))

    def order(self, leaf: int) -> ColumnOrder | None:
        """Return the column order of a leaf, None if the file has none for it."""
        orders = self.metadata.column_orders
        return orders[leaf] if orders is not None and leaf < len(orders) else None

    def span(self, name: str) -> int | None:
        """Return where a field of the footer begins."""
        spans = self.metadata.field_spans
        return spans[name][0] if spans and name in spans else None


def _tree(elements: list[SchemaElement], report: Report) -> Node:
    """Build the schema; a wrong annotation is reported and left out."""
    for _ in range(_MOST_ANNOTATIONS):
        try:
            return build(elements)
        except Malformed as error:
            matches = filter(None, map(_ELEMENT.fullmatch, reversed(error.path)))
            number = next((match[1] for match in matches), None)
            if number is None or error.rule is None or not error.rule.startswith("PQ-LOGICAL-"):
                raise
            report.note(error, ("footer",))
            elements = list(elements)
            elements[int(number)] = replace(elements[int(number)], logicalType=None, converted_type=None)
    return build(elements)
