"""The release of an engine that began or ceased to fail: a search over releases with one case.

As `git bisect` does, the search assumes one change between the ends, and reports the releases that it tested;
with `every` it tests all releases and reports each change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """The state of a release."""

    BAD = "bad"  # it fails as the finding says
    GOOD = "good"  # it does not
    SKIPPED = "skipped"  # it cannot be tested


@dataclass(frozen=True)
class Bisection:
    """The result of a search: the state of each tested release, from old to new.

    `first_bad` is the first release that fails where older ones do not, `first_good` the first that does not
    fail where older ones do, each the last such change; None where there is no such change.
    """

    states: dict[str, State]
    first_bad: str | None
    first_good: str | None
    changes: tuple[tuple[str, State], ...]

    @property
    def versions(self) -> str:
        """Return the range of versions that fail, for an entry of known failures; "" for all.

        Raises ValueError if they are not one range, or if none fails.
        """
        known = [state for state in self.states.values() if state is not State.SKIPPED]
        if State.BAD not in known:
            raise ValueError("no tested release shows the finding")
        wanted = [state for _, state in self.changes]
        if wanted in ([], [State.BAD], [State.GOOD], [State.BAD, State.GOOD]):
            bounds = {State.BAD: ">=", State.GOOD: "<"}
            return ",".join(f"{bounds[state]}{version}" for version, state in self.changes)
        raise ValueError("the releases that fail are not one range")


def search(
    versions: Sequence[str],
    ask: Callable[[str], State],
    *,
    every: bool = False,
    cheap: Collection[str] = (),
) -> Bisection:
    """Return where failures begin or end among releases from old to new; `ask` is called once for each.

    A release that cannot be tested is replaced by its neighbour. Between the ends, `cheap` ones come first.
    """
    states: dict[int, State] = {}

    def state(at: int) -> State:
        if at not in states:
            states[at] = ask(versions[at])
        return states[at]

    if every:
        for at in range(len(versions)):
            state(at)
    else:
        low = _first_known(state, range(len(versions)))
        high = _first_known(state, range(len(versions) - 1, -1, -1))
        if low is not None and high is not None and state(low) is not state(high):
            _halve(state, low, high, [version in cheap for version in versions])
    return bisection(versions, states)


def _halve(state: Callable[[int], State], low: int, high: int, cheap: Sequence[bool]) -> None:
    """Narrow two releases of different states down to neighbours, apart from releases without a state."""
    before = state(low)
    while high - low > 1:
        some = [at for at in range(low + 1, high) if cheap[at]]
        middle = some[len(some) // 2] if some else (low + high) // 2
        between = [*range(middle, high), *range(middle - 1, low, -1)]
        at = _first_known(state, sorted(between, key=lambda place: not cheap[place]))
        if at is None:
            return
        if state(at) is before:
            low = at
        else:
            high = at


def _first_known(state: Callable[[int], State], order: Sequence[int]) -> int | None:
    """Return the first release that could be tested."""
    return next((at for at in order if state(at) is not State.SKIPPED), None)


def bisection(versions: Sequence[str], states: Mapping[int, State]) -> Bisection:
    """Return the result of a search from the states of releases by their places."""
    by_version = {versions[at]: states[at] for at in sorted(states)}
    changes: list[tuple[str, State]] = []
    last: State | None = None
    for version, state in by_version.items():
        if state is State.SKIPPED:
            continue
        if last is not None and state is not last:
            changes.append((version, state))
        last = state
    first = {state: version for version, state in changes}
    return Bisection(by_version, first.get(State.BAD), first.get(State.GOOD), tuple(changes))
