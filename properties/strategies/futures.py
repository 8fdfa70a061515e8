"""Files from the future: each has one feature that no current reader knows, and names the feature.

    @given(parquet_futures(files()))
    def test_a_reader(file): ...   # file.feature, file.handling, file.data

They are made from files that a strategy draws; a file that has no place for one feature gets another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

from properties.strategies.mutations.futures import FUTURES as PARQUET
from properties.strategies.mutations.handling import Handling
from properties.strategies.mutations.orc.futures import FUTURES as ORC
from reference_impl.errors import ReferenceError_
from reference_impl.orc.anatomy import dissect

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Make = Callable[[Any, bytes, Random], bytes | None]


class FromTheFuture(NamedTuple):
    """A file, the name of its feature, and how a reader should handle the file."""

    feature: str
    handling: Handling
    data: bytes


def parquet_futures(
    data: SearchStrategy[bytes], features: Iterable[str] = tuple(PARQUET)
) -> SearchStrategy[FromTheFuture]:
    """Return Parquet files with one of these features; shrinks to the first."""
    return _futures(data, features, PARQUET, lambda future, file, random: future.make(file, random))


def orc_futures(
    data: SearchStrategy[bytes], features: Iterable[str] = tuple(ORC)
) -> SearchStrategy[FromTheFuture]:
    """Return ORC files with one of these features; shrinks to the first."""

    def make(future: Any, file: bytes, random: Random) -> bytes | None:
        try:
            changed: bytes | None = future.make(dissect(file), random)
        except ReferenceError_:
            return None
        return changed

    return _futures(data, features, ORC, make)


@st.composite
def _futures(
    draw: st.DrawFn,
    data: SearchStrategy[bytes],
    features: Iterable[str],
    futures: Mapping[str, Any],
    make: Make,
) -> FromTheFuture:
    """Draw a file, then a feature that the file has a place for."""
    file, random = draw(data), draw(st.randoms(use_true_random=False))
    for feature in draw(st.permutations(list(features))):
        changed = make(futures[feature], file, random)
        if changed is not None:
            return FromTheFuture(feature, futures[feature].handling, changed)
    return draw(st.nothing())
