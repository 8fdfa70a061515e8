"""Which refusals can be due to a file's broken rule: late enough, and made by the engine itself.

If the rule is about the contents of pages, an engine that refuses the file when it opens the file has not
seen the breach: it lacks the type, or another feature of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from corpora import rules
from corpora.build.silences import ALIKE, names_alike
from corpora.cases import Expectation
from harness.children.outcomes import Outcome, OutcomeKind
from harness.children.protocol import OPEN

ANY = "any"
# numpy's messages about arrays that do not fit together, which no reader raises to refuse a file.
_OF_NUMPY = re.compile(
    "could not broadcast|operands could not be broadcast|cannot reshape array|buffer size must be a multiple"
    "|buffer is smaller than requested|negative dimensions|NumPy boolean array indexing assignment"
)


def earliest_of(broken: Iterable[str]) -> str:
    """Return the step in which a reader can notice a broken rule at the earliest: ROWS, or ANY if unknown.

    Of several rules that a file breaks, the one that is noticed first counts.
    """
    known = rules.load()
    steps = {known[rule].earliest if rule in known else "" for rule in broken}
    return rules.ROWS if steps == {rules.ROWS} else ANY


def is_expected(expectation: Expectation, outcome: Outcome) -> bool:
    """Return whether a refusal can be about the rule of an expectation; without a rule any refusal can."""
    if expectation.rule is None:
        return True
    return is_about(outcome, expectation.earliest or earliest_of([expectation.rule]))


def is_about(outcome: Outcome, earliest: str) -> bool:
    """Return whether an outcome is a refusal that can be due to a breach noticeable from step `earliest`."""
    if outcome.kind is not OutcomeKind.REFUSED or outcome.detail.origin or is_accident(outcome):
        return False
    return earliest != rules.ROWS or outcome.detail.step != OPEN


def may_be(expectation: Expectation, outcome: Outcome) -> bool:
    """Return whether a reader may refuse a valid file so: for names that are alike it has to name one."""
    if expectation.kind != "either":
        return False
    if expectation.reason != ALIKE or expectation.table is None:
        return True
    message = outcome.detail.message.casefold()
    return any(name in message for name in names_alike(expectation.table.columns))


def is_accident(outcome: Outcome) -> bool:
    """Return whether a refusal is a mistake of the engine's own code, which says nothing of the file."""
    detail = outcome.detail
    if outcome.kind is not OutcomeKind.REFUSED or detail.error_class != "ValueError":
        return False
    return _OF_NUMPY.match(detail.message) is not None
