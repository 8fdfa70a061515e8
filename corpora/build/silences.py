"""Where a specification is silent: legal files that a reader may refuse, and broken rules that leave it open.

The corpus expects either of such files; the vote reads here what it cannot see from the answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from corpora.tagged import Field, Table, Type, Value
from corpora.tagged_atoms import any_atom
from reference_impl.errors import Malformed
from reference_impl.orc import zones
from reference_impl.orc.column_encodings import wanted_streams
from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import EncodingKind, StreamKind, TypeKind
from reference_impl.orc.types import TypeNode
from reference_impl.parquet import chunk_begin
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.schema import ColumnMetaData
from reference_impl.parquet.tree import Node

# Broken rules, and families of them, after which a reader may answer any values, or refuse.
UNDECIDED: Mapping[str, str] = {
    "PQ-FILE-011": "what a file of a reserved version means is not known",
    "PQ-MAP-007": "a group annotated as MAP must not be repeated; nothing says what it is then",
    "PQ-VALUE-010": "the format does not say what a time outside of the day is to a reader",
    "PQ-VALUE-013": "the format does not say what nanoseconds outside of a day are to a reader",
    "PQ-VARIANT": "the columns of a Variant can be read, whatever they hold",
    "ORC-TYPE-005": "the text has the kind of a type required, orc_proto optional, BOOLEAN being its default",
    "ORC-STRIPE-014": "a reader may take its own time zone, or one that it is told",
    "ORC-NEST-002": "the text does not say what a null key is to a reader",
}
# Rules of level SHOULD whose breach a reader of all rows comes across, so that it may refuse the file. The
# others are about what only those who skip rows look at, or about what nearly every file of old has, such as
# annotations that are not written twice: to refuse those files is wrong.
MET = frozenset({
    *("PQ-PAGE-015", "PQ-BITPACKED-002", "PQ-DBP-010", "PQ-DBP-011", "PQ-DBP-012", "PQ-CODEC-004"),
    *("PQ-CODEC-005", "PQ-LOGICAL-012", "PQ-MAP-008", "PQ-MAP-010", "PQ-VALUE-008", "ORC-RLE1-003"),
    *("ORC-RLE2-006", "ORC-RLE2-010", "ORC-INT-003", "ORC-STR-005", "ORC-STR-009", "ORC-TIME-003"),
    *("ORC-NEST-003", "ORC-FILE-015", "ORC-STRIPE-013", "ORC-COMP-005", "ORC-COMP-007"),
})  # fmt: skip
# Families of MUSTs about auxiliary metadata, by which rows are skipped or buffers sized: to read all rows,
# nobody needs it, nor the type of the elements of a list that has none (PQ-THRIFT-012).
AUXILIARY = (
    *("PQ-STATS-", "PQ-SIZE-", "PQ-GEO-", "PQ-INDEX-", "PQ-BLOOM-", "PQ-ORDER-", "PQ-CHUNK-016"),
    *("PQ-GROUP-001", "PQ-GROUP-002", "PQ-GROUP-004", "PQ-GROUP-005", "PQ-GROUP-006"),
    "PQ-THRIFT-012",
    *("ORC-STATS-", "ORC-INDEX-", "ORC-BLOOM-"),
)
NAMED_BY_JAVA = "no specification says which names zones have; that of this writer means a zone to Java alone"
NOT_OPTIONAL = "the tables of Column Encodings have no stream optional but PRESENT, even if it holds nothing"
FAR_MOMENTS = (
    "milliseconds beyond 64-bit microseconds are of years outside of everyday limits, and implementations may"
    " choose to only support a limited range (LogicalTypes.md, TIMESTAMP, Common considerations)"
)
UNNAMED_DICTIONARY = (
    "no field of the metadata says where the dictionary page is; it follows from the chunk's size"
)
ALIKE = "names differ in case only; systems that do not tell case apart cannot show both"
FAR_MOMENTS_CLAUSE = "LogicalTypes.md, TIMESTAMP"
_MOST_STRIPES = 100
_MOST_MILLIS = ((1 << 63) - 1) // 1000  # of which an int64 holds the microseconds, of either sign


def undecided(rules: Iterable[str]) -> str:
    """Return why any answer to a file that breaks these rules is right, "" if it is not."""
    reasons = (why for rule in rules for name, why in UNDECIDED.items() if rule.startswith(name))
    return next(reasons, "")


def is_auxiliary(rule: str) -> bool:
    """Return whether a rule is about auxiliary metadata, which a reader of all rows need not look at."""
    return rule.startswith(AUXILIARY)


def may_refuse(file: ParquetFile | OrcFile) -> str:
    """Return why a reader may refuse a legal file, "" if it must not."""
    return next(_of_parquet(file) if isinstance(file, ParquetFile) else _of_orc(file), "")


def far_moments(table: Table) -> str:
    """Return why a reader may refuse a table for its moments, "" if it must not.

    The text calls the range of microseconds "outside of the domain for practical everyday usage", which that
    of nanoseconds is not; hence what milliseconds alone can represent may be refused. A reader that returns
    another moment instead is wrong: "Every possible int64 number represents a valid timestamp".
    """
    return FAR_MOMENTS if any_atom(table, _is_of_millis, _is_far) else ""


def alike_names(table: Table) -> str:
    """Return why a reader may refuse a table for the names of its columns and fields, "" if it must not."""
    return ALIKE if any(names_alike(table.columns)) else ""


def names_alike(fields: Sequence[Field]) -> Iterator[str]:
    """Yield the names that fields beside each other share but for case, casefolded."""
    names = Counter(name.casefold() for name in {field.name for field in fields})
    yield from (name for name, count in names.items() if count > 1)
    for field in fields:
        yield from names_alike(field.type.children)


def _is_of_millis(type_: Type) -> bool:
    return type_.kind == "timestamp" and type_.unit == "ms"


def _is_far(_: Type, moment: Value) -> bool:
    return abs(int(str(moment))) > _MOST_MILLIS


def _of_parquet(file: ParquetFile) -> Iterator[str]:
    chunks = [chunk for group in file.metadata.row_groups for chunk in group.columns]
    if any(chunk.file_path is not None for chunk in chunks):
        yield "naming a file for a column chunk is not part of the specification of a file"
    if any(_is_of_unknown_unit(leaf) for leaf in file.leaves):
        yield "unknown units must be handled as unsupported features (LogicalTypes.md, TIMESTAMP)"
    if file.root.has_names_twice():
        yield "columns have one name; systems that tell columns apart by name cannot show both"
    if file.root.differ_in_case():
        yield ALIKE
    if any(_begins_unnamed(file, chunk.meta_data) for chunk in chunks):
        yield UNNAMED_DICTIONARY


def _begins_unnamed(file: ParquetFile, meta: ColumnMetaData | None) -> bool:
    """Return whether a chunk has a dictionary page in front of its data pages that no offset names.

    A chunk whose data_page_offset is that of the dictionary page is none: a field names the page.
    """
    if meta is None or meta.dictionary_page_offset:
        return False
    try:
        return chunk_begin.extent(file.data, meta, file.footer_start)[0] < meta.data_page_offset
    except Malformed:
        return False


def _is_of_unknown_unit(leaf: Node) -> bool:
    union = leaf.element.logicalType
    moment = union and (union.TIME or union.TIMESTAMP)
    return bool(moment and moment.unit.which() is None)


def _of_orc(file: OrcFile) -> Iterator[str]:
    if file.root.kind is not TypeKind.STRUCT:
        yield "tables of engines have columns with names, and a root that is no struct has none"
    if not file.root.children:
        yield "tables of engines have columns"
    for number in range(min(len(file.footer.stripes), _MOST_STRIPES)):
        if zones.is_of_java(file.stripe(number).footer.writer_timezone or ""):
            yield NAMED_BY_JAVA
        stripe = file.stripe(number)
        listed = {(place.column, place.kind) for place in stripe.streams}
        if (0, StreamKind.PRESENT) in listed and file.root.kind is TypeKind.STRUCT:
            yield "a row that is null is not among what engines know"
        nodes = zip(file.root.walk(), stripe.encodings, strict=True)
        if any(_lacks_a_stream(node, encoding, listed) for node, (encoding, _) in nodes):
            yield NOT_OPTIONAL


def _lacks_a_stream(
    node: TypeNode, encoding: EncodingKind, listed: set[tuple[int, StreamKind | None]]
) -> bool:
    return any((node.id, kind) not in listed for kind in wanted_streams(node.kind, encoding))
