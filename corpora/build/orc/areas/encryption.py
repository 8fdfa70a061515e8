"""Encrypted columns: what a reader with the keys must answer, and what one without them."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from corpora.build.orc.areas.nested import NOT_OPTIONAL
from corpora.build.orc.schemas import (
    INT,
    LONG,
    STRING,
    leaf,
    list_of,
    map_of,
    plan,
    recipe,
    struct_of,
    union_of,
)
from corpora.keys import Keys, suite_key
from reference_impl.orc.masks import masked
from reference_impl.orc.plan import (
    Bloom,
    Chunks,
    Dictionary,
    Encryption,
    Mask,
    MasterKey,
    Original,
    Restart,
    Variant,
)
from reference_impl.orc.plan import Column as Layout
from reference_impl.orc.schema import (
    CompressionKind,
    EncryptionAlgorithm,
    KeyProviderKind,
    StreamKind,
    TypeKind,
)
from reference_impl.orc.tamper import Place, Tamper
from reference_impl.orc.types import build

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpora.build.orc.schemas import Types
    from corpora.build.recipe import Recipe
    from reference_impl.orc.plan import FilePlan
    from reference_impl.orc.schema import Encryption as Said
    from reference_impl.orc.schema import Footer

_CLAUSE = "ORCv1.md, Column Encryption"
_MASKS = "ORCv1.md, Data Masks"
_STREAMS = "ORCv1.md, Stream Encryption"
_STRIPES = "ORCv1.md, Stripe Information"
_VARIANTS = "ORCv1.md, Encryption Variants"
_STORED = Chunks(original=Original.ALWAYS)  # chunks that no version of a codec makes otherwise
_WRONG = "AES/CTR has no tag: what a wrong key makes of the statistics of the file is no FileStatistics"
_TABLE = struct_of(i=INT, s=STRING, n=LONG, p=struct_of(x=STRING, y=INT))
_ROWS = tuple(
    (
        number,
        None if number % 4 == 2 else b"Name %d" % number,
        -number * 1001,
        None if number % 5 == 4 else (b"x%d" % number, number * 7),
    )
    for number in range(23)
)


def local(name: str, size: int = 16) -> bytes:
    """Return a local key as a file has it, encrypted, always the same."""
    return hashlib.sha256(name.encode()).digest()[:size]


def encrypted(*roots: int, size: int = 16, masks: tuple[Mask, ...] = (), **more: Any) -> Encryption:
    """Return columns under the suite's master key, each with a local key of its own."""
    keys = (MasterKey("pii", suite_key("master", size)),)
    variants = tuple(Variant(root, local(f"column {root}", size)) for root in roots)
    return replace(Encryption(keys, variants, masks), **more)


def keys(made: Encryption, *, wrong: bool = False) -> Keys:
    """Return the keys of a file, or other ones of the same names."""
    told: dict[str, dict[int, bytes]] = {}
    for key in made.keys:
        found = suite_key("wrong", len(key.key)) if wrong else key.key
        told.setdefault(key.name, {})[key.version] = found
    return Keys(orc=told)


def table(hidden: Encryption, layout: Layout | None = None, **more: Any) -> FilePlan:
    """Return the plan of a table of two stripes, with row groups."""
    chosen: dict[str, Any] = {"stripes": (13, 10), "row_index_stride": 5, **more}
    return plan(_TABLE, _ROWS, layout, encryption=hidden, **chosen)


def _stored(made: FilePlan) -> FilePlan:
    return replace(made, compression=CompressionKind.ZLIB, chunks=_STORED, tail_chunks=_STORED)


def recipes() -> Iterator[Recipe]:
    """Yield the files."""
    yield from _both("encryption/aes-ctr-128", table(encrypted(2, 4)))
    yield from _both("encryption/aes-ctr-256", table(encrypted(2, 4, size=32)))
    yield from _both("encryption/chunks", _stored(table(encrypted(2, 4))))
    yield from _layouts()
    yield from _keys()
    yield from _ids()
    yield from _masks()
    yield from _types()
    yield from _defaults()
    yield from _wrong()


def _both(name: str, made: FilePlan, spec: str = _CLAUSE, **more: Any) -> Iterator[Recipe]:
    """Yield a file with its keys, and without: who has none reads what is masked."""
    hidden = made.encryption
    assert hidden is not None
    yield recipe(f"{name}/with-keys", made, spec, keys=keys(hidden), **more)
    yield recipe(f"{name}/without-keys", made, spec, rows=_shown(made), **{**more, "asked": None})


def _shown(made: FilePlan) -> tuple[Any, ...]:
    hidden = made.encryption
    assert hidden is not None
    return tuple(hidden.masked or masked(build(made.types), made.rows, hidden))


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
    for name, made in chosen.items():
        asked = ("s",) if name in {"dictionary", "bloom"} else None
        yield from _both(f"encryption/layout/{name}", made, asked=asked, every=4)
    without = replace(table(hidden, replace(bare, empty_streams=False)), rows=(), stripes=(0,))
    yield from _both("encryption/layout/without-streams", without, either=NOT_OPTIONAL)


def _keys() -> Iterator[Recipe]:
    """Yield files of more than one key, of several versions, and with other keys for the tail."""
    hidden = encrypted(2, 4)
    two = (MasterKey("pii", suite_key("master"), 3), MasterKey("cc", suite_key("kek", 32), 0))
    variants = (hidden.variants[0], Variant(4, local("cc", 32), 1))
    made = table(replace(hidden, keys=two, variants=variants))
    yield from _both("encryption/two-keys", made, _VARIANTS)
    one = Keys(orc={"pii": {3: suite_key("master")}})
    shown = tuple((*row[:3], seen[3]) for row, seen in zip(_ROWS, _shown(made), strict=True))
    notes = "the reader has the key of one variant, and no access to the other"
    yield recipe("encryption/two-keys/with-one", made, _VARIANTS, keys=one, rows=shown, notes=notes)
    old = Keys(orc={"pii": {2: suite_key("wrong")}, "cc": {1: suite_key("wrong", 32)}})
    notes = "the reader has other versions of the keys: no access to either variant"
    yield recipe(
        "encryption/two-keys/other-versions", made, _VARIANTS, keys=old, rows=_shown(made), notes=notes
    )
    tail = replace(hidden, variants=tuple(replace(one_, tail=local("tail")) for one_ in hidden.variants))
    yield from _both("encryption/key-of-the-tail", table(tail), _CLAUSE)
    again = replace(hidden, variants=(*hidden.variants, Variant(2, local("again"), 1)), keys=two)
    seen = Keys(orc={"cc": {0: suite_key("kek", 32)}})
    again = replace(again, variants=(*again.variants[:2], Variant(2, local("again", 32), 1)))
    rows = tuple((row[0], row[1], row[2], mask[3]) for row, mask in zip(_ROWS, _shown(made), strict=True))
    notes = "two variants of a column: readers take the first that they have the key of"
    yield recipe("encryption/second-variant", table(again), _VARIANTS, keys=seen, rows=rows, notes=notes)


def _ids() -> Iterator[Recipe]:
    """Yield files whose stripes are numbered otherwise, as a merged file's are."""
    for first in (2, 1 << 16, (1 << 24) - 2):
        made = table(encrypted(2, 4, first_id=first))
        yield recipe(f"encryption/first-stripe-id-{first}", made, _STREAMS, keys=keys(encrypted(2)))
    again = (Restart(1, (local("second file"), local("its struct"))),)
    yield from _both("encryption/merged", table(encrypted(2, 4, restarts=again)), _STRIPES)


def _masks() -> Iterator[Recipe]:
    """Yield each mask of each type that it has something to say about."""
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
            made = plan(struct_of(i=INT, x=type_), rows, encryption=hidden)
            yield from _both(f"encryption/mask/{mask}/{name}", made, _MASKS)
    chosen = encrypted(2, masks=(Mask("redact", (2,), ("Zz0*", "2000 _ 2")),))
    made = plan(struct_of(i=INT, x=STRING), [(1, b"Ab-12"), (2, None)], encryption=chosen)
    yield from _both("encryption/mask/redact/parameters", made, _MASKS)
    inner = encrypted(2, masks=(Mask("redact", (2,)), Mask("sha256", (3,)), Mask("nullify", (4,))))
    made = plan(
        struct_of(i=INT, x=struct_of(a=STRING, b=INT, c=STRING)), [(1, (b"A", 1, b"c"))], encryption=inner
    )
    yield from _both("encryption/mask/one-in-another", made, _MASKS)
    own = encrypted(2, masks=(Mask("reverse", (2,), ("letters",)),), masked=((1, b"cba"), (2, None)))
    made = plan(struct_of(i=INT, x=STRING), [(1, b"abc"), (2, None)], encryption=own)
    yield from _both("encryption/mask/of-the-user", made, _MASKS, notes="masks may be defined by the user")


def _types() -> Iterator[Recipe]:
    """Yield encrypted collections, and a file that is encrypted as a whole."""
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
        made = plan(struct_of(i=INT, x=type_), rows, encryption=encrypted(2, masks=masks))
        yield from _both(f"encryption/type/{name}", made)
    below = struct_of(i=INT, x=list_of(struct_of(a=STRING, b=INT)))
    rows = [(1, [(b"a", 1), None]), (2, []), (3, None)]
    yield from _both("encryption/below-a-list", plan(below, rows, encryption=encrypted(4)), _VARIANTS)
    whole = plan(_TABLE, _ROWS, encryption=encrypted(0, masks=(Mask("redact", (0,)),)))
    yield from _both("encryption/root", whole, _VARIANTS)


class _Told(Tamper):
    """Changes what the footer says of encryption."""

    def __init__(self, change: Callable[[Said], Said]) -> None:
        self.change = change

    def footer(self, footer: Footer) -> Footer:
        """Change it."""
        assert footer.encryption is not None
        return replace(footer, encryption=self.change(footer.encryption))


def _key(said: Said, **changes: Any) -> Said:
    return replace(said, key=(replace(said.key[0], **changes), *said.key[1:]))


def _defaults() -> Iterator[Recipe]:
    """Yield files that leave out what may be left out, and name what is not known."""
    spec = "orc_proto.proto, Encryption"
    made = table(encrypted(2, 4))
    hidden = table(encrypted(2, 4, masks=(Mask("redact", (2, 4)),)))
    whole = plan(_TABLE, _ROWS, encryption=encrypted(0, masks=(Mask("redact", (0,)),)))
    own = keys(encrypted(2))
    nameless = Keys(orc={"": own.orc["pii"]})
    of_masks = "masks are informational: the data was masked when it was written"
    yield recipe("encryption/nothing", plan(_TABLE, _ROWS, encryption=Encryption((), ())), spec)
    for name, from_, told, change in (
        ("key-without-version", made, own, partial(_key, key_version=None)),
        ("key-without-name", made, nameless, partial(_key, key_name=None)),
        (
            "root-absent",
            whole,
            own,
            lambda said: replace(said, variants=(replace(said.variants[0], root=None),)),
        ),
    ):
        tamper = _Told(change)
        yield recipe(f"encryption/{name}/with-keys", from_, spec, keys=told, tamper=tamper)
        yield recipe(f"encryption/{name}/without-keys", from_, spec, rows=_shown(from_), tamper=tamper)
    for name, change in (
        ("mask-without-name", lambda said: replace(said, mask=(replace(said.mask[0], name=None),))),
        ("mask-without-columns", lambda said: replace(said, mask=(replace(said.mask[0], columns=()),))),
        ("no-masks", lambda said: replace(said, mask=())),
    ):
        yield recipe(f"encryption/{name}", hidden, _MASKS, keys=own, tamper=_Told(change), notes=of_masks)
    unknown = "an algorithm that is not known hides its columns; the masked ones are there for everybody"
    for name, algorithm in (("unknown", EncryptionAlgorithm.UNKNOWN_ENCRYPTION), ("absent", None)):
        yield recipe(
            f"encryption/algorithm-{name}",
            made,
            "ORCv1.md, Encryption Keys",
            rows=_shown(made),
            tamper=_Told(partial(_key, algorithm=algorithm)),
            notes=unknown,
        )
    for provider in (None, *KeyProviderKind):
        if provider is not KeyProviderKind.HADOOP:
            name = "absent" if provider is None else provider.name.lower()
            yield recipe(
                f"encryption/provider/{name}",
                table(encrypted(2, 4, provider=provider)),
                _CLAUSE,
                rows=_shown(made),
                notes="local keys of another service of keys; without access to it there is what is masked",
            )


class _Flipped(Tamper):
    """Changes bytes of the DATA stream of a column, encrypted as it is."""

    def __init__(self, column: int, change: bytes) -> None:
        self.place = Place(0, column, StreamKind.DATA, 0)
        self.change = change

    def sealed(self, place: Place, data: bytes) -> bytes:
        """Flip bits at the begin."""
        if place != self.place:
            return data
        flipped = bytes(one ^ other for one, other in zip(data, self.change, strict=False))
        return flipped + data[len(self.change) :]


def _wrong() -> Iterator[Recipe]:
    """Yield what a reader must notice, and what it cannot, as CTR has no tag."""
    hidden = encrypted(2, 4)
    made = _stored(table(hidden))
    for size in (16, 32):
        own = encrypted(2, 4, size=size)
        yield recipe(
            f"encryption/wrong-key/{size * 8}",
            _stored(table(own)),
            _CLAUSE,
            keys=keys(own, wrong=True),
            refuse="ORC-CRYPT-006",
            notes=_WRONG,
        )
    yield recipe(
        "encryption/flipped/head-of-a-chunk",
        made,
        "ORCv1.md, Compression",
        keys=keys(hidden),
        tamper=_Flipped(2, b"\x00\x00\x40"),
        refuse="ORC-COMP-002",
        notes="the chunk says that it is longer than its stream",
    )
    changed = tuple((row[0], b"nAME 0" if not row[0] else row[1], *row[2:]) for row in _ROWS)
    yield recipe(
        "encryption/flipped/text",
        table(encrypted(2), Layout(statistics=None, index=None)),
        _STREAMS,
        keys=keys(hidden),
        tamper=_Flipped(2, b" " * 4),
        rows=changed,
        notes="CTR flips the bits of a value with those of the file: nobody can tell",
    )
