"""A difference in words: expected and actual value, or two results of one request."""

from __future__ import annotations

from collections.abc import Sequence

from harness.judging.order import KIND as ORDER
from harness.judging.verdicts import Verdict


def sides(verdict: str, kind: str) -> tuple[str, str]:
    """Return the words before the two values of a difference of a kind; "" where the values say it."""
    if kind == ORDER:
        return "", ""
    return ("first", "then") if verdict == Verdict.UNSTABLE else ("expected", "got")


def in_words(verdict: str, kind: str, expected: str, actual: str) -> str:
    """Return a difference without its place, such as `expected 1, got 2`."""
    before, behind = sides(verdict, kind)
    return f"{before} {expected}, {behind} {actual}" if before else f"{expected}, {actual}"


def failing_too(count: int, names: Sequence[str]) -> str:
    """Return which other queries of a finding's file fail, of which `names` has the first; "" for none."""
    more = f"; and {count - len(names):,} more" * (count > len(names))
    which = f"{count:,} other {'query' if count == 1 else 'queries'} of the file"
    return f"{which} fail{'s' * (count == 1)}, too: {'; '.join(names)}{more}" if count else ""
