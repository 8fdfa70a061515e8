"""Mutations of Variants: another form, another value, changed bytes."""

from __future__ import annotations

from random import Random

from reference_impl.errors import ReferenceError_
from reference_impl.variant import encoding, forms
from reference_impl.variant import metadata as dictionary
from reference_impl.variant.values import Array, Object, Primitive, Value, decimal, double, integer, object_of

_HEADERS = (0x00, 0x01, 0x02, 0x03, 0x0C, 0x11, 0x1E, 0x3C, 0x40, 0x54, 0x7F, 0x80, 0xFF)
_MOST = 4


def form(random: Random) -> forms.Form:
    """Return a form."""
    names = forms.Names(
        is_sorted=random.random() < 0.5,
        order=random.randrange(24),
        doubled=random.random() < 0.2,
        unused=("zz",) * random.randrange(2),
        width=random.randrange(1, 5),
        reserved=random.random() < 0.1,
    )
    return forms.Form(names, tuple(node(random) for _ in range(random.randrange(1, _MOST))))


def node(random: Random) -> forms.Node:
    """Return the form of one value."""
    return forms.Node(
        offset_width=random.randrange(1, 5),
        id_width=random.randrange(1, 5),
        large=random.random() < 0.3,
        order=random.randrange(24),
        copy=random.randrange(2),
        long=random.random() < 0.3,
        reserved=random.random() < 0.1,
    )


def metadata(data: bytes, random: Random) -> bytes:
    """Change metadata: replace or add names, change their form, or change bytes."""
    try:
        names = list(dictionary.read(data).names)
    except ReferenceError_:
        return scratched(data, random)
    if names and random.random() < 0.5:
        names[random.randrange(len(names))] = random.choice(("", "a", "\u00e9", names[0] + "a"))
    if random.random() < 0.3:
        names.append(random.choice(("b", "\U00010000")))
    written = forms.metadata_of(names, form(random).names).raw
    return scratched(written, random) if random.random() < 0.3 else written


def both(data: bytes, random: Random) -> bytes:
    """Change metadata and the value behind it: the form, a value in it, or bytes."""
    try:
        value = encoding.read(*encoding.split(data))
    except ReferenceError_:
        return scratched(data, random)
    if random.random() < 0.6:
        value = _changed(value, random)
    try:
        written = b"".join(forms.write(value, form(random)))
    except ReferenceError_:
        return scratched(data, random)
    return scratched(written, random) if random.random() < 0.4 else written


def _changed(value: Value, random: Random) -> Value:
    """Return a value with a part of it replaced, or wrapped into another value."""
    if isinstance(value, Array) and value.items and random.random() < 0.7:
        at = random.randrange(len(value.items))
        return Array((*value.items[:at], _changed(value.items[at], random), *value.items[at + 1 :]))
    if isinstance(value, Object) and value.fields and random.random() < 0.7:
        at = random.randrange(len(value.fields))
        name, field = value.fields[at]
        return Object((*value.fields[:at], (name, _changed(field, random)), *value.fields[at + 1 :]))
    return random.choice(
        (
            Array((value,) * random.randrange(_MOST)),
            object_of((name, value) for name in random.sample("abcd", random.randrange(_MOST))),
            integer(random.randrange(-(1 << random.randrange(1, 70)), 1 << random.randrange(1, 70))),
            decimal(random.randrange(10 ** random.randrange(1, 38)), random.randrange(39)),
            double(random.random()),
            Primitive("string", "x" * random.choice((0, 1, 63, 64))),
            Primitive("uuid", random.randbytes(16)),
        )
    )


def scratched(data: bytes, random: Random) -> bytes:
    """Change a byte, mostly to a meaningful header, or remove or insert bytes."""
    at = random.randrange(len(data) + 1)
    kind = random.randrange(4)
    if kind == 0:
        return data[:at] + data[at + random.randrange(1, 5) :]
    if kind == 1:
        return data[:at] + random.randbytes(random.randrange(1, 5)) + data[at:]
    put = random.choice(_HEADERS) if kind == 2 else random.randrange(256)
    return data[:at] + bytes([put]) + data[at + 1 :]
