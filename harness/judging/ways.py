"""The switch `way`: the documented ways in which an engine can read a file whole.

The answer must not depend on the way, so that an engine is compared with itself: that takes no expectation,
and holds for files that nobody knows the meaning of. A configuration with the default way is compared with
other ways, a few of them for each file, chosen by a digest, so that the cost does not grow with their
number; a configuration that names another way is compared with the default one. The outcomes of the compared
ways stand beside the read, at places whose `probe` is below READ.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping

from harness.children.outcomes import Outcome, OutcomeKind
from harness.engines.registry import ENGINES
from harness.judging.answers import Answers
from harness.judging.compare import Difference, TablePath, compare
from harness.judging.places import READ, Config, Place, Process
from harness.judging.verdicts import TABLE, Judgement, Verdict

WAY = "way"
FEW = 1  # ways that a file is read in beside the default one
_SILENT = frozenset({OutcomeKind.UNSUPPORTED, OutcomeKind.LIMITED})


def ways_of(process: Process, format_: str) -> tuple[str, ...]:
    """Return the ways in which an engine can read files of a format, the default first; () for one way."""
    entry = ENGINES.get(process.name)
    return entry.values(WAY, [format_]) if entry is not None and WAY in entry.switches else ()


def compared(process: Process, number: int, format_: str, salt: str, most: int | None) -> tuple[str, ...]:
    """Return the ways that configuration `number` is compared with: `most` of them, None for all."""
    ways = ways_of(process, format_)
    if not ways:
        return ()
    config = process.configs[number]
    if is_unusual(process, config):
        return ways[:1]
    if any(switch != WAY and value != default for switch, value, default in _switches(process, config)):
        return ()
    named = {other.switches.get(WAY, ways[0]) for other in process.configs}
    others = sorted(set(ways) - named, key=lambda way: hashlib.sha256(f"{salt} {way}".encode()).digest())
    return tuple(others[:most])


def _switches(process: Process, config: Config) -> Iterator[tuple[str, str, str]]:
    """Yield each switch of a configuration, its value, and its default."""
    switches: Mapping[str, tuple[str, ...]] = ENGINES[process.name].switches
    return ((switch, value, switches[switch][0]) for switch, value in config.switches.items())


def place_of(process: Process, place: Place, way: str) -> Place:
    """Return the place of the outcome of reading in a way, beside the read at `place`."""
    return place._replace(probe=READ - 1 - ENGINES[process.name].switches[WAY].index(way))


def config_at(process: Process, place: Place) -> Config:
    """Return the configuration under which the outcome at a place was requested."""
    config = process.configs[place.config]
    if place.probe >= READ:
        return config
    return _with_way(process, config, ENGINES[process.name].switches[WAY][READ - 1 - place.probe])


def _with_way(process: Process, config: Config, way: str) -> Config:
    entry = ENGINES[process.name]
    switches = {**config.switches, WAY: way}
    given = {part.partition("=")[0] for part in config.text.split(",") if part} | {WAY}
    default = entry.switches[WAY][0]
    visible = (switch for switch in entry.switches if switch in given and (switch != WAY or way != default))
    return Config(",".join(f"{switch}={switches[switch]}" for switch in visible), switches, config.probed)


def is_unusual(process: Process, config: Config) -> bool:
    """Return whether a configuration has another way than the default."""
    entry = ENGINES.get(process.name)
    if entry is None or WAY not in entry.switches:
        return False
    default = entry.switches[WAY][0]
    return config.switches.get(WAY, default) != default


def others(process: Process, read: Place, answers: Answers) -> Iterable[tuple[Place, Outcome]]:
    """Yield the places and outcomes of the other ways in which a file was read."""
    entry = ENGINES.get(process.name)
    for way in entry.switches.get(WAY, ()) if entry is not None else ():
        place = place_of(process, read, way)
        outcome = answers.get(place)
        if outcome is not None:
            yield place, outcome


def judge_ways(default: Outcome, other: Outcome, *, is_broken: bool = False) -> Judgement | None:
    """Compare the outcomes of two ways; None if they say the same, or one of them says nothing.

    A process that is lost in the other way has the verdict that it has in any way. A file that breaks a rule
    may be refused in one way alone: some ways do not look at what is broken.
    """
    if other.is_ours or other.kind in _SILENT or default.is_ours or default.kind in _SILENT:
        return None
    lost = TABLE["either"][other.kind]
    if lost not in {None, Verdict.REFUSED_AS_EXPECTED}:
        return Judgement(lost) if default.kind is not other.kind else None
    if default.kind is not other.kind:
        if is_broken:
            return None
        difference = Difference(TablePath("outcome"), default.kind, other.kind, "outcome")
        return Judgement(Verdict.INCONSISTENT, (), difference)
    if default.table is None or other.table is None:
        return None
    difference_of_values = compare(default.table, other.table, ()).difference
    return None if difference_of_values is None else Judgement(Verdict.INCONSISTENT, (), difference_of_values)
