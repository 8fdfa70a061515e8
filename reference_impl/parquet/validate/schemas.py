"""Checks of the schema that a reader does not need (parquet.thrift, LogicalTypes.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reference_impl.errors import located
from reference_impl.parquet.logical import _CONVERTED, Logical
from reference_impl.parquet.schema import ConvertedType, FieldRepetitionType, LogicalType, Type
from reference_impl.parquet.shape import Shape, shape_of
from reference_impl.parquet.tree import Node
from reference_impl.parquet.validate.opened import Opened
from reference_impl.validation import Report
from reference_impl.variant.schema import group_errors, layout_of
from reference_impl.variant.shredding import V1, optional_group
from reference_impl.wire.enums import name_of

_Add = Callable[[str, str], None]

REQUIRED, OPTIONAL, REPEATED = FieldRepetitionType
_C = ConvertedType
_SAME_NAME = {"STRING": _C.UTF8, "MAP": _C.MAP, "LIST": _C.LIST, "ENUM": _C.ENUM, "DATE": _C.DATE}
_SAME_NAME |= {"JSON": _C.JSON, "BSON": _C.BSON, "DECIMAL": _C.DECIMAL}
_FEW_DIGITS = 10


def check(file: Opened, report: Report) -> dict[int, Shape]:
    """Check the schema; return the shapes of the top-level fields that have one, by position."""
    root = file.metadata.schema[0]
    if root.repetition_type is not None:
        message = f"the root has a repetition type, {name_of(root.repetition_type)}"
        report.add("PQ-SCHEMA-008", ("schema[0]",), root.begin, message)
    shapes: dict[int, Shape] = {}
    for position, node in enumerate(file.root.children):
        with report.noting(), located("schema"):
            shapes[position] = shape_of(node)
        for field, parent in _all(node, None):
            _node(field, parent, report)
    return shapes


def _all(node: Node, parent: Node | None) -> Iterator[tuple[Node, Node | None]]:
    yield node, parent
    for child in node.children:
        yield from _all(child, node)


def _node(node: Node, parent: Node | None, report: Report) -> None:
    def add(rule: str, message: str) -> None:
        report.add(rule, ("schema", *node.path), node.element.begin, message)

    _annotations(node, add)
    name = node.logical.name if node.logical else ""
    if node.physical is not None:
        if node.element.num_children is not None:
            add("PQ-SCHEMA-009", f"a column with num_children {node.element.num_children}")
        if node.physical.type == Type.INT96:
            add("PQ-SCHEMA-010", "the column is of the deprecated type INT96")
    elif name == "LIST":
        _list(node, parent, add)
    elif name == "MAP":
        _map(node, parent, add)
    elif name == "MAP_KEY_VALUE" and not _is(parent, "MAP"):
        add("PQ-MAP-008", "MAP_KEY_VALUE annotates a group that is not inside of a MAP")
    elif name == "VARIANT":
        _variant(node, add)


def _annotations(node: Node, add: _Add) -> None:
    element, converted = node.element, node.element.converted_type
    if element.logicalType is None:
        if isinstance(converted, ConvertedType) and converted not in (_C.INTERVAL, _C.MAP_KEY_VALUE):
            add("PQ-LOGICAL-009", f"{converted.name} is not written as a LogicalType, too")
    else:
        wanted = _converted(element.logicalType)
        if converted is not None and converted != wanted:
            name = name_of(converted)
            add("PQ-LOGICAL-003", f"ConvertedType {name} beside {element.logicalType.which()}")
        elif converted is None and wanted is not None and node.logical is not None:
            local = node.logical.name in ("TIME", "TIMESTAMP") and not node.logical.utc
            message = f"{node.logical.name} is not written as ConvertedType {wanted.name}, too"
            add("PQ-LOGICAL-010" if local else "PQ-LOGICAL-008", message)
    if node.logical is not None and node.logical.name == "DECIMAL":
        _decimal(node, node.logical, add)


def _converted(logical: LogicalType) -> ConvertedType | None:
    """Return the ConvertedType that corresponds to a LogicalType (parquet.thrift, LogicalType)."""
    name = logical.which() or ""
    if name in _SAME_NAME:
        return _SAME_NAME[name]
    if logical.INTEGER:
        wanted = Logical("INTEGER", logical.INTEGER.bitWidth, logical.INTEGER.isSigned)
    elif (moment := logical.TIME or logical.TIMESTAMP) is not None:
        # "isAdjustedToUTC = *": local times have the annotation of those in UTC.
        unit = {"MILLIS": "ms", "MICROS": "us"}.get(moment.unit.which() or "", "ns")
        wanted = Logical(name, unit=unit, utc=True)
    else:
        return None
    return next((ConvertedType(number) for number, known in _CONVERTED.items() if known == wanted), None)


def _decimal(node: Node, logical: Logical, add: _Add) -> None:
    element = node.element
    if element.logicalType is not None:
        if element.precision is None and element.scale is None:
            add("PQ-LOGICAL-012", "precision and scale stand in DecimalType only")
        elif (element.precision, element.scale or 0) != (logical.precision, logical.scale):
            given = f"precision {element.precision} and scale {element.scale}"
            add("PQ-LOGICAL-011", f"{given} beside DECIMAL({logical.precision}, {logical.scale})")
    assert node.physical is not None
    if node.physical.type == Type.INT64 and logical.precision < _FEW_DIGITS:
        add("PQ-LOGICAL-013", f"DECIMAL({logical.precision}, {logical.scale}) would fit INT32")


def _list(node: Node, parent: Node | None, add: _Add) -> None:
    if len(node.children) != 1 or node.children[0].repetition != REPEATED:
        return  # PQ-LIST-001
    middle = node.children[0]
    if len(middle.children) != 1 or middle.children[0].repetition == REPEATED:
        add("PQ-LIST-003", "the list has no group of one element that is not repeated")
        return
    # A repeated group that is annotated itself is a legal element of a 2-level list only.
    if node.repetition == REPEATED and not _is(parent, "LIST"):
        add("PQ-LIST-002", "a repeated group is annotated as LIST")
    if middle.name != "list":
        add("PQ-LIST-004", f"the repeated group is named {middle.name!r:.80}")
    if middle.children[0].name != "element":
        add("PQ-LIST-005", f"the element is named {middle.children[0].name!r:.80}")


def _map(node: Node, parent: Node | None, add: _Add) -> None:
    if len(node.children) != 1 or node.children[0].repetition != REPEATED:
        return  # PQ-MAP-001
    entry = node.children[0]
    if len(entry.children) not in (1, 2) or entry.children[0].repetition == REPEATED:
        return  # PQ-MAP-002, -003
    if node.repetition == REPEATED and not _is(parent, "LIST"):
        add("PQ-MAP-007", "a repeated group is annotated as MAP")
    if entry.children[0].repetition != REQUIRED:
        add("PQ-MAP-004", "the key is optional")
    if len(entry.children) > 1 and entry.children[1].repetition == REPEATED:
        add("PQ-MAP-009", "the value is repeated")
    if entry.name != "key_value":
        add("PQ-MAP-005", f"the repeated group is named {entry.name!r:.80}")
    names = [child.name for child in entry.children]
    if names != ["key", "value"][: len(names)]:
        add("PQ-MAP-006", f"key and value are named {names!r:.200}")


def _is(node: Node | None, name: str) -> bool:
    return node is not None and node.logical is not None and node.logical.name == name


def _variant(node: Node, add: _Add) -> None:
    """Check a VARIANT group (LogicalTypes.md, VARIANT; VariantShredding.md)."""
    fields = {child.name: child for child in node.children}
    metadata, value, typed = (fields.get(name) for name in ("metadata", "value", "typed_value"))
    version = node.element.logicalType.VARIANT if node.element.logicalType else None
    if version is not None and version.specification_version is None:
        add("PQ-VARIANT-005", "VARIANT without a specification version")
    for error in group_errors((child.name, _is_binary(child)) for child in node.children):
        add(str(error.rule), error.message)
        if error.rule == "PQ-VARIANT-001":
            return
    assert metadata is not None
    if metadata.repetition != REQUIRED:
        add("PQ-VARIANT-003", "metadata is not required")
    if value is not None and typed is None and value.repetition != REQUIRED:
        add("PQ-VARIANT-004", "value is not required, and there is no typed_value")
    if typed is not None and layout_of(fields) == V1 and (name := _not_required(typed)) is not None:
        error = optional_group(name)
        add(str(error.rule), error.message)


def _is_binary(node: Node) -> bool:
    return node.physical is not None and node.physical.type == Type.BYTE_ARRAY


def _not_required(typed: Node) -> str | None:
    """Return the name of a group of a shredded field or element that is not required, None if all are."""
    inner = typed.children
    if _is(typed, "LIST") and len(inner) == 1:
        inner = inner[0].children
    for group in inner:
        if group.repetition != REQUIRED:
            return group.name
        below = next((child for child in group.children if child.name == "typed_value"), None)
        if below is not None and (name := _not_required(below)) is not None:
            return name
    return None
