"""Shredding values by a schema, as writers do, and the rows of the columns.

A value is stored in typed columns if these have its physical type: then exactly the value is read
back. `exact=False` stores numbers in any column that holds them "as long as no numeric precision is
lost": then an equal value is read back.
"""

from __future__ import annotations

from typing import Any

from reference_impl.errors import LimitExceeded
from reference_impl.variant.forms import Node, encode
from reference_impl.variant.metadata import Metadata
from reference_impl.variant.shredding import DRAFT, RESIDUAL, V1, Leaf, Level, Slot
from reference_impl.variant.values import (
    BY_KIND,
    DECIMALS,
    INTEGERS,
    MAX_DEPTH,
    NULL,
    Array,
    Object,
    Primitive,
    Value,
    normal,
)


def shred(
    level: Level, value: Value, metadata: Metadata, nodes: tuple[Node, ...] = (), *, exact: bool = True
) -> Slot | None:
    """Return the slot of a value, its residuals in the forms of `nodes`; None if the level cannot hold it.

    Only a level without a column of residuals, here or below, cannot hold every value. Raises the errors of
    `forms.encode`.
    """
    return _Shredder(metadata, nodes, exact).slot(level, value, 0)


class _Shredder:
    def __init__(self, metadata: Metadata, nodes: tuple[Node, ...], exact: bool) -> None:
        self.metadata = metadata
        self.nodes = nodes
        self.exact = exact

    def slot(self, level: Level, value: Value, depth: int) -> Slot | None:
        """Return the slot of a value."""
        if depth > MAX_DEPTH:
            raise LimitExceeded(f"values are nested deeper than {MAX_DEPTH}")
        if level.layout == DRAFT and value == NULL:
            return Slot()  # "Field is Variant Null (not missing)"
        if isinstance(value, Object) and level.fields is not None:
            return self.object(level, level.fields, value, depth)
        if isinstance(value, Array) and level.element is not None:
            return self.array(level.element, value, depth)
        if isinstance(value, Primitive) and level.leaf is not None:
            typed = stored_as(level.leaf, value, exact=self.exact)
            if typed is not None:
                return Slot(typed=typed)
        return Slot(encode(value, self.metadata, self.nodes)) if level.residual else None

    def object(
        self, level: Level, fields: tuple[tuple[str, Level], ...], value: Object, depth: int
    ) -> Slot | None:
        """Shred the fields that have columns; the other fields stay an object in the residual."""
        given = dict(value.fields)
        slots: list[Slot | None] = []
        for name, inner in fields:
            field = given.pop(name, None)
            # "A field's `value` and `typed_value` are set to null (missing)": the group is required in v1.
            slot = (Slot() if level.layout == V1 else None) if field is None else None
            if field is not None:
                slot = self.slot(inner, field, depth + 1)
                if slot is None:
                    return None
            slots.append(slot)
        if given and not level.residual:
            return None
        rest = Object(tuple(field for field in value.fields if field[0] in given))
        residual = encode(rest, self.metadata, self.nodes) if given else None
        return Slot(residual, fields=tuple(slots))

    def array(self, element: Level, value: Array, depth: int) -> Slot | None:
        """Shred each element; if an element cannot be shredded, neither can the array: it has no residual."""
        items = [self.slot(element, item, depth + 1) for item in value.items]
        return Slot(items=tuple(items)) if None not in items else None


def stored_as(leaf: Leaf, value: Primitive, *, exact: bool) -> Any:
    """Return the content of a typed column for a value, None if the column cannot hold it."""
    is_decimal = leaf.kind in DECIMALS
    if value.kind == leaf.kind and (not is_decimal or value.scale == leaf.scale):
        fits = not is_decimal or abs(value.value) < 10**leaf.precision
        return value.value if fits else None
    if exact or not {value.kind, leaf.kind} <= {*INTEGERS, *DECIMALS}:
        return None
    unscaled, scale = normal(value.value, value.scale)
    if scale > leaf.scale:
        return None
    unscaled *= 10 ** (leaf.scale - scale)
    if is_decimal:
        return unscaled if abs(unscaled) < 10**leaf.precision else None
    half = 1 << 8 * BY_KIND[leaf.kind].width - 1
    return unscaled if -half <= unscaled < half else None


def row(level: Level, slot: Slot) -> dict[str, Any]:
    """Return a slot as a row of nested columns: groups by name, LISTs with `list` and `element`.

    Leaves have the types of plans: a decimal16 as 16 bytes big-endian, text as UTF-8, floats as their
    bytes, little-endian.
    """
    held: dict[str, Any] = {RESIDUAL[level.layout]: slot.residual} if level.residual else {}
    names = ("object", "array") if level.layout == DRAFT else ("typed_value", "typed_value")
    if level.leaf is not None:
        held["typed_value"] = None if slot.typed is None else physical(level.leaf.kind, slot.typed)
    if level.fields is not None:
        held[names[0]] = slot.fields and {
            name: None if inner is None else row(under, inner)
            for (name, under), inner in zip(level.fields, slot.fields, strict=True)
        }
    if level.element is not None:
        element = level.element
        held[names[1]] = None
        if slot.items is not None:
            items = [{"element": None if item is None else row(element, item)} for item in slot.items]
            held[names[1]] = {"list": items}
    return held


def physical(kind: str, value: Any) -> Any:
    """Return the stored form of a typed value."""
    if kind == "string":
        return value.encode("utf-8")
    if kind == "decimal16":
        return value.to_bytes(16, "big", signed=True)
    if kind in ("float", "double"):
        return value.to_bytes(BY_KIND[kind].width, "little")
    return value
