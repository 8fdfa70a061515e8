"""Where a specification is silent: legal files that a reader may refuse, and broken rules without a result.

The corpus expects a table or a refusal of such files; the vote takes the reasons from here, since it cannot
see them in the results.
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
    "PQ-FILE-011": "the format does not define the contents of a file of a reserved version",
    "PQ-MAP-007": "a group annotated as MAP must not be repeated; the format does not say how to read it",
    "PQ-VALUE-010": "the format does not say how to read a time that is outside of a day",
    "PQ-VALUE-013": "the format does not say how to read nanoseconds that are outside of a day",
    "PQ-VARIANT": "the columns of a VARIANT group can be read without decoding the VARIANT",
    "ORC-TYPE-005": "kind of Type is required in ORCv1.md, optional with default BOOLEAN in orc_proto",
    "ORC-STRIPE-014": "a reader may use its own time zone, or one that the caller gives",
    "ORC-NEST-002": "ORCv1.md does not say how to read a null key of a map",
}
# Rules of level SHOULD whose breach a reader of all rows meets, so that it may refuse the file. The other
# such rules are about metadata that only a reader that skips rows needs, or are broken in nearly every old
# file, such as annotations that are not written twice: to refuse those files is wrong.
MET = frozenset({
    *("PQ-PAGE-015", "PQ-BITPACKED-002", "PQ-DBP-010", "PQ-DBP-011", "PQ-DBP-012", "PQ-CODEC-004"),
    *("PQ-CODEC-005", "PQ-LOGICAL-012", "PQ-MAP-008", "PQ-MAP-010", "PQ-VALUE-008", "ORC-RLE1-003"),
    *("ORC-RLE2-006", "ORC-RLE2-010", "ORC-INT-003", "ORC-STR-005", "ORC-STR-009", "ORC-TIME-003"),
    *("ORC-NEST-003", "ORC-FILE-015", "ORC-STRIPE-013", "ORC-COMP-005", "ORC-COMP-007"),
})  # fmt: skip
# Families of MUSTs about auxiliary metadata, which serve to skip rows or to size buffers: a reader of all
# rows does not need them, nor the element type of an empty list (PQ-THRIFT-012).
AUXILIARY = (
    *("PQ-STATS-", "PQ-SIZE-", "PQ-GEO-", "PQ-INDEX-", "PQ-BLOOM-", "PQ-ORDER-", "PQ-CHUNK-016"),
    *("PQ-GROUP-001", "PQ-GROUP-002", "PQ-GROUP-004", "PQ-GROUP-005", "PQ-GROUP-006"),
    "PQ-THRIFT-012",
    *("ORC-STATS-", "ORC-INDEX-", "ORC-BLOOM-"),
)
# MUSTs after whose breach nothing is open: the ConvertedType of a local time repeats its LogicalType, for
# forward compatibility (LogicalTypes.md, TIME, TIMESTAMP), and adds nothing that the file does not say.
REPEATED = frozenset({"PQ-LOGICAL-010"})
NAMED_BY_JAVA = "no specification lists the names of time zones; only Java knows the name that is stored"
NOT_OPTIONAL = "in the tables of Column Encodings, only PRESENT is optional; an empty stream is not left out"
FAR_MOMENTS = (
    "timestamps in milliseconds that overflow 64-bit microseconds are outside of everyday years, and"
    " implementations may choose to only support a limited range"
    " (LogicalTypes.md, TIMESTAMP, Common considerations)"
)
UNNAMED_DICTIONARY = (
    "no field of the metadata has the offset of the dictionary page; it follows from the chunk's size"
)
ALIKE = "names differ in case only; systems that do not tell case apart cannot show both"
FAR_MOMENTS_CLAUSE = "LogicalTypes.md, TIMESTAMP"
_MOST_STRIPES = 100
_MOST_MILLIS = ((1 << 63) - 1) // 1000  # of which an int64 holds the microseconds, of either sign


def undecided(rules: Iterable[str]) -> str:
    """Return why any result is right of a file that breaks these rules; "" if not every result is."""
    reasons = (why for rule in rules for name, why in UNDECIDED.items() if rule.startswith(name))
    return next(reasons, "")


def is_auxiliary(rule: str) -> bool:
    """Return whether a rule is about auxiliary metadata, which a reader of all rows need not read."""
    return rule.startswith(AUXILIARY)


def may_refuse(file: ParquetFile | OrcFile) -> str:
    """Return why a reader may refuse a legal file, "" if it must not."""
    return next(_of_parquet(file) if isinstance(file, ParquetFile) else _of_orc(file), "")


def far_moments(table: Table) -> str:
    """Return why a reader may refuse a table because of its timestamps, "" if it must not.

    The text calls the range of microseconds "outside of the domain for practical everyday usage", which that
    of nanoseconds is not; hence timestamps that only milliseconds can represent may be refused. A reader that
    returns another timestamp instead is wrong: "Every possible int64 number represents a valid timestamp".
    """
    return FAR_MOMENTS if any_atom(table, _is_of_millis, _is_far) else ""


def alike_names(table: Table) -> str:
    """Return why a reader may refuse a table for the names of its columns and fields, "" if it must not."""
    return ALIKE if any(names_alike(table.columns)) else ""


def names_alike(fields: Sequence[Field]) -> Iterator[str]:
    """Yield the casefolded names that several fields of one group have."""
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
        yield "the tables of engines have named columns; a root that is not a STRUCT has no field names"
    if not file.root.children:
        yield "the tables of engines have at least one column"
    for number in range(min(len(file.footer.stripes), _MOST_STRIPES)):
        if zones.is_of_java(file.stripe(number).footer.writer_timezone or ""):
            yield NAMED_BY_JAVA
        stripe = file.stripe(number)
        listed = {(place.column, place.kind) for place in stripe.streams}
        if (0, StreamKind.PRESENT) in listed and file.root.kind is TypeKind.STRUCT:
            yield "engines have no rows that are null"
        nodes = zip(file.root.walk(), stripe.encodings, strict=True)
        if any(_lacks_a_stream(node, encoding, listed) for node, (encoding, _) in nodes):
            yield NOT_OPTIONAL


def _lacks_a_stream(
    node: TypeNode, encoding: EncodingKind, listed: set[tuple[int, StreamKind | None]]
) -> bool:
    return any((node.id, kind) not in listed for kind in wanted_streams(node.kind, encoding))
