"""What adapters share: whether a name means one column."""

import pytest

from harness.engines.errors import Unsupported
from harness.engines.terms import each_once, only


class Counted(str):
    """A name that counts how often it is folded."""

    folded = 0
    __slots__ = ()

    def lower(self):
        """Return the name without case."""
        Counted.folded += 1
        return str(self).lower()


def test_names_that_are_there_once():
    """Names are refused that another name is, or is but for case where the engine folds it."""
    each_once(["a", "A"])
    each_once(["a", "b"], fold=True)
    for names in (["b", "a", "A"], ["É", "é"]):
        with pytest.raises(Unsupported, match="the engine cannot select one of them"):
            each_once(names, fold=True)
    with pytest.raises(Unsupported):
        only("A", ["a", "A"], fold=True)


def test_each_name_is_folded_a_few_times():
    """To check all names of a wide file takes time linear in their number."""
    names = [Counted(f"c{number}") for number in range(2_000)]
    each_once(names, fold=True)
    assert Counted.folded <= 2 * len(names)
