# Any bytes are the metadata of Variants or a documented error. Their names, written again in any form, are
# the same; with the same order, flags and width, the bytes are.
"""Metadata of Variants (VariantEncoding.md, "Metadata encoding")."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from properties.fuzz.claims import attempt, same
from properties.strategies.mutations import variant
from reference_impl.variant import forms, metadata

NAME = "variant_metadata"
_RESERVED = 0x20
_SEEDS = ((), ("a",), ("b", "a"), ("a", "a"), ("", "é", "\U00010000", "\ufffd"), tuple(map(str, range(300))))


def seeds() -> Iterable[bytes]:
    """Return metadata without names, with some and with many, in all forms."""
    random = Random(NAME)  # noqa: S311 - seeds are the same each time
    written = [forms.metadata_of(names, variant.form(random).names).raw for names in _SEEDS for _ in range(6)]
    return sorted({*written, metadata.of(("a", "a")).raw})


def mutate(data: bytes, random: Random) -> bytes:
    """Change names and their form."""
    return variant.metadata(data, random)


def check(data: bytes) -> None:
    """Read the bytes as metadata, and write them again."""
    names = attempt(metadata.read, data)
    if names is None:
        return
    same(names.raw, data, "the bytes that were read")
    width = (data[0] >> 6) + 1
    again = metadata.of(
        names.names, is_sorted=names.is_sorted, width=width, reserved=bool(data[0] & _RESERVED)
    )
    same(again.raw, data, "written again")
    used = list(names.ids)
    form = forms.Names(is_sorted=True, width=4)
    same(set(metadata.read(forms.metadata_of(used, form).raw).names), set(names.names), "sorted")
    same(sum(map(len, names.ids.values())), len(names.names), "ids of names")
