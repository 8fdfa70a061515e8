"""Reductions of ORC files by their parts, through `reference_impl.orc.anatomy`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from harness.investigate.minimize import fields
from harness.investigate.minimize.reduction import Impossible, Reduction, Sites, whole_change
from reference_impl.orc.anatomy import Anatomy, Message, assemble, dissect, edits
from reference_impl.orc.schema import CompressionKind, Footer, StreamKind, TypeKind

_BELOW = 1 << 12
_GROWTH = 1 << 10


def stripes(data: bytes) -> Sites:
    """Leave out stripes."""
    own = dissect(data)
    every = range(len(own.stripes))

    def reduced(start: int, stop: int) -> bytes:
        return assemble(edits.with_stripes(own, {number for number in every if not start <= number < stop}))

    return Sites(len(every), reduced)


def columns(data: bytes) -> Sites:
    """Leave out fields of structs with their subtypes; the last field of a struct stays."""
    own = dissect(data)
    ids = edits.columns(own)

    def reduced(start: int, stop: int) -> bytes:
        new = own
        for column in reversed(ids[start:stop]):
            new = edits.without_column(new, column)
        if _hollow(new) > _hollow(own):
            raise Impossible("a struct without fields, which readers treat differently")
        return assemble(new)

    return Sites(len(ids), reduced)


def _hollow(own: Anatomy) -> int:
    """Return the number of structs without fields."""
    return sum(type_.kind is TypeKind.STRUCT and not type_.subtypes for type_ in own.tail.types)


def streams(data: bytes) -> Sites:
    """Leave out streams: Bloom filters, indexes, and data that a reader does not need."""
    own = dissect(data)
    places = [(number, place) for number, place, _ in own.all_streams()]

    def reduced(start: int, stop: int) -> bytes:
        gone = set(places[start:stop])
        remaining = tuple(
            replace(
                stripe,
                streams=tuple(
                    part for place, part in enumerate(stripe.streams) if (number, place) not in gone
                ),
            )
            for number, stripe in enumerate(own.stripes)
        )
        return assemble(replace(own, stripes=remaining))

    return Sites(len(places), reduced)


def _once(change: Callable[[Anatomy], Anatomy], data: bytes) -> Sites:
    """Return a change to the whole file as a single site, no site if nothing changes."""
    own = dissect(data)
    return whole_change(assemble(own), assemble(change(own)))


def codecs(data: bytes) -> Sites:
    """Store everything uncompressed."""
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
    return fields.kind_sites(list(_messages(own)), lambda new: assemble(_with_messages(own, new)), _ELSEWHERE)


def message_fields(data: bytes) -> Sites:
    """Leave out optional fields of the messages of the tail, one by one."""
    own = dissect(data)
    return fields.field_sites(list(_messages(own)), lambda new: assemble(_with_messages(own, new)), _is_own)


# Fields that `assemble` derives from the parts, and fields that `columns` leaves out.
_ELSEWHERE = {
    ("Footer", "stripes"),
    ("StripeFooter", "streams"),
    ("Footer", "types"),
    ("Type", "subtypes"),
    ("Type", "field_names"),
}
_LISTS = {"stripes", "streams", "types", "subtypes", "field_names"}


def _is_own(path: fields.Path) -> bool:
    """Return whether a field may be left out alone: it describes neither a part nor a column."""
    last = path[-2] if isinstance(path[-1], int) and len(path) > 1 else path[-1]
    return last not in _LISTS and "stripes" not in path and "streams" not in path


def short_names(data: bytes, reserved: frozenset[str]) -> Sites:
    """Give fields of structs names of one letter, except for `reserved` names."""
    own = dissect(data)
    every = [name for type_ in own.tail.types for name in type_.field_names]
    return fields.name_sites(
        every, reserved, lambda new: assemble(edits.with_footer(own, partial(_renamed, new=new)))
    )


def _renamed(footer: Footer, new: list[str]) -> Footer:
    left = iter(new)
    types = [
        replace(type_, field_names=tuple(next(left) for _ in type_.field_names)) for type_ in footer.types
    ]
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
