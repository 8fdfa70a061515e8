"""Differences that people have looked at: a TOML file, strict, which the gate is held against.

    [[reviewed]]
    signature = "spark | accepts | …"   # of a group, in full or with `*` for any text
    reason = "our jobs read no dates before 1582"
    reviewer = "ana"
    date = 2027-01-31
    expires = 2027-07-31                # optional; from the next day on it is to be looked at again

What has no reason or reviewer has not been reviewed: such an entry, and one with a field that is not listed,
is an error and not a signature.
"""

from __future__ import annotations

import datetime as dt
import json
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from harness.investigate.upgrade.groups import Group

_REQUIRED = {"signature", "reason", "reviewer", "date"}
_OPTIONAL = {"expires"}
_MEND = "restore it from a copy, or have `--propose` write what is to be reviewed"


class BaselineError(ValueError):
    """A baseline that cannot be used; the message is one line."""


@dataclass(frozen=True)
class Reviewed:
    """A difference that was looked at, by whom, when, and why it may stay."""

    signature: str
    reason: str
    reviewer: str
    date: dt.date
    expires: dt.date | None = None

    def covers(self, signature: str) -> bool:
        """Return whether this is the difference; only `*` is special."""
        glob = "".join(f"[{sign}]" if sign in "[?" else sign for sign in self.signature)
        return fnmatchcase(signature, glob)

    def expired(self, today: dt.date) -> bool:
        """Return whether its last day has passed."""
        return self.expires is not None and self.expires < today


def read(path: Path) -> list[Reviewed]:
    """Read a baseline; raises BaselineError."""
    try:
        text = path.read_text("utf-8")
        if not text.strip("\0 \r\n"):  # NUL: what some file systems leave after a power cut
            raise BaselineError(f"{path}: it is empty; {_MEND}")
        data = tomllib.loads(text)
    except OSError as error:
        raise BaselineError(f"{path}: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise BaselineError(f"{path}: {' '.join(str(error).split())}; {_MEND}") from error
    entries = data.pop("reviewed", [])
    if data or not isinstance(entries, list):
        raise BaselineError(
            f"{path}: has {', '.join(sorted(data)) or 'no list'}, where only reviewed is known"
        )
    found = [_entry(path, number, raw) for number, raw in enumerate(entries, 1)]
    seen: set[str] = set()
    for one in found:
        if one.signature in seen:
            raise BaselineError(f"{path}: {one.signature!r:.200} is there twice")
        seen.add(one.signature)
    return found


def _entry(path: Path, number: int, raw: Any) -> Reviewed:
    where = f"{path}: entry {number}"
    if not isinstance(raw, dict):
        raise BaselineError(f"{where} is {raw!r:.80}, not a table")
    if missing := sorted(_REQUIRED - set(raw)):
        raise BaselineError(f"{where} lacks {', '.join(missing)}")
    if unknown := sorted(set(raw) - _REQUIRED - _OPTIONAL):
        raise BaselineError(f"{where} has unknown fields {', '.join(unknown)}")
    for name in ("signature", "reason", "reviewer"):
        if not isinstance(raw[name], str) or not raw[name].strip():
            raise BaselineError(f"{where}: {name} is empty; say it, or take the entry out")
    for name in ("date", "expires"):
        if type(raw.get(name, dt.date.min)) is not dt.date:
            raise BaselineError(f"{where}: {name} is {raw[name]!r:.40}, not a date such as 2027-01-31")
    return Reviewed(**raw)


def sign_off(
    groups: Iterable[Group], entries: Sequence[Reviewed], today: dt.date
) -> tuple[dict[str, Reviewed], list[tuple[Reviewed, str]]]:
    """Return the entry of each group that is reviewed, by signature, and the entries that are of no use, why.

    An entry that has expired covers nothing any more.
    """
    found: dict[str, Reviewed] = {}
    used: set[Reviewed] = set()
    for group in groups:
        fitting = [one for one in entries if one.covers(group.signature)]
        used.update(fitting)
        valid = [one for one in fitting if not one.expired(today)]
        if valid:
            found[group.signature] = valid[0]
    useless = [(one, "it no longer occurs") for one in entries if one not in used]
    useless += [
        (one, f"it expired on {one.expires}") for one in entries if one in used and one.expired(today)
    ]
    return found, useless


def proposal(groups: Iterable[Group], today: dt.date) -> str:
    """Return a baseline's text of groups, to be reviewed: reason and reviewer are for people to write."""
    lines = [
        "# Differences that nobody has reviewed: write who looked at each and why it may stay.",
    ]
    for group in groups:
        at = group.smallest
        lines += [
            "",
            f"# {group.cls}, {group.right}, {len(group.cases)} cases; {_plain(at['case'])}",
            f"#   {_plain(at['path'])}: {_plain(at['old'])} → {_plain(at['new'])}",
            "[[reviewed]]",
            f"signature = {_quoted(group.signature)}",
            'reason = ""',
            'reviewer = ""',
            f"date = {today}",
        ]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return "".join(one if one.isprintable() else " " for one in " ".join(text.split()))[:200]


def _quoted(text: str) -> str:
    """Return a basic string of TOML: JSON's escapes are TOML's, but for surrogates and DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
