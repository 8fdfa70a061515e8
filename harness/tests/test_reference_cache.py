"""The reference keeps what it has decoded for the next query, within a limit."""

import pytest

from harness.engines.reference.cache import Cache


def _made_anew(most, *asked):
    """Return which keys were made anew; each key is a letter with its size behind it."""
    cache, made = Cache(most), []
    for key in asked:
        assert cache.get(key, int(key[1:]), lambda key=key: made.append(key) or key) == key
        assert cache.size <= most
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
    assert _made_anew(10, *asked) == made


def test_others_go_before_a_new_value_is_made():
    """While a value is made, what is kept beside it is within the limit."""
    cache = Cache(10)
    cache.get("a", 6, str)
    cache.get("b", 6, lambda: str(cache.size))
    assert cache.get("b", 6, str) == "0"


def test_what_cannot_be_made_is_not_kept():
    """A value whose making fails is tried again."""
    cache = Cache(10)
    with pytest.raises(ZeroDivisionError):
        cache.get("a", 1, lambda: 1 // 0)
    assert cache.get("a", 1, lambda: "made") == "made"
