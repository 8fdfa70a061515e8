"""Engines whose rows have no order: their rows are compared as a bag, those of all others in order."""

from types import SimpleNamespace

import pytest

from corpora.cases import Expectation
from corpora.tagged import STRING, Table, integer
from harness.children.outcomes import Outcome, OutcomeKind
from harness.engines import manifest
from harness.engines.hyper.adapter import Hyper
from harness.judging.answers import Answered
from harness.judging.judge import in_one_order
from harness.judging.subjects import Given
from harness.judging.traits import Traits
from harness.judging.verdicts import judge
from harness.tests import foreign_manifests

FIELDS = [("n", integer(32)), ("s", STRING)]
FILE = Table.of(FIELDS, [["1", "2", "3"], ["a", "b", None]])
TURNED = Table.of(FIELDS, [["3", "1", "2"], [None, "a", "b"]])
WRONG = Table.of(FIELDS, [["3", "1", "2"], [None, "a", "c"]])


def verdict(table, *, row_order):
    """Return the verdict on a table of the file."""
    configs = [SimpleNamespace(text="", switches={})]
    process = SimpleNamespace(name="some", key="some", configs=configs)
    traits = Traits(row_order=row_order)
    given = Given(Answered(process, traits, {}), 0, Outcome(OutcomeKind.TABLE, table))
    expectation = Expectation.accept(FILE, "spec")
    (turned,) = in_one_order(SimpleNamespace(read=None, expectation=expectation), [given], ())
    return judge(expectation, turned.outcome, ()).verdict


@pytest.mark.parametrize(
    ("table", "row_order", "expected"),
    [
        (FILE, True, "agree"),
        (TURNED, True, "different"),
        (TURNED, False, "agree"),
        (WRONG, False, "different"),
        (Table.of(FIELDS, [["3", "1"], [None, "a"]]), False, "different"),
        (Table.of(FIELDS, [["3", "1", "1"], [None, "a", "a"]]), False, "different"),
    ],
    ids=["same", "turned", "turned-without-order", "wrong-value", "row-lost", "row-twice"],
)
def test_rows_are_a_bag_without_an_order(table, row_order, expected):
    """Only the order is left open: values, lost rows and rows that come twice are not."""
    assert verdict(table, row_order=row_order) == expected


@pytest.mark.parametrize(
    ("trait", "expected"), [("", True), ("row_order = true", True), ("row_order = false", False)]
)
def test_a_manifest_says_so(tmp_path, trait, expected):
    """The trait of a manifest is that of the reader, unless its description has another."""
    file = foreign_manifests.manifest(tmp_path, tables=f"\n[traits]\n{trait}\n")
    entry = manifest.read(file)
    said = {"name": "my_reader", "version": "1.0"}
    assert Traits.of(entry.foreign.described(said)).row_order is expected
    assert Traits.of(entry.foreign.described({**said, "row_order": True})).row_order is True


def test_an_adapter_says_so():
    """The description of an engine without an order has it; that of others need not."""
    engine = object.__new__(Hyper)
    engine.version = lambda: "1"
    assert engine.describe()["row_order"] is False
    assert Traits.of(engine.describe()).row_order is False
