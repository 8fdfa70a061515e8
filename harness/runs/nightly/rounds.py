"""The rounds of a night, and the choice of the next round.

1. `corpora`: the cases of the corpora, formats taking turns, for at most half of the budget. If the time is
   too short for all cases, the next night begins where this night ended.
2. `replay`: the stored cases of open findings that this night has not replayed yet, least recently replayed
   first, for at most a quarter of the budget.
3. `generate`: files from an unused seed, of the format whose latest rounds had the highest yield per second:

       (1 + new findings + features seen for the first time + share of rows that do not agree) ÷ seconds

   over its last four rounds; a format without a round comes first. The 1 ensures that a format without
   findings is tried again. Every other round of a format focuses on a feature (`properties.focus`), the
   feature with the highest yield per row in the earlier rounds:

       (1 + findings + 3 × new findings among them) ÷ (50 + rows)

   Without findings, rare features come first: the value falls with each row that has the feature.

4. `large`: in the second half of each hour, before any other round, LARGE_FILES generated files of more than
   65,536 rows (one until their cost is known), formats taking turns. They cost more than other generated
   files, and have no part in the choice of formats and features.

5. `write` and `partition`: generated tables that each engine writes under drawn options, as files or as
   partitioned folders: every third of the rounds 3 and 5, the two kinds and the formats taking turns.

A round takes an eighth of the budget, estimated from earlier rounds of its kind. The first round of a kind
has FIRST files (FEW tables to write, since every engine writes each), later rounds at most GROWTH times as
many as any before; the last rounds are smaller, to end in time. The plan depends on nothing but the history,
the corpora, the engines and the clock.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import accumulate
from typing import Any

from corpora.cases import FORMATS

CORPORA, REPLAY, GENERATE, LARGE = "corpora", "replay", "generate", "large"
WRITING = (WRITE, PARTITION) = "write", "partition"
SHARES = {CORPORA: 0.5, REPLAY: 0.25, GENERATE: 1.0, LARGE: 1.0, WRITE: 1.0, PARTITION: 1.0}
_WRITING_ONE_IN = 3  # of the rounds of new files
LARGE_FILES = 4
ROUNDS_IN_BUDGET = 8
FIRST = 40  # files of a round of unknown cost
GROWTH = 4  # at most so many times the files of any earlier round of its kind: other files may cost more
FEW = 8  # fewer files are not worth a round, unless no others are left
_HOUR = 3600.0  # seconds
_LEAST_FOR_LARGE = 600.0  # seconds: a round takes some minutes
_LATEST = 4
REMEMBERED = 64  # rounds whose yield by feature is remembered
_NEW = 3  # extra weight of a new finding
_ROWS = 50  # fewer rows do not tell the yield of a feature
_OF_THE_LAST = 0.6  # of the time that is left, at the end: costs are known to some tenths only


@dataclass
class Round:
    """The plan and the results of one round.

    `engines` describes the engines that run: costs are comparable between rounds of the same engines only.
    `first` is the id of the first case of corpora, `seed` the seed of generated files, `chosen` are the
    signatures that are replayed. `new` counts new and regressed findings, `features` the features that no
    file of the format had before, `wrong` the rows with a problem. `focus` is the feature that generated
    files have more often; `yields` has for each feature its rows and its findings; a new finding counts
    `_NEW` more.
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
        """Return the name of the round's folder."""
        return f"{self.number:03}-{self.kind}-{self.format}"

    @property
    def generates(self) -> bool:
        """Return whether the files of the round are generated, or the tables that engines write."""
        return self.kind in (GENERATE, LARGE, *WRITING)

    def like(self, other: Round) -> bool:
        """Return whether files cost the same in both rounds."""
        mine, others = (self.kind, self.format, self.engines), (other.kind, other.format, other.engines)
        return mine == others

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Round:
        """Read the JSON form; fields that another version of colconf added are ignored."""
        names = {entry.name for entry in fields(Round)}
        return Round(**{name: value for name, value in data.items() if name in names})


def writing(rounds: Sequence[Round], choices: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    """Return the kind and format of which engines write tables next, None if it is not their turn.

    `rounds` are those of this night, `choices` the kinds and formats for which there are writers.
    """
    of_new = [round_.kind for round_ in rounds if round_.kind in (GENERATE, *WRITING)]
    if not choices or len(of_new) % _WRITING_ONE_IN != _WRITING_ONE_IN - 1:
        return None
    return choices[sum(kind in WRITING for kind in of_new) % len(choices)]


def richest(rounds: Iterable[Round], formats: Sequence[str], engines: str) -> str:
    """Return the format of which to generate files next."""
    held: dict[str, list[Round]] = {format_: [] for format_ in formats}
    for round_ in rounds:
        if round_.kind == GENERATE and round_.done and round_.engines == engines and round_.format in held:
            held[round_.format].append(round_)
    return max(formats, key=lambda format_: (_yield(held[format_][-_LATEST:]), -FORMATS.index(format_)))


def focus(rounds: Iterable[Round], format_: str, engines: str) -> str:
    """Return the feature to generate more often, "" for none: every other round has no focus."""
    held = [
        round_ for round_ in rounds if round_.kind == GENERATE and round_.done and round_.format == format_
    ]
    held = [round_ for round_ in held if round_.engines == engines]
    if not held or held[-1].focus:
        return ""
    summed: dict[str, tuple[int, int]] = {}
    for round_ in held:
        for feature, (rows, gain) in round_.yields.items():
            before = summed.get(feature, (0, 0))
            summed[feature] = before[0] + rows, before[1] + gain
    return max(
        sorted(summed),
        key=lambda feature: (1 + summed[feature][1]) / (_ROWS + summed[feature][0]),
        default="",
    )


def large(rounds: Sequence[Round], formats: Sequence[str], spent: float, left: float) -> str:
    """Return the format of which to read large files next, "" for none: none in the first half of an hour.

    `rounds` are those of this night, which has spent and has left so many seconds.
    """
    starts = [0.0, *accumulate(round_.seconds for round_ in rounds)]
    of_large = [start for round_, start in zip(rounds, starts, strict=False) if round_.kind == LARGE]
    hour, since = divmod(spent, _HOUR)
    if since < _HOUR / 2 or left < _LEAST_FOR_LARGE or any(start // _HOUR == hour for start in of_large):
        return ""
    return formats[len(of_large) % len(formats)]


def yields(
    rows: Mapping[str, int], signatures: Mapping[str, Iterable[str]], new: Container[str]
) -> dict[str, list[int]]:
    """Return `Round.yields` from the rows and the signatures of findings of each feature."""
    return {
        feature: [count, sum(1 + _NEW * (signature in new) for signature in signatures.get(feature, ()))]
        for feature, count in sorted(rows.items())
    }


def _yield(rounds: Sequence[Round]) -> float:
    if not rounds:
        return float("inf")
    rows = sum(round_.rows for round_ in rounds)
    gain = sum(round_.new + round_.features for round_ in rounds)
    share = sum(round_.wrong for round_ in rounds) / rows if rows else 0.0
    return (1 + gain + share) / max(1.0, sum(round_.seconds for round_ in rounds))


def slice_of(budget: float, left: float) -> float:
    """Return how many of the seconds left the next round may take."""
    usual = budget / ROUNDS_IN_BUDGET
    return left if left <= usual / 2 else min(usual, _OF_THE_LAST * left)
