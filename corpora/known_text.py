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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from corpora import known_failures
from corpora.cases import CaseError
from corpora.files import write_whole
from corpora.known_failures import Entry, cases_of

_BEGINS = "[[failure]]"
_DELIMITER = re.compile(r"'''|\"\"\"")
_KEY = re.compile(r"([a-z]+)\s*=")
_AFTER = {
    "versions": "case",
    "expires": "reason",
    "subject": "reason",
}  # the key after which a new key is inserted
_case = itemgetter("case")
_BY_HAND = "the edit would change more than it should; edit the file by hand"
_BASIC = re.compile(r"[\x7f-\x9f\ud800-\udfff]")


@dataclass
class Edits:
    """Changes to a file: by the index of an entry, keys to set, or None to remove it; and new entries.

    Entries are those of `known_failures.read`, which has one for each case of a list. A key that is set to
    None is removed.
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
    """Return the text of a file after some edits; raises CaseError.

    An entry with a list of cases counts as one for each case. If some of them are changed, the cases with the
    same changes as the first stay where they are, and the others move into entries of their own behind them.
    """
    head, *blocks = _blocks(text)
    listed = [cases_of(raw) for raw in _raw(text)]
    if len(listed) != len(blocks):
        raise CaseError(_BY_HAND)
    out, place = head, 0
    for block, names in zip(blocks, listed, strict=True):
        places = range(place, place + len(names))
        out += _changed(block, names, [edits.entries.get(at, {}) for at in places])
        place = places.stop
    out = out.rstrip("\n") + "\n" if out.strip() else ""
    for entry in edits.new:
        out += ("\n" if out else "") + rendered(entry)
    _check(text, out, edits)
    return out


def _changed(block: str, names: Sequence[str], changes: Sequence[Mapping[str, Any] | None]) -> str:
    """Return an entry after the changes of its cases; the first, a finding's smallest file, stays first."""
    groups: list[tuple[Mapping[str, Any], list[str]]] = []
    for name, change in zip(names, changes, strict=True):
        if change is not None:
            same = next((group for other, group in groups if other == change), None)
            if same is None:
                groups.append((change, [name]))
            else:
                same.append(name)
    if not groups:
        return _left_above(block)
    first, *others = (
        change if len(group) == len(names) else {"case": group if len(group) > 1 else group[0], **change}
        for change, group in groups
    )
    body = block[block.index(_BEGINS) :]
    return "".join([_set(block, first), *(f"\n{_set(body, values)}" for values in others)])


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
        spans = _spans(lines)
        line = "" if value is None else f"{key} = {quoted(value)}\n"
        start, stop = spans.get(key, (spans[_AFTER[key]][1],) * 2 if key in _AFTER else (0, 0))
        block = "".join([*lines[:start], line, *lines[stop:]])
    return block


def _spans(lines: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return of each key where its lines begin and end: strings and lists may take several."""
    spans = {}
    stop = 0
    for start, line in enumerate(lines):
        if start >= stop and (matched := _KEY.match(line)):
            stop = next(
                (end for end in range(start + 1, len(lines) + 1) if _is_whole("".join(lines[start:end]))),
                len(lines),
            )
            spans[matched[1]] = (start, stop)
    return spans


def _is_whole(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def quoted(value: Any) -> str:
    """Return a value as TOML: JSON's escapes are TOML's, but for control characters and surrogates."""
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {quoted(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "".join(["[\n", *(f"  {quoted(item)},\n" for item in value), "]"])
    return _BASIC.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def _check(before: str, after: str, edits: Edits) -> None:
    """Check that each case has the fields that it had, but for its changes; raises CaseError."""
    new = iter(_singles(_raw(after)))
    place = 0
    for raw in _raw(before):
        cases = _singles([raw])
        changes = [edits.entries.get(at, {}) for at in range(place, place + len(cases))]
        place += len(cases)
        wanted = [
            {key: value for key, value in {**case, **change}.items() if value is not None}
            for case, change in zip(cases, changes, strict=True)
            if change is not None
        ]
        if sorted(wanted, key=_case) != sorted(islice(new, len(wanted)), key=_case):
            raise CaseError(_BY_HAND)
    if list(new) != _singles(edits.new):
        raise CaseError(_BY_HAND)


def _singles(entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return an entry for each case of some entries of a file."""
    return [{**raw, "case": glob} for raw in entries for glob in cases_of(raw)]


def _raw(text: str) -> list[dict[str, Any]]:
    try:
        return list(tomllib.loads(text).get("failure", []))
    except tomllib.TOMLDecodeError as error:
        raise CaseError(f"the file, or the result of the edit, is not TOML: {error}") from error
