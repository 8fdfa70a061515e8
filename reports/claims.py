"""What others claim that implementations support, and how that compares with what cases showed.

A file of claims is YAML, as the implementation-status page of the Parquet project keeps them, one document or
a list of them for several implementations:

    engine_id: arrow                      # or the name of an engine of ours: pyarrow
    support:
      encoding-byte-stream-split:
        status: full                      # or read, write, none, unknown
        since_version_read: "16.0.0"      # optional, and since_version_write

An older version than that supports nothing of the kind, as far as is claimed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import yaml
from packaging.version import InvalidVersion, Version

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from reports.status import Cell

UNKNOWN = "unknown"
CONFIRMED, OVER, UNDER = "confirmed", "over-claimed", "under-claimed"
WORDS = (CONFIRMED, OVER, UNDER, UNKNOWN)
YES, NO = "yes", "no"
_LARGEST = 4 << 20
_READING = {"full": YES, "read": YES, "write": NO, "none": NO}
_WRITING = {"full": YES, "read": NO, "write": YES, "none": NO}


class ClaimsError(ValueError):
    """A file does not hold claims; the message is one line."""


@dataclass(frozen=True)
class Claim:
    """What is claimed of one feature; versions are "" where none is named."""

    status: str
    since_read: str = ""
    since_write: str = ""


@dataclass(frozen=True)
class Claims:
    """Claims by our engine and feature."""

    told: Mapping[str, Mapping[str, Claim]]

    def of(self, engine: str, version: str, feature: str) -> tuple[str, str]:
        """Return what is claimed of reading and of writing: YES, NO, or "" if nothing is."""
        claim = self.told.get(engine, {}).get(feature)
        if claim is None:
            return "", ""
        reading, writing = _READING.get(claim.status, ""), _WRITING.get(claim.status, "")
        return _since(reading, claim.since_read, version), _since(writing, claim.since_write, version)


def load(paths: tuple[Path, ...], implementations: Mapping[str, tuple[str, ...]]) -> Claims:
    """Read files of claims; raises ClaimsError.

    `implementations` are the engines of ours by the name that claims have for an implementation.
    """
    told: dict[str, dict[str, Claim]] = {}
    for path in paths:
        for implementation, claims in _documents(path):
            for engine in implementations.get(implementation, (implementation,)):
                told.setdefault(engine, {}).update(claims)
    return Claims(told)


def compared(cell: Cell, claim: str) -> Cell:
    """Return the cell with what is claimed, and how that compares with what cases showed.

    Who claims nothing of a type may well read what it is stored as.
    """
    if not claim or cell.state == UNKNOWN:
        return replace(cell, claim=claim, word=UNKNOWN)
    if claim == YES:
        return replace(cell, claim=claim, word=CONFIRMED if cell.state == "full" else OVER)
    lacks = cell.state == "none" or cell.equivalent
    return replace(cell, claim=claim, word=CONFIRMED if lacks else UNDER)


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
        raise ClaimsError(f"{path}: no YAML: {' '.join(str(error).split())[:200]}") from error
    for document in documents:
        for one in document if isinstance(document, list) else [document]:
            yield _implementation(path, one)


class _Loader(yaml.SafeLoader):
    """YAML without aliases, by which a short text becomes a large one; everything is text."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a node; raises YAMLError for an alias."""
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("an alias, which claims need not have")
        return super().compose_node(parent, index)


def _implementation(path: Path, data: Any) -> tuple[str, dict[str, Claim]]:
    if not isinstance(data, dict) or not isinstance(data.get("support"), dict):
        raise ClaimsError(f"{path}: not an engine_id and its support")
    engine = data.get("engine_id")
    if not isinstance(engine, str) or not engine:
        raise ClaimsError(f"{path}: no engine_id")
    found = {}
    for feature, raw in data["support"].items():
        status = raw.get("status") if isinstance(raw, dict) else raw
        if status not in [*_READING, UNKNOWN]:
            raise ClaimsError(f"{path}: {feature!s:.80} of {engine:.80} has status {status!r:.80}")
        since = raw if isinstance(raw, dict) else {}
        found[str(feature)] = Claim(
            status, str(since.get("since_version_read") or ""), str(since.get("since_version_write") or "")
        )
    return engine, found
