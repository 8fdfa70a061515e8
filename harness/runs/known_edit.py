"""Changing one field of one entry of `corpora/known/<engine>.toml`, and nothing else in the file."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from corpora import known_failures
from corpora.files import write_whole
from corpora.known_failures import Entry
from corpora.problem import UserError

_HEAD = "[[failure]]"
_VERSIONS = re.compile(r"versions\s*=")


class EditError(UserError, ValueError):
    """The entry is not where it should be; the message is one line."""


def with_versions(entry: Entry, versions: str, folder: Path | None = None) -> Path:
    """Write the range of versions (all: "") into the entry of this case, verdict and configuration.

    Returns the file, whose other lines are unchanged. Raises EditError.
    """
    file = (folder or known_failures.FOLDER) / f"{entry.engine}.toml"
    lines = file.read_text("utf-8").splitlines(keepends=True)
    starts = [at for at, line in enumerate(lines) if line.strip() == _HEAD]
    for at, start in enumerate(starts):
        stop = starts[at + 1] if at + 1 < len(starts) else len(lines)
        if _is(entry, "".join(lines[start:stop])):
            edited = "".join(lines[:start] + _edited(lines[start:stop], versions) + lines[stop:])
            tomllib.loads(edited)
            write_whole(file, edited)
            return file
    raise EditError(f"{file}: no entry of {entry.case} ({entry.verdict})")


def _is(entry: Entry, block: str) -> bool:
    raw = tomllib.loads(block)["failure"][0]
    same = (raw["case"], raw["verdict"], raw.get("finding", "")) == (entry.case, entry.verdict, entry.finding)
    return same and raw.get("config", {}) == dict(entry.config)


def _edited(block: list[str], versions: str) -> list[str]:
    """Put the range behind the case, in place of the old range."""
    remaining = [line for line in block if not _VERSIONS.match(line)]
    at = next(at for at, line in enumerate(remaining) if line.startswith("case"))
    new = [f"versions = {json.dumps(versions)}\n"] if versions else []
    return [*remaining[: at + 1], *new, *remaining[at + 1 :]]
