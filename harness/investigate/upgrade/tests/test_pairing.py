"""The type that a signature names is that of the differing column, also where two columns have one name."""

import pytest

from corpora.cases import Case, Expectation
from corpora.tagged import STRING, Table, integer
from harness.children.outcomes import Outcome, OutcomeKind
from harness.investigate.upgrade.classes import unlike
from harness.investigate.upgrade.pairing import _Case, _Pair
from harness.judging.places import Place

COLUMNS = [("a", integer(32)), ("a", STRING)]


def outcome(number, text):
    """Return a table of a row whose two columns have the same name."""
    return Outcome(OutcomeKind.TABLE, Table.of(COLUMNS, [[number], [text]], 1))


@pytest.mark.parametrize(
    ("new", "cell"), [(outcome("2", "x"), str(integer(32))), (outcome("1", "y"), str(STRING))]
)
def test_columns_of_one_name(new, cell):
    """The column counts, not its name."""
    old = outcome("1", "x")
    expectation = Expectation.by_vote()
    compared = _Case(None, None, Case("files/a", "parquet", None, "0" * 64, expectation), 0, [], {})
    difference = unlike(old, new)
    assert compared._cell(_Pair(Place(0, 0), old, new, difference), expectation) == cell
    assert difference.signature("spark", cell=cell) == f"spark | value | {cell}"
