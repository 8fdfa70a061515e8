"""Cases of ours that turned out wrong: skipped and shown with the reason, until they are mended.

    [[case]]
    id = "parquet/page/index-page/last"
    reason = "the specification leaves open what a reader does with such a page"
    since = 2026-11-27

An entry takes a case out of all verdicts. The lint names entries without a case, and those older than `DAYS`.
"""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from corpora.cases import Case, CaseError

FILE = Path(__file__).parent / "quarantine.toml"
DAYS = 90  # in which a case is mended
_MEMBERS = {"id", "reason", "since"}


class Quarantined(NamedTuple):
    """A case that is wrong, and why; `since` is the day on which that was seen."""

    id: str
    reason: str
    since: dt.date

    def __str__(self) -> str:
        return f"quarantined since {self.since}: {self.reason}"


def of(case: Case, path: Path = FILE) -> Quarantined | None:
    """Return the entry of a recorded case, None if it is sound; raises CaseError for a damaged list."""
    return load(path).get(case.id)


@cache
def load(path: Path = FILE) -> Mapping[str, Quarantined]:
    """Return the entries by the ids of their cases; raises CaseError, which names the file."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise CaseError(f"{path.name}: {error}") from error
    if set(data) - {"case"}:
        raise CaseError(f"{path.name}: {', '.join(sorted(set(data) - {'case'}))}: only entries [[case]]")
    entries: dict[str, Quarantined] = {}
    listed = data.get("case", [])
    for raw in listed if isinstance(listed, list) else [listed]:
        if not _is_entry(raw):
            raise CaseError(f"{path.name}: {raw!r:.100}: an entry has an id, a reason, and a date since")
        if raw["id"] in entries:
            raise CaseError(f"{path.name}: {raw['id']} appears twice")
        entries[raw["id"]] = Quarantined(**raw)
    return entries


def _is_entry(raw: object) -> bool:
    if not isinstance(raw, dict) or set(raw) != _MEMBERS or type(raw["since"]) is not dt.date:
        return False
    return all(isinstance(raw[name], str) and raw[name].strip() for name in ("id", "reason"))


def problems(path: Path, today: dt.date) -> Iterator[str]:
    """Yield a line for each entry that is of no case, or is too old; the cases lie beside the list."""
    try:
        entries = load(path)
    except CaseError as error:
        yield str(error)
        return
    for entry in entries.values():
        if not (path.parent / f"{entry.id}.json").is_file():
            yield f"{path.name}: {entry.id}: there is no such case; remove the entry"
        if (today - entry.since).days > DAYS:
            yield f"{path.name}: {entry.id}: for more than {DAYS} days; mend the case, or remove it"
