"""Coverage of the Parquet corpus: the items that code requires, and the items that files reach.

An item is a path: `encoding/PLAIN/INT32/v1/list`. `required` lists all items, from the tables of readers and
writers; `reached` reads a file and lists its items, whatever the file's case expects. For annotations, these
are the legal combinations of logical type, storage and form, according to the reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

from corpora.build import samples, structs
from corpora.build.recipe import slug
from reference_impl.errors import Malformed
from reference_impl.parquet import index
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.logical import Logical, group_annotation, leaf_annotation
from reference_impl.parquet.page_structs import (
    BloomFilterHeader,
    ColumnIndex,
    FileCryptoMetaData,
    OffsetIndex,
    PageHeader,
)
from reference_impl.parquet.schema import (
    ColumnOrder,
    CompressionCodec,
    ConvertedType,
    DecimalType,
    Empty,
    Encoding,
    FileMetaData,
    IntType,
    LogicalType,
    SchemaElement,
    TimestampType,
    TimeType,
    TimeUnit,
    Type,
)
from reference_impl.parquet.statistics import Order, order_of
from reference_impl.parquet.statistics_structs import Statistics
from reference_impl.parquet.tree import Node
from reference_impl.parquet.types import Physical
from reference_impl.wire.table import table_of

ROOTS = (FileMetaData, FileCryptoMetaData, PageHeader, ColumnIndex, OffsetIndex, BloomFilterHeader)
_BOUNDS = ("modern", "deprecated", "both", "none")


def required(rules: Iterable[str]) -> set[str]:
    """Return all items that the corpus must reach; `rules` are the ids of all rules."""
    items = {f"rule/{rule}" for rule in rules}
    for encoding, kinds in samples.ENCODINGS.items():
        for kind, nesting in product(kinds, samples.NESTINGS):
            items |= {f"encoding/{encoding.name}/{kind.name}/v{n}/{nesting.name}" for n in (1, 2)}
    items |= {f"levels/{Encoding.BIT_PACKED.name}/v1/{nesting.name}" for nesting in samples.NESTINGS[1:]}
    for codec in CompressionCodec:
        items |= {f"codec/{codec.name}/{form}" for form in ("v1", "v2", "v2-not-compressed")}
    for order in Order:
        items |= {f"statistics/{order.name}/{bounds}" for bounds in _BOUNDS}
        items |= {f"page-statistics/{order.name}", f"column-index/{order.name}"}
    for member in (*(row.name for row in table_of(ColumnOrder).rows), "absent", "unknown"):
        items.add(f"column-order/{member}")
    items |= {f"bloom/{kind.name}" for kind in Type}
    return items | set(required_annotations()) | set(structs.required(ROOTS))


def reached(file: ParquetFile) -> Iterator[str]:
    """Yield the items that a file reaches; raises the reader's errors."""
    yield from structs.reached(file.metadata)
    if file.footer.crypto is not None:
        yield from structs.reached(file.footer.crypto)
    for node in file.root.children:
        yield from _annotations(node)
    orders = file.metadata.column_orders
    for each in orders or ():
        yield f"column-order/{each.which() or 'unknown'}"
    if orders is None:
        yield "column-order/absent"
    for leaf in file.leaves:
        column_order = orders[leaf.index] if orders and leaf.index < len(orders) else None
        order = order_of(leaf, column_order)
        path = _path(file.root, leaf)
        for group in range(len(file.metadata.row_groups)):
            yield from _chunk(file, group, leaf, nesting_of(path), order)


def _annotations(node: Node) -> Iterator[str]:
    yield from _reached_annotation(node)
    for child in node.children:
        yield from _annotations(child)


def _chunk(file: ParquetFile, group: int, leaf: Node, nesting: str, order: Order) -> Iterator[str]:
    meta = file.column_metadata(group, leaf.index)
    if meta.statistics is not None:
        yield f"statistics/{order.name}/{_bounds(meta.statistics)}"
    for page in file.pages(group, leaf.index):
        yield from structs.reached(page.header)
        yield from _page(page.header, leaf, nesting, order, getattr(meta.codec, "name", ""))
    for part in (index.column_index(file, group, leaf.index), index.offset_index(file, group, leaf.index)):
        if part is not None:
            yield from structs.reached(part)
    if file.metadata.row_groups[group].columns[leaf.index].column_index_offset is not None:
        yield f"column-index/{order.name}"
    bloom = index.bloom_filter_header(file, group, leaf.index)
    if bloom is not None and leaf.physical is not None:
        yield from structs.reached(bloom)
        yield f"bloom/{leaf.physical.type.name}"


def _page(header: PageHeader, leaf: Node, nesting: str, order: Order, codec: str) -> Iterator[str]:
    old, new = header.data_page_header, header.data_page_header_v2
    data = old or new
    if data is None or leaf.physical is None:
        return
    encoding = getattr(data.encoding, "name", "")
    if data.num_values:
        yield f"encoding/{encoding}/{leaf.physical.type.name}/v{1 if old else 2}/{nesting}"
    if data.statistics is not None:
        yield f"page-statistics/{order.name}"
    if old is not None:
        yield f"levels/{getattr(old.definition_level_encoding, 'name', '')}/v1/{nesting}"
        yield f"codec/{codec}/v1"
    elif new is not None:
        yield f"codec/{codec}/v2{'-not-compressed' if new.is_compressed is False else ''}"


def _bounds(statistics: Statistics) -> str:
    modern = statistics.min_value is not None or statistics.max_value is not None
    deprecated = statistics.min is not None or statistics.max is not None
    return {(True, True): "both", (True, False): "modern", (False, True): "deprecated"}.get(
        (modern, deprecated), "none"
    )


def _path(root: Node, leaf: Node) -> list[Node]:
    """Return the fields from the root, which is left out, to a leaf."""
    path, node = [], root
    while node.children:
        node = next(child for child in node.children if leaf in child.leaves())
        path.append(node)
    return path


def nesting_of(path: list[Node]) -> str:
    """Return the nesting (a name of `samples.NESTINGS`) of a column, given its path of fields."""
    names = [node.logical.name if node.logical else "" for node in path[:-1]]
    if path[-1].repetition_level > 1:
        return "deep"
    if "MAP" in names or "MAP_KEY_VALUE" in names:
        return "map"
    if "LIST" in names:
        return "list"
    if path[-1].repetition_level:
        return "repeated"
    return "struct" if len(path) > 1 else path[0].repetition.name.lower()


_LENGTHS = (2, 4, 12, 16)  # of FIXED_LEN_BYTE_ARRAY: the lengths that annotations require, and another


def required_annotations() -> Iterator[str]:
    """Yield an item for each legal logical type, storage, and form (converted, logical, both)."""
    storages = [Physical(kind) for kind in Type if kind != Type.FIXED_LEN_BYTE_ARRAY]
    storages += [Physical(Type.FIXED_LEN_BYTE_ARRAY, length) for length in _LENGTHS]
    for storage in storages:
        old = [logical for given in _converted() if (logical := _leaf_annotation(given, storage))]
        new = [logical for given in _logical() if (logical := _leaf_annotation(given, storage))]
        both = [logical for logical in new if any(_says_the_same(logical, other) for other in old)]
        yield from _items(storage.type.name, old, new, both)
    old = [logical for given in _converted() if (logical := _group_annotation(given))]
    new = [logical for given in _logical() if (logical := _group_annotation(given))]
    yield from _items("group", old, new, [logical for logical in new if logical in old])


def _items(storage: str, *by_form: Sequence[Logical]) -> Iterator[str]:
    for form, types in zip(("converted", "logical", "both"), by_form, strict=True):
        yield from (_item(logical, storage, form) for logical in types)


def _reached_annotation(node: Node) -> Iterator[str]:
    """Yield the item of a field's annotation, if the field has a known annotation."""
    element, logical = node.element, node.logical
    has_new, has_old = element.logicalType is not None, element.converted_type is not None
    if logical is None or logical.name == "NEW" or not (has_new or has_old):
        return
    form = "both" if has_new and has_old else "logical" if has_new else "converted"
    yield _item(logical, node.physical.type.name if node.physical else "group", form)


def _item(logical: Logical, storage: str, form: str) -> str:
    details = [str(logical.bits)] * bool(logical.bits) + ["unsigned"] * (not logical.signed)
    details += [logical.unit, "utc" if logical.utc else "local"] * bool(logical.unit)
    return f"logical/{'-'.join((slug(logical.name), *details))}/{storage}/{form}"


def _says_the_same(logical: Logical, other: Logical) -> bool:
    """Return whether two types are equal except for UTC, which a ConvertedType cannot negate."""
    return logical._replace(utc=True) == other._replace(utc=True)


def _converted() -> Iterator[SchemaElement]:
    for kind in ConvertedType:
        yield SchemaElement(name="x", converted_type=kind, precision=1, scale=0)


def _logical() -> Iterator[SchemaElement]:
    for row in table_of(LogicalType).rows:
        for value in _values(row.wire):
            yield SchemaElement(name="x", logicalType=LogicalType(**{row.name: value}))


def _values(wire: Any) -> Iterator[Any]:
    """Yield the values of a member of LogicalType that differ in the legal storage."""
    units = [_unit(row.name) for row in table_of(TimeUnit).rows]
    if wire in (TimeType, TimestampType):
        yield from (wire(isAdjustedToUTC=utc, unit=unit) for utc, unit in product((True, False), units))
    elif wire is IntType:
        for bits, signed in product((8, 16, 32, 64), (True, False)):
            yield IntType(bitWidth=bits, isSigned=signed)
    else:
        yield DecimalType(scale=0, precision=1) if wire is DecimalType else wire()


def _unit(name: str) -> TimeUnit:
    unit = TimeUnit()
    setattr(unit, name, Empty())
    return unit


def _leaf_annotation(given: SchemaElement, storage: Physical) -> Logical | None:
    try:
        return leaf_annotation(given, storage)
    except Malformed:
        return None


def _group_annotation(given: SchemaElement) -> Logical | None:
    try:
        return group_annotation(given)
    except Malformed:
        return None
