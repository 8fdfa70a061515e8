"""A file with encrypted columns, small, and the keys that open it."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import pairwise

from reference_impl.orc.encryption_plan import Encryption, Mask, MasterKey, Variant
from reference_impl.orc.plan import Bloom, Column, FilePlan
from reference_impl.orc.schema import CompressionKind, Type, TypeKind

# a is encrypted, b is not, c is with all below it
TYPES = (
    Type(kind=TypeKind.STRUCT, subtypes=(1, 2, 3), field_names=("a", "b", "c")),
    Type(kind=TypeKind.STRING),
    Type(kind=TypeKind.LONG),
    Type(kind=TypeKind.STRUCT, subtypes=(4, 5), field_names=("x", "y")),
    Type(kind=TypeKind.INT),
    Type(kind=TypeKind.STRING),
)
ROWS = tuple(
    (f"Name {number}".encode(), number, None if number % 5 == 4 else (-number, b"%d" % (number * 7)))
    for number in range(40)
)


def local(name, size=16):
    """An encrypted local key, as random as its name."""
    return hashlib.sha256(name.encode()).digest()[:size]


def encryption(size=16, **choices):
    """Columns 1 and 3 under two keys, another local key for each, and for the tail."""
    keys = (MasterKey("pii", b"p" * size), MasterKey("cc", b"f" * size, 2))
    variants = (
        Variant(1, local("a", size), tail=local("tail", size)),
        Variant(3, local("c", size), 1),
    )
    masks = (Mask("sha256", (1,)), Mask("redact", (3,)))
    return replace(Encryption(keys, variants, masks), **choices)


def keys_of(made):
    """The master keys of an Encryption, as a reader takes them."""
    out = {}
    for key in made.keys:
        out.setdefault(key.name, {})[key.version] = key.key
    return out


def plan(hidden=None, **choices):
    """The plan: two stripes, row groups, Bloom filters."""
    found = FilePlan(
        TYPES,
        ROWS,
        stripes=(25, 15),
        row_index_stride=10,
        columns=(Column(), Column(bloom=Bloom())),
        compression=CompressionKind.ZLIB,
        encryption=hidden or encryption(),
    )
    return replace(found, **choices)


def rows_of(table):
    """Rows of such a file."""
    columns = [_slots(column) for column in table.columns]
    return list(zip(*columns, strict=True))


def _slots(column):
    valid = [True] * column.length if column.valid is None else column.valid.tolist()
    if hasattr(column, "fields"):
        inner = list(zip(*map(_slots, column.fields), strict=True))
        return [inner[place] if here else None for place, here in enumerate(valid)]
    data = column.values
    if hasattr(data, "offsets"):
        raw, ends = bytes(data.data), data.offsets.tolist()
        found = iter([raw[start:stop] for start, stop in pairwise(ends)])
    else:
        found = iter(data.tolist())
    return [next(found) if here else None for here in valid]
