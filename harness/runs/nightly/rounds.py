"""Rounds of a night, and which comes next.

1. `corpora`: the cases of the corpora, formats taking turns, for at most half of the budget. Where that is
   not enough for all, the next night begins where this one ended.
2. `replay`: the kept cases of open findings that this night has not yet looked at, those first that were
   looked at longest ago, for at most a quarter of the budget.
3. `generate`: files from a seed that was never used, of the format whose latest rounds gave most per second:

       (1 + new findings + features seen for the first time + share of rows that do not agree) ÷ seconds

   over its last four rounds; a format without a round comes first. The 1 keeps a poor format from never being
   tried again: it is poor by the time spent on it. Every other round of a format has its focus on a feature
   (`properties.focus`), the one that gave most per row in the rounds before:

       (1 + findings + 3 × new findings among them) ÷ (50 + rows)

   Features that were seldom seen come first as long as nothing is found: it falls with each row of theirs.

A round takes an eighth of the budget, by what rounds of its kind cost so far; the first of a kind has FIRST
files, the others at most GROWTH times as many as any before; the last are smaller, to end in time. All of it
follows from the history, the corpora and the clock.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from corpora.cases import FORMATS

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

CORPORA, REPLAY, GENERATE = "corpora", "replay", "generate"
SHARES = {CORPORA: 0.5, REPLAY: 0.25, GENERATE: 1.0}
ROUNDS_IN_BUDGET = 8
FIRST = 40  # files of a round of which nobody knows what it costs
GROWTH = 4  # times as many files as any round of its kind had, at most: the others may cost more
FEW = 8  # fewer files are not worth a round, unless they are all there are
_LATEST = 4
REMEMBERED = 64  # rounds whose yield by feature is remembered
_NEW = 3  # a new finding counts as so many more
_ROWS = 50  # a feature is not known by fewer rows
_OF_THE_LAST = 0.6  # of the time that is left, at the end: costs are known to some tenths only


@dataclass
class Round:
    """One round: what it does, and how it went.

    `engines` says in one text what was run, for costs are those of the same engines. `first` is the id of the
    first case of corpora, `seed` that of generated files, `chosen` are the signatures that are replayed.
    `new` counts findings that were new or back, `features` those that no file of the format had before, of
    `rows` so many are `wrong`. `focus` is the feature that generated files have more often, `yields` says of
    each feature how many rows it had and how much was found in them: findings, new ones `_NEW` times more.
    """

    session: str
    number: int
    kind: str
    format: str
    engines: str
    files: int = 0
    first: str = ""
    seed: int | None = None
    chosen: list[str] = field(default_factory=list)
    seconds: float = 0.0
    done: bool = False
    new: int = 0
    features: int = 0
    rows: int = 0
    wrong: int = 0
    focus: str = ""
    yields: dict[str, list[int]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the name of its folder."""
        return f"{self.number:03}-{self.kind}-{self.format}"

    def like(self, other: Round) -> bool:
        """Return whether files cost the same in both."""
        mine, others = (self.kind, self.format, self.engines), (other.kind, other.format, other.engines)
        return mine == others

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Round:
        """Read the JSON form; what another version of colconf added is passed over."""
        names = {one.name for one in fields(Round)}
        return Round(**{name: value for name, value in data.items() if name in names})


def richest(rounds: Iterable[Round], formats: Sequence[str], engines: str) -> str:
    """Return the format to generate files of."""
    held: dict[str, list[Round]] = {format_: [] for format_ in formats}
    for one in rounds:
        if one.kind == GENERATE and one.done and one.engines == engines and one.format in held:
            held[one.format].append(one)
    return max(formats, key=lambda format_: (_yield(held[format_][-_LATEST:]), -FORMATS.index(format_)))


def focus(rounds: Iterable[Round], format_: str, engines: str) -> str:
    """Return the feature to generate more files of, "" for none: every other round has none."""
    held = [one for one in rounds if one.kind == GENERATE and one.done and one.format == format_]
    held = [one for one in held if one.engines == engines]
    if not held or held[-1].focus:
        return ""
    summed: dict[str, tuple[int, int]] = {}
    for one in held:
        for feature, (rows, found) in one.yields.items():
            before = summed.get(feature, (0, 0))
            summed[feature] = before[0] + rows, before[1] + found
    return max(sorted(summed), key=lambda one: (1 + summed[one][1]) / (_ROWS + summed[one][0]), default="")


def yields(
    rows: Mapping[str, int], signatures: Mapping[str, Iterable[str]], new: Container[str]
) -> dict[str, list[int]]:
    """Return what `Round.yields` says, by the rows and the findings' signatures of each feature."""
    return {
        feature: [count, sum(1 + _NEW * (one in new) for one in signatures.get(feature, ()))]
        for feature, count in sorted(rows.items())
    }


def _yield(rounds: Sequence[Round]) -> float:
    if not rounds:
        return float("inf")
    rows = sum(one.rows for one in rounds)
    found = sum(one.new + one.features for one in rounds)
    share = sum(one.wrong for one in rounds) / rows if rows else 0.0
    return (1 + found + share) / max(1.0, sum(one.seconds for one in rounds))


def slice_of(budget: float, left: float) -> float:
    """Return how many seconds the next round may take, of those that are left."""
    usual = budget / ROUNDS_IN_BUDGET
    return left if left <= usual / 2 else min(usual, _OF_THE_LAST * left)
