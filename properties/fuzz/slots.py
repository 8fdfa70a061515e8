"""Columns of shredded Variants from bytes.

The first byte of an input selects the schema; the rest is the contents of the columns. For each level a byte
has the flags of the columns that are set (1: residual, 2: typed, 4: object, 8: array, 16: the group is null).
A residual or text follows its length, an array the number of its elements.
"""

from __future__ import annotations

from typing import Any

from reference_impl.cursor import Cursor
from reference_impl.variant.shredding import DRAFT, V1, Leaf, Level, Slot
from reference_impl.variant.values import BY_KIND, COUNTS

_KINDS = ("int64", "string", "boolean", "double", "decimal8", "uuid")
_TYPED = [Level(leaf=Leaf(kind, 18, 2 if kind == "decimal8" else 0)) for kind in _KINDS]
_AB = Level(fields=(("a", _TYPED[0]), ("b", _TYPED[1])))
_D = Level(DRAFT, leaf=Leaf("int64"))
LEVELS = (
    *_TYPED,
    _AB,
    Level(element=_TYPED[1]),
    Level(element=_AB),
    Level(fields=(("a", _AB), ("x", Level()), ("c", Level(element=_TYPED[0])))),
    Level(residual=False, fields=(("a", _AB),)),
    Level(DRAFT, True, Leaf("int64"), (("a", _D), ("b", Level(DRAFT))), _D),
)


def given(data: bytes) -> tuple[Level, Slot]:
    """Return the schema and the slot of an input; columns behind its end are not set."""
    cursor = Cursor(data)
    level = LEVELS[_byte(cursor) % len(LEVELS)]
    return level, _slot(level, cursor) or Slot()


def _byte(cursor: Cursor) -> int:
    return cursor.u8() if cursor.remaining else 0


def _some(cursor: Cursor, most: int) -> bytes:
    return bytes(cursor.take(min(_byte(cursor), most, cursor.remaining)))


def _slot(level: Level, cursor: Cursor) -> Slot | None:
    """Return a slot of the bytes; columns behind their end are not set."""
    flags = _byte(cursor)
    if flags & 16:
        return None
    residual = _some(cursor, 64) if flags & 1 and level.residual else None
    typed = _typed(level.leaf, cursor) if flags & 2 and level.leaf else None
    fields, items = None, None
    if flags & 4 and level.fields is not None:
        fields = tuple(_slot(inner, cursor) for _, inner in level.fields)
    if flags & 8 and level.element is not None and (fields is None or level.layout != V1):
        items = tuple(_slot(level.element, cursor) for _ in range(_byte(cursor) & 7))
    return Slot(residual, typed, fields, items)


def _typed(leaf: Leaf, cursor: Cursor) -> Any:
    if leaf.kind == "string":
        return _some(cursor, 8).decode("utf-8", "replace")
    width = BY_KIND[leaf.kind].width
    raw = bytes(cursor.take(min(width, cursor.remaining))).ljust(width, b"\0")
    if leaf.kind == "boolean":
        return bool(_byte(cursor) & 1)
    if leaf.kind == "decimal8":
        return int.from_bytes(raw, "little", signed=True) % 10**18
    return raw if leaf.kind == "uuid" else int.from_bytes(raw, "little", signed=leaf.kind in COUNTS)
