"""Reconstructing shredded Variants (VariantShredding.md, "Reconstructing a Shredded Variant").

A shredded value is a `Slot`: a residual binary and the contents of typed columns, by a `Level` of the
schema. Two layouts are distinguished by the names of their columns:

    v1          value          typed_value: a column, a group of named fields, or a LIST     (as adopted)
    draft-2024  variant_value  typed_value: a column, object: named fields, array: a LIST    (before)

They differ in the meaning of nulls. In v1, a field is missing if neither column is set; in the draft,
it is missing if its group is null, and a group of nulls is a Variant null.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from reference_impl.errors import Malformed
from reference_impl.variant.encoding import decode
from reference_impl.variant.metadata import Metadata
from reference_impl.variant.values import NULL, Array, Object, Primitive, Value, object_of

V1, DRAFT = "v1", "draft-2024"
LAYOUTS = (V1, DRAFT)
RESIDUAL = {V1: "value", DRAFT: "variant_value"}


class Leaf(NamedTuple):
    """The type of a `typed_value` column: a kind of Variant, and the precision and scale of a decimal."""

    kind: str
    precision: int = 0
    scale: int = 0


@dataclass(frozen=True)
class Level:
    """The shredding of a value; in v1 at most one of `leaf`, `fields` and `element` is set.

    `residual`: there is a column of binaries. `leaf`: the column of typed values; `fields`: of an object;
    `element`: of an array.
    """

    layout: str = V1
    residual: bool = True
    leaf: Leaf | None = None
    fields: tuple[tuple[str, Level], ...] | None = None
    element: Level | None = None


class Slot(NamedTuple):
    """The contents of the columns of a level for a value; None if a column is null or absent.

    `residual`: a binary. `typed`: the `Primitive.value` of the leaf's kind. `fields`: a slot for each field
    of the level, in its order, None where its group is null. `items`: a slot for each element.
    """

    residual: bytes | None = None
    typed: Any = None
    fields: tuple[Slot | None, ...] | None = None
    items: tuple[Slot | None, ...] | None = None


class Reading(StrEnum):
    """The strictness of reading a shredded Variant.

    `RIGHT` refuses what the specification calls invalid. `WRITTEN` refuses also a missing value that is
    required of writers, though "readers must return a Variant null". `ANY` accepts what a
    reader may choose to read: a value in both `typed_value` and the residual, where "the `typed_value` column
    must be used", a residual of a type that is shredded, and a group that is null.
    """

    RIGHT = "right"
    WRITTEN = "written"
    ANY = "any"


def construct(level: Level, slot: Slot, metadata: Metadata, reading: Reading = Reading.RIGHT) -> Value:
    """Return the value of a Variant; raises Malformed (PQ-VARIANT-012 to -018) as `reading` demands."""
    value = _Construction(metadata, reading).value(level, slot, "")
    return _missing("a Variant", reading) if value is None else value


def optional_group(name: str) -> Malformed:
    """Return the error of a field's or an element's group that "must use repetition level `required`"."""
    return Malformed(f"the group {name!r:.60} is not required", rule="PQ-VARIANT-018")


def _missing(what: str, reading: Reading) -> Primitive:
    if reading == Reading.WRITTEN:
        raise Malformed(f"{what} has neither value nor typed_value", rule="PQ-VARIANT-016")
    return NULL


class _Construction(NamedTuple):
    metadata: Metadata
    reading: Reading

    def value(self, level: Level, slot: Slot | None, name: str) -> Value | None:
        """Return the value of a slot, the group `name`; None if it is missing."""
        if slot is None:  # in the draft, a null group is a missing field
            if level.layout == V1 and self.reading != Reading.ANY:
                raise optional_group(name)
            return None
        shredded = [part for part in (slot.typed, slot.fields, slot.items) if part is not None]
        if len(shredded) > 1:
            raise Malformed("more than one of object, array and typed_value is set", rule="PQ-VARIANT-012")
        residual = None if slot.residual is None else decode(slot.residual, self.metadata)
        if slot.fields is not None:
            return self.object(level, slot.fields, residual)
        if shredded and residual is not None and self.reading != Reading.ANY:
            message = "value and typed_value are both set, and it is no shredded object"
            raise Malformed(message, rule="PQ-VARIANT-012")
        if slot.items is not None:
            return self.array(level, slot.items)
        if slot.typed is not None:
            assert level.leaf is not None
            return Primitive(level.leaf.kind, slot.typed, level.leaf.scale)
        if residual is None:
            # "Field is Variant Null (not missing) in the reconstructed Variant", says the draft alone.
            return None if level.layout == V1 else NULL
        if level.layout == V1 and self.reading != Reading.ANY:
            _is_not_shredded(level, residual)
        return residual

    def object(self, level: Level, slots: tuple[Slot | None, ...], residual: Value | None) -> Object:
        """Return an object of shredded fields and fields in the residual."""
        assert level.fields is not None
        if residual is not None and not isinstance(residual, Object):
            if self.reading != Reading.ANY:
                raise Malformed("an object is shredded, but value is none", rule="PQ-VARIANT-013")
            residual = None
        fields: dict[str, Value] = dict(residual.fields) if residual is not None else {}
        for (name, inner), slot in zip(level.fields, slots, strict=True):
            # "the `value` column of a partially shredded object must never contain fields represented by the
            # Parquet columns in `typed_value`", even if these are null. In the draft columns have priority.
            if name in fields and level.layout == V1:
                if self.reading != Reading.ANY:
                    raise Malformed(
                        f"the shredded field {name!r:.60} is in value, too", rule="PQ-VARIANT-014"
                    )
                del fields[name]
            value = self.value(inner, slot, name)
            if value is None:
                continue
            if name not in self.metadata.ids:
                raise Malformed(f"the metadata have no name {name!r:.60}", rule="PQ-VARIANT-017")
            fields[name] = value
        return object_of(fields.items())

    def array(self, level: Level, slots: tuple[Slot | None, ...]) -> Array:
        """Return an array; "all elements of an array must be present"."""
        assert level.element is not None
        items = (self.value(level.element, slot, "element") for slot in slots)
        return Array(tuple(_missing("an element", self.reading) if item is None else item for item in items))


def _is_not_shredded(level: Level, residual: Value) -> None:
    """Refuse a residual of a type that typed_value has; the draft "is not strict about" it."""
    if isinstance(residual, Object) and level.fields is not None:
        raise Malformed("the value is an object, but typed_value is null", rule="PQ-VARIANT-015")
    if isinstance(residual, Array) and level.element is not None:
        raise Malformed("the value is an array, but typed_value is null", rule="PQ-VARIANT-015")
