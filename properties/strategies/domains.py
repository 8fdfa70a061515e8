"""Domains of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hypothesis import strategies as st


@dataclass(frozen=True)
class Domain:
    """The values of a leaf: its `edges`, the simplest first, and the `nth` of its values in order.

    `nth` takes any integer; `bases` are integers worth counting from.
    """

    edges: Sequence[Any]
    nth: Callable[[int], Any]
    bases: Sequence[int] = (0,)

    @cached_property
    def edge(self) -> st.SearchStrategy[Any]:
        """Return a strategy for single values, which shrink to the simplest."""
        return st.sampled_from(self.edges)


@dataclass(frozen=True)
class Floats(Domain):
    """Floats: both `zeros`, and NaNs of several signs and payloads (`nans`), are among their edges too."""

    zeros: Sequence[Any] = ()
    nans: Sequence[Any] = ()
