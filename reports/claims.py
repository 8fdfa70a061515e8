"""Claims about what implementations support, compared with the evidence of cases.

A file of claims is YAML in the form of the Parquet project's implementation-status page, one document or
a list of documents for several implementations:

    engine_id: arrow                      # or the name of an engine of ours: pyarrow
    support:
      encoding-byte-stream-split:
        status: full                      # or read, write, none, unknown
        since_version_read: "16.0.0"      # optional, and since_version_write

`since_version_*` claims that older versions lack the feature.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml
from packaging.version import InvalidVersion, Version

from corpora.problem import UserError
from reports.status_model import UNKNOWN, Cell

CONFIRMED, OVER, UNDER = "confirmed", "over-claimed", "under-claimed"
COMPARISONS = (CONFIRMED, OVER, UNDER, UNKNOWN)
YES, NO = "yes", "no"
_LARGEST = 4 << 20
_READING = {"full": YES, "read": YES, "write": NO, "none": NO}
_WRITING = {"full": YES, "read": NO, "write": YES, "none": NO}


class ClaimsError(UserError, ValueError):
    """A file does not contain claims; the message has one line."""


@dataclass(frozen=True)
class Claim:
    """The claim about one feature; versions are "" where the file names none."""

    status: str
    since_read: str = ""
    since_write: str = ""


@dataclass(frozen=True)
class Claims:
    """Claims by engine of colconf and by feature."""

    by_engine: Mapping[str, Mapping[str, Claim]]

    def of(self, engine: str, version: str, feature: str) -> tuple[str, str]:
        """Return the claims about reading and about writing: YES, NO, or "" without a claim."""
        claim = self.by_engine.get(engine, {}).get(feature)
        if claim is None:
            return "", ""
        reading, writing = _READING.get(claim.status, ""), _WRITING.get(claim.status, "")
        return _since(reading, claim.since_read, version), _since(writing, claim.since_write, version)


def load(paths: tuple[Path, ...], implementations: Mapping[str, tuple[str, ...]]) -> Claims:
    """Return the claims of some files; raises ClaimsError.

    `implementations` maps the name of an implementation in claims to engines of colconf.
    """
    by_engine: dict[str, dict[str, Claim]] = {}
    for path in paths:
        for implementation, claims in _documents(path):
            for engine in implementations.get(implementation, (implementation,)):
                by_engine.setdefault(engine, {}).update(claims)
    return Claims(by_engine)


def compared(cell: Cell, claim: str) -> Cell:
    """Return the cell with a claim and how the evidence compares with it.

    An implementation that does not claim a type may still read the type's storage type.
    """
    if not claim or cell.state == UNKNOWN:
        return replace(cell, claim=claim, comparison=UNKNOWN)
    if claim == YES:
        return replace(cell, claim=claim, comparison=CONFIRMED if cell.state == "full" else OVER)
    lacks = cell.state == "none" or cell.equivalent
    return replace(cell, claim=claim, comparison=CONFIRMED if lacks else UNDER)


def _since(claim: str, since: str, version: str) -> str:
    if claim != YES or not since:
        return claim
    try:
        return NO if Version(version) < Version(since) else YES
    except InvalidVersion:
        return ""


def _documents(path: Path) -> Iterator[tuple[str, dict[str, Claim]]]:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise ClaimsError(f"{path}: larger than {_LARGEST} bytes")
        documents = list(yaml.load_all(data, _Loader))
    except OSError as error:
        raise ClaimsError(f"{path}: {error.strerror or error}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, ClaimsError):
            raise
        raise ClaimsError(f"{path}: not YAML: {' '.join(str(error).split())[:200]}") from error
    for document in documents:
        for implementation in document if isinstance(document, list) else [document]:
            yield _implementation(path, implementation)


class _Loader(yaml.SafeLoader):
    """YAML without aliases, which can expand a short text to a huge one; every value is text."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a node; raises YAMLError for an alias."""
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("an alias; claims must not use aliases")
        return super().compose_node(parent, index)


def _implementation(path: Path, data: Any) -> tuple[str, dict[str, Claim]]:
    if not isinstance(data, dict) or not isinstance(data.get("support"), dict):
        raise ClaimsError(f"{path}: not an engine_id with a support table")
    engine = data.get("engine_id")
    if not isinstance(engine, str) or not engine:
        raise ClaimsError(f"{path}: no engine_id")
    claims = {}
    for feature, raw in data["support"].items():
        status = raw.get("status") if isinstance(raw, dict) else raw
        if status not in [*_READING, UNKNOWN]:
            raise ClaimsError(f"{path}: {feature!s:.80} of {engine:.80} has status {status!r:.80}")
        since = raw if isinstance(raw, dict) else {}
        claims[str(feature)] = Claim(
            status, str(since.get("since_version_read") or ""), str(since.get("since_version_write") or "")
        )
    return engine, claims
