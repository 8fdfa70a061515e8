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
from typing import Any

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


def reached(value: Struct) -> Iterator[str]:
    """Yield the items that a struct and its nested structs reach; required fields count as present."""
    is_union = isinstance(value, Union)
    for row in table_of(type(value)).rows:
        place = f"field/{type(value).__name__}.{row.name}"
        item = getattr(value, row.name)
        if not (is_union and item is None):
            yield f"{place}/{'absent' if item is None or item == () else 'present'}"
        for element in item if isinstance(item, (list, tuple)) else [item]:
            yield from _of(place, element)


def _of(place: str, item: Any) -> Iterator[str]:
    if isinstance(item, Struct):
        yield from reached(item)
    elif isinstance(item, IntEnum):
        yield f"{place}/{item.name}"
    elif isinstance(item, bool):
        yield f"{place}/{str(item).lower()}"


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
