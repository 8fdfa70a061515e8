"""Chances: what is rare in files is rare in generated ones, or nothing else would stand beside it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeVar

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")


@cache
def chances(count: int) -> st.SearchStrategy[bool]:
    """Return True once in `count` times; shrinks to False."""
    return st.sampled_from((False,) * (count - 1) + (True,))


@cache
def _mostly(count: int) -> st.SearchStrategy[bool]:
    return st.sampled_from((False,) + (True,) * (count - 1))


@cache
def _indices(count: int) -> st.SearchStrategy[int]:
    return st.integers(0, count - 1)


def choice(draw: st.DrawFn, options: Sequence[T]) -> T:
    """Draw one of the options, as `st.sampled_from` does, which costs more to make; shrinks to the first."""
    return options[draw(_indices(len(options)))]


def all_but_one_in(draw: st.DrawFn, count: int) -> bool:
    """Draw False once in `count` times; shrinks to False too."""
    return draw(_mostly(count))


def one_in(draw: st.DrawFn, count: int) -> bool:
    """Draw a chance."""
    return draw(chances(count))
