"""Causes of a group: the release notes (`causes.toml`), and the evidence of the engine's switches."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from corpora.known_failures import escaped
from corpora.versions import version_in
from harness.engines.spark.options import options_of
from harness.investigate.upgrade.groups import Group

FILE = Path(__file__).with_name("causes.toml")
_FIELDS = {"id", "engine", "since", "classes", "says"}
_OPTIONAL = {"signature", "evidence", "section", "issue", "option", "url"}


class CauseError(ValueError):
    """The file of causes has another form; the message is one line."""


@dataclass(frozen=True)
class Cause:
    """An entry; `since` is the first version with the other behaviour."""

    id: str
    engine: str
    since: str
    classes: tuple[str, ...]
    says: str
    signature: str = ""
    evidence: tuple[str, ...] = ()
    section: str = ""
    issue: str = ""
    option: str = ""
    url: str = ""

    def fits(self, group: Group, engine: str, old: str, new: str) -> bool:
        """Return whether the entry may be the cause of a group."""
        if self.engine != engine or group.cls not in self.classes:
            return False
        if not (version_in(old, f"<{self.since}") and version_in(new, f">={self.since}")):
            return False
        if self.signature and fnmatchcase(group.signature, escaped(self.signature)):
            return True
        return bool(set(self.evidence) & (group.restored | group.explained))


@cache
def load(file: Path = FILE) -> tuple[Cause, ...]:
    """Return the causes; raises CauseError."""
    data = tomllib.loads(file.read_text("utf-8"))
    return tuple(_cause(raw) for raw in data["cause"])


def _cause(raw: dict[str, Any]) -> Cause:
    if not set(raw) >= _FIELDS or not set(raw) <= _FIELDS | _OPTIONAL:
        fields = ", ".join(sorted(_FIELDS))
        raise CauseError(f"{raw.get('id')!r:.80} lacks one of the fields {fields}, or has unknown fields")
    lists: dict[str, Any] = {name: tuple(raw[name]) for name in ("classes", "evidence") if name in raw}
    return Cause(**(raw | lists))


def causes_of(group: Group, engine: str, old: str, new: str) -> Iterator[dict[str, str]]:
    """Yield the causes of a group: `says`, and where known `section`, `issue`, `option` and `url`.

    If no entry fits, the switches that restore or explain the behaviour are the causes.
    """
    causes = [cause for cause in load() if cause.fits(group, engine, old, new)]
    for cause in causes:
        names = ("says", "section", "issue", "option", "url")
        yield {"id": cause.id, **{name: getattr(cause, name) for name in names if getattr(cause, name)}}
    if not causes:
        for config in sorted(group.restored):
            says = f"Under {config} the new version does what the old one does by default."
            option = options_of(engine, group.smallest["format"], config)
            yield {"id": "", "says": says, **({"option": option} if option else {})}
        for config in sorted(group.explained - group.restored):
            yield {"id": "", "says": f"Under {config} the old version does what the new one does by default."}
