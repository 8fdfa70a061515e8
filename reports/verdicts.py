"""How reports present verdicts: the order of severity, a label, a sentence, a tone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

TONES = ("good", "fine", "quiet", "warn", "bad", "fatal")


@dataclass(frozen=True)
class Presentation:
    """How people see a verdict; `tone` is one of TONES and never the only sign."""

    verdict: str
    label: str
    tone: str
    meaning: str


# From the worst to the best. Silently wrong values come right after a lost process.
_PRESENTATIONS = (
    Presentation("crashed", "crashed", "fatal", "the engine's process died, or could no longer be trusted"),
    Presentation("out_of_memory", "out of memory", "fatal", "the engine exceeded the memory limit"),
    Presentation("hung", "hung", "fatal", "the engine did not finish within the time limit"),
    Presentation("different", "different", "bad", "the engine returned other values than the file contains"),
    Presentation("unstable", "unstable", "bad", "the engine's result changed when the case was repeated"),
    Presentation(
        "accepted_invalid",
        "accepted invalid",
        "bad",
        "the engine returned values from a file that breaks a rule",
    ),
    Presentation(
        "wrote_invalid",
        "wrote invalid",
        "bad",
        "a file that the engine wrote breaks a rule of the specification",
    ),
    Presentation(
        "refused_valid", "refused valid", "warn", "the engine refused a file that the specification allows"
    ),
    Presentation(
        "stale_known_failure",
        "stale known failure",
        "warn",
        "a known failure no longer fails: remove its entry",
    ),
    Presentation(
        "amplified", "amplified", "warn", "the engine used time or memory out of proportion to the file"
    ),
    Presentation("unsupported", "unsupported", "quiet", "the engine reported that it lacks the feature"),
    Presentation(
        "equivalent",
        "equivalent",
        "fine",
        "the values differ as the engine documents, under a named equivalence",
    ),
    Presentation(
        "refused_as_expected",
        "refused as expected",
        "good",
        "the engine refused a file that breaks a rule, or that it may refuse",
    ),
    Presentation("agree", "agree", "good", "the engine returned the values that the file contains"),
)
VERDICTS = {known.verdict: known for known in _PRESENTATIONS}
PASSED = frozenset({"agree", "equivalent", "refused_as_expected"})
_NOT_PLAIN = re.compile("[^a-z0-9 ]+")
_SEVERITY = {known.verdict: place for place, known in enumerate(_PRESENTATIONS)}


def describe(verdict: str) -> Presentation:
    """Return how to present `verdict`; an unknown verdict is a warning, in plain letters."""
    return VERDICTS.get(verdict) or Presentation(
        verdict, _plain(verdict), "warn", "a verdict that this version of colconf does not know"
    )


def _plain(verdict: str) -> str:
    return _NOT_PLAIN.sub("?", verdict.replace("_", " "))[:24] or "?"


def severity(verdict: str) -> int:
    """Return a rank, 0 for the worst; an unknown verdict counts as the worst."""
    return _SEVERITY.get(verdict, -1)


def worst_first(verdicts: Iterable[str]) -> list[str]:
    """Return the verdicts, the worst first."""
    return sorted(verdicts, key=lambda verdict: (severity(verdict), verdict))
