"""What a file says of encrypted columns, checked without a key; and what can be opened with keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_impl.errors import ReferenceError_
from reference_impl.orc.decryption import Decryption
from reference_impl.orc.encryption import (
    encrypted_keys,
    key_errors,
    statistics_places,
    stripe_ids,
    variants_of,
)

if TYPE_CHECKING:
    from reference_impl.orc.decryption import MasterKeys, Unwrap
    from reference_impl.orc.encryption import Variant
    from reference_impl.orc.validate.opened import Opened
    from reference_impl.orc.validate.stripes import LenientStripe

SUM, REUSED, MASK = "ORC-CRYPT-007", "ORC-CRYPT-012", "ORC-CRYPT-013"
_PATH = ("footer", "encryption")
_MOST = 1_000_000  # keys of stripes that are compared: a few bytes of a footer could make any number of them


def check(file: Opened) -> tuple[Variant, ...] | None:
    """Report what is wrong with the footer's part; answer the variants, None where they make no sense."""
    said, at = file.footer.encryption, file.footer_at
    if said is None:
        return ()
    try:
        variants = variants_of(said, file.root, at)
    except ReferenceError_ as error:
        file.report.note(error, _PATH)
        return None
    below = {column for variant in variants for column in variant.columns}
    for mask in said.mask:
        for column in sorted(set(mask.columns) - below):
            file.report.add(MASK, _PATH, at, f"mask {mask.name} of column {column}, which no variant has")
    with file.report.noting(*_PATH):
        _check_statistics(file, variants)
    with file.report.noting(*_PATH):
        _check_keys(file, variants)
    return variants


def _check_statistics(file: Opened, variants: tuple[Variant, ...]) -> None:
    """Follow the stripe statistics of all variants to their end."""
    at = file.tail.body_end
    for variant in variants:
        for place in statistics_places(variant, at, file.tail):
            at += place.length
    end = file.tail.metadata_stream.base
    if at != end:
        file.report.add(SUM, _PATH, at, f"encrypted stripe statistics end at {at}, their room at {end}")


def _check_keys(file: Opened, variants: tuple[Variant, ...]) -> None:
    """Check the lengths of local keys, and that none is used twice for one stripe id."""
    at = file.footer_at
    stripes = file.footer.stripes
    ids, keys = stripe_ids(stripes, at), encrypted_keys(stripes, len(variants), at)
    told = [stripe.encrypted_local_keys for stripe in stripes if stripe.encrypted_local_keys]
    for variant in variants:
        for one in (variant.message.encrypted_key or b"", *(found[variant.number] for found in told)):
            file.report.note_all(key_errors(variant, one, at), _PATH)
    if len(stripes) * len(variants) > _MOST:
        file.report.unchecked.append(f"local keys of {len(stripes)} stripes and {len(variants)} variants")
        return
    for variant in variants:
        seen: dict[tuple[bytes, int], int] = {}
        for number, (found, id_) in enumerate(zip(keys, ids, strict=True)):
            first = seen.setdefault((found[variant.number], id_), number)
            if first != number:
                message = f"{variant.name}: stripes {first} and {number} have one key and one id"
                file.report.add(REUSED, _PATH, at, message)


def check_stripe(stripe: LenientStripe, variants: tuple[Variant, ...]) -> None:
    """Report what is wrong with the variants of a stripe."""
    with stripe.report.noting(*stripe.path, "footer"):
        stripe.sealed(variants)
    for variant in variants[: len(stripe.footer.encryption)]:
        stripe.report.note_all(stripe.encoding_errors(variant), (*stripe.path, "footer"))


def opened(
    file: Opened, variants: tuple[Variant, ...] | None, keys: MasterKeys | Unwrap | None
) -> Decryption | None:
    """Return what can be decrypted, None for nothing; say what was not looked at."""
    if not variants:
        return None
    found = None
    if keys is not None:
        with file.report.noting():
            found = Decryption(file.data, file.tail, file.root, keys, file.limits)
    closed = [variant for variant in variants if found is None or variant not in found.opened]
    if closed:
        named = ", ".join(sorted({f"{one.key.key_name}@{one.key.key_version or 0}" for one in closed}))
        file.report.unchecked.append(f"encrypted columns: their values without a mask (keys {named})")
    return found if found is not None and found.opened else None
