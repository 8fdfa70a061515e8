# Any columns of a shredding schema are a value or a documented error. All readers read a value that a writer
# may write to the same. A value, shredded by the same schema, is constructed to the same.
"""Shredded Variants (VariantShredding.md)."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from properties.fuzz import slots
from properties.fuzz.claims import attempt, same
from properties.strategies.mutations import variant
from reference_impl.variant import forms
from reference_impl.variant.shredder import shred
from reference_impl.variant.shredding import Reading, construct

NAME = "variant_shredded"
METADATA = forms.metadata_of(["a", "b", "c"])


def seeds() -> Iterable[bytes]:
    """Yield slots of each schema: with no column set, one, or all."""
    residuals = (b"\x00", b"\x0c\x01", b"\x02\x00\x00", b"\x02\x01\x02\x00\x02\x0c\x01", b"\x03\x00\x00")
    for number in range(len(slots.LEVELS)):
        for flags in (0, 2, 4, 8, 12):
            yield bytes([number, flags, 2, flags, 1, 2, 1, 2, 1, 2, 1, 2]) + bytes(24)
        for residual in residuals:
            yield bytes([number, 1, len(residual)]) + residual
            yield bytes([number, 5, len(residual)]) + residual + bytes([2, 1, 0, 0, 0, 0, 0, 0, 0, 0]) * 4


def mutate(data: bytes, random: Random) -> bytes:
    """Change bytes, which may be a residual."""
    at = random.randrange(len(data) + 1)
    head, tail = data[:at], variant.scratched(data[at:], random)
    return head + tail if random.random() < 0.6 else variant.scratched(data, random)


def check(data: bytes) -> None:
    """Fill the columns of a schema with the bytes, and construct the value."""
    level, slot = slots.given(data)
    any_ = attempt(construct, level, slot, METADATA, Reading.ANY)
    value = attempt(construct, level, slot, METADATA)
    written = attempt(construct, level, slot, METADATA, Reading.WRITTEN)
    if written is not None:
        same(value, written, "what may be written")
    if value is None:
        return
    same(any_, value, "what is right")
    again = shred(level, value, METADATA)
    if again is not None:
        same(construct(level, again, METADATA, Reading.WRITTEN), value, "shredded again")
