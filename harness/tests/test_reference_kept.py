"""The reference keeps what it has decoded for the next query, within a limit."""

import pytest

from harness.engines.reference.kept import Kept


def _kept(most, *asked):
    """Return which keys were made anew; each key is a letter with its size behind it."""
    kept, made = Kept(most), []
    for key in asked:
        assert kept.get(key, int(key[1:]), lambda key=key: made.append(key) or key) == key
        assert kept.size <= most
    return made


@pytest.mark.parametrize(
    ("asked", "made"),
    [
        (("a4", "a4"), ["a4"]),
        (("a4", "b4", "a4", "b4"), ["a4", "b4"]),
        (("a4", "b4", "a4", "c4", "a4", "b4"), ["a4", "b4", "c4", "b4"]),
        (("a4", "d11", "d11", "a4"), ["a4", "d11", "d11"]),
        (("a4", "b4", "e10", "a4"), ["a4", "b4", "e10", "a4"]),
    ],
)
def test_the_least_recently_used_goes_first(asked, made):
    """A value is made once while it fits; the one that was not asked for longest is given up."""
    assert _kept(10, *asked) == made


def test_others_go_before_a_new_value_is_made():
    """While a value is made, what is kept beside it is within the limit."""
    kept = Kept(10)
    kept.get("a", 6, str)
    kept.get("b", 6, lambda: str(kept.size))
    assert kept.get("b", 6, str) == "0"


def test_what_cannot_be_made_is_not_kept():
    """A value whose making fails is tried again."""
    kept = Kept(10)
    with pytest.raises(ZeroDivisionError):
        kept.get("a", 1, lambda: 1 // 0)
    assert kept.get("a", 1, lambda: "made") == "made"
