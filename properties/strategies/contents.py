"""Rows, drawn as patterns.

Each field of a schema has its own patterns (presence, length, value), which are repeated from the beginning
when they end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, repeat
from typing import Any

from hypothesis import strategies as st

from corpora.build import variants
from properties.strategies import values
from properties.strategies.chances import choice
from properties.strategies.patterns import Pattern, Runs, lengths, patterns, presences
from properties.strategies.variants import physical_forms, shreddable
from reference_impl.parquet.plan import Row
from reference_impl.parquet.schema import FieldRepetitionType
from reference_impl.parquet.tree import Node

REQUIRED, OPTIONAL, REPEATED = FieldRepetitionType
ENTRIES = 3000  # at most, of one leaf column: more take too long


@dataclass(frozen=True)
class Content:
    """The patterns of a field: `values` of a leaf, else of its `children`; `lengths` of a repeated field.

    `variants`: the columns of each Variant, repeated in turn.
    """

    presence: Runs | None = None
    lengths: Runs | None = None
    values: Pattern | None = None
    children: tuple[Content, ...] = ()
    variants: tuple[dict[str, Any], ...] = ()


@st.composite
def contents(draw: st.DrawFn, node: Node) -> Content:
    """Return patterns for a field and all fields below it."""
    content = Content()
    if node.repetition == REPEATED:
        content = replace(content, lengths=draw(lengths()))
    if node.repetition == OPTIONAL and not _named(node, "UNKNOWN"):
        content = replace(content, presence=draw(presences()))
    if node.physical is not None:
        rare = choice(draw, [False, False, False, True])
        return replace(content, values=draw(patterns(values.domain(node, wide=rare))))
    if variants.is_variant(node):
        return replace(content, variants=tuple(draw(st.lists(_variants(node), min_size=1, max_size=6))))
    return replace(content, children=tuple(draw(contents(child)) for child in node.children))


@st.composite
def _variants(draw: st.DrawFn, node: Node) -> dict[str, Any]:
    """Return a Variant by the columns of its group, in any form."""
    level = variants.level_of(node)
    return variants.row(level, draw(shreddable(level)), draw(physical_forms()), exact=draw(st.booleans()))


def rows(
    fields: Sequence[Node], field_contents: Sequence[Content], count: int, most: int = ENTRIES
) -> tuple[Row, ...]:
    """Return `count` rows, fewer if lists are nested or `most` are less; the first, `row`, has no content."""
    nested = max((leaf.repetition_level for field in fields for leaf in field.leaves()), default=0)
    streams = {
        node.name: _stream(node, content) for node, content in zip(fields[1:], field_contents, strict=True)
    }
    number = min(count, most // 3**nested)
    return tuple(
        {"row": at, **{name: next(stream) for name, stream in streams.items()}} for at in range(number)
    )


def _stream(node: Node, content: Content) -> Iterator[Any]:
    """Yield values of a field, without end."""
    single = _single(node, content)
    if content.lengths is not None:
        return ([next(single) for _ in range(length)] for length in content.lengths)
    if content.presence is not None:
        return (next(single) if there else None for there in content.presence)
    return repeat(None) if _named(node, "UNKNOWN") and node.repetition == OPTIONAL else single


def _single(node: Node, content: Content) -> Iterator[Any]:
    """Yield values of a field that are not null."""
    if content.values is not None:
        return iter(content.values)
    if content.variants:
        return cycle(content.variants)
    pairs = zip(node.children, content.children, strict=True)
    inner = {child.name: _stream(child, inner_content) for child, inner_content in pairs}
    structs = ({name: next(stream) for name, stream in inner.items()} for _ in repeat(None))
    return map(_distinct_keys, repeat(node), structs) if _is_map(node) else structs


def _named(node: Node, *names: str) -> bool:
    return node.logical is not None and node.logical.name in names


def _is_map(node: Node) -> bool:
    # The repeated group inside of a map may be annotated too, with MAP_KEY_VALUE.
    return _named(node, "MAP", "MAP_KEY_VALUE") and node.children[0].repetition == REPEATED


def _distinct_keys(node: Node, value: Any) -> Any:
    """Return a map without entries whose key occurs again: "the final value should be returned" ("Maps")."""
    entry = node.children[0]
    name = entry.children[0].name
    by_key = {_hashable(row[name]): row for row in reversed(value[entry.name])}
    return {entry.name: list(by_key.values())[::-1]}


def _hashable(key: Any) -> Any:
    return repr(key) if isinstance(key, dict) else key
