"""Edits of a file of known failures that leave the rest of it as it was written: comments, order, spelling.

The file is cut into entries as text, each from its `[[failure]]` to its last line; a comment right above an
entry is the entry's, one with an empty line below it is of the section and stays. The result is read again:
an edit that would change anything else raises CaseError.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from corpora.cases import CaseError

if TYPE_CHECKING:
    from collections.abc import Mapping

_BEGINS = "[[failure]]"
_DELIMITER = re.compile(r"'''|\"\"\"")
_KEY = re.compile(r"([a-z]+)\s*=")
_AFTER = {"versions": "case", "expires": "reason"}  # where a key that was not there goes
_BASIC = re.compile(r"[\x7f-\x9f\ud800-\udfff]")


@dataclass
class Edits:
    """What to change in a file: by the place of an entry, keys to set, None to remove it; new entries."""

    entries: dict[int, Mapping[str, Any] | None] = field(default_factory=dict)
    new: list[Mapping[str, Any]] = field(default_factory=list)


def edited(text: str, edits: Edits) -> str:
    """Return the text of a file with its edits; raises CaseError."""
    blocks = _blocks(text)
    head, held = blocks[0], blocks[1:]
    made = [head]
    for place, block in enumerate(held):
        change = edits.entries.get(place, {})
        if change is None:
            made.append(_left_above(block))
        else:
            made.append(_set(block, change))
    out = "".join(made).rstrip("\n") + "\n" if "".join(made).strip() else ""
    for one in edits.new:
        out += ("\n" if out else "") + rendered(one)
    _check(text, out, edits)
    return out


def rendered(entry: Mapping[str, Any]) -> str:
    """Return an entry as text."""
    return "".join([f"{_BEGINS}\n", *(f"{key} = {_value(value)}\n" for key, value in entry.items())])


def _blocks(text: str) -> list[str]:
    """Return what stands before the first entry, "" as a rule, then each entry with what is above it."""
    blocks: list[list[str]] = [[]]
    inside = ""
    for line in text.splitlines(keepends=True):
        if not inside and line.strip() == _BEGINS:
            lead: list[str] = []
            while blocks[-1] and _is_between(blocks[-1][-1]):
                lead.insert(0, blocks[-1].pop())
            blocks.append([*lead, line])
        else:
            blocks[-1].append(line)
        for found in _DELIMITER.findall("" if not inside and line.startswith("#") else line):
            inside = "" if found == inside else inside or found
    return ["".join(lines) for lines in blocks]


def _is_between(line: str) -> bool:
    return not line.strip() or line.startswith("#")


def _left_above(block: str) -> str:
    """Return what stays of an entry that goes: the comments above it that are not its own."""
    lead = block[: block.index(_BEGINS)]
    cut = lead.rfind("\n\n")
    kept = lead[: cut + 1] if cut >= 0 else "" if lead.lstrip("\n").startswith("#") else lead
    return kept if kept.strip() else ""


def _set(block: str, values: Mapping[str, Any]) -> str:
    for key, value in values.items():
        lines = block.splitlines(keepends=True)
        keys = {matched[1]: place for place, line in _top(lines) if (matched := _KEY.match(line))}
        made = f"{key} = {_value(value)}\n"
        if key in keys:
            lines[keys[key]] = made
        else:
            lines.insert(keys[_AFTER[key]] + 1, made)
        block = "".join(lines)
    return block


def _top(lines: list[str]) -> list[tuple[int, str]]:
    """Return the lines that are not inside of a text of many lines."""
    found, inside = [], ""
    for place, line in enumerate(lines):
        if not inside:
            found.append((place, line))
        for delimiter in _DELIMITER.findall(line):
            inside = "" if delimiter == inside else inside or delimiter
    return found


def _value(value: Any) -> str:
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(one)}" for key, one in value.items()) + " }"
    return _BASIC.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def _check(before: str, after: str, edits: Edits) -> None:
    try:
        old = tomllib.loads(before).get("failure", [])
        new = tomllib.loads(after).get("failure", [])
    except tomllib.TOMLDecodeError as error:
        raise CaseError(f"the edit would not be TOML: {error}") from error
    changes = [(one, edits.entries.get(place, {})) for place, one in enumerate(old)]
    wanted = [{**one, **change} for one, change in changes if change is not None]
    if new != [*wanted, *map(dict, edits.new)]:
        raise CaseError("the edit would change more than it should; edit the file by hand")
