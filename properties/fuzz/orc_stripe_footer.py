# Any bytes are a StripeFooter or a documented error. What was read is written and read again to the same,
# with packed lists and without.
"""Stripe footer of a stripe (ORCv1.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_orc, inputs
from properties.fuzz.structs import check_protobuf
from properties.strategies.mutations import protobuf
from reference_impl.orc.schema import StripeFooter

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "orc_stripe_footer"


def seeds() -> Iterable[bytes]:
    """Return the stripe footers of the checked-in files, decompressed."""
    return inputs.some(bytes(stripe.footer_stream.data) for _, stripe in cut_orc.stripes())


def check(data: bytes) -> None:
    """Read the bytes as a stripe footer."""
    check_protobuf(StripeFooter, data)


def mutate(data: bytes, random: Random) -> bytes:
    """Change fields."""
    return protobuf.mutate(data, StripeFooter, random)
