"""Rows, drawn as patterns: each type of a schema has its own patterns (presence, length, tag, value)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, repeat
from typing import Any

from hypothesis import strategies as st

from properties.strategies.chances import choice, one_in
from properties.strategies.orc import values
from properties.strategies.orc.schemas import Shape
from properties.strategies.patterns import Pattern, Runs, lengths, patterns, presences, runs
from reference_impl.orc.plan import Row
from reference_impl.orc.schema import TypeKind

ENTRIES = 3000  # at most, of one column: more take too long
_TAG_RUNS = (1, 1, 2, 3, 8, 33, 128)


@dataclass(frozen=True)
class Content:
    """The patterns of a type: `values` of a primitive type, else of its `children`.

    `lengths` are of LIST and MAP, `tags` of UNION.
    """

    presence: Runs | None = None
    lengths: Runs | None = None
    tags: Runs | None = None
    values: Pattern | None = None
    children: tuple[Content, ...] = ()


@st.composite
def contents(draw: st.DrawFn, shape: Shape, *, nullable: bool = True) -> Content:
    """Return patterns for a type and all types below it; keys of maps are not `nullable`."""
    content = Content(presence=draw(presences()) if nullable and not one_in(draw, 3) else None)
    if shape.kind in (TypeKind.LIST, TypeKind.MAP):
        content = replace(content, lengths=draw(lengths()))
    elif shape.kind == TypeKind.UNION:
        tags = st.integers(0, len(shape.children) - 1)
        content = replace(content, tags=draw(runs(tags, st.sampled_from(_TAG_RUNS))))
    elif shape.kind != TypeKind.STRUCT:
        rare = choice(draw, [False, False, False, True])
        return replace(content, values=draw(patterns(values.domain(shape.type, trimmed=rare, wide=rare))))
    is_map = shape.kind == TypeKind.MAP
    return replace(
        content,
        children=tuple(
            draw(contents(child, nullable=not (is_map and at == 0)))
            for at, child in enumerate(shape.children)
        ),
    )


def rows(
    shapes: Sequence[Shape], field_contents: Sequence[Content], count: int, most: int = ENTRIES
) -> tuple[Row, ...]:
    """Return `count` rows of a struct, or fewer if lists are nested; the first field, `row`, has none.

    `most`: the entries of a column.
    """
    streams = [_stream(shape, content) for shape, content in zip(shapes, field_contents, strict=True)]
    return tuple((at, *map(next, streams)) for at in range(_most(shapes, count, most)))


def bare(shape: Shape, content: Content, count: int) -> tuple[Row, ...]:
    """Return values of a root that is not a struct."""
    stream = _stream(shape, content)
    return tuple(next(stream) for _ in range(_most([shape], count)))


def _most(shapes: Sequence[Shape], count: int, most: int = ENTRIES) -> int:
    return int(min(count, most // 3 ** max(map(_nested, shapes), default=0)))


def _nested(shape: Shape) -> int:
    below = max(map(_nested, shape.children), default=0)
    return below + (shape.kind in (TypeKind.LIST, TypeKind.MAP))


def _stream(shape: Shape, content: Content) -> Iterator[Any]:
    """Yield values of a type, or null, without end."""
    single = _single(shape, content)
    if content.presence is None:
        return single
    return (next(single) if there else None for there in content.presence)


def _single(shape: Shape, content: Content) -> Iterator[Any]:
    """Yield values of a type that are not null."""
    if content.values is not None:
        return iter(content.values)
    inner = [
        _stream(child, inner_content)
        for child, inner_content in zip(shape.children, content.children, strict=True)
    ]
    if content.tags is not None:
        return ((tag, next(inner[tag])) for tag in content.tags)
    if content.lengths is None:
        return (tuple(map(next, inner)) for _ in repeat(None))
    if shape.kind == TypeKind.LIST:
        return ([next(inner[0]) for _ in range(length)] for length in content.lengths)
    pairs = zip(inner[0], inner[1], strict=True)
    return (
        list({_hashable(key): (key, value) for key, value in islice(pairs, length)}.values())
        for length in content.lengths
    )


def _hashable(key: Any) -> Any:
    return repr(key) if isinstance(key, (list, tuple)) else key
