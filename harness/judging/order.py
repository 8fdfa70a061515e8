"""Whether a result depends on earlier reads of the engine's process: differences that need a fresh process.

A share of the cases, which a run's number chooses by digest, is asked once more in processes that have read
nothing (`harness/runs/pipeline/fresh.py`). If the result differs, and differs again, a third process repeats
the reads of the first process, and this sequence is shortened as long as the difference remains.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Self

from corpora.cases import Case
from harness.children.outcomes import Outcome
from harness.judging.compare import Difference, TablePath
from harness.judging.verdicts import Judgement, Verdict

SHARES = 50  # a fiftieth of the cases is chosen; in as many runs with successive numbers, each case
KIND = "order"  # of a difference
_LISTED = 3

Earlier = Mapping[str, Any]  # a request, as `Connection.recent` describes it


class Order(NamedTuple):
    """How a result depends on earlier reads of the process.

    `alone` is the outcome of a process that had read nothing, `after` that of one that had read the files of
    `sequence`, `of` so many requests; `repeated`: another process with this sequence returned the same
    result.
    """

    alone: str
    after: str
    sequence: tuple[Earlier, ...]
    of: int
    repeated: bool

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**self._asdict(), "sequence": [dict(request) for request in self.sequence]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON form; raises TypeError and KeyError."""
        return cls(**{**data, "sequence": tuple(data["sequence"])})

    def judgement(self, difference: Difference) -> Judgement:
        """Return the judgement of a case whose answer depends on the order, given how the answers differ."""
        names = [name for request in self.sequence for name in _names(request)]
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        before = ", ".join(names[-_LISTED:]) + more if self.repeated else f"{self.of} other requests"
        alone = self.alone if difference.kind == "outcome" else difference.expected
        after = self.after if difference.kind == "outcome" else difference.actual
        at = difference.path if difference.kind != "outcome" else TablePath("outcome")
        difference = Difference(at, f"{alone} in a fresh process", f"{after} after {before}", KIND)
        return Judgement(Verdict.UNSTABLE, (), difference)


def _names(request: Earlier) -> list[str]:
    """Return the names of the files of a request: a read has one, a query a list."""
    files = request["files"] if "files" in request else [request["file"]]
    return [f"{file}".rpartition("/")[2] for file in files]


def is_due(case: Case, number: int) -> bool:
    """Return whether a run with a number asks a case in a fresh process."""
    return _digest(case.sha256, case.id) % SHARES == number % SHARES


def rank(number: int, *names: str) -> int:
    """Return the place of something in the order that a number decides."""
    return _digest(str(number), *names)


def _digest(*names: str) -> int:
    text = "\0".join(names).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def shortest(
    requests: Sequence[Earlier], shows: Callable[[Sequence[Earlier]], bool]
) -> tuple[Earlier, ...] | None:
    """Return few of the requests, in order, that still show the difference; None if not even all of them do.

    Halving finds the shortest end of the sequence that shows the difference; then its first request is tried
    alone. A request that needs others between it and the end keeps them.
    """
    if not shows(requests):
        return None
    shorter, longer = 0, len(requests)  # the lengths of an end that does not show it, and of one that does
    while longer - shorter > 1:
        middle = (shorter + longer) // 2
        if shows(requests[len(requests) - middle :]):
            longer = middle
        else:
            shorter = middle
    end = tuple(requests[len(requests) - longer :])
    return end[:1] if len(end) > 1 and shows(end[:1]) else end


def outcome_text(outcome: Outcome) -> str:
    """Return an outcome in a few words."""
    signal = f"signal {outcome.detail.signal}" if outcome.detail.signal is not None else ""
    return ": ".join(filter(None, (outcome.kind.value, outcome.detail.summary[:200] or signal)))
