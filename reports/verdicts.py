"""How reports present verdicts: the order of severity, a label, a sentence, a tone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

TONES = ("good", "fine", "quiet", "warn", "bad", "fatal")


class Presentation(NamedTuple):
    """How people see a verdict; `tone` is one of TONES and never the only sign."""

    verdict: str
    tone: str
    meaning: str

    @property
    def label(self) -> str:
        """Return the verdict in plain letters."""
        return self.verdict.replace("_", " ")


# From the worst to the best. Silently wrong values come right after a lost process.
_PRESENTATIONS = tuple(
    Presentation(*row)
    for row in (
        ("crashed", "fatal", "the engine's process died, or could no longer be trusted"),
        ("out_of_memory", "fatal", "the engine exceeded the memory limit"),
        ("hung", "fatal", "the engine did not finish within the time limit"),
        ("panicked", "bad", "the engine's own code failed: an error that says nothing about the file"),
        ("different", "bad", "the engine returned other values than the file contains"),
        ("unstable", "bad", "the engine's result changed when the case was repeated"),
        ("inconsistent", "bad", "the engine returned other values when it read the file in another way"),
        ("accepted_invalid", "bad", "the engine returned values from a file that breaks a rule"),
        ("wrote_invalid", "bad", "a file that the engine wrote breaks a rule of the specification"),
        ("wrote_other", "bad", "a file that the engine wrote holds other values than the engine was given"),
        ("refused_valid", "warn", "the engine refused a file that the specification allows"),
        ("stale_known_failure", "warn", "a known failure no longer fails: remove its entry"),
        ("amplified", "warn", "the engine used time or memory out of proportion to the file"),
        ("unsupported", "quiet", "the engine reported that it lacks the feature"),
        (
            "refused_otherwise",
            "quiet",
            "the engine refused a broken file for another reason, for example before it read the broken part",
        ),
        (
            "contested",
            "quiet",
            "engines disagree about the file, and nothing decides who is right",
        ),
        ("skipped", "quiet", "the reference reached one of its own limits: its result was not judged"),
        ("not_asked", "quiet", "colconf cannot run this read or query with this version of the engine"),
        ("equivalent", "fine", "the values differ as the engine documents, under a named equivalence"),
        (
            "refused_as_expected",
            "good",
            "the engine refused a file that breaks a rule, or that it may refuse",
        ),
        ("agree", "good", "the engine returned the values that the file contains"),
    )
)
VERDICTS = {known.verdict: known for known in _PRESENTATIONS}
_NOT_PLAIN = re.compile("[^a-z0-9 ]+")
_SEVERITY = {known.verdict: place for place, known in enumerate(_PRESENTATIONS)}


def describe(verdict: str) -> Presentation:
    """Return how to present `verdict`; an unknown verdict is a warning, in plain letters."""
    plain = _NOT_PLAIN.sub("?", verdict.replace("_", " "))[:24] or "?"
    return VERDICTS.get(verdict) or Presentation(
        plain, "warn", "a verdict that this version of colconf does not know"
    )


def severity(verdict: str) -> int:
    """Return a rank, 0 for the worst; an unknown verdict counts as the worst."""
    return _SEVERITY.get(verdict, -1)


def worst_first(verdicts: Iterable[str]) -> list[str]:
    """Return the verdicts, the worst first."""
    return sorted(verdicts, key=lambda verdict: (severity(verdict), verdict))
