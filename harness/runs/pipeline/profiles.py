"""Profiles: the defaults for how much a run does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from harness.engines.registry import Entry
from harness.judging.pushdown import PUSHDOWN
from harness.judging.ways import WAY


class Mixture(NamedTuple):
    """Some files of every source, in both formats.

    `tables`: engines write one in so many of their tables. `cases`: so many of colconf's own corpora of each
    format. `generated`: so many generated files.
    """

    tables: int
    cases: int
    generated: int


class Profile(NamedTuple):
    """A budget.

    `layouts`: in how many layouts each table is written. `every_switch`: engines that were not named also run
    with each switch away from its default. `seconds`: the time limit for one file. `every_value`: each query
    is run under each value of `pushdown`. `mixture`: the files of a run without named files, None for all the
    tables that engines write.
    """

    layouts: int
    every_switch: bool
    seconds: float
    every_value: bool = False
    mixture: Mixture | None = None


SAMPLE = "sample"
PROFILES = {
    SAMPLE: Profile(1, every_switch=False, seconds=20.0, mixture=Mixture(tables=5, cases=32, generated=24)),
    "quick": Profile(2, every_switch=False, seconds=20.0),
    "pr": Profile(4, every_switch=False, seconds=60.0),
    "nightly": Profile(1_000, every_switch=True, seconds=120.0),
    "deep": Profile(1_000, every_switch=True, seconds=600.0, every_value=True),
}
DEFAULT = "nightly"
_FINE = ("statistics", "index", "dictionary", "bloom")  # values of `pushdown`


def configurations(entry: Entry, formats: Iterable[str], *, every_switch: bool) -> list[dict[str, str]]:
    """Return the configurations of an engine that was not named: its defaults, then one switch away.

    `pushdown` is left out, since it has no effect where a file is read whole; so are values without an effect
    on the formats, and values for engines that are named (`Entry.rare`).
    """
    configs: list[dict[str, str]] = [{}]
    if every_switch:
        others = (
            (switch, entry.values(switch, formats))
            for switch in entry.switches
            if switch not in (PUSHDOWN, WAY)
        )
        configs += [
            {switch: value}
            for switch, values in others
            for value in values[1:]
            if value not in entry.rare.get(switch, ())
        ]
    return configs


def with_pushdown(
    entry: Entry, config: dict[str, str], formats: Iterable[str], *, fine: bool = True
) -> list[dict[str, str]]:
    """Return a configuration with each value of `pushdown`, unless it has one; the default is left out.

    Without `fine`, values that only say which one of the means of the default is used are left out, too.
    """
    if PUSHDOWN in config or PUSHDOWN not in entry.switches:
        return [config]
    values = [value for value in entry.values(PUSHDOWN, formats) if fine or value not in _FINE]
    every = [config, *({**config, PUSHDOWN: value} for value in values[1:])]
    return [{switch: full[switch] for switch in entry.switches if switch in full} for full in every]
