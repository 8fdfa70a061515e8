"""Which release of an engine began to fail, or failed last: a search over releases, each asked of one case.

The search takes failing to change once between the ends, as `git bisect` does, and says which releases it
asked; with `every` all are asked, and each change is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence


class State(StrEnum):
    """What a release is."""

    BAD = "bad"  # it fails as the finding says
    GOOD = "good"  # it does not
    SKIPPED = "skipped"  # it cannot be asked


@dataclass(frozen=True)
class Found:
    """What a search found: the state of each release that was asked, from old to new.

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

        Raises ValueError where they are no one range, or none fails.
        """
        asked = [state for state in self.states.values() if state is not State.SKIPPED]
        if State.BAD not in asked:
            raise ValueError("no release that was asked fails so")
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
) -> Found:
    """Return where failing begins or ends among releases from old to new; `ask` is asked once of each.

    A release that cannot be asked is passed over for its neighbour. Between the ends, those that are `cheap`
    to ask come first.
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
        low = _asked(state, range(len(versions)))
        high = _asked(state, range(len(versions) - 1, -1, -1))
        if low is not None and high is not None and state(low) is not state(high):
            _halve(state, low, high, [version in cheap for version in versions])
    return _found(versions, states)


def _halve(state: Callable[[int], State], low: int, high: int, cheap: Sequence[bool]) -> None:
    """Narrow two releases of different states down to neighbours, those that cannot be asked apart."""
    before = state(low)
    while high - low > 1:
        some = [at for at in range(low + 1, high) if cheap[at]]
        middle = some[len(some) // 2] if some else (low + high) // 2
        between = [*range(middle, high), *range(middle - 1, low, -1)]
        at = _asked(state, sorted(between, key=lambda one: not cheap[one]))
        if at is None:
            return
        if state(at) is before:
            low = at
        else:
            high = at


def _asked(state: Callable[[int], State], order: Sequence[int]) -> int | None:
    """Return the first release that could be asked."""
    return next((at for at in order if state(at) is not State.SKIPPED), None)


def _found(versions: Sequence[str], states: dict[int, State]) -> Found:
    told = {versions[at]: states[at] for at in sorted(states)}
    changes: list[tuple[str, State]] = []
    last: State | None = None
    for version, state in told.items():
        if state is State.SKIPPED:
            continue
        if last is not None and state is not last:
            changes.append((version, state))
        last = state
    first = {state: version for version, state in changes}
    return Found(told, first.get(State.BAD), first.get(State.GOOD), tuple(changes))
