"""The search: all reductions in turn, repeated until none helps; the best file so far is on disk.

Sites are reduced all at once, then in halves, quarters, and so on down to single sites (delta debugging). No
candidate is tried twice.

A signature may have two causes, and a file with the first cause can be reduced to a file with the second. So
a part that the finding needs at first (if it does not show without Bloom filters, say) must be needed to the
end.

Where the finding does not show again in a fresh child, the search returns to the last file that showed it
there, and from then on tries each candidate twice.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from harness.investigate.minimize.reduction import IMPOSSIBLE, Reduction, Sites


@dataclass
class Progress:
    """The progress of a search; `steps` counts successful reductions, `questions` the files that were judged.

    `tried` counts all candidates, `by` the steps by the name of their reduction. `needed` names the witnesses
    without whose parts the finding does not show.
    """

    size: int
    steps: int = 0
    questions: int = 0
    tried: int = 0
    seconds: float = 0.0
    by: dict[str, int] = field(default_factory=dict)
    needed: list[str] = field(default_factory=list)
    finished: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, in which `questions` is called `asked`."""
        return {"asked" if name == "questions" else name: value for name, value in asdict(self).items()}


class Search:
    """Makes a file smaller as long as `shows` returns that the file shows the finding.

    `confirmed` does the same with fresh children. `on_better` is called with each better file. `deadline` is
    of `time.monotonic`.
    """

    def __init__(
        self,
        data: bytes,
        shows: Callable[[bytes], bool],
        confirmed: Callable[[bytes], bool],
        on_better: Callable[[bytes, Progress], None],
        deadline: float,
    ) -> None:
        self.best = data
        self.progress = Progress(len(data))
        self.needed: list[Reduction] = []
        self._sure = data
        self._shows = shows
        self._confirmed = confirmed
        self._on_better = on_better
        self._deadline = deadline
        self._begun = time.monotonic()
        self._seen = {hashlib.sha256(data).digest()}
        self._doubtful = False

    def hold(self, data: bytes, witnesses: Sequence[Reduction]) -> None:
        """Note the `witnesses` that a finding needs: reduced at all sites, they make the finding disappear.

        From now on every better file must need them, too.
        """
        self.needed = [reduction for reduction in witnesses if self._needs(reduction, data, doubt=False)]
        self.progress.needed = [reduction.name for reduction in self.needed]

    def _needs(self, reduction: Reduction, data: bytes, *, doubt: bool) -> bool:
        """Return whether the finding disappears by a reduction; `doubt` where that cannot be tried."""
        if self._is_late():
            return doubt
        sites = reduction.sites_in(data)
        if not sites.count:
            return False
        try:
            without = sites.reduced(0, sites.count)
        except IMPOSSIBLE:
            return doubt
        return not self._shows(without)

    def run(self, reductions: Sequence[Reduction]) -> bytes:
        """Return the smallest file of the search."""
        while not self._is_late():
            before = self.best
            for reduction in reductions:
                self._reduce(reduction)
                if self._is_late():
                    break
            if not self._settled():
                continue
            if self.best == before:
                self.progress.finished = True
                break
        self._settled()
        self._tell()
        return self.best

    def _settled(self) -> bool:
        """Return whether the best file shows the finding in fresh children; else restore one that did."""
        if self.best == self._sure:
            return True
        if self._confirmed(self.best):
            self._sure = self.best
            return True
        self.best = self._sure
        self._doubtful = True
        self._tell()
        return False

    def _reduce(self, reduction: Reduction) -> None:
        sites = reduction.sites_in(self.best)
        least = reduction.finest(sites.count) if sites.count else 1
        size = sites.count
        while size >= least and sites.count:
            at = 0
            while at < sites.count:
                if self._is_late():
                    return
                stop = min(at + size, sites.count)
                if self._try(reduction, sites, at, stop):
                    before, sites = sites.count, reduction.sites_in(self.best)
                    at = at if sites.count < before else stop
                else:
                    at = stop
            size = min(size, sites.count * 2) // 2

    def _try(self, reduction: Reduction, sites: Sites, start: int, stop: int) -> bool:
        """Try a candidate; return whether it is the best file now."""
        try:
            candidate = sites.reduced(start, stop)
        except IMPOSSIBLE:
            return False
        if not reduction.allows(len(self.best), len(candidate)):
            return False
        digest = hashlib.sha256(candidate).digest()
        if digest in self._seen:
            return False
        self._seen.add(digest)
        self.progress.tried += 1
        if not self._shows(candidate) or (self._doubtful and not self._shows(candidate)):
            return False
        if not all(self._needs(reduction, candidate, doubt=True) for reduction in self.needed):
            return False
        self.best = candidate
        self.progress.steps += 1
        self.progress.by[reduction.name] = self.progress.by.get(reduction.name, 0) + 1
        self._tell()
        return True

    def _tell(self) -> None:
        self.progress.size = len(self.best)
        self.progress.seconds = time.monotonic() - self._begun
        self._on_better(self.best, self.progress)

    def _is_late(self) -> bool:
        return time.monotonic() >= self._deadline
