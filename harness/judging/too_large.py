"""Files that exceed even the reference's limits of time or memory: no engine is blamed for these."""

from __future__ import annotations

from corpora.cases import Case
from harness.children.outcomes import Outcome, OutcomeKind
from harness.judging.verdicts import Judgement, Verdict

SKIPPED = Judgement(Verdict.SKIPPED)
WHY = "the file exceeds the limits of the reference, too: an engine is not blamed for the limits of a run"
_BEYOND = frozenset({OutcomeKind.LIMITED, OutcomeKind.HUNG, OutcomeKind.OUT_OF_MEMORY})


def unless_so(case: Case, reference: Outcome, judgement: Judgement) -> Judgement:
    """Return SKIPPED for an engine that reached a limit of the run where the reference reached one, too.

    Nothing says then that the file can be read within the limits; the recorded table of a case does.
    """
    is_lost = judgement.verdict in {Verdict.HUNG, Verdict.OUT_OF_MEMORY}
    if is_lost and case.expectation.table is None and reference.kind in _BEYOND:
        return SKIPPED
    return judgement
