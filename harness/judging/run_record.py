"""The record of a run, and its JSON form, `run.json`.

Versions of the form only ever add: a key that an older version lacks is read as its default here, and a key
that is not known is ignored. Records newer than we know are refused (`results.load_run`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, Self

SCHEMA_VERSION = 3


class RanOn(NamedTuple):
    """The Spark master of a run, None for threads, and where its stages work, None for its own folder."""

    master: str | None = None
    workdir: str | None = None


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """The request and the results of a run; `finished` is None until its results are whole.

    `settings` decide the results; their key is `asked`. `engines` have `name`, `version`, `config` and
    `runtime`, `unavailable` have `engine`, `reason` and `mend`. `digests` has lines and SHA-256 of each file
    of results. `not_asked` has `engine`, `question` and `reason` of what colconf cannot put to a version.
    `not_generated` names the groups of files in whose generation colconf makes a mistake.
    `rounds` and `spent` (seconds) are those of a night, `history` that of a run with a history.
    A field that is None by default has no key until it has a value.
    """

    schema_version: int = SCHEMA_VERSION
    id: str
    started: str
    finished: str | None = None
    arguments: list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    engines: list[dict[str, str]] = field(default_factory=list)
    unavailable: list[dict[str, str]] = field(default_factory=list)
    pipeline: RanOn = field(default_factory=RanOn)
    counts: dict[str, Any] = field(default_factory=dict)
    seeds: list[int] = field(default_factory=list)
    colconf: str = ""
    rounds: list[dict[str, Any]] | None = None
    spent: float | None = None
    stale: list[str] | None = None
    rules_broken_by_writers: list[dict[str, Any]] | None = None
    dataset: bool | None = None
    digests: dict[str, Any] | None = None
    history: dict[str, Any] | None = None
    not_asked: list[dict[str, str]] | None = None
    not_generated: list[str] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        given = {name: value for name, value in vars(self).items() if value is not None or name not in _LATER}
        return {_KEYS.get(name, name): value for name, value in given.items()} | {
            "pipeline": self.pipeline._asdict()
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON form; raises TypeError."""
        keys = {entry.name: _KEYS.get(entry.name, entry.name) for entry in fields(cls)}
        known = {name: data[key] for name, key in keys.items() if key in data}
        pipeline = RanOn(**data.get("pipeline", {}))
        return cls(**{"stale": [], "rules_broken_by_writers": [], **known, "pipeline": pipeline})


_KEYS = {"settings": "asked"}
_LATER = {entry.name for entry in fields(RunRecord) if entry.default is None} - {"finished"}
