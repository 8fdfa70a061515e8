"""Rows, drawn as patterns: a column is a few runs, a sequence or a mixture, however many rows there are.

A pattern is small, so a file of thousands of rows costs as few choices as one of three, and shrinks as well:
to fewer runs, to the simplest value, to fewer rows. Each field of a schema has patterns of its own (presence,
length, value), which are read in turn and begin again at their end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import count, cycle, repeat
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from properties.strategies import values
from properties.strategies.chances import choice
from reference_impl.parquet.schema import FieldRepetitionType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from properties.strategies.domains import Domain
    from reference_impl.parquet.plan import Row
    from reference_impl.parquet.tree import Node

REQUIRED, OPTIONAL, REPEATED = FieldRepetitionType
LENGTHS = (1, 1, 1, 1, 2, 2, 3, 3, 5, 7, 8, 8, 9, 10, 16, 31, 32, 33, 64, 65, 128, 129, 1023, 1024, 1025)
ROWS = (1, 2, 3, 7, 8, 9, 16, 20, 32, 33, 40, 50, 64, 65, 80, 100, 100, 127, 128, 129, 150, 200, 256, 300)
MANY_ROWS = (1023, 1024, 1025, 2048, 2100)
ENTRIES = 3000  # of one leaf column at most, for the time it takes


@dataclass(frozen=True)
class Runs:
    """Items in runs of given lengths."""

    runs: tuple[tuple[Any, int], ...]

    def __iter__(self) -> Iterator[Any]:
        return cycle([item for item, length in self.runs for _ in range(length)])


@dataclass(frozen=True)
class Ordered:
    """Values of a domain in order, from `base`, `step` apart, each `each` times; `wrap` of them, then again.

    `scatter` other than 1 takes them in an order that looks like none.
    """

    domain: Domain
    base: int
    step: int
    each: int
    wrap: int
    scatter: int

    def __iter__(self) -> Iterator[Any]:
        for turn in count():
            value = self.domain.nth(self.base + self.step * (turn * self.scatter % self.wrap))
            yield from repeat(value, self.each)


@dataclass(frozen=True)
class Sprinkled:
    """Another pattern in which single values are replaced: the one at `first`, and every `period` on."""

    under: Ordered | Runs
    items: tuple[tuple[Any, int, int], ...]

    def __iter__(self) -> Iterator[Any]:
        for at, value in enumerate(self.under):
            for item, first, period in self.items:
                if at >= first and (at - first) % period == 0:
                    yield item
                    break
            else:
                yield value


Pattern = Runs | Ordered | Sprinkled


@dataclass(frozen=True)
class Content:
    """The patterns of a field: `values` of a leaf, else of its `children`; `lengths` of a repeated field."""

    presence: Runs | None = None
    lengths: Runs | None = None
    values: Pattern | None = None
    children: tuple[Content, ...] = ()


@cache
def counts() -> st.SearchStrategy[int]:
    """Answer how many rows a table has: mostly some tens, now and then none, or two thousand."""
    usual = st.sampled_from(ROWS)
    return st.integers(0, 29).flatmap(
        lambda at: st.just(0) if at == 29 else st.sampled_from(MANY_ROWS) if at == 28 else usual
    )


@st.composite
def contents(draw: st.DrawFn, node: Node) -> Content:
    """Answer patterns for a field and all below it."""
    made = Content()
    if node.repetition == REPEATED:
        made = replace(made, lengths=draw(_lengths()))
    if node.repetition == OPTIONAL and not _named(node, "UNKNOWN"):
        made = replace(made, presence=draw(_presences()))
    if node.physical is not None:
        return replace(made, values=draw(patterns(node)))
    return replace(made, children=tuple(draw(contents(child)) for child in node.children))


def rows(fields: Sequence[Node], found: Sequence[Content], count: int) -> tuple[Row, ...]:
    """Answer `count` rows, or fewer if lists are in lists; the first field, `row`, has no content."""
    nested = max((leaf.repetition_level for field in fields for leaf in field.leaves()), default=0)
    streams = {node.name: _stream(node, one) for node, one in zip(fields[1:], found, strict=True)}
    number = min(count, ENTRIES // 3**nested)
    return tuple({"row": at, **{name: next(made) for name, made in streams.items()}} for at in range(number))


def _stream(node: Node, content: Content) -> Iterator[Any]:
    """Yield values of a field, without end."""
    single = _single(node, content)
    if content.lengths is not None:
        return ([next(single) for _ in range(length)] for length in content.lengths)
    if content.presence is not None:
        return (next(single) if there else None for there in content.presence)
    return repeat(None) if _named(node, "UNKNOWN") and node.repetition == OPTIONAL else single


def _single(node: Node, content: Content) -> Iterator[Any]:
    """Yield values of a field that are there."""
    if content.values is not None:
        return iter(content.values)
    if _named(node, "VARIANT"):
        return cycle(_VARIANTS)
    pairs = zip(node.children, content.children, strict=True)
    inner = {child.name: _stream(child, one) for child, one in pairs}
    made = ({name: next(stream) for name, stream in inner.items()} for _ in repeat(None))
    return map(_distinct_keys, repeat(node), made) if _is_map(node) else made


def _named(node: Node, *names: str) -> bool:
    return node.logical is not None and node.logical.name in names


# The empty metadata of version 1, and a value: null, true, int8 1, an empty object (VariantEncoding.md).
_VARIANTS = tuple(
    {"metadata": b"\x01\x00\x00", "value": raw} for raw in (b"\x00", b"\x04", b"\x0c\x01", b"\x02\x00\x00")
)


def _is_map(node: Node) -> bool:
    # The repeated group inside of a map may be annotated too, with MAP_KEY_VALUE.
    return _named(node, "MAP", "MAP_KEY_VALUE") and node.children[0].repetition == REPEATED


def _distinct_keys(node: Node, value: Any) -> Any:
    """Leave out entries whose key comes again: "the final value should be returned" for it ("Maps")."""
    entry = node.children[0]
    found = {row[entry.children[0].name]: row for row in reversed(value[entry.name])}
    return {entry.name: list(found.values())[::-1]}


@cache
def _lengths() -> st.SearchStrategy[Runs]:
    """Answer lengths of lists."""
    return _runs(st.sampled_from([0, 1, 2, 0, 3, 1, 5]), st.sampled_from([1, 2, 3, 8, 33]))


@cache
def _presences() -> st.SearchStrategy[Runs]:
    """Answer where values are; a run of nulls may fill a page or a row group."""
    return st.one_of(
        st.just(Runs(((True, 1),))),
        _runs(st.booleans(), st.sampled_from(LENGTHS)),
        st.sampled_from([Runs(((True, 1), (False, 1))), Runs(((False, 1),)), Runs(((True, 9), (False, 1)))]),
    )


def _runs(items: st.SearchStrategy[Any], lengths: st.SearchStrategy[int]) -> st.SearchStrategy[Runs]:
    return st.lists(st.tuples(items, lengths), min_size=1, max_size=6).map(lambda runs: Runs(tuple(runs)))


@st.composite
def patterns(draw: st.DrawFn, node: Node) -> Pattern:
    """Answer what a leaf holds where it is not null."""
    domain = values.domain(node)
    edges = values.edges(node)
    way = choice(draw, ["runs", "edges", "order", "order"])
    if way == "runs":
        return draw(_runs(edges, st.sampled_from(LENGTHS)))
    if way == "edges":
        return Runs(tuple((edge, 1) for edge in draw(st.lists(edges, min_size=1, max_size=24))))
    sequence = Ordered(
        domain,
        choice(draw, domain.bases),
        choice(draw, [1, -1, 2, 1, 7]),
        choice(draw, [1, 1, 1, 2, 3, 8, 9, 32, 128]),
        choice(draw, [3000, 3000, 3000, 10, 40, 257]),
        choice(draw, [1, 1, 7, 101, 1009]),
    )
    items = draw(
        st.lists(
            st.tuples(
                edges, st.sampled_from([0, 1, 5, 8, 20, 33, 64, 100]), st.sampled_from([10_000, 50, 7])
            ),
            max_size=2,
        )
    )
    return Sprinkled(sequence, tuple(items)) if items else sequence
