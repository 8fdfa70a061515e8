"""How many cases of a finding each run showed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from reports.site.model import Site
from reports.site.places import Place
from reports.site.runs import Failure


class Failures:
    """The failures of all runs, by finding, and by case."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._by_finding: defaultdict[str, defaultdict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._by_case: defaultdict[tuple[int, str], list[Failure]] = defaultdict(list)
        for number, run in enumerate(site.runs):
            for failure in run.failures:
                if failure.finding:
                    self._by_finding[failure.finding][number].add(failure.case)
                self._by_case[number, failure.case].append(failure)

    def cases(self, finding: str) -> set[str]:
        """Return the cases that any run saw to show a finding."""
        return set().union(*self._by_finding[finding].values()) if finding in self._by_finding else set()

    def count(
        self, run: int, finding: str, cases: Iterable[str], verdict: str, is_meant: Callable[[Place], bool]
    ) -> int | None:
        """Return how many cases of a finding a run showed, None if it tested none of them where it is meant.

        Counted like the releases of a finding: also cases that fail with the same verdict, under a
        configuration that is meant.
        """
        visible = set(self._by_finding[finding][run]) if finding in self._by_finding else set()
        if verdict:
            visible |= {
                case
                for case in cases
                for failure in self._by_case.get((run, case), ())
                if failure.verdict == verdict and is_meant(failure.place)
            }
        if visible:
            return len(visible)
        numbers = [self._site.numbers[case] for case in cases if case in self._site.numbers]
        tested = (held for place, held in self._site.runs[run].tested.items() if is_meant(place))
        return 0 if any(number in held for held in tested for number in numbers) else None
