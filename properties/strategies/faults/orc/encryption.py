"""Faults of encrypted columns, in the footers of file and stripes. The files are read with their keys."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from corpora.build.orc.areas.encryption import encrypted, keys, local
from corpora.build.orc.schemas import INT, LONG, plan, struct_of
from properties.strategies.faults.edit import Change
from properties.strategies.faults.fault import Fault, File, at, fields, one_less
from properties.strategies.faults.orc.edits import BARE, edit
from reference_impl.orc.encryption_plan import Mask, Restart
from reference_impl.orc.plan import FilePlan
from reference_impl.orc.tamper import Tamper

_TYPES = struct_of(row=INT, x=struct_of(a=LONG, b=INT))
_ROWS = tuple((row, (row * 7, -row)) for row in range(4))
_HIDDEN = encrypted(2, masks=(Mask("redact", (2,)),))
_KEYS = keys(_HIDDEN)
_LAST_ID = (1 << 24) - 1


def _table(**more: Any) -> FilePlan:
    """Return a table of two stripes with an encrypted struct; `more` changes the encryption."""
    hidden = replace(_HIDDEN, **more)
    return plan(_TYPES, _ROWS, BARE, stripes=(2, 2), encryption=hidden)


_PLAIN = _table()


def _variant(**changes: Any) -> Tamper:
    """Return the edit of the variant in the footer."""
    return edit(footer=fields(encryption=fields(variants=at(0, fields(**changes)))))


def _stripe(**changes: Any) -> Tamper:
    """Return the edit of the first stripe's information."""
    return edit(stripe_information=fields(**changes))


def _sealed(**changes: Any) -> Tamper:
    """Return the edit of the variant in the footer of the first stripe."""
    return edit(stripe_footer=fields(encryption=at(0, fields(**changes))))


def _first_statistics(**changes: Any) -> Change:
    return at(0, fields(**changes))


_FAULTS = (
    Fault(
        "ORC-CRYPT-001/root-beyond-the-types",
        "a variant is of column 5, and there are five",
        File(_PLAIN, _variant(root=5)),
        "it is of the column before the last",
        File(_table(variants=(replace(_HIDDEN.variants[0], root=3),), masks=())),
    ),
    Fault(
        "ORC-CRYPT-002/key-beyond-the-list",
        "a variant has the second key, and there is one",
        File(_PLAIN, _variant(key=1)),
        "its key is not told, which is the first",
        File(_PLAIN, _variant(key=None)),
    ),
    Fault(
        "ORC-CRYPT-003/no-id-of-the-first-stripe",
        "the first stripe has no encryptStripeId",
        File(_PLAIN, _stripe(encrypt_stripe_id=None)),
        "the second has none, and is one more",
    ),
    Fault(
        "ORC-CRYPT-004/id-of-four-bytes",
        "the second stripe has a number of encryption of four bytes",
        File(_PLAIN, _stripe(encrypt_stripe_id=_LAST_ID)),
        "it has the last of three bytes",
        File(_table(first_id=_LAST_ID - 1)),
    ),
    Fault(
        "ORC-CRYPT-005/local-key-cut-short",
        "the local key of a stripe has 15 bytes, for 128 bit AES",
        File(_PLAIN, _stripe(encrypted_local_keys=(local("column 2")[:15],))),
        "stripes and tail have other local keys, of 16 bytes",
        File(_table(variants=(replace(_HIDDEN.variants[0], tail=local("tail")),))),
    ),
    Fault(
        "ORC-CRYPT-006/file-statistics-cut-short",
        "the encrypted statistics of the file lack their last byte",
        File(_PLAIN, _variant(file_statistics=lambda data: data[:-1])),
        "there are none",
        File(_PLAIN, _variant(file_statistics=None)),
    ),
    Fault(
        "ORC-CRYPT-007/statistics-of-another-column",
        "the first encrypted statistics of stripes are of a column that is not encrypted",
        File(_PLAIN, _variant(stripe_statistics=_first_statistics(column=1))),
        "they are of the root of the variant",
    ),
    Fault(
        "ORC-CRYPT-008/variant-missing-in-a-stripe",
        "the footer of the first stripe says nothing of the variant",
        File(_PLAIN, edit(stripe_footer=fields(encryption=()))),
        "that of a stripe without rows does",
        File(replace(_PLAIN, stripes=(4, 0))),
    ),
    Fault(
        "ORC-CRYPT-009/encoding-missing",
        "the variant in the footer of the first stripe has the encodings of two columns of three",
        File(_PLAIN, _sealed(encoding=lambda encodings: encodings[:-1])),
        "it has those of three, as many as the unencrypted columns have of it",
    ),
    Fault(
        "ORC-CRYPT-010/streams-shorter-than-their-room",
        "the last encrypted stream is told to be a byte shorter, its room is not",
        File(_PLAIN, _sealed(streams=at(-1, fields(length=one_less)))),
        "there are no encrypted indexes, and no room for them",
        File(replace(_PLAIN, row_index_stride=0)),
    ),
    Fault(
        "ORC-CRYPT-011/stream-of-another-column",
        "a stream of the variant is of a column that is not encrypted",
        File(_PLAIN, _sealed(streams=at(0, fields(column=1)))),
        "it is of the root of the variant",
    ),
    Fault(
        "ORC-CRYPT-012/key-and-id-again",
        "the second stripe has the number and the local key of the first",
        File(_table(restarts=(Restart(1, (local("column 2"),)),))),
        "it has the number, and another key",
        File(_table(restarts=(Restart(1, (local("another"),)),))),
    ),
    Fault(
        "ORC-CRYPT-013/mask-of-a-plain-column",
        "a mask is of a column that is not encrypted",
        File(_PLAIN, edit(footer=fields(encryption=fields(mask=at(0, fields(columns=(1,))))))),
        "masks are of the encrypted struct and of a column in it",
        File(_table(masks=(Mask("redact", (2,)), Mask("nullify", (3,))))),
    ),
)
FAULTS = tuple(replace(fault, keys=_KEYS) for fault in _FAULTS)
