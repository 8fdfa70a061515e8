"""Asking a heavy engine about a sheet: what fails for all is told apart from what fails for one."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from corpora.cases import Case, Expectation, Probe
from corpora.queries import Aggregate, Compare, CountRows, Filter, IsNull
from corpora.tagged import Table, integer
from harness.children.outcomes import Detail, Outcome, OutcomeKind
from harness.engines.entry import Entry
from harness.engines.registry import ENGINES
from harness.judging import ask_sheet
from harness.judging.ask import ask_query
from harness.judging.ask_sheet import outcomes_of
from harness.judging.places import Config, Process, Sheet

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


class CannotReadSome:
    """A heavy engine that cannot read some files; `requests` has the files and the way of each request."""

    def __init__(self, *bad):
        self.bad = bad
        self.requests = []
        self.spill = None

    def describe(self):
        """Return a reply without operations of its own."""
        return {}

    def read(self, file, format, switches):  # noqa: A002 - the protocol's word
        """Return a table, or a refusal."""
        return self.read_many([file], format, switches)[0]

    def read_many(self, files, _format, switches):
        """Return a table of each file, or a refusal of all."""
        names = [Path(file).name for file in files]
        self.requests.append((tuple(names), switches["way"]))
        if len(names) > 1 and set(names) & set(self.bad):
            return Outcome(OutcomeKind.REFUSED, detail=Detail(message="one of them"))
        refused = Outcome(OutcomeKind.REFUSED, detail=Detail(message="no"))
        return [refused if name in self.bad else Outcome(OutcomeKind.TABLE, ONE) for name in names]


ONE = Table.of([("x", integer(32))], [["1"]])


def requests_of(connection, monkeypatch, ways=None, **switches):
    """Return the requests for a sheet of four files, in the default configuration and in another."""
    entry = Entry("ways", "module", "Class", switches={"way": ("usual", "other"), "case": ("off", "on")})
    monkeypatch.setitem(ENGINES, "ways", entry)
    usual = {"way": "usual", "case": "off"}
    configs = (Config("", usual), Config("other", {**usual, **switches}, probed=False))
    process = Process("ways", "1", (), configs, ("orc",), heavy=True)
    cases = tuple(
        Case(f"files/{name}", "orc", Path(name), "0" * 64, Expectation.accept(ONE, "vote")) for name in FILES
    )
    sheet = Sheet("sheet", cases)
    outcomes = [
        (place.config, place.case, outcome.kind)
        for place, outcome in outcomes_of(connection, process, sheet, everything=False, ways=ways)
        if not place.way
    ]
    for number in (0, 1):
        kinds = {case: kind for at, case, kind in outcomes if at == number}
        assert [kinds[at] is OutcomeKind.TABLE for at in range(4)] == [x not in connection.bad for x in FILES]
    return connection.requests


def test_what_failed_before_is_read_alone(monkeypatch):
    """A file that the first configuration cannot read does not fail the sheet under the next one."""
    requests = requests_of(CannotReadSome("b"), monkeypatch, ways=0, case="on")
    assert requests[:5] == [
        (("a", "b", "c", "d"), "usual"),
        (("a", "b"), "usual"),
        (("a",), "usual"),
        (("b",), "usual"),
        (("c", "d"), "usual"),
    ]
    assert requests[5:] == [(("a", "c", "d"), "usual"), (("b",), "usual")]


def test_a_half_is_read_file_by_file_if_most_of_the_other_one_failed(monkeypatch):
    """Files that have the table of unreadable ones are likely to be unreadable as well."""
    requests = requests_of(CannotReadSome("a", "b", "d"), monkeypatch, ways=0, case="on")
    assert [files for files, _ in requests[:6]] == [FILES, ("a", "b"), ("a",), ("b",), ("c",), ("d",)]
    assert len(requests) == 6 + 4


def test_the_default_way_is_not_read_again(monkeypatch):
    """A configuration in another way is compared with what the first one, in the default way, has read."""
    requests = requests_of(CannotReadSome(), monkeypatch, way="other")
    assert requests == [(("a", "b", "c", "d"), "usual"), (("a", "b", "c", "d"), "other")]


@pytest.mark.parametrize(
    ("case", "heavy", "everything", "queries"),
    [
        ("generated/1/0/0", True, False, 20),
        ("generated/1/0/0", False, False, 30),
        ("generated/1/0/0", True, True, 30),
        ("files/x", True, False, 30),
    ],
)
def test_queries_of_a_generated_sheet(case, heavy, everything, queries):
    """A heavy engine is asked 20 of the 30 queries of a generated sheet, unless all are wanted."""
    process = Process("x", "1", (), (Config("", {"pushdown": "on"}),), ("orc",), heavy=heavy)
    probes = tuple(Probe(Filter(Compare(("x",), ">", integer(32), str(number)))) for number in range(30))
    expectation = Expectation.accept(ONE, "generator")
    sheet = Sheet("sheet", (Case(case, "orc", Path("x"), "0" * 64, expectation, probes=probes),))
    requests = ask_sheet._Requests(SimpleNamespace(spill=None), process, sheet, everything, 0)
    assert sum(requests._asks(0, at) for at in range(30)) == queries


def test_a_count_goes_with_its_filter():
    """A heavy engine counts rows of a filter if it runs the filter, too: both wrong is one failure."""
    process = Process("x", "1", (), (Config("", {"pushdown": "on"}),), ("orc",), heavy=True)
    tests = [Compare(("x",), ">", integer(32), str(number)) for number in range(30)]
    probes = tuple(map(Probe, [*map(Filter, tests), *map(CountRows, tests)]))
    expectation = Expectation.accept(ONE, "generator")
    case = Case("generated/1/0/0", "orc", Path("x"), "0" * 64, expectation, probes=probes)
    requests = ask_sheet._Requests(SimpleNamespace(spill=None), process, Sheet("x", (case,)), False, 0)
    chosen = [requests._asks(0, at) for at in range(60)]
    assert chosen[:30] == chosen[30:]
    assert 10 <= sum(chosen[:30]) < 30
