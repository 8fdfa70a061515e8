"""Edits of TOML (known failures above all) that preserve the comments, order and spelling of the rest.

The text is split into entries, each from its `[[failure]]` to its last line. A comment directly above an
entry belongs to the entry; a comment with an empty line below it belongs to the section and stays. The result
is parsed again: an edit that would change anything else raises CaseError.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from corpora import known_failures
from corpora.cases import CaseError
from corpora.files import write_whole
from corpora.known_failures import Entry

_BEGINS = "[[failure]]"
_DELIMITER = re.compile(r"'''|\"\"\"")
_KEY = re.compile(r"([a-z]+)\s*=")
_AFTER = {"versions": "case", "expires": "reason"}  # the key after which a new key is inserted
_BASIC = re.compile(r"[\x7f-\x9f\ud800-\udfff]")


@dataclass
class Edits:
    """Changes to a file: by the index of an entry, keys to set, or None to remove it; and new entries.

    A key that is set to None is removed.
    """

    entries: dict[int, Mapping[str, Any] | None] = field(default_factory=dict)
    new: list[Mapping[str, Any]] = field(default_factory=list)


def with_versions(entry: Entry, versions: str, folder: Path | None = None) -> Path:
    """Write the range of versions (all: "") into an entry, which is known by all but its versions and date.

    Returns the file, whose other lines are unchanged. Raises CaseError.
    """
    file = (folder or known_failures.FOLDER) / f"{entry.engine}.toml"
    places = [
        place for place, known in enumerate(known_failures.read(file)) if _undated(known) == _undated(entry)
    ]
    if not places:
        raise CaseError(f"{file}: no entry of {entry.case} ({entry.verdict})")
    write_ranges(file, {places[0]: versions})
    return file


def write_ranges(file: Path, versions: Mapping[int, str]) -> None:
    """Write ranges of versions (all: "") into the entries at some places of a file; raises CaseError."""
    edits = Edits({place: {"versions": text or None} for place, text in versions.items()})
    write_whole(file, edited(file.read_text("utf-8"), edits))


def _undated(entry: Entry) -> Entry:
    return replace(entry, versions="", expires=None)


def edited(text: str, edits: Edits) -> str:
    """Return the text of a file after some edits; raises CaseError."""
    head, *blocks = _blocks(text)
    out = head
    for place, block in enumerate(blocks):
        change = edits.entries.get(place, {})
        out += _left_above(block) if change is None else _set(block, change)
    out = out.rstrip("\n") + "\n" if out.strip() else ""
    for entry in edits.new:
        out += ("\n" if out else "") + rendered(entry)
    _check(text, out, edits)
    return out


def rendered(entry: Mapping[str, Any]) -> str:
    """Return an entry as text."""
    return "".join([f"{_BEGINS}\n", *(f"{key} = {quoted(value)}\n" for key, value in entry.items())])


def _blocks(text: str) -> list[str]:
    """Return the text before the first entry, usually "", then each entry with the comments above it."""
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
        for delimiter in _DELIMITER.findall("" if not inside and line.startswith("#") else line):
            inside = "" if delimiter == inside else inside or delimiter
    return ["".join(lines) for lines in blocks]


def _is_between(line: str) -> bool:
    return not line.strip() or line.startswith("#")


def _left_above(block: str) -> str:
    """Return the text that remains of a removed entry: the comments above it that belong to the section."""
    lead = block[: block.index(_BEGINS)]
    cut = lead.rfind("\n\n")
    comments = lead[: cut + 1] if cut >= 0 else "" if lead.lstrip("\n").startswith("#") else lead
    return comments if comments.strip() else ""


def _set(block: str, values: Mapping[str, Any]) -> str:
    for key, value in values.items():
        lines = block.splitlines(keepends=True)
        keys = {matched[1]: place for place, line in _top(lines) if (matched := _KEY.match(line))}
        line = "" if value is None else f"{key} = {quoted(value)}\n"
        if key in keys:
            lines[keys[key]] = line
        else:
            lines.insert(keys[_AFTER[key]] + 1, line)
        block = "".join(lines)
    return block


def _top(lines: list[str]) -> list[tuple[int, str]]:
    """Return the lines that are not inside a multi-line string."""
    top, inside = [], ""
    for place, line in enumerate(lines):
        if not inside:
            top.append((place, line))
        for delimiter in _DELIMITER.findall(line):
            inside = "" if delimiter == inside else inside or delimiter
    return top


def quoted(value: Any) -> str:
    """Return a value as TOML: JSON's escapes are TOML's, but for control characters and surrogates."""
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {quoted(item)}" for key, item in value.items()) + " }"
    return _BASIC.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def _check(before: str, after: str, edits: Edits) -> None:
    try:
        old = tomllib.loads(before).get("failure", [])
        new = tomllib.loads(after).get("failure", [])
    except tomllib.TOMLDecodeError as error:
        raise CaseError(f"the result of the edit is not TOML: {error}") from error
    changes = [(entry, edits.entries.get(place, {})) for place, entry in enumerate(old)]
    merged = ({**entry, **change} for entry, change in changes if change is not None)
    wanted = [{key: value for key, value in entry.items() if value is not None} for entry in merged]
    if new != [*wanted, *map(dict, edits.new)]:
        raise CaseError("the edit would change more than it should; edit the file by hand")
