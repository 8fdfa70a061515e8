"""ORC files from the future: each has one feature that no current reader knows, and names the feature.

    >>> data = FUTURES["type kind"].make(parts, random)

A reader skips unknown fields, and streams that it does not need.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from properties.strategies.mutations.handling import Handling
from reference_impl.orc.anatomy import Anatomy, StreamPart, StripePart, assemble, edits
from reference_impl.orc.schema import PostScript, Stream, StreamKind, TypeKind
from reference_impl.orc.write_context import with_unknown
from reference_impl.wire.table import Struct

_KIND, _COMPRESSION, _CALENDAR = 1, 2, 11  # field numbers
S = TypeVar("S", bound=Struct)


@dataclass(frozen=True)
class Future:
    """A feature of the future.

    `change` returns None for a file that has no place for it. `rules` are those that our reference may name
    when it refuses the file.
    """

    feature: str
    handling: Handling
    change: Callable[[Anatomy, Random], Anatomy | None]
    rules: tuple[str, ...] = ()

    def make(self, parts: Anatomy, random: Random) -> bytes | None:
        """Return the file with the feature, None if it has no place for it."""
        changed = self.change(parts, random)
        return None if changed is None else assemble(changed)


def _unknown(value: S, name: str, field_id: int, number: int) -> S:
    """Return a message with an enum's field set to an unknown number, below 128."""
    others = tuple(each for each in value.unknown if each[0] != field_id)
    return replace(value, **{name: None}, unknown=(*others, (field_id, 0, bytes([number]))))


def _type_kind(parts: Anatomy, random: Random) -> Anatomy | None:
    types = list(parts.tail.types)
    leaves = [at for at, type_ in enumerate(types) if at and not type_.subtypes]
    if not leaves:
        return None
    at = random.choice(leaves)
    types[at] = _unknown(types[at], "kind", _KIND, len(TypeKind) + random.randrange(60))
    return edits.with_footer(parts, lambda footer: replace(footer, types=tuple(types)))


def _in_stripes(parts: Anatomy, change: Callable[[StripePart], StripePart]) -> Anatomy | None:
    if not any(stripe.footer.value and stripe.streams for stripe in parts.stripes):
        return None
    stripes = tuple(change(each) if each.footer.value and each.streams else each for each in parts.stripes)
    return replace(parts, stripes=stripes)


def _encoding(parts: Anatomy, random: Random) -> Anatomy | None:
    column = random.randrange(1, max(2, len(parts.tail.types)))

    def change(stripe: StripePart) -> StripePart:
        columns = list(stripe.footer.value.columns if stripe.footer.value else ())
        at = min(column, len(columns) - 1)
        columns[at:at] = [_unknown(columns.pop(at), "kind", _KIND, 4)] if columns else []
        footer = edits.changed(stripe.footer, lambda value: replace(value, columns=tuple(columns)))
        return replace(stripe, footer=footer)

    return _in_stripes(parts, change)


def _stream(index: bool) -> Callable[[Anatomy, Random], Anatomy | None]:
    """Return a change that adds a stream of an unknown kind, to the index or the data."""

    def change(parts: Anatomy, random: Random) -> Anatomy | None:
        info = _unknown(Stream(column=random.randrange(len(parts.tail.types) or 1)), "kind", _KIND, 42)
        part = StreamPart(info, parts.framed(random.randbytes(20)), index=index)

        def add(stripe: StripePart) -> StripePart:
            at = sum(each.index for each in stripe.streams)
            streams = (*stripe.streams[:at], part, *stripe.streams[at:])
            return replace(stripe, streams=streams)

        return _in_stripes(parts, add)

    return change


def _relabelled(parts: Anatomy, random: Random) -> Anatomy | None:
    """Give the DATA of a column an unknown kind, so that the column cannot be read."""
    columns = [
        stream.column
        for _, _, stream in parts.all_streams()
        if stream.kind is StreamKind.DATA and parts.opened(stream.stored)
    ]
    if not columns:
        return None
    column = random.choice(columns)

    def change(stripe: StripePart) -> StripePart:
        streams = tuple(
            replace(part, info=_unknown(part.info, "kind", _KIND, 42))
            if (part.column, part.kind) == (column, StreamKind.DATA)
            else part
            for part in stripe.streams
        )
        return replace(stripe, streams=streams)

    return _in_stripes(parts, change)


def _codec(parts: Anatomy, random: Random) -> Anatomy | None:
    return _with_end(parts, _unknown(parts.end, "compression", _COMPRESSION, 7 + random.randrange(50)))


def _with_end(parts: Anatomy, end: PostScript) -> Anatomy:
    return replace(parts, postscript=replace(parts.postscript, value=end))


def _version(*numbers: int) -> Callable[[Anatomy, Random], Anatomy | None]:
    return lambda parts, _: _with_end(parts, replace(parts.end, version=numbers))


def _writer_version(parts: Anatomy, random: Random) -> Anatomy | None:
    number = random.choice((100, 65_536, (1 << 32) - 1))
    return _with_end(parts, replace(parts.end, writer_version=number))


def _writer(parts: Anatomy, random: Random) -> Anatomy | None:
    number = random.choice((6, 99, (1 << 32) - 1))
    return edits.with_footer(parts, lambda footer: replace(footer, writer=number))


def _calendar(parts: Anatomy, random: Random) -> Anatomy | None:
    number = 3 + random.randrange(50)
    return edits.with_footer(parts, lambda footer: _unknown(footer, "calendar", _CALENDAR, number))


def _fields(parts: Anatomy, _random: Random) -> Anatomy | None:
    """Add unknown fields to every message of the tail and of stripe footers."""
    stripes = tuple(
        replace(stripe, footer=edits.changed(stripe.footer, with_unknown)) for stripe in parts.stripes
    )
    return replace(
        parts,
        stripes=stripes,
        footer=edits.changed(parts.footer, with_unknown),
        metadata=edits.changed(parts.metadata, with_unknown),
        postscript=edits.changed(parts.postscript, with_unknown),
    )


def _type_field(parts: Anatomy, random: Random) -> Anatomy | None:
    """Give a type an unknown parameter, such as the unit of a timestamp."""
    if not parts.tail.types:
        return None
    types = list(parts.tail.types)
    at = random.randrange(len(types))
    types[at] = replace(types[at], unknown=(*types[at].unknown, (20, 0, b"\x03")))
    return edits.with_footer(parts, lambda footer: replace(footer, types=tuple(types)))


def _statistics(parts: Anatomy, _random: Random) -> Anatomy | None:
    """Add a message of an unknown type to the statistics of columns."""
    if not parts.tail.statistics:
        return None
    statistics = tuple(
        replace(each, unknown=(*each.unknown, (30, 2, b"\x02\x08\x01"))) for each in parts.tail.statistics
    )
    return edits.with_footer(parts, lambda footer: replace(footer, statistics=statistics))


_READS, _COLUMN, _REFUSES = Handling
FUTURES: dict[str, Future] = {
    "type kind": Future("a type kind that is not known", _COLUMN, _type_kind, ("ORC-TYPE-005",)),
    "encoding": Future("a column encoding that is not known", _COLUMN, _encoding, ("ORC-STRIPE-011",)),
    "index stream": Future("an index stream of an unknown kind", _READS, _stream(index=True)),
    "data stream": Future("a data stream of an unknown kind", _READS, _stream(index=False)),
    "data relabelled": Future(
        "data in a stream of an unknown kind", _COLUMN, _relabelled, ("ORC-STRIPE-012", "ORC-STR-001")
    ),
    "codec": Future("a codec that is not known", _REFUSES, _codec, ("ORC-FILE-006",)),
    "version 0.13": Future("file version 0.13", _REFUSES, _version(0, 13), ("ORC-FILE-008",)),
    "version 2.0": Future("file version 2.0", _REFUSES, _version(2, 0), ("ORC-FILE-008",)),
    "writer version": Future("a writer version that is not known", _READS, _writer_version),
    "writer": Future("a writer id that is not known", _READS, _writer),
    "calendar": Future("a calendar that is not known", _REFUSES, _calendar, ("ORC-FILE-016",)),
    "fields": Future("fields that are not known, in all messages", _READS, _fields),
    "type parameter": Future("a parameter of a type that is not known", _READS, _type_field),
    "statistics": Future("statistics of an unknown kind", _READS, _statistics),
}
