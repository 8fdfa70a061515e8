"""Which configurations the gate runs, and which cases of the project's own corpora."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.engines.naming import EngineName
from harness.judging.pushdown import PUSHDOWN
from harness.runs.pipeline.profiles import with_pushdown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from corpora.cases import Case
    from harness.engines.registry import Entry

QUICK_FILES = 300  # of each format's corpus, unless all are asked for


def configurations(
    entry: Entry,
    base: dict[str, str],
    format: str,  # noqa: A002 - the protocol's word
    *,
    every: bool,
) -> list[dict[str, str]]:
    """Return `base`, then each switch that means something for the format one step away from it.

    `every`: also the switches that only the gate tries; otherwise those that any run does. What `base` sets
    stays as it is. Not `pushdown`, which has no part in reading a whole file.
    """
    found = [base]
    for switch in entry.switches:
        if switch in base or switch == PUSHDOWN:
            continue
        values = entry.values(switch, [format])[1:]
        rare = entry.rare.get(switch, ())
        tried = entry.gate.get(format, {}).get(switch, ()) if every else ()
        chosen = dict.fromkeys([value for value in values if value not in rare] + list(tried))
        found += [_ordered(entry, {**base, switch: value}) for value in chosen]
    return found


def names(engine: EngineName, format: str, *, every: bool, probed: bool) -> list[str]:  # noqa: A002 - the format's name
    """Return the names of an engine under each configuration; `probed`: also under each `pushdown`."""
    configs = configurations(engine.entry, engine.config, format, every=every)
    asked = with_pushdown(engine.entry, engine.config, [format])[1:] if probed else []
    return [str(EngineName(engine.name, engine.version, config)) for config in [*configs, *asked]]


def _ordered(entry: Entry, config: dict[str, str]) -> dict[str, str]:
    return {switch: config[switch] for switch in entry.switches if switch in config}


def spread(cases: Sequence[Case], count: int = QUICK_FILES) -> list[Case]:
    """Return at most `count` cases, from every folder of the corpus before a second one from any.

    The order of the corpus is kept: it is the same choice each time.
    """
    turns: dict[str, int] = {}
    ranked = []
    for place, case in enumerate(cases):
        folder = case.id.rpartition("/")[0]
        turns[folder] = turns.get(folder, -1) + 1
        ranked.append((turns[folder], place))
    kept = sorted(place for _, place in _first(ranked, count))
    return [cases[place] for place in kept]


def _first(ranked: list[tuple[int, int]], count: int) -> Iterable[tuple[int, int]]:
    """Yield `count` of them by turn, those of the last turn evenly spaced."""
    by_turn: dict[int, list[tuple[int, int]]] = {}
    for one in ranked:
        by_turn.setdefault(one[0], []).append(one)
    left = count
    for _, turn in sorted(by_turn.items()):
        if len(turn) > left:
            yield from (turn[at * len(turn) // left] for at in range(left))
            return
        yield from turn
        left -= len(turn)
