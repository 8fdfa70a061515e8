"""What a script asks: the same words for every engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpora.queries import Query
    from harness.findings.showing import Showing


@dataclass(frozen=True)
class Asked:
    """A query of a file of a format, None for all of it, under switches (those that were given)."""

    format: str
    switches: Mapping[str, str] = field(default_factory=dict)
    query: Query | None = None

    @property
    def pushdown(self) -> str:
        """Answer the value of the switch `pushdown`."""
        return self.switches.get("pushdown", "on")


@dataclass(frozen=True)
class Code:
    """Source of an engine: how values are shown, the body of `ask()`, imports, functions that it calls.

    `before` are statements that stand before the first function.
    """

    showing: Showing
    body: list[str]
    imports: list[str] = field(default_factory=list)
    helpers: str = ""
    before: list[str] = field(default_factory=list)


def switches(config: str) -> dict[str, str]:
    """Answer the switches of a configuration as text."""
    parts = (part.partition("=") for part in filter(None, config.split(",")))
    return {switch: value for switch, _, value in parts}
