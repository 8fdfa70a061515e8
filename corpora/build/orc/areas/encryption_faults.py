"""Encrypted files: optional fields, unknown algorithms and providers, wrong keys and flipped bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from corpora.build.orc.areas.encryption import (
    CLAUSE,
    MASKS,
    ROWS,
    STREAMS,
    TABLE,
    encrypted,
    keys,
    masked_rows,
    stored,
    table,
)
from corpora.build.orc.schemas import plan, recipe
from corpora.build.recipe import Recipe
from corpora.keys import Keys
from reference_impl.orc.encryption_plan import Encryption, Mask
from reference_impl.orc.plan import Column as Layout
from reference_impl.orc.schema import Encryption as Message
from reference_impl.orc.schema import EncryptionAlgorithm, Footer, KeyProviderKind, StreamKind
from reference_impl.orc.tamper import Place, Tamper

_WRONG = "AES/CTR has no tag: a wrong key decrypts the file statistics to bytes that are no FileStatistics"


def recipes() -> Iterator[Recipe]:
    """Yield the files."""
    yield from _defaults()
    yield from _wrong()


class _ChangedMessage(Tamper):
    """Changes the message about encryption in the footer."""

    def __init__(self, change: Callable[[Message], Message]) -> None:
        self.change = change

    def footer(self, footer: Footer) -> Footer:
        assert footer.encryption is not None
        return replace(footer, encryption=self.change(footer.encryption))


def _key(message: Message, **changes: Any) -> Message:
    return replace(message, key=(replace(message.key[0], **changes), *message.key[1:]))


def _mask(message: Message, **changes: Any) -> Message:
    return replace(message, mask=(replace(message.mask[0], **changes),))


def _rootless(message: Message) -> Message:
    return replace(message, variants=(replace(message.variants[0], root=None),))


def _defaults() -> Iterator[Recipe]:
    """Yield files without optional fields, and with unknown algorithms and providers."""
    spec = "orc_proto.proto, Encryption"
    file = table(encrypted(2, 4))
    hidden = table(encrypted(2, 4, masks=(Mask("redact", (2, 4)),)))
    whole = plan(TABLE, ROWS, encryption=encrypted(0, masks=(Mask("redact", (0,)),)))
    own = keys(encrypted(2))
    nameless = Keys(orc={"": own.orc["pii"]})
    of_masks = "masks are informational: the data was masked when it was written"
    yield recipe("encryption/nothing", plan(TABLE, ROWS, encryption=Encryption((), ())), spec)
    for name, source, own_keys, change in (
        ("key-without-version", file, own, partial(_key, key_version=None)),
        ("key-without-name", file, nameless, partial(_key, key_name=None)),
        ("root-absent", whole, own, _rootless),
    ):
        tamper = _ChangedMessage(change)
        yield recipe(f"encryption/{name}/with-keys", source, spec, keys=own_keys, tamper=tamper)
        yield recipe(f"encryption/{name}/without-keys", source, spec, rows=masked_rows(source), tamper=tamper)
    for name, change in (
        ("mask-without-name", partial(_mask, name=None)),
        ("mask-without-columns", partial(_mask, columns=())),
        ("no-masks", lambda message: replace(message, mask=())),
    ):
        tamper = _ChangedMessage(change)
        yield recipe(f"encryption/{name}", hidden, MASKS, keys=own, tamper=tamper, notes=of_masks)
    unknown = "columns of an unknown algorithm cannot be decrypted; every reader can return the masked ones"
    for name, algorithm in (("unknown", EncryptionAlgorithm.UNKNOWN_ENCRYPTION), ("absent", None)):
        tamper, rows = _ChangedMessage(partial(_key, algorithm=algorithm)), masked_rows(file)
        clause = "ORCv1.md, Encryption Keys"
        yield recipe(f"encryption/algorithm-{name}", file, clause, rows=rows, tamper=tamper, notes=unknown)
    for provider in (None, *KeyProviderKind):
        if provider is not KeyProviderKind.HADOOP:
            name = "absent" if provider is None else provider.name.lower()
            notes = (
                "local keys of another key provider; without access to it, readers return the masked values"
            )
            strange, rows = table(encrypted(2, 4, provider=provider)), masked_rows(file)
            yield recipe(f"encryption/provider/{name}", strange, CLAUSE, rows=rows, notes=notes)


class _Flipped(Tamper):
    """Changes bytes of the encrypted DATA stream of a column."""

    def __init__(self, column: int, change: bytes) -> None:
        self.place = Place(0, column, StreamKind.DATA, 0)
        self.change = change

    def sealed(self, place: Place, data: bytes) -> bytes:
        if place != self.place:
            return data
        flipped = bytes(byte ^ other for byte, other in zip(data, self.change, strict=False))
        return flipped + data[len(self.change) :]


def _wrong() -> Iterator[Recipe]:
    """Yield wrong keys and changed bytes that readers must notice, or cannot, as CTR has no tag."""
    hidden = encrypted(2, 4)
    file = stored(table(hidden))
    for size in (16, 32):
        own = encrypted(2, 4, size=size)
        wrong = {"keys": keys(own, wrong=True), "refuse": "ORC-CRYPT-006", "notes": _WRONG}
        yield recipe(f"encryption/wrong-key/{size * 8}", stored(table(own)), CLAUSE, **wrong)
    yield recipe(
        "encryption/flipped/head-of-a-chunk",
        file,
        "ORCv1.md, Compression",
        keys=keys(hidden),
        tamper=_Flipped(2, b"\x00\x00\x40"),
        refuse="ORC-COMP-002",
        notes="the chunk says that it is longer than its stream",
    )
    changed = tuple((row[0], b"nAME 0" if not row[0] else row[1], *row[2:]) for row in ROWS)
    yield recipe(
        "encryption/flipped/text",
        table(encrypted(2), Layout(statistics=None, index=None)),
        STREAMS,
        keys=keys(hidden),
        tamper=_Flipped(2, b" " * 4),
        rows=changed,
        notes="a flipped bit of CTR ciphertext flips the same bit of the value; no reader can detect this",
    )
