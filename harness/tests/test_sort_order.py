"""Engines that sort floats in another order than the one in which their filters compare them."""

import pytest

from corpora.predicates import IsNull
from corpora.queries import Filter, Top
from harness.engines import manifest
from harness.engines.daft.adapter import Daft
from harness.judging.traits import Traits
from harness.tests import foreign_manifests

NAMED = {"name": "my_reader", "version": "1.0"}


def test_sorts_are_judged_by_their_own_order():
    """The first rows of a sort are judged by the order of sorts, filters by that of comparisons."""
    traits = Traits(float_order="total", sort_order="nan-greatest")
    assert traits.order(Top(("x",), 1)) == "nan-greatest"
    assert traits.order(Filter(IsNull(("x",)))) == "total"
    assert Traits(float_order="total").order(Top(("x",), 1)) == "total"


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
