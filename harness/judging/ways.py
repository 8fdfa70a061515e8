"""The switch `way`: the documented ways in which an engine can read a file whole, or answer a query.

The result must not depend on the way, so that an engine is compared with itself: this needs no expectation,
and works for files whose values are unknown. A configuration with the default way is compared with other
ways, a few of them for each file or query, chosen by a digest, so that the cost does not grow with their
number; a configuration that names another way is compared with the default one. The outcomes of the compared
ways stand beside the read or answer, at places that name the way.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from corpora.answers import settled
from corpora.queries import Query
from harness.children.outcomes import Outcome, OutcomeKind
from harness.engines.registry import ENGINES
from harness.judging.answers import Answers
from harness.judging.claims import of_values
from harness.judging.compare import Difference, TablePath, compare
from harness.judging.places import Config, Place, Process
from harness.judging.rows import ROWS, moved_rows
from harness.judging.slices import difference_of_count, has_any_rows
from harness.judging.verdicts import TABLE, Judgement, Verdict

WAY = "way"
FEW = 1  # ways that a file is read in beside the default one
# One in so many files and queries is read or asked in another way: of light engines, and of heavy ones.
_READS, _SHARES = (1, 4), (4, 16)
HEAVY_FILES = 8  # of a sheet that a heavy engine reads in another way, unless it does so in all ways
_SILENT = frozenset({OutcomeKind.UNSUPPORTED, OutcomeKind.LIMITED})
_OF_ROWS = frozenset({"rows", "value"})  # kinds of differences


def ways_of(process: Process, format_: str, *, of_queries: bool) -> tuple[str, ...]:
    """Return the ways in which an engine can read files of a format, or answer queries; () for one way.

    The first way is the default.
    """
    entry = ENGINES.get(process.name)
    if entry is None or WAY not in entry.switches:
        return ()
    known = entry.query_ways if of_queries else entry.read_ways
    default = entry.switches[WAY][0]
    values = entry.values(WAY, [format_])
    return tuple(way for way in values if known is None or way == default or way in known)


def has_ways_of_tables(process: Process) -> bool:
    """Return whether an engine reads folders in the ways in which it reads files."""
    entry = ENGINES.get(process.name)
    return entry is not None and entry.ways_of_tables


def compared(
    process: Process, number: int, format_: str, salt: str, most: int | None, *, of_queries: bool = False
) -> tuple[str, ...]:
    """Return the ways that configuration `number` is compared with: `most` of them, None for all.

    `salt` stands for what is asked, and chooses: a query, or what a heavy engine reads, has other ways only
    once in a number of times, unless all ways are asked.
    """
    ways = ways_of(process, format_, of_queries=of_queries)
    if not ways:
        return ()
    config = process.configs[number]
    if is_unusual(process, config):
        return ways[:1] if config.switches[WAY] in ways else ()
    if any(switch != WAY and value != default for switch, value, default in _switches(process, config)):
        return ()
    if most is not None and _digest(salt) % (_SHARES if of_queries else _READS)[process.heavy]:
        return ()
    named = {other.switches.get(WAY, ways[0]) for other in process.configs}
    others = sorted(set(ways) - named, key=lambda way: _digest(f"{salt} {way}"))
    return tuple(others[:most])


def _digest(text: str) -> int:
    return int(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), 16)


def _switches(process: Process, config: Config) -> Iterator[tuple[str, str, str]]:
    """Yield each switch of a configuration, its value, and its default."""
    switches: Mapping[str, tuple[str, ...]] = ENGINES[process.name].switches
    return ((switch, value, switches[switch][0]) for switch, value in config.switches.items())


def config_at(process: Process, place: Place) -> Config:
    """Return the configuration under which the outcome at a place was requested."""
    config = process.configs[place.config]
    return _with_way(process, config, place.way) if place.way else config


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


def usual(process: Process, number: int) -> int | None:
    """Return the configuration that is `number` but for the way, the default; None if there is none."""
    config = process.configs[number]
    if not is_unusual(process, config):
        return None
    wanted = {**config.switches, WAY: ENGINES[process.name].switches[WAY][0]}
    return next((at for at, other in enumerate(process.configs) if other.switches == wanted), None)


def is_unordered(process: Process, config: Config) -> bool:
    """Return whether no page promises the order of rows in the way of a configuration."""
    entry = ENGINES.get(process.name)
    return entry is not None and config.switches.get(WAY) in entry.unordered


def others(process: Process, place: Place, answers: Answers) -> Iterator[tuple[Place, Outcome]]:
    """Yield the places and outcomes of the other ways that the question of a place was asked in."""
    entry = ENGINES.get(process.name)
    for way in entry.switches.get(WAY, ()) if entry is not None else ():
        other = place._replace(way=way)
        outcome = answers.get(other)
        if outcome is not None:
            yield other, outcome


@dataclass(frozen=True)
class Default:
    """The answers in the default way beside those of a configuration that names another."""

    process: Process
    answers: Answers

    def get(self, place: Place) -> Outcome | None:
        """Return the outcome of a place, None if the process was not asked for it in that way."""
        return self.answers.get(place._replace(way=ENGINES[self.process.name].switches[WAY][0]))


def judge_ways(
    default: Outcome, other: Outcome, claimed: Iterable[str] = (), *, is_broken: bool = False
) -> Judgement | None:
    """Compare the outcomes of two ways; None if they are equal, or if one of them has no result to compare.

    Of the claimed equivalences those of values hold, such as the order of a map's entries. Each column that
    differs has a difference (`Judgement.others`). If the other way loses the process, the verdict is the
    usual one of a lost process. A file that breaks a rule may be refused in only one way: some ways do not
    read the broken part.
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
    differences = compare(default.table, other.table, of_values(claimed)).differences
    if not differences:
        return None
    return Judgement(Verdict.INCONSISTENT, (), differences[0], others=differences[1:])


def judge_answers(
    query: Query,
    default: Outcome,
    other: Outcome,
    float_order: str,
    *,
    is_ordered: bool,
    claimed: Iterable[str] = (),
) -> Judgement | None:
    """Compare the answers to a query in two ways as `judge_ways` does; a difference of values is the query's.

    Without `is_ordered` the same rows in another order are the same answer, and of slices as many rows; so it
    is of first rows, which may have equal values.
    """
    default, other = (_settled(query, outcome, float_order) for outcome in (default, other))
    judgement = judge_ways(default, other, claimed)
    if has_any_rows(query, file_order=is_ordered) and default.table and other.table:
        difference = difference_of_count(default.table, other.table)
        return None if difference is None else Judgement(Verdict.INCONSISTENT, (), difference)
    if not is_ordered:
        judgement = unless_order(judgement, default, other)
    if judgement is None or judgement.difference is None or judgement.difference.kind not in _OF_ROWS:
        return judgement
    moved = moved_rows(default.table, other.table) or judgement.difference
    return replace(judgement, difference=moved._replace(kind=query.kind), others=())


def unless_order(judgement: Judgement | None, default: Outcome, other: Outcome) -> Judgement | None:
    """Return a judgement, None where it is about the order of rows alone."""
    if judgement is None or judgement.difference is None or judgement.difference.kind not in _OF_ROWS:
        return judgement
    difference = moved_rows(default.table, other.table)
    return None if difference is not None and str(difference.path) == ROWS[3] else judgement


def _settled(query: Query, outcome: Outcome, float_order: str) -> Outcome:
    if outcome.table is None:
        return outcome
    return replace(outcome, table=settled(query, outcome.table, float_order))
