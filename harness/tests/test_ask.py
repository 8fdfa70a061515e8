"""Asking a heavy engine about a sheet: what fails for all is told apart from what fails for one."""

from types import SimpleNamespace

from corpora.queries import Aggregate, Filter, IsNull
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.judging.ask import ask_query

FILES = ("a", "b", "c", "d")
HEAVY = SimpleNamespace(heavy=True)
PLAIN = SimpleNamespace(switches={})


class LacksOne:
    """Says of each question in which file `b` has a part that it lacks what is asked; counts questions."""

    def __init__(self):
        self.asked = 0

    def query(self, files, _format, _switches, _query, **_):
        """Return one outcome for all files, or one for each."""
        self.asked += 1
        if "b" in files:
            return Outcome(OutcomeKind.UNSUPPORTED, detail=Detail(message="no"))
        return [Outcome(OutcomeKind.REFUSED, detail=Detail(message=file)) for file in files]


def kinds(query, connection):
    """Return the kind of outcome of each file."""
    cases = [SimpleNamespace(file=file, format="orc", keys=None, read=None) for file in FILES]
    found = dict(ask_query(connection, HEAVY, PLAIN, query, cases))
    return [found[at].kind for at in range(len(FILES))]


def test_a_filter_that_is_lacked():
    """Whether an engine has a filter hangs on the schema, and files of a sheet have one."""
    connection = LacksOne()
    assert kinds(Filter(IsNull(("x",))), connection) == [OutcomeKind.UNSUPPORTED] * 4
    assert connection.asked == 1


def test_an_aggregate_that_one_file_lacks():
    """Whether statistics answer an aggregate hangs on each file: one without them says nothing of others."""
    refused, lacked = OutcomeKind.REFUSED, OutcomeKind.UNSUPPORTED
    assert kinds(Aggregate(("x",)), LacksOne()) == [refused, lacked, refused, refused]
