"""Coverage of a format's structs: optional fields, members of unions and enums; and the gaps of coverage.

Items are paths, such as `encoding/PLAIN/INT32/v1/list`; waivers (`waivers.d`, by format) are items or globs,
each with a reason. A required item that is neither reached nor waived is a gap. A waiver of a reached item,
or of an item that is not required, is an error too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from corpora.case_fields import rows_of
from corpora.cases import CaseError
from reference_impl.wire.table import BOOL, ListOf, Row, Struct, Union, table_of


def required(roots: Iterable[type[Struct]]) -> Iterator[str]:
    """Yield for all structs below `roots` the optional fields, present and absent, and all members."""
    for cls in _reachable(roots):
        is_union = issubclass(cls, Union)
        for row in table_of(cls).rows:
            place = f"field/{cls.__name__}.{row.name}"
            if is_union or not row.required:
                yield f"{place}/present"
            if not is_union and not row.required:
                yield f"{place}/absent"
            wire = _element(row)
            if isinstance(wire, type) and issubclass(wire, IntEnum):
                yield from (f"{place}/{member.name}" for member in wire)
            if wire is BOOL:
                yield from (f"{place}/true", f"{place}/false")


def reached(value: Struct) -> set[str]:
    """Return the items that a struct and its nested structs reach; required fields count as present."""
    items: set[str] = set()
    _add(items, value)
    return items


class _Field(NamedTuple):
    """A field: its name, its items, and those of the values that are counted; `absent` is "" of a union."""

    name: str
    present: str
    absent: str
    nested: bool
    values: Mapping[int, str]


_FIELDS: dict[type[Struct], list[_Field]] = {}


def _add(items: set[str], value: Struct) -> None:
    for field in _fields(type(value)):
        item = getattr(value, field.name)
        if item is None or (isinstance(item, tuple) and not item):
            if field.absent:
                items.add(field.absent)
            continue
        items.add(field.present)
        if not (field.nested or field.values):
            continue
        for element in item if isinstance(item, (list, tuple)) else [item]:
            if field.nested:
                _add(items, element)
            elif isinstance(element, (IntEnum, bool)):  # not a number without a member
                items.add(field.values[element])


def _fields(cls: type[Struct]) -> list[_Field]:
    """Return the fields of a struct with their items, built at first use."""
    if cls in _FIELDS:
        return _FIELDS[cls]
    fields = _FIELDS[cls] = []
    for row in table_of(cls).rows:
        place, wire = f"field/{cls.__name__}.{row.name}", _element(row)
        values: dict[int, str] = {}
        if isinstance(wire, type) and issubclass(wire, IntEnum):
            values = {member: f"{place}/{member.name}" for member in wire}
        elif wire is BOOL:
            values = {True: f"{place}/true", False: f"{place}/false"}
        absent = "" if issubclass(cls, Union) else f"{place}/absent"
        nested = isinstance(wire, type) and issubclass(wire, Struct)
        fields.append(_Field(row.name, f"{place}/present", absent, nested, values))
    return fields


def _element(row: Row) -> Any:
    return row.wire.element if isinstance(row.wire, ListOf) else row.wire


def _reachable(roots: Iterable[type[Struct]]) -> list[type[Struct]]:
    reachable: list[type[Struct]] = []
    left: list[Any] = list(roots)
    while left:
        cls = left.pop()
        if isinstance(cls, type) and issubclass(cls, Struct) and cls not in reachable:
            reachable.append(cls)
            left += map(_element, table_of(cls).rows)
    return reachable


def waivers(path: Path) -> Mapping[str, str]:
    """Return the waivers of a format, reasons by item or glob; raises CaseError."""
    reasons: dict[str, str] = {}
    for raw in rows_of(path, "waiver"):
        if set(raw) != {"item", "reason"} or not all(isinstance(text, str) and text for text in raw.values()):
            raise CaseError(f"{path.name}: {raw!r:.80} is not item and reason")
        if raw["item"] in reasons:
            raise CaseError(f"{path.name}: {raw['item']} appears twice")
        reasons[raw["item"]] = raw["reason"]
    return reasons


def gaps(needed: set[str], got: set[str], waived: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each missing item, and for each waiver without need."""
    missing = needed - got
    matched: dict[str, set[str]] = defaultdict(set)
    for glob in waived:
        matched[glob] = {item for item in needed if item == glob or fnmatchcase(item, glob)}
    for item in sorted(missing - set().union(*matched.values())):
        yield f"coverage: nothing reaches {item}"
    for glob, items in matched.items():
        if not items:
            yield f"waivers: {glob} is not required"
        yield from (f"waivers: {item} is reached" for item in sorted(items & got))
