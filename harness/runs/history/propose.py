"""What to change in `corpora/known` after a run: entries that hold no longer, findings that are not listed.

* An entry of which nothing fails any more gets the version seen as the end of its range (`<4.3.1`), or goes
  if it could not have held in an earlier one.
* One that has expired, and still fails, gets another date.
* A finding becomes an entry, `to be looked at`, that expires: by its case where that has a name that lasts,
  else by its signature. What is flaky does not.
"""

from __future__ import annotations

import datetime as dt
import difflib
import os.path
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpora.known_failures import (
    VERDICTS,
    Entry,
    Judged,
    examine,
    match,
    read,
    version_key,
)
from corpora.known_text import Edits, edited
from harness.engines.naming import switches_of
from harness.judging.results import load_run, read_findings, read_rows
from harness.judging.signature import Signature
from harness.runs.history.records import FLAKY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from harness.judging.results import Finding, Row

REASON = "to be looked at"
_GENERATED = "generated/"
_LOWER = re.compile(r"\s*(>=|>|!=)\s*(.*)")


@dataclass(frozen=True)
class Change:
    """A file of known failures, as it is ("" if it is not there) and as it would be."""

    file: Path
    before: str
    after: str

    @property
    def diff(self) -> str:
        """Return the change as a unified diff."""
        before, after = (text.splitlines(keepends=True) for text in (self.before, self.after))
        name = f"{self.file.parent.name}/{self.file.name}"
        return "".join(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))


def proposed(out: Path, known: Path, *, days: int, today: dt.date) -> list[Change]:
    """Return the changes that the results in `out` ask for; raises ResultsError, CaseError and OSError."""
    told = load_run(out)
    files = {path.stem: path for path in sorted(known.glob("*.toml"))}
    entries = {engine: read(path) for engine, path in files.items()}
    edits = {engine: Edits() for engine in entries}
    expires = today + dt.timedelta(days=days)
    said = set(told["stale"])
    every = [one for found in entries.values() for one in found]
    spoken = [one for one in every if any(line.startswith(f"{one}: ") for line in said)]
    stale = {id(one.entry): one for one in examine(spoken, _judged(out), today=dt.date.min)}
    for one in spoken:
        place = next(at for at, entry in enumerate(entries[one.engine]) if entry is one)
        if id(one) in stale:
            versions = closed(one.versions, stale[id(one)].versions[0])
            edits[one.engine].entries[place] = {"versions": versions} if versions else None
        elif one.expired(today):
            edits[one.engine].entries[place] = {"expires": expires}
    renewed = [one for one in spoken if one.expired(today) and id(one) not in stale]
    for finding, cases in _unlisted(out, renewed):
        edits.setdefault(finding.engine, Edits()).new.append(_entry(finding, cases, expires))
    return list(_changes(known, edits))


def closed(versions: str, seen: str) -> str:
    """Return a range of versions that ends before `seen`, "" if nothing would be left of it."""
    lower = [matched for part in versions.split(",") if (matched := _LOWER.fullmatch(part))]
    begins = [matched[2].strip() for matched in lower if matched[1] != "!="]
    if "==" in versions or any(version_key(one) >= version_key(seen) for one in begins):
        return ""
    return ",".join([*(matched[0].strip() for matched in lower), f"<{seen}"])


def _judged(out: Path) -> Iterator[Judged]:
    for row in read_rows(out):
        yield _judged_of(row)


def _judged_of(row: Row) -> Judged:
    detail = row.detail
    switches = switches_of(row.engine, row.config)
    signature = detail.get("signature", "")
    return Judged(row.case, row.engine, row.version, switches, row.verdict, signature, detail["features"])


def _unlisted(out: Path, renewed: Sequence[Entry]) -> Iterator[tuple[Finding, list[str]]]:
    """Yield each finding that is to be listed, of its versions the lowest, with its cases."""
    found = [one for one in read_findings(out) if one.verdict in VERDICTS and one.state != FLAKY]
    cases: dict[str, dict[str, None]] = {one.signature: {} for one in found}
    for row in read_rows(out):
        signature = row.detail.get("signature", "")
        if signature in cases and not match(renewed, _judged_of(row), today=dt.date.min):
            cases[signature][row.case] = None
    found.sort(key=lambda one: version_key(one.version))
    lowest = {one.signature: one for one in reversed(found)}
    for signature, finding in lowest.items():
        if cases[signature]:
            yield finding, list(cases[signature])


def _entry(finding: Finding, cases: Sequence[str], expires: dt.date) -> dict[str, Any]:
    """Return a finding as the fields of an entry."""
    config = Signature.of_text(finding.signature).config
    switches = dict(part.split("=", 1) for part in config.split(",") if "=" in part)
    shared = os.path.commonprefix(cases)  # noqa: RUF071 - ids, and the narrowest glob: no paths
    glob = shared if len(cases) == 1 else f"{shared}*"
    if cases[0].startswith(_GENERATED):
        glob = f"{_GENERATED}*" if all(one.startswith(_GENERATED) for one in cases) else "*"
    entry: dict[str, Any] = {"case": glob, "versions": f">={finding.version}"}
    if switches:
        entry["config"] = switches
    entry |= {"verdict": finding.verdict, "reason": REASON}
    if glob.endswith("*"):
        entry["signature"] = finding.signature
    return {**entry, "expires": expires}


def _changes(known: Path, edits: dict[str, Edits]) -> Iterator[Change]:
    for engine, made in sorted(edits.items()):
        if made.entries or made.new:
            file = known / f"{engine}.toml"
            before = file.read_text("utf-8") if file.exists() else ""
            yield Change(file, before, edited(before, made))
