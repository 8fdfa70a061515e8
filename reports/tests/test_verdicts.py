"""What reports say about verdicts."""

from harness.judging.results import STALE
from harness.judging.verdicts import PASSED, Verdict
from reports import verdicts


def test_every_verdict_is_explained():
    """Reports know exactly the verdicts that the judge and the run give."""
    assert set(verdicts.VERDICTS) == {*Verdict, STALE}


def test_an_unknown_verdict_is_shown_plainly():
    """A verdict of a newer version is a warning, in letters that no format has to escape."""
    known = verdicts.describe("<b>new_verdict</b>")
    assert (known.label, known.tone) == ("?b?new verdict?b?", "warn")
    assert verdicts.severity("new_verdict") < verdicts.severity("crashed")


def test_passing_verdicts_come_last():
    """Everything that passes is milder than everything that does not."""
    ordered = verdicts.worst_first(verdicts.VERDICTS)
    assert set(ordered[-3:]) == PASSED
