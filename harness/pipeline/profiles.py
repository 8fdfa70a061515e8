"""How much a run does when its options do not say."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from harness.engines.registry import Entry


class Profile(NamedTuple):
    """A budget.

    `layouts`: in how many layouts each table is written. `every_switch`: engines that were not named also run
    with each switch away from its default. `seconds`: the time limit for one file.
    """

    layouts: int
    every_switch: bool
    seconds: float


PROFILES = {
    "quick": Profile(2, every_switch=False, seconds=20.0),
    "pr": Profile(4, every_switch=False, seconds=60.0),
    "nightly": Profile(1_000, every_switch=True, seconds=120.0),
    "deep": Profile(1_000, every_switch=True, seconds=600.0),
}
DEFAULT = "nightly"


def configurations(entry: Entry, *, every_switch: bool) -> list[dict[str, str]]:
    """Answer the configurations of an engine that was not named: its defaults, then one switch away."""
    found: list[dict[str, str]] = [{}]
    if every_switch:
        found += [{switch: value} for switch, values in entry.switches.items() for value in values[1:]]
    return found
