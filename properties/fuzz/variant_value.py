# Any bytes are metadata and a value or a documented error. A value, written in any form, is read to the same.
# Its JSON text is valid JSON, and the JSON text of the value read from it is that of an equal value.
"""Values of Variants (VariantEncoding.md, "Value encoding")."""

from __future__ import annotations

import json
from collections.abc import Iterable
from random import Random

from properties.fuzz.claims import attempt, holds, same
from properties.strategies.mutations import variant
from reference_impl.variant import encoding, forms
from reference_impl.variant.json_text import parse_json, to_json
from reference_impl.variant.values import Array, Primitive, equal, integer, object_of

NAME = "variant_value"
_TEXTS = ("null", "[]", "{}", '{"a":[1,2.50,1e300,"x",true],"b":{"a":null}}', '["' + "x" * 64 + '",[[{}]]]')
_OTHERS = (
    Array(
        tuple(Primitive(kind, 1) for kind in ("date", "timestamp", "timestamp_ntz_nanos", "time", "float"))
    ),
    Primitive("binary", b"\0\xff"),
    Primitive("uuid", bytes(16)),
    object_of((str(at), integer(at)) for at in range(260)),
)


def seeds() -> Iterable[bytes]:
    """Return values of all types in all forms, with their metadata in front."""
    random = Random(NAME)  # noqa: S311 - seeds are the same each time
    values = [*map(parse_json, _TEXTS), *_OTHERS]
    return sorted({b"".join(forms.write(value, variant.form(random))) for value in values for _ in range(6)})


def mutate(data: bytes, random: Random) -> bytes:
    """Change the value and its form."""
    return variant.both(data, random)


def check(data: bytes) -> None:
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
