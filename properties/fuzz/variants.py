"""Targets of Variants: their metadata, their values, and shredded columns of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from random import Random

from properties.fuzz import slots
from properties.fuzz.claims import attempt, holds, same
from properties.fuzz.targets import Table
from properties.strategies.mutations import variant
from reference_impl.variant import encoding, forms, metadata
from reference_impl.variant.json_text import parse_json, to_json
from reference_impl.variant.shredder import shred
from reference_impl.variant.shredding import Reading, construct
from reference_impl.variant.values import Array, Primitive, equal, integer, object_of

TABLE = Table()
_RESERVED = 0x20
_NAMES = ((), ("a",), ("b", "a"), ("a", "a"), ("", "é", "\U00010000", "\ufffd"), tuple(map(str, range(300))))
_TEXTS = ("null", "[]", "{}", '{"a":[1,2.50,1e300,"x",true],"b":{"a":null}}', '["' + "x" * 64 + '",[[{}]]]')
_OTHERS = (
    Array(
        tuple(Primitive(kind, 1) for kind in ("date", "timestamp", "timestamp_ntz_nanos", "time", "float"))
    ),
    Primitive("binary", b"\0\xff"),
    Primitive("uuid", bytes(16)),
    object_of((str(at), integer(at)) for at in range(260)),
)
_ABC = forms.metadata_of(["a", "b", "c"])


def _metadata() -> list[bytes]:
    """Return metadata without names, with some and with many, in all forms."""
    random = Random("variant_metadata")  # noqa: S311 - seeds are the same each time
    written = [forms.metadata_of(names, variant.form(random).names).raw for names in _NAMES for _ in range(6)]
    return sorted({*written, metadata.of(("a", "a")).raw})


@TABLE.target(
    "variant_metadata",
    'Metadata of Variants (VariantEncoding.md, "Metadata encoding").',
    "Any bytes decode to the metadata of Variants, or raise a documented error. The names survive "
    "writing in any form and reading; with the same order, flags and width, the bytes are the "
    "original ones.",
    _metadata,
    variant.metadata,
)
def check_metadata(data: bytes) -> None:
    """Read the bytes as metadata, and write them again."""
    names = attempt(metadata.read, data)
    if names is None:
        return
    same(names.raw, data, "the bytes that were read")
    width, reserved = (data[0] >> 6) + 1, bool(data[0] & _RESERVED)
    again = metadata.of(names.names, is_sorted=names.is_sorted, width=width, reserved=reserved)
    same(again.raw, data, "written again")
    form = forms.Names(is_sorted=True, width=4)
    same(set(metadata.read(forms.metadata_of(list(names.ids), form).raw).names), set(names.names), "sorted")
    same(sum(map(len, names.ids.values())), len(names.names), "ids of names")


def _values() -> list[bytes]:
    """Return values of all types in all forms, with their metadata in front."""
    random = Random("variant_value")  # noqa: S311 - seeds are the same each time
    values = [*map(parse_json, _TEXTS), *_OTHERS]
    return sorted({b"".join(forms.write(value, variant.form(random))) for value in values for _ in range(6)})


@TABLE.target(
    "variant_value",
    'Values of Variants (VariantEncoding.md, "Value encoding").',
    "Any bytes decode to metadata and a value, or raise a documented error. A value survives writing "
    "in any form and reading. Its JSON text is valid JSON; a value that is read from JSON survives "
    "writing and reading as JSON.",
    _values,
    variant.both,
)
def check_value(data: bytes) -> None:
    """Read the bytes as metadata and a value."""
    parts = attempt(encoding.split, data)
    value = None if parts is None else attempt(encoding.read, *parts)
    if value is None:
        return
    same(encoding.read(*forms.write(value)), value, "written again")
    form = variant.form(Random(len(data)))  # noqa: S311 - the same for the same data
    same(encoding.read(*forms.write(value, form)), value, "written in another form")
    text = to_json(value)
    json.loads(text)
    again = parse_json(text)
    holds(equal(parse_json(to_json(again)), again), "JSON of JSON")


def _slots() -> Iterable[bytes]:
    """Yield slots of each schema: with no column set, one, or all."""
    residuals = (b"\x00", b"\x0c\x01", b"\x02\x00\x00", b"\x02\x01\x02\x00\x02\x0c\x01", b"\x03\x00\x00")
    for number in range(len(slots.LEVELS)):
        for flags in (0, 2, 4, 8, 12):
            yield bytes([number, flags, 2, flags, 1, 2, 1, 2, 1, 2, 1, 2]) + bytes(24)
        for residual in residuals:
            yield bytes([number, 1, len(residual)]) + residual
            yield bytes([number, 5, len(residual)]) + residual + bytes([2, 1, 0, 0, 0, 0, 0, 0, 0, 0]) * 4


def _change_slots(data: bytes, random: Random) -> bytes:
    """Change bytes, which may be a residual."""
    at = random.randrange(len(data) + 1)
    head, tail = data[:at], variant.scratched(data[at:], random)
    return head + tail if random.random() < 0.6 else variant.scratched(data, random)


@TABLE.target(
    "variant_shredded",
    "Shredded Variants (VariantShredding.md).",
    "Any columns of a shredding schema are constructed into a value, or raise a documented error. If "
    "a writer may write the value, all readers return the same value. A value that is shredded by the"
    " same schema is constructed again.",
    _slots,
    _change_slots,
)
def check_shredded(data: bytes) -> None:
    """Fill the columns of a schema with the bytes, and construct the value."""
    level, slot = slots.given(data)
    any_ = attempt(construct, level, slot, _ABC, Reading.ANY)
    value = attempt(construct, level, slot, _ABC)
    written = attempt(construct, level, slot, _ABC, Reading.WRITTEN)
    if written is not None:
        same(value, written, "what may be written")
    if value is None:
        return
    same(any_, value, "what is right")
    again = shred(level, value, _ABC)
    if again is not None:
        same(construct(level, again, _ABC, Reading.WRITTEN), value, "shredded again")
