"""Clauses that define values which some readers read differently, by column.

A clause decides a dispute only if the results differ in a column that the clause covers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

from corpora.tagged import Table
from harness.judging.compare import compare
from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import CalendarKind
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.schema import Encoding, FieldRepetitionType
from reference_impl.parquet.tree import Node

_ANNOTATED = frozenset({"LIST", "MAP", "MAP_KEY_VALUE"})  # their repeated field is explained by them


class Clause(NamedTuple):
    """A clause, and the numbers of the top-level columns whose values it is about; None: any column.

    `of_types`: it is also about their types. `equivalences` are those by which the reading by
    the clause and the other one are the same, where values can differ for another reason.
    """

    text: str
    columns: frozenset[int] | None = None
    of_types: bool = False
    equivalences: tuple[str, ...] = ()

    def decides(self, table: Table, other: Table) -> bool:
        """Return whether the first difference of two tables is one that the clause is about."""
        difference = compare(table, other, ()).difference
        if self.equivalences:
            return difference is not None and compare(table, other, self.equivalences).equal
        if difference is None or difference.path.column is None:
            return False
        is_in = self.columns is None or difference.path.column in self.columns
        return is_in and (difference.kind == "value" or self.of_types)


# The SHOULDs of which a breach has values that are read by a clause.
_OF_BREACHES = {
    "ORC-RLE1-003": "ORCv1.md, Integer Run Length Encoding, version 1 (ORC-RLE1-003): values wrap around",
    "ORC-RLE2-010": "ORCv1.md, Integer Run Length Encoding, version 2 (ORC-RLE2-010): values wrap around",
}
_BIT_PACKED = (
    "Encodings.md#BITPACKED (PQ-BITPACKED-001): levels are packed from the most significant bit to the least"
)
_WRAPPED = "Encodings.md#DELTAENC (PQ-DBP-006): sums wrap around in 2's complement"
_CALENDAR = "orc_proto.proto, CalendarKind: the calendar of the footer is that of the file's dates"
_OTHER_CALENDAR = ("orc-calendar-unnamed", "orc-calendar-of-instants")
_REPEATED = "LogicalTypes.md, Lists: a repeated field without LIST is a required list of required elements"


def clauses_of(file: Any, broken: Collection[str]) -> Iterator[Clause]:
    """Yield the clauses by which values of an open file are read; `broken` are the rules that it breaks.

    Raises the errors of the reference.
    """
    yield from (Clause(text) for rule, text in _OF_BREACHES.items() if rule in broken)
    if isinstance(file, OrcFile) and file.calendar is not CalendarKind.UNKNOWN_CALENDAR:
        yield Clause(_CALENDAR, equivalences=_OTHER_CALENDAR)
    if not isinstance(file, ParquetFile):
        return
    tests: dict[str, Callable[[ParquetFile, Node], bool]] = {
        _BIT_PACKED: lambda opened, field: _has_encoding(opened, field, Encoding.BIT_PACKED),
        _WRAPPED: lambda opened, field: _has_encoding(opened, field, Encoding.DELTA_BINARY_PACKED),
        _REPEATED: lambda opened, field: _is_bare(field, opened.root),
    }
    for text, test in tests.items():
        columns = frozenset(at for at, field in enumerate(file.root.children) if test(file, field))
        if columns:
            yield Clause(text, columns, of_types=text == _REPEATED)


def _has_encoding(file: ParquetFile, field: Node, encoding: int) -> bool:
    """Return whether a chunk below a field lists an encoding."""
    for group in range(len(file.metadata.row_groups)):
        for leaf in field.leaves():
            meta = file.column_chunk(group, leaf.index).meta_data
            if meta is not None and encoding in meta.encodings:
                return True
    return False


def _is_bare(field: Node, parent: Node) -> bool:
    """Return whether a field, or one below it, is repeated without the annotation of the group around it."""
    is_explained = parent.logical is not None and parent.logical.name in _ANNOTATED
    if field.repetition == FieldRepetitionType.REPEATED and not is_explained:
        return True
    return any(_is_bare(child, field) for child in field.children)
