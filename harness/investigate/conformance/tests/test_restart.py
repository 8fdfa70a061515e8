"""The check that a reader is served by a new process after it was killed in a request."""

from types import SimpleNamespace

import pytest

from harness.children.limits import Limits
from harness.children.outcomes import Outcome, OutcomeKind
from harness.investigate.conformance import checks
from harness.investigate.conformance.talk import Failure

KILLED, ANSWER, DEAD = map(Outcome, (OutcomeKind.HUNG, OutcomeKind.REFUSED, OutcomeKind.CRASHED))
SUBJECT = SimpleNamespace(launch=None, limits=None, plain="", format="parquet", config={})


def connection(without_time, with_time):
    """Return a class of connections whose requests without any time end so, the last outcome repeated."""

    class Connection:
        """Answers from the lists."""

        def __init__(self, *_):
            self.limits, self.left = Limits(), list(without_time)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def describe(self):
            """Return nothing."""

        def read(self, *_):
            """Return the next outcome."""
            if self.limits.seconds:
                return with_time
            return self.left.pop(0) if len(self.left) > 1 else self.left[0]

    return Connection


@pytest.mark.parametrize(
    ("without_time", "text"),
    [
        ([KILLED], "a new process serves the next request"),
        ([ANSWER, ANSWER, KILLED], "a new process serves the next request"),
        ([ANSWER], "it answered 50 requests before it could be killed"),
    ],
)
def test_a_quick_reader_is_asked_again(monkeypatch, without_time, text):
    """A reader that answers a request without any time is not at fault."""
    monkeypatch.setattr(checks, "Connection", connection(without_time, ANSWER))
    assert checks.restart(SUBJECT) == text


@pytest.mark.parametrize(("without_time", "with_time"), [([KILLED], DEAD), ([DEAD], ANSWER)])
def test_a_lost_process_is_a_fault(monkeypatch, without_time, with_time):
    """A process that dies by itself, or behind one that was killed, is named."""
    monkeypatch.setattr(checks, "Connection", connection(without_time, with_time))
    with pytest.raises(Failure, match="after it was killed in a request"):
        checks.restart(SUBJECT)
