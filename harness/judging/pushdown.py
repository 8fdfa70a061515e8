"""The switch `pushdown` of a configuration: the means by which an engine may skip rows of a query.

The switch has no effect on reading a whole file. So configurations that differ in it alone share the read of
the first of them, which also gets every query. The other configurations

* get only what rows may be skipped for: `aggregate` gets only aggregates and counts, of a heavy engine one in
  twelve of those behind a filter, the finer values only filters, counts and slices of filters, semi-joins and
  sorted values;
* `off` gets all of these, so that a wrong answer can be traced to pushdown; for a heavy engine, and where it
  is no oracle since the file's values are known, they follow later, where an answer was wrong;
* of the finer values, a single one gets each filter, in turns by a digest, unless the run asks everything;
  of a heavy engine, each of these values and `off` get one filter in four at most.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from corpora.predicates import unhandled
from corpora.queries import (
    Aggregate,
    Batches,
    CountRows,
    Distinct,
    Extract,
    Fields,
    Filter,
    FilterHeld,
    Groups,
    Join,
    Project,
    Query,
    RowGroup,
    Slice,
    Sorted,
    ToJson,
    predicate_of,
)
from harness.judging.places import Config, Process

PUSHDOWN = "pushdown"
OFF = "off"
AGGREGATE = "aggregate"
_TURNS = 4  # a heavy engine's other values of pushdown get at most one in so many queries each
_AGGREGATES = 12  # a heavy engine's `aggregate` is asked one in so many of the aggregates behind a filter
OTHERS = 4  # an other configuration than the first is asked one in so many derived queries


def reader(configs: Sequence[Config], number: int) -> int:
    """Return the number of the configuration whose read counts for configuration `number` too."""
    return next(alike(configs, number))


def off(configs: Sequence[Config], number: int) -> int | None:
    """Return the configuration like `number`, without pushdown: None if it is not there, or is `number`."""
    for other in alike(configs, number):
        if other != number and configs[other].switches.get(PUSHDOWN) == OFF:
            return other
    return None


def asks(
    process: Process, number: int, query: Query, salt: str, *, everything: bool, off_follows: bool = False
) -> bool:
    """Return whether a configuration gets a query of the sheet `salt`, whatever other answers are.

    `off_follows`: `off` gets a query only after the others, where an answer was wrong.
    """
    first, *others = alike(process.configs, number)
    if number == first:
        return True
    value = process.configs[number].switches[PUSHDOWN]
    if value == OFF and off_follows and not everything:
        return False
    if isinstance(query, Aggregate | CountRows) and predicate_of(query) is None:
        return value in {OFF, AGGREGATE}
    if isinstance(query, Extract | FilterHeld | Distinct | Groups):
        return value == OFF
    if isinstance(query, Project | RowGroup | Batches | ToJson):
        return False
    if not isinstance(query, Aggregate | CountRows | Fields | Filter | Join | Slice | Sorted):
        raise unhandled(query)
    if isinstance(query, Fields | Slice) and query.predicate is None:
        return False
    digest = hashlib.sha256(f"{salt} {query}".encode("utf-8", "surrogatepass")).digest()
    if value == AGGREGATE:
        rarely = process.heavy and not everything and digest[1] % _AGGREGATES
        return isinstance(query, Aggregate | CountRows) and not rarely
    if everything or (value == OFF and not process.heavy):
        return True
    always = {AGGREGATE} if process.heavy else {AGGREGATE, OFF}
    turns = [other for other in others if process.configs[other].switches[PUSHDOWN] not in always]
    count = max(len(turns), _TURNS) if process.heavy else len(turns)
    return digest[0] % count == turns.index(number)


def apart(config: Config) -> str:
    """Return the text of a configuration without its pushdown."""
    return ",".join(part for part in config.text.split(",") if not part.startswith(f"{PUSHDOWN}="))


class DerivedQueries(NamedTuple):
    """Which configurations of an engine are asked the queries that were derived for the sheet `salt`.

    The first configuration, and those of its pushdown, are asked all of them, or of a heavy engine one in
    `share`: half of these are the first, which are the most telling, the others take turns. Each other
    configuration of a light engine (`share` 1) is asked one in OTHERS, by turns.
    """

    configs: Sequence[Config]
    share: int
    salt: str

    def asks(self, number: int, at: int, count: int) -> bool:
        """Return whether configuration `number` is asked the query `at` of `count`."""
        others = sorted({reader(self.configs, each) for each in range(len(self.configs))} - {0})
        own = reader(self.configs, number)
        if own in others:
            return self.share == 1 and (at + _turn(self.salt)) % max(OTHERS, len(others)) == others.index(own)
        return self.share == 1 or is_among(at, count, max(1, count // self.share), self.salt)


def is_among(at: int, count: int, most: int, salt: str) -> bool:
    """Return whether the query `at` of `count` is one of at most `most`: half of them are the first.

    The others take turns from sheet to sheet: `salt` is the sheet's id.
    """
    first = (most + 1) // 2
    return at < first or (at - first + _turn(salt)) % (count - first) < most - first


def _turn(salt: str) -> int:
    return int(hashlib.sha256(salt.encode()).hexdigest()[:8], 16)


def alike(configs: Sequence[Config], number: int) -> Iterator[int]:
    """Yield the configurations that differ from `number` in nothing but pushdown, itself included."""
    wanted = _others(configs[number])
    return (index for index, config in enumerate(configs) if _others(config) == wanted)


def _others(config: Config) -> dict[str, str]:
    return {switch: value for switch, value in config.switches.items() if switch != PUSHDOWN}
