"""The search: reductions one after the other, again and again until none helps, the best so far on disk.

Sites are reduced all at once, then in halves, quarters, and so on down to single ones (delta debugging). What
was asked is not asked again.

One signature may have two causes, and a file that has the one can be reduced to a file that has the other. So
what a finding needs at first (that without Bloom filters, say, it does not show), it must need to the end.

Where the finding does not show again in a fresh child, the search goes back to
the last file that did, and from there on asks twice.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.investigate.minimize.reduction import Sites
from reference_impl.errors import ReferenceError_

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harness.investigate.minimize.reduction import Reduction

_NOTHING = Sites(0, lambda _start, _stop: b"")
_IMPOSSIBLE = (
    ReferenceError_,
    ValueError,
    IndexError,
    OverflowError,
    TypeError,
)  # of a plan that none can be


@dataclass
class Progress:
    """How far the search is; `steps` are reductions that were kept, `asked` candidates that were asked about.

    `tried` counts all candidates, `by` the kept steps by the name of their reduction. `needed` names what the
    finding does not show without.
    """

    size: int
    steps: int = 0
    asked: int = 0
    tried: int = 0
    seconds: float = 0.0
    by: dict[str, int] = field(default_factory=dict)
    needed: list[str] = field(default_factory=list)
    finished: bool = False


class Search:
    """Makes a file smaller as long as `shows` says that it shows the finding.

    `confirmed` asks that of fresh children. `kept` is called with each better file. `deadline` is of
    `time.monotonic`.
    """

    def __init__(
        self,
        data: bytes,
        shows: Callable[[bytes], bool],
        confirmed: Callable[[bytes], bool],
        kept: Callable[[bytes, Progress], None],
        deadline: float,
    ) -> None:
        self.best = data
        self.progress = Progress(len(data))
        self.needed: list[Reduction] = []
        self._sure = data
        self._shows = shows
        self._confirmed = confirmed
        self._kept = kept
        self._deadline = deadline
        self._begun = time.monotonic()
        self._seen = {hashlib.sha256(data).digest()}
        self._doubtful = False

    def hold(self, data: bytes, witnesses: Sequence[Reduction]) -> None:
        """Find out what a finding needs in a file: of `witnesses`, those by which, at all sites, it goes.

        No file is kept any more of which that is not so.
        """
        self.needed = [one for one in witnesses if self._needs(one, data, doubt=False)]
        self.progress.needed = [one.name for one in self.needed]

    def _needs(self, reduction: Reduction, data: bytes, *, doubt: bool) -> bool:
        """Return whether the finding goes by a reduction; `doubt` is the answer where that cannot be said."""
        if self._is_late():
            return doubt
        sites = _sites(reduction, data)
        if not sites.count:
            return False
        try:
            without = sites.reduced(0, sites.count)
        except _IMPOSSIBLE:
            return doubt
        return not self._shows(without)

    def run(self, reductions: Sequence[Reduction]) -> bytes:
        """Return the smallest file that was found."""
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
        """Return whether the best file shows the finding to fresh children; go back if it does not."""
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
        sites = _sites(reduction, self.best)
        least = reduction.finest(sites.count) if sites.count else 1
        size = sites.count
        while size >= least and sites.count:
            at = 0
            while at < sites.count:
                if self._is_late():
                    return
                stop = min(at + size, sites.count)
                if self._try(reduction, sites, at, stop):
                    before, sites = sites.count, _sites(reduction, self.best)
                    at = at if sites.count < before else stop
                else:
                    at = stop
            size = min(size, sites.count * 2) // 2

    def _try(self, reduction: Reduction, sites: Sites, start: int, stop: int) -> bool:
        """Try a candidate; say whether it is the best file now."""
        try:
            candidate = sites.reduced(start, stop)
        except _IMPOSSIBLE:
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
        if not all(self._needs(one, candidate, doubt=True) for one in self.needed):
            return False
        self.best = candidate
        self.progress.steps += 1
        self.progress.by[reduction.name] = self.progress.by.get(reduction.name, 0) + 1
        self._tell()
        return True

    def _tell(self) -> None:
        self.progress.size = len(self.best)
        self.progress.seconds = time.monotonic() - self._begun
        self._kept(self.best, self.progress)

    def _is_late(self) -> bool:
        return time.monotonic() >= self._deadline


def _sites(reduction: Reduction, data: bytes) -> Sites:
    try:
        return reduction.sites(data)
    except _IMPOSSIBLE:
        return _NOTHING
