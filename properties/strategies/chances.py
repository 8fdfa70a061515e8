"""Probabilities: a feature that is rare in files is rare in generated files, so that it hides no other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


@cache
def chances(count: int) -> st.SearchStrategy[bool]:
    """Return a strategy that draws True once in `count` times and shrinks to False."""
    return st.sampled_from((False,) * (count - 1) + (True,))


@cache
def _mostly(count: int) -> st.SearchStrategy[bool]:
    return st.sampled_from((False,) + (True,) * (count - 1))


@cache
def _indices(count: int) -> st.SearchStrategy[int]:
    return st.integers(0, count - 1)


def choice(draw: st.DrawFn, options: Sequence[T]) -> T:
    """Draw an option, as `st.sampled_from` does, which takes longer to build; shrinks to the first option."""
    return options[draw(_indices(len(options)))]


def all_but_one_in(draw: st.DrawFn, count: int) -> bool:
    """Draw False once in `count` times; shrinks to False."""
    return draw(_mostly(count))


def one_in(draw: st.DrawFn, count: int) -> bool:
    """Draw True once in `count` times; shrinks to False."""
    return draw(chances(count))
