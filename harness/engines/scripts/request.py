"""The request of a script to its engine, and the source text that sends it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from corpora.keys import Keys
from corpora.queries import Query
from corpora.table_reads import TableRead
from harness.engines.errors import Unsupported
from harness.engines.scripts.rendering import Rendering


@dataclass(frozen=True)
class ScriptRequest:
    """A query of a file of a format, None for all of it, under switches (those that were given).

    With a `read`, the file is a folder that is read as one table.

    `keys` are written into the script: they are the suite's own, or those of public examples (`TEST_KEYS`).
    `version` is that of the engine which runs the script, "" for the newest.
    """

    format: str
    switches: Mapping[str, str] = field(default_factory=dict)
    query: Query | None = None
    keys: Keys | None = None
    read: TableRead | None = None
    version: str = ""

    def is_before(self, *release: int) -> bool:
        """Return whether the script is for an engine that is older than a release."""
        return is_before(self.version, *release)

    @property
    def pushdown(self) -> str:
        """Return the value of the switch `pushdown`."""
        return self.switches.get("pushdown", "on")


@dataclass(frozen=True)
class Code:
    """Source of an engine: how values are shown, the body of `ask()`, imports, functions that it calls.

    `before` are statements that stand before the first function. `takes_patterns`: this version takes names
    of files for patterns, though others do not.
    """

    rendering: Rendering
    body: list[str]
    imports: list[str] = field(default_factory=list)
    helpers: str = ""
    before: list[str] = field(default_factory=list)
    takes_patterns: bool = False


def is_before(version: str, *release: int) -> bool:
    """Return whether a version of an engine is older than a release; "" is the newest version."""
    return bool(version) and release_of(version)[: len(release)] < release


def release_of(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, which have its order."""
    return tuple(map(int, re.findall("[0-9]+", version)))


def script_keys(keys: Keys | None) -> Keys | None:
    """Return the keys that a script tells its engine, None for none; raises Unsupported for secret ones."""
    if keys is None or not (any(keys.secrets()) or keys.aad_prefix is not None):
        return None
    if not keys.is_public():
        raise Unsupported("no script holds a key that is not the suite's own: `colconf replay` asks again")
    return keys


def switches(config: str) -> dict[str, str]:
    """Return the switches of a configuration as text."""
    parts = (part.partition("=") for part in filter(None, config.split(",")))
    return {switch: value for switch, _, value in parts}
