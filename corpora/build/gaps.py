"""Gaps of coverage: required items that a corpus does not reach, and waivers without need.

Items are paths, such as `encoding/PLAIN/INT32/v1/list`; waivers (`waivers.d`, by format) are items or globs,
each with a reason. A required item that is neither reached nor waived is a gap. A waiver of a reached item,
or of an item that is not required, is an error too.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from corpora.cases import CaseError


def waivers(path: Path) -> Mapping[str, str]:
    """Return the waivers of a format, reasons by item or glob; raises CaseError."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise CaseError(f"{path.name}: {error}") from error
    if set(data) != {"waiver"}:
        raise CaseError(f"{path.name}: tables {sorted(data)}, not waiver")
    reasons: dict[str, str] = {}
    for raw in data["waiver"]:
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
