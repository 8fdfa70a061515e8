"""Engines that sort floats in another order than the one in which their filters compare them."""

import pytest

from corpora.aggregates import order_of_both
from corpora.answers import answer
from corpora.cases import Probe
from corpora.predicates import IsNull
from corpora.queries import Compare, Filter, Top, TopRows, TopWhere
from corpora.tagged import Table, floating
from harness.children.outcomes import Outcome, OutcomeKind
from harness.engines import manifest
from harness.engines.daft.adapter import Daft
from harness.judging.probes import judge_probe
from harness.judging.traits import Traits
from harness.tests import foreign_manifests

NAMED = {"name": "my_reader", "version": "1.0"}


def test_sorts_are_judged_by_their_own_order():
    """The first rows of a sort are judged by the order of sorts, filters by that of comparisons."""
    traits = Traits(float_order="total", sort_order="nan-greatest")
    assert traits.order(Top(("x",), 1)) == "nan-greatest"
    assert traits.order(Filter(IsNull(("x",)))) == "total"
    assert Traits(float_order="total").order(Top(("x",), 1)) == "total"
    assert traits.order(TopWhere(("x",), 1)) == order_of_both("total", "nan-greatest")
    assert Traits(float_order="total").order(TopWhere(("x",), 1)) == "total"


DOUBLE = floating(64)
FILE = Table.of([("x", DOUBLE)], [["8000000000000000", "7ff8000000000000", "0000000000000000"]])
LEAST = Compare(("x",), ">", DOUBLE, "8000000000000000")  # in total order, 0.0 and NaN are greater
SIGNED_ZEROS, EQUAL_ZEROS = (
    Traits(float_order="total"),
    Traits(float_order="total", sort_order="nan-greatest"),
)
GREATEST, BESIDE = Traits(float_order="nan-greatest"), Traits(sort_order="nan-beside-nulls")


@pytest.mark.parametrize(
    ("traits", "query", "right", "wrong"),
    [
        (SIGNED_ZEROS, TopRows(("x",), 1), [[0]], [[2]]),
        (EQUAL_ZEROS, TopRows(("x",), 1), [[0], [2]], [[1]]),
        (GREATEST, TopRows(("x",), 2, descending=True), [[1, 0], [1, 2]], [[2, 0]]),
        (BESIDE, TopRows(("x",), 2, descending=True), [[0, 2], [2, 0]], [[1, 0], [2, 1]]),
        (BESIDE, TopRows(("x",), 2), [[0, 2]], [[1, 0]]),
        (EQUAL_ZEROS, TopWhere(("x",), 1, offset=1), [[0], [2]], [[1]]),
        (EQUAL_ZEROS, TopWhere(("x",), 2, predicate=LEAST), [[2, 1]], [[0, 2], [1, 2]]),
    ],
)
def test_first_rows_are_judged_by_it(traits, query, right, wrong):
    """Rows of zeros of both signs, which sorts tell apart or not, and of NaN, first or last."""
    expected = answer(query, FILE, traits.order(query))
    for rows in (*right, *wrong):
        given = Outcome(OutcomeKind.TABLE, Table.of([("x", DOUBLE)], [[FILE.column(0)[row] for row in rows]]))
        verdict = judge_probe(Probe(query), expected, given, traits, file=FILE).judgement.verdict
        assert (verdict == "agree") == (rows in right), rows


@pytest.mark.parametrize(("trait", "expected"), [("", "ieee"), ("sort_order = 'total'", "total")])
def test_a_manifest_names_it(tmp_path, trait, expected):
    """The trait of a manifest is that of the reader, unless its description has another."""
    foreign = manifest.read(foreign_manifests.manifest(tmp_path, tables=f"\n[traits]\n{trait}\n")).foreign
    assert Traits.of(foreign.described(NAMED)).order(Top(("x",), 1)) == expected
    described = foreign.described({**NAMED, "sort_order": "nan-greatest"})
    assert Traits.of(described).order(Top(("x",), 1)) == "nan-greatest"
    assert not foreign.mistake(described)
    assert "`sort_order` is 'x', not one of ieee" in foreign.mistake({**described, "sort_order": "x"})


def test_an_adapter_names_it():
    """The description of an engine has the order of its sorts, if it is another."""
    engine = object.__new__(Daft)
    engine.version = engine.runtime = lambda: "1"
    assert Traits.of(engine.describe()).order(Top(("x",), 1)) == "nan-greatest"
