"""Encrypted columns: plans and keys, and the values that readers with keys and without keys must return."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from corpora.build.orc.schemas import (
    INT,
    LONG,
    STRING,
    Types,
    leaf,
    list_of,
    map_of,
    plan,
    recipe,
    struct_of,
    union_of,
)
from corpora.build.recipe import Recipe
from corpora.build.silences import NOT_OPTIONAL
from corpora.keys import Keys, suite_key
from reference_impl.orc.encryption_plan import Encryption, Mask, MasterKey, Restart, Variant
from reference_impl.orc.masks import masked
from reference_impl.orc.plan import Bloom, Chunks, Dictionary, FilePlan, Original
from reference_impl.orc.plan import Column as Layout
from reference_impl.orc.schema import CompressionKind, TypeKind
from reference_impl.orc.types import build

CLAUSE = "ORCv1.md, Column Encryption"
MASKS = "ORCv1.md, Data Masks"
STREAMS = "ORCv1.md, Stream Encryption"
_STORED = Chunks(original=Original.ALWAYS)  # chunks that are the same with every version of a codec
TABLE = struct_of(i=INT, s=STRING, n=LONG, p=struct_of(x=STRING, y=INT))
ROWS = tuple(
    (
        number,
        None if number % 4 == 2 else b"Name %d" % number,
        -number * 1001,
        None if number % 5 == 4 else (b"x%d" % number, number * 7),
    )
    for number in range(23)
)


def local(name: str, size: int = 16) -> bytes:
    """Return an encrypted local key of a file, which depends only on its name."""
    return hashlib.sha256(name.encode()).digest()[:size]


def encrypted(*roots: int, size: int = 16, masks: tuple[Mask, ...] = (), **more: Any) -> Encryption:
    """Return the encryption of columns under the suite's master key, each with its own local key."""
    keys = (MasterKey("pii", suite_key("master", size)),)
    variants = tuple(Variant(root, local(f"column {root}", size)) for root in roots)
    return replace(Encryption(keys, variants, masks), **more)


def keys(encryption: Encryption, *, wrong: bool = False) -> Keys:
    """Return the keys of a file, or wrong keys with the same names."""
    by_name: dict[str, dict[int, bytes]] = {}
    for key in encryption.keys:
        data = suite_key("wrong", len(key.key)) if wrong else key.key
        by_name.setdefault(key.name, {})[key.version] = data
    return Keys(orc=by_name)


def table(hidden: Encryption, layout: Layout | None = None, **more: Any) -> FilePlan:
    """Return the plan of a table of two stripes, with row groups."""
    chosen: dict[str, Any] = {"stripes": (13, 10), "row_index_stride": 5, **more}
    return plan(TABLE, ROWS, layout, encryption=hidden, **chosen)


def stored(file: FilePlan) -> FilePlan:
    """Return the plan with compression, but with original chunks only."""
    return replace(file, compression=CompressionKind.ZLIB, chunks=_STORED, tail_chunks=_STORED)


def both(name: str, file: FilePlan, spec: str = CLAUSE, **more: Any) -> Iterator[Recipe]:
    """Yield a file with its keys and without keys, when readers return the masked rows."""
    hidden = file.encryption
    assert hidden is not None
    yield recipe(f"{name}/with-keys", file, spec, keys=keys(hidden), **more)
    yield recipe(f"{name}/without-keys", file, spec, rows=masked_rows(file), **{**more, "probed": None})


def masked_rows(file: FilePlan) -> tuple[Any, ...]:
    """Return the rows that a reader without keys returns."""
    hidden = file.encryption
    assert hidden is not None
    return tuple(hidden.masked or masked(build(file.types), file.rows, hidden))


_STRIPES = "ORCv1.md, Stripe Information"
_VARIANTS = "ORCv1.md, Encryption Variants"


def recipes() -> Iterator[Recipe]:
    """Yield the files."""
    return chain(
        both("encryption/aes-ctr-128", table(encrypted(2, 4))),
        both("encryption/aes-ctr-256", table(encrypted(2, 4, size=32))),
        both("encryption/chunks", stored(table(encrypted(2, 4)))),
        _layouts(),
        _keys(),
        _ids(),
        _masks(),
        _types(),
    )


def _layouts() -> Iterator[Recipe]:
    hidden = encrypted(2, 4)
    bare = Layout(index=None, statistics=None)
    chosen = {
        "dictionary": table(hidden, Layout(dictionary=Dictionary())),
        "bloom": table(hidden, Layout(bloom=Bloom())),
        "rle-v1": table(hidden, Layout(rle=1)),
        "bare": table(hidden, bare, row_index_stride=0, file_statistics=False, stripe_statistics=False),
        "one-stripe": table(hidden, stripes=None),
        "stripe-without-rows": table(hidden, stripes=(0, 23)),
        "no-stripes": replace(table(hidden), rows=(), stripes=()),
    }
    for name, file in chosen.items():
        probed = ("s",) if name in {"dictionary", "bloom"} else None
        yield from both(f"encryption/layout/{name}", file, probed=probed, every=4)
    without = replace(table(hidden, replace(bare, empty_streams=False)), rows=(), stripes=(0,))
    yield from both("encryption/layout/without-streams", without, either=NOT_OPTIONAL)


def _keys() -> Iterator[Recipe]:
    """Yield files with several keys, with several versions of keys, and with another key for the tail."""
    hidden = encrypted(2, 4)
    two = (MasterKey("pii", suite_key("master"), 3), MasterKey("cc", suite_key("kek", 32), 0))
    variants = (hidden.variants[0], Variant(4, local("cc", 32), 1))
    file = table(replace(hidden, keys=two, variants=variants))
    yield from both("encryption/two-keys", file, _VARIANTS)
    pii_only = Keys(orc={"pii": {3: suite_key("master")}})
    visible = tuple((*row[:3], masked[3]) for row, masked in zip(ROWS, masked_rows(file), strict=True))
    notes = "the reader has the key of one variant, and no access to the other"
    yield recipe("encryption/two-keys/with-one", file, _VARIANTS, keys=pii_only, rows=visible, notes=notes)
    old = Keys(orc={"pii": {2: suite_key("wrong")}, "cc": {1: suite_key("wrong", 32)}})
    notes = "the reader has other versions of the keys: no access to either variant"
    yield recipe(
        "encryption/two-keys/other-versions", file, _VARIANTS, keys=old, rows=masked_rows(file), notes=notes
    )
    tail = replace(
        hidden, variants=tuple(replace(variant, tail=local("tail")) for variant in hidden.variants)
    )
    yield from both("encryption/key-of-the-tail", table(tail), CLAUSE)
    again = replace(hidden, variants=(*hidden.variants, Variant(2, local("again"), 1)), keys=two)
    seen = Keys(orc={"cc": {0: suite_key("kek", 32)}})
    again = replace(again, variants=(*again.variants[:2], Variant(2, local("again", 32), 1)))
    rows = tuple((row[0], row[1], row[2], mask[3]) for row, mask in zip(ROWS, masked_rows(file), strict=True))
    notes = "two variants of a column: readers take the first that they have the key of"
    yield recipe("encryption/second-variant", table(again), _VARIANTS, keys=seen, rows=rows, notes=notes)


def _ids() -> Iterator[Recipe]:
    """Yield files with other numbers of stripes, such as those of merged files."""
    for first in (2, 1 << 16, (1 << 24) - 2):
        file = table(encrypted(2, 4, first_id=first))
        yield recipe(f"encryption/first-stripe-id-{first}", file, STREAMS, keys=keys(encrypted(2)))
    again = (Restart(1, (local("second file"), local("its struct"))),)
    yield from both("encryption/merged", table(encrypted(2, 4, restarts=again)), _STRIPES)


def _masks() -> Iterator[Recipe]:
    """Yield each mask for each of its types."""
    types = {
        "string": (STRING, (b"Dongjoon Hyun", b"", None, "é-1 日本".encode())),
        "varchar": (leaf(TypeKind.VARCHAR, maximum_length=70), (b"Ab 1", None)),
        "char": (leaf(TypeKind.CHAR, maximum_length=4), (b"Ab 1", b"x   ", None)),
        "binary": (leaf(TypeKind.BINARY), (b"\x00\xff", b"", None)),
        "boolean": (leaf(TypeKind.BOOLEAN), (True, False, None)),
        "long": (LONG, (0, 123, -45, None, (1 << 63) - 1, -(1 << 63))),
        "int": (INT, (0, 123, -45, None)),
        "double": (leaf(TypeKind.DOUBLE), (0.0, 12.5, -0.03, None)),
        "decimal": (leaf(TypeKind.DECIMAL, precision=10, scale=2), (0, 12345, -500, None)),
        "date": (leaf(TypeKind.DATE), (0, 18856, None)),
        "timestamp": (leaf(TypeKind.TIMESTAMP), ((0, 0), (1_629_201_600 + 4711, 8150), None)),
        "struct": (struct_of(a=STRING, b=INT), ((b"Ab", 12), None, (None, None))),
        "list": (list_of(STRING), ([b"Ab", None], [], None)),
    }
    for name, (type_, values) in types.items():
        rows = [(place, value) for place, value in enumerate(values)]
        for mask in ("nullify", "redact", "sha256"):
            hidden = encrypted(2, masks=(Mask(mask, (2,)),))
            file = plan(struct_of(i=INT, x=type_), rows, encryption=hidden)
            yield from both(f"encryption/mask/{mask}/{name}", file, MASKS)
    chosen = encrypted(2, masks=(Mask("redact", (2,), ("Zz0*", "2000 _ 2")),))
    file = plan(struct_of(i=INT, x=STRING), [(1, b"Ab-12"), (2, None)], encryption=chosen)
    yield from both("encryption/mask/redact/parameters", file, MASKS)
    inner = encrypted(2, masks=(Mask("redact", (2,)), Mask("sha256", (3,)), Mask("nullify", (4,))))
    file = plan(
        struct_of(i=INT, x=struct_of(a=STRING, b=INT, c=STRING)), [(1, (b"A", 1, b"c"))], encryption=inner
    )
    yield from both("encryption/mask/one-in-another", file, MASKS)
    own = encrypted(2, masks=(Mask("reverse", (2,), ("letters",)),), masked=((1, b"cba"), (2, None)))
    file = plan(struct_of(i=INT, x=STRING), [(1, b"abc"), (2, None)], encryption=own)
    yield from both("encryption/mask/of-the-user", file, MASKS, notes="masks may be defined by the user")


def _types() -> Iterator[Recipe]:
    """Yield encrypted collections, and a file that is wholly encrypted."""
    types: dict[str, tuple[Types, tuple[Any, ...]]] = {
        "list": (list_of(LONG), ([1, None, 2], [], None)),
        "map": (map_of(STRING, LONG), ([(b"a", 1), (b"b", None)], [], None)),
        "union": (union_of(INT, STRING), ((0, 5), (1, b"x"), (0, -7))),
        "instant": (leaf(TypeKind.TIMESTAMP_INSTANT), ((5, 6), None)),
        "float": (leaf(TypeKind.FLOAT), (1.5, None)),
        "byte": (leaf(TypeKind.BYTE), (1, -1, None)),
        "short": (leaf(TypeKind.SHORT), (300, None)),
    }
    for name, (type_, values) in types.items():
        rows = [(place, value) for place, value in enumerate(values)]
        masks = (Mask("redact", (2,)),) if name == "union" else ()
        file = plan(struct_of(i=INT, x=type_), rows, encryption=encrypted(2, masks=masks))
        yield from both(f"encryption/type/{name}", file)
    below = struct_of(i=INT, x=list_of(struct_of(a=STRING, b=INT)))
    rows = [(1, [(b"a", 1), None]), (2, []), (3, None)]
    yield from both("encryption/below-a-list", plan(below, rows, encryption=encrypted(4)), _VARIANTS)
    whole = plan(TABLE, ROWS, encryption=encrypted(0, masks=(Mask("redact", (0,)),)))
    yield from both("encryption/root", whole, _VARIANTS)
