"""Reductions of ORC files by their parts, through `reference_impl.orc.anatomy`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from harness.investigate.minimize import fields, names
from harness.investigate.minimize.reduction import Reduction, Sites
from reference_impl.errors import UsageError
from reference_impl.orc.anatomy import assemble, dissect, edits
from reference_impl.orc.schema import CompressionKind, StreamKind, TypeKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reference_impl.orc.anatomy import Anatomy, Message
    from reference_impl.orc.schema import Footer

_BELOW = 1 << 12
_GROWTH = 1 << 10


def stripes(data: bytes) -> Sites:
    """Leave out stripes."""
    own = dissect(data)
    every = range(len(own.stripes))

    def reduced(start: int, stop: int) -> bytes:
        return assemble(edits.with_stripes(own, {one for one in every if not start <= one < stop}))

    return Sites(len(every), reduced)


def columns(data: bytes) -> Sites:
    """Leave out fields of structs, with all that is below them; the last field of a struct stays."""
    own = dissect(data)
    found = edits.columns(own)

    def reduced(start: int, stop: int) -> bytes:
        new = own
        for column in reversed(found[start:stop]):
            new = edits.without_column(new, column)
        if _hollow(new) > _hollow(own):
            raise UsageError("a struct without fields, which is another thing to a reader")
        return assemble(new)

    return Sites(len(found), reduced)


def _hollow(own: Anatomy) -> int:
    """Return how many structs have no fields."""
    return sum(one.kind is TypeKind.STRUCT and not one.subtypes for one in own.tail.types)


def streams(data: bytes) -> Sites:
    """Leave out streams: Bloom filters and indexes, and data where a reader can do without."""
    own = dissect(data)
    found = [(number, place) for number, place, _ in own.all_streams()]

    def reduced(start: int, stop: int) -> bytes:
        gone = set(found[start:stop])
        kept = tuple(
            replace(
                stripe,
                streams=tuple(
                    part for place, part in enumerate(stripe.streams) if (number, place) not in gone
                ),
            )
            for number, stripe in enumerate(own.stripes)
        )
        return assemble(replace(own, stripes=kept))

    return Sites(len(found), reduced)


def _once(change: Callable[[Anatomy], Anatomy], data: bytes) -> Sites:
    """Return a change to the whole file as one site, none if it changes nothing."""
    own = dissect(data)
    made = assemble(change(own))
    return Sites(int(made != assemble(own)), lambda _start, _stop: made)


def codecs(data: bytes) -> Sites:
    """Store everything as it is."""
    return _once(lambda own: edits.with_codec(own, CompressionKind.NONE), data)


def _messages(own: Anatomy) -> Iterator[fields.Struct]:
    """Yield the messages that could be read: postscript, footer, metadata, stripe footers."""
    tail: tuple[fields.Struct | None, ...] = (own.postscript.value, own.footer.value, own.metadata.value)
    for value in (*tail, *(stripe.footer.value for stripe in own.stripes)):
        if value is not None:
            yield value


def _with_messages(own: Anatomy, new: Sequence[fields.Struct]) -> Anatomy:
    values = iter(new)

    def taken(message: Message[fields.S]) -> Message[fields.S]:
        if message.value is None:
            return message
        return replace(message, value=fields.as_(next(values), message.value))

    postscript, footer, metadata = taken(own.postscript), taken(own.footer), taken(own.metadata)
    parts = tuple(replace(stripe, footer=taken(stripe.footer)) for stripe in own.stripes)
    return replace(own, postscript=postscript, footer=footer, metadata=metadata, stripes=parts)


def message_kinds(data: bytes) -> Sites:
    """Leave out optional fields of the messages of the tail, all of a kind at once."""
    own = dissect(data)
    messages = list(_messages(own))
    kinds = [kind for kind in fields.kinds(messages) if kind not in _ELSEWHERE]

    def reduced(start: int, stop: int) -> bytes:
        gone = set(kinds[start:stop])
        return assemble(_with_messages(own, [fields.without_kinds(one, gone) for one in messages]))

    return Sites(len(kinds), reduced)


def message_fields(data: bytes) -> Sites:
    """Leave out optional fields of the messages of the tail, one by one."""
    own = dissect(data)
    messages = list(_messages(own))
    found = [
        (number, path)
        for number, one in enumerate(messages)
        for path in fields.optional(one)
        if _is_own(path)
    ]

    def reduced(start: int, stop: int) -> bytes:
        return assemble(_with_messages(own, fields.dropped(messages, found[start:stop])))

    return Sites(len(found), reduced)


# What follows from the parts, which `assemble` would put back, and what `columns` leaves out.
_ELSEWHERE = {
    ("Footer", "stripes"),
    ("StripeFooter", "streams"),
    ("Footer", "types"),
    ("Type", "subtypes"),
    ("Type", "field_names"),
}
_LISTS = {"stripes", "streams", "types", "subtypes", "field_names"}


def _is_own(path: fields.Path) -> bool:
    """Return whether a field is one that is left out as a field: not a part, nor a column."""
    last = path[-2] if isinstance(path[-1], int) and len(path) > 1 else path[-1]
    return last not in _LISTS and "stripes" not in path and "streams" not in path


def short_names(data: bytes, kept: frozenset[str]) -> Sites:
    """Give fields of structs names of one letter, but for those that are `kept`."""
    own = dissect(data)
    every = [name for one in own.tail.types for name in one.field_names]
    short = names.short(every, kept)

    def reduced(start: int, stop: int) -> bytes:
        new = names.applied(every, short[start:stop])
        return assemble(edits.with_footer(own, partial(_renamed, new=new)))

    return Sites(len(short), reduced)


def _renamed(footer: Footer, new: list[str]) -> Footer:
    left = iter(new)
    types = [replace(one, field_names=tuple(next(left) for _ in one.field_names)) for one in footer.types]
    return replace(footer, types=tuple(types))


def _dropping(kind: StreamKind) -> Callable[[Anatomy], Anatomy]:
    return lambda own: edits.without_streams(own, lambda part: part.kind is not kind)


COARSE = (Reduction("stripes", stripes), Reduction("columns", columns))
INDEXES = (
    Reduction("Bloom filters", partial(_once, edits.without_blooms)),
    Reduction("indexes", partial(_once, edits.without_indexes)),
    Reduction("statistics", partial(_once, edits.without_statistics)),
    Reduction("metadata of the user", partial(_once, edits.without_user_metadata)),
    Reduction("unknown fields", partial(_once, edits.without_unknown)),
    Reduction("gaps", partial(_once, edits.without_gaps)),
    Reduction("row indexes", partial(_once, _dropping(StreamKind.ROW_INDEX))),
)
FIELDS = (Reduction("kinds of fields", message_kinds), Reduction("fields", message_fields))
CODECS = Reduction("codecs", codecs, _GROWTH, _BELOW)
STREAMS = Reduction("streams", streams)
