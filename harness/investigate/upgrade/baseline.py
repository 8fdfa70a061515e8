"""Reviewed differences: a strict TOML file with which the gate compares what it finds.

    [[reviewed]]
    signature = "spark | accepts | …"   # of a group, in full or with `*` for any text
    reason = "our jobs read no dates before 1582"
    reviewer = "ana"
    date = 2027-01-31
    expires = 2027-07-31                # optional; from the next day on the difference needs a review again

An entry without reason or reviewer, or with an unknown field, is an error: it is not a review.
"""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from corpora.known_text import quoted
from corpora.problem import UserError
from harness.investigate.upgrade.groups import Group
from harness.listings.text import display_name

_REQUIRED = {"signature", "reason", "reviewer", "date"}
_OPTIONAL = {"expires"}
_MEND = "restore it from a copy, or have `--propose` write what is to be reviewed"


class BaselineError(UserError, ValueError):
    """A baseline that cannot be used; the message is one line."""


@dataclass(frozen=True)
class Reviewed:
    """A reviewed difference: the reviewer, the date, and the reason why it may stay."""

    signature: str
    reason: str
    reviewer: str
    date: dt.date
    expires: dt.date | None = None

    def covers(self, signature: str) -> bool:
        """Return whether the entry is about the difference; only `*` is special."""
        glob = "".join(f"[{sign}]" if sign in "[?" else sign for sign in self.signature)
        return fnmatchcase(signature, glob)

    def expired(self, today: dt.date) -> bool:
        """Return whether the last day of the entry has passed."""
        return self.expires is not None and self.expires < today


def read(path: Path) -> list[Reviewed]:
    """Return the entries of a baseline; raises BaselineError."""
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
    reviewed = [_entry(path, number, raw) for number, raw in enumerate(entries, 1)]
    seen: set[str] = set()
    for entry in reviewed:
        if entry.signature in seen:
            raise BaselineError(f"{path}: {entry.signature!r:.200} appears twice")
        seen.add(entry.signature)
    return reviewed


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
            raise BaselineError(f"{where}: {name} is empty; fill it in, or remove the entry")
    for name in ("date", "expires"):
        if type(raw.get(name, dt.date.min)) is not dt.date:
            raise BaselineError(f"{where}: {name} is {raw[name]!r:.40}, not a date such as 2027-01-31")
    return Reviewed(**raw)


def sign_off(
    groups: Iterable[Group], entries: Sequence[Reviewed], today: dt.date
) -> tuple[dict[str, Reviewed], list[tuple[Reviewed, str]]]:
    """Return the entry of each reviewed group, by signature, and the entries without effect with the reason.

    An expired entry covers nothing.
    """
    signed: dict[str, Reviewed] = {}
    used: set[Reviewed] = set()
    for group in groups:
        fitting = [entry for entry in entries if entry.covers(group.signature)]
        used.update(fitting)
        valid = [entry for entry in fitting if not entry.expired(today)]
        if valid:
            signed[group.signature] = valid[0]
    useless = [(entry, "it no longer occurs") for entry in entries if entry not in used]
    useless += [
        (entry, f"it expired on {entry.expires}")
        for entry in entries
        if entry in used and entry.expired(today)
    ]
    return signed, useless


def proposal(groups: Iterable[Group], today: dt.date) -> str:
    """Return the text of a baseline of groups; people write reason and reviewer."""
    lines = [
        "# Unreviewed differences: write for each who reviewed it, and why it is acceptable.",
    ]
    for group in groups:
        at = group.smallest
        name = display_name(at["case"], at["file"])
        lines += [
            "",
            f"# {group.cls}, {group.right}, {len(group.cases)} cases; {_plain(name)}",
            f"#   {_plain(at['path'])}: {_plain(at['old'])} → {_plain(at['new'])}",
            "[[reviewed]]",
            f"signature = {quoted(group.signature)}",
            'reason = ""',
            'reviewer = ""',
            f"date = {today}",
        ]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in " ".join(text.split()))[:200]
