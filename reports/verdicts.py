"""How reports speak of verdicts: the order of severity, a label, a sentence, a tone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

TONES = ("good", "fine", "quiet", "warn", "bad", "fatal")


@dataclass(frozen=True)
class Shown:
    """A verdict as people see it; `tone` is one of TONES and never the only sign."""

    verdict: str
    label: str
    tone: str
    meaning: str


# From the worst to the best. Values that are silently wrong come right after a process that is lost.
_SHOWN = (
    Shown("crashed", "crashed", "fatal", "the engine's process died, or could not be trusted any more"),
    Shown("out_of_memory", "out of memory", "fatal", "it passed the memory limit"),
    Shown("hung", "hung", "fatal", "it did not answer within the time limit"),
    Shown("different", "different", "bad", "it answered other values than the file means"),
    Shown("unstable", "unstable", "bad", "it answered differently when asked again"),
    Shown("accepted_invalid", "accepted invalid", "bad", "it answered values of a file that breaks a rule"),
    Shown("wrote_invalid", "wrote invalid", "bad", "a file that it wrote breaks a rule of the specification"),
    Shown("refused_valid", "refused valid", "warn", "it refused a file that the specification allows"),
    Shown(
        "stale_known_failure",
        "fails no more",
        "warn",
        "a known failure that no longer fails: its entry is stale",
    ),
    Shown("amplified", "amplified", "warn", "it used time or memory out of proportion to the file"),
    Shown("unsupported", "unsupported", "quiet", "it said that it lacks the feature"),
    Shown("equivalent", "equivalent", "fine", "other values, as the engine documents: a named equivalence"),
    Shown(
        "refused_as_expected",
        "refused, rightly",
        "good",
        "it refused a file that breaks a rule, or that it may refuse",
    ),
    Shown("agree", "agree", "good", "it answered what the file means"),
)
VERDICTS = {shown.verdict: shown for shown in _SHOWN}
PASSED = frozenset({"agree", "equivalent", "refused_as_expected"})
_NOT_PLAIN = re.compile("[^a-z0-9 ]+")
_SEVERITY = {shown.verdict: place for place, shown in enumerate(_SHOWN)}


def shown(verdict: str) -> Shown:
    """Return how to show `verdict`; one that this version does not know is a warning, in plain letters."""
    return VERDICTS.get(verdict) or Shown(
        verdict, _plain(verdict), "warn", "a verdict that this report does not know"
    )


def _plain(verdict: str) -> str:
    return _NOT_PLAIN.sub("?", verdict.replace("_", " "))[:24] or "?"


def severity(verdict: str) -> int:
    """Return a rank, 0 for the worst; a verdict that is not known counts as the worst."""
    return _SEVERITY.get(verdict, -1)


def worst_first(verdicts: Iterable[str]) -> list[str]:
    """Return the verdicts, the worst first."""
    return sorted(verdicts, key=lambda verdict: (severity(verdict), verdict))
