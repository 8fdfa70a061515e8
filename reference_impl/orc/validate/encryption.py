"""Checks of the encryption metadata without a key, and opening with keys."""

from __future__ import annotations

from reference_impl.errors import ReferenceError_
from reference_impl.orc.decryption import Decryption, MasterKeys, Unwrap
from reference_impl.orc.encryption import (
    Variant,
    encrypted_keys,
    key_errors,
    statistics_places,
    stripe_ids,
    variants_of,
)
from reference_impl.orc.validate.opened import LenientStripe, Opened

SUM, REUSED, MASK = "ORC-CRYPT-007", "ORC-CRYPT-012", "ORC-CRYPT-013"
_PATH = ("footer", "encryption")
_MOST = 1_000_000  # limit of compared keys of stripes: a few bytes of a footer could declare any number


def check(file: Opened) -> tuple[Variant, ...] | None:
    """Report errors of the footer's encryption; return the variants, None if they cannot be read."""
    message, at = file.footer.encryption, file.footer_at
    if message is None:
        return ()
    try:
        variants = variants_of(message, file.root, at)
    except ReferenceError_ as error:
        file.report.note(error, _PATH)
        return None
    below = {column for variant in variants for column in variant.columns}
    for mask in message.mask:
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
    """Check the lengths of local keys, and that no key is used twice with one stripe id."""
    at = file.footer_at
    stripes = file.footer.stripes
    ids, keys = stripe_ids(stripes, at), encrypted_keys(stripes, len(variants), at)
    stored = [stripe.encrypted_local_keys for stripe in stripes if stripe.encrypted_local_keys]
    for variant in variants:
        for local in (
            variant.message.encrypted_key or b"",
            *(local_keys[variant.number] for local_keys in stored),
        ):
            file.report.note_all(key_errors(variant, local, at), _PATH)
    if len(stripes) * len(variants) > _MOST:
        file.report.unchecked.append(f"local keys of {len(stripes)} stripes and {len(variants)} variants")
        return
    for variant in variants:
        seen: dict[tuple[bytes, int], int] = {}
        for number, (local_keys, id_) in enumerate(zip(keys, ids, strict=True)):
            first = seen.setdefault((local_keys[variant.number], id_), number)
            if first != number:
                message = f"{variant.name}: stripes {first} and {number} have one key and one id"
                file.report.add(REUSED, _PATH, at, message)


def check_stripe(stripe: LenientStripe, variants: tuple[Variant, ...]) -> None:
    """Report errors of the variants of a stripe."""
    with stripe.report.noting(*stripe.path, "footer"):
        stripe.sealed(variants)
    for variant in variants[: len(stripe.footer.encryption)]:
        stripe.report.note_all(stripe.encoding_errors(variant), (*stripe.path, "footer"))


def opened(
    file: Opened, variants: tuple[Variant, ...] | None, keys: MasterKeys | Unwrap | None
) -> Decryption | None:
    """Return the decryption, None if nothing can be decrypted; note the columns without a key."""
    if not variants:
        return None
    decryption = None
    if keys is not None:
        with file.report.noting():
            decryption = Decryption(file.data, file.tail, file.root, keys, file.limits)
    closed = [variant for variant in variants if decryption is None or variant not in decryption.opened]
    if closed:
        named = ", ".join(
            sorted({f"{variant.key.key_name}@{variant.key.key_version or 0}" for variant in closed})
        )
        file.report.unchecked.append(f"encrypted columns: their values without a mask (keys {named})")
    return decryption if decryption is not None and decryption.opened else None
