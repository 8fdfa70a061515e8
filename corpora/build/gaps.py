"""What a corpus does not reach and should, minus what is waived: both ways.

Items are paths, such as `encoding/PLAIN/INT32/v1/list`; waivers (`waivers.d`, by format) are items or globs,
each with its reason. What is required, neither reached nor waived, is a gap; a waiver of something that is
reached, or that is not required, is an error too.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from corpora.cases import CaseError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


def waivers(path: Path) -> Mapping[str, str]:
    """Read the waivers of a format, reasons by item or glob; raises CaseError."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise CaseError(f"{path.name}: {error}") from error
    if set(data) != {"waiver"}:
        raise CaseError(f"{path.name}: tables {sorted(data)}, not waiver")
    found: dict[str, str] = {}
    for raw in data["waiver"]:
        if set(raw) != {"item", "reason"} or not all(isinstance(text, str) and text for text in raw.values()):
            raise CaseError(f"{path.name}: {raw!r:.80} is not item and reason")
        if raw["item"] in found:
            raise CaseError(f"{path.name}: {raw['item']} stands there twice")
        found[raw["item"]] = raw["reason"]
    return found


def gaps(needed: set[str], got: set[str], waived: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each item that is missing, and for each waiver that is not needed."""
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
