"""Findings, stored at once: an input under its digest, and a description beside it.

The signature of a finding names the class of the exception and the innermost frame of our code; if the
process died, how it died and the innermost frame it was in. Of each signature the smallest inputs are stored.
"""

from __future__ import annotations

import hashlib
import json
import re
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from corpora.files import move, write_whole
from properties.fuzz.claims import Broken

ROOT = Path(__file__).resolve().parents[2]
_OURS = ("reference_impl", "corpora", "properties")
_JUDGES = ("bounds.py", "child.py", "claims.py")  # they raise on behalf of targets
_LONGEST_TEXT = 4000
_STACK = re.compile(r'File "([^"]+)", line \d+ in (\S+)')  # as faulthandler has it


@dataclass(frozen=True)
class Crash:
    """A finding of a target, with the digest of its input, which is the name of the input's file."""

    target: str
    signature: str
    error: str
    digest: str
    size: int
    description: str


def digest_of(data: bytes) -> str:
    """Return the name of an input, the one that libFuzzer gives it."""
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()


def of_exception(target: str, data: bytes, error: BaseException) -> Crash:
    """Return the finding of an exception that the check of a target raised."""
    frames = [(frame.filename, frame.name) for frame in traceback.extract_tb(error.__traceback__)]
    name = type(error).__name__
    what = f": {error.what}" if isinstance(error, Broken) else ""
    description = "".join(traceback.format_exception(error))[-_LONGEST_TEXT:]
    message = f"{name}: {error}"[:_LONGEST_TEXT]
    return Crash(
        target,
        f"{name}{what} in {_innermost(frames) or target}",
        message,
        digest_of(data),
        len(data),
        description,
    )


def of_death(target: str, data: bytes, how: str, description: str) -> Crash:
    """Return the finding of a process that died; `description` is its last output, with its stack."""
    frames = list(reversed(_STACK.findall(description)))
    where = _innermost(frames) or target
    return Crash(target, f"{how} in {where}", how, digest_of(data), len(data), description[-_LONGEST_TEXT:])


def _innermost(frames: list[tuple[str, str]]) -> str:
    """Return module and function of the innermost frame of our code; the outermost frame is the first."""
    for filename, function in reversed(frames):
        path = Path(filename)
        if not path.is_relative_to(ROOT) or path.name in _JUDGES:
            continue
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[0] in _OURS or "tests" in parts:
            return ".".join((*parts, function))
    return ""


class Store:
    """The findings of one target, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._smallest: dict[str, int] = {}
        for crash in self:
            self._note(crash)

    def __iter__(self) -> Iterator[Crash]:
        for path in sorted(self.folder.glob("*.json")):
            yield from_json(json.loads(path.read_text("utf-8")))

    def add(self, crash: Crash, data: bytes) -> bool:
        """Return whether a finding is stored: its signature must be new, or its input the smallest."""
        if crash.size >= self._smallest.get(crash.signature, crash.size + 1):
            return False
        self._note(crash)
        write_whole(self.folder / crash.digest, data)
        write_whole(self.folder / f"{crash.digest}.json", json.dumps(to_json(crash), indent=1).encode())
        return True

    def _note(self, crash: Crash) -> None:
        self._smallest[crash.signature] = min(crash.size, self._smallest.get(crash.signature, crash.size))

    def remove(self, crash: Crash, closed: Path) -> None:
        """Move a finding, with its input, into another folder."""
        closed.mkdir(parents=True, exist_ok=True)
        for name in (crash.digest, f"{crash.digest}.json"):
            path = self.folder / name
            if path.exists():
                move(path, closed / name)

    def by_signature(self) -> dict[str, list[Crash]]:
        """Return the findings, the smallest input of each signature first."""
        grouped: dict[str, list[Crash]] = {}
        for crash in sorted(self, key=lambda each: (each.size, each.digest)):
            grouped.setdefault(crash.signature, []).append(crash)
        return grouped


def to_json(crash: Crash) -> dict[str, Any]:
    """Return a finding as JSON; its description has the key `told`."""
    document = asdict(crash)
    document["told"] = document.pop("description")
    return document


def from_json(document: dict[str, Any]) -> Crash:
    """Return the finding that `to_json` made JSON of."""
    fields = {name: value for name, value in document.items() if name != "told"}
    return Crash(**fields, description=document["told"])
