"""The configurations that the gate runs, and the cases of the project's own corpora."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from corpora.cases import Case
from harness.engines.naming import EngineName
from harness.engines.registry import Entry
from harness.judging.pushdown import PUSHDOWN
from harness.runs.pipeline.profiles import with_pushdown

QUICK_FILES = 300  # of each format's corpus, unless all are requested


def configurations(
    entry: Entry,
    base: dict[str, str],
    format: str,  # noqa: A002 - the protocol's word
    *,
    every: bool,
) -> list[dict[str, str]]:
    """Return `base`, then `base` with one more value of each switch that affects the format.

    `every` adds the switches that only the gate tries. The switches of `base` stay. `pushdown` is left out:
    it does not affect the reading of a whole file.
    """
    configs = [base]
    for switch in entry.switches:
        if switch in base or switch == PUSHDOWN:
            continue
        values = entry.values(switch, [format])[1:]
        rare = entry.rare.get(switch, ())
        tried = entry.gate.get(format, {}).get(switch, ()) if every else ()
        chosen = dict.fromkeys([value for value in values if value not in rare] + list(tried))
        configs += [_ordered(entry, {**base, switch: value}) for value in chosen]
    return configs


def names(engine: EngineName, format: str, *, every: bool, probed: bool) -> list[str]:  # noqa: A002 - the format's name
    """Return the names of an engine under each configuration; `probed`: also under each `pushdown`."""
    configs = configurations(engine.entry, engine.config, format, every=every)
    pushed = with_pushdown(engine.entry, engine.config, [format])[1:] if probed else []
    return [str(EngineName(engine.name, engine.version, config)) for config in [*configs, *pushed]]


def _ordered(entry: Entry, config: dict[str, str]) -> dict[str, str]:
    return {switch: config[switch] for switch in entry.switches if switch in config}


def spread(cases: Sequence[Case], count: int = QUICK_FILES) -> list[Case]:
    """Return at most `count` cases, from every folder of the corpus before a second one from any.

    The cases stay in the order of the corpus; the choice is the same each time.
    """
    turns: dict[str, int] = {}
    ranked = []
    for place, case in enumerate(cases):
        folder = case.id.rpartition("/")[0]
        turns[folder] = turns.get(folder, -1) + 1
        ranked.append((turns[folder], place))
    chosen = sorted(place for _, place in _first(ranked, count))
    return [cases[place] for place in chosen]


def _first(ranked: list[tuple[int, int]], count: int) -> Iterable[tuple[int, int]]:
    """Yield `count` cases by turn, those of the last turn evenly spaced."""
    by_turn: dict[int, list[tuple[int, int]]] = {}
    for turn, place in ranked:
        by_turn.setdefault(turn, []).append((turn, place))
    left = count
    for _, places in sorted(by_turn.items()):
        if len(places) > left:
            yield from (places[at * len(places) // left] for at in range(left))
            return
        yield from places
        left -= len(places)
