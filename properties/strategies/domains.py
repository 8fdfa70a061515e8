"""What a domain of values is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True)
class Domain:
    """The values of a leaf: its `edges`, the simplest first, and the `nth` of its values in order.

    `nth` takes any integer; good ones to count from are `bases`.
    """

    edges: Sequence[Any]
    nth: Callable[[int], Any]
    bases: Sequence[int] = (0,)

    @cached_property
    def edge(self) -> st.SearchStrategy[Any]:
        """Return single values, which shrink to the simplest."""
        return st.sampled_from(self.edges)
