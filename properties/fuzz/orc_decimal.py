# Any bytes are `count` unscaled values or a documented error. What was read is written and read again to
# the same; a part and then the rest is the whole.
"""Unscaled values of decimals (ORCv1.md, "Decimal Columns")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_orc, inputs
from properties.fuzz.claims import attempt, holds, same
from properties.strategies.mutations.orc import runs
from reference_impl.cursor import Cursor
from reference_impl.orc.encodings import decimal, scan

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "orc_decimal"


def seeds() -> Iterable[bytes]:
    """Return the streams of decimals of all stripes."""
    return cut_orc.decimals()


def mutate(data: bytes, random: Random) -> bytes:
    """Change runs and what they hold."""
    return inputs.mutated(data, random, lambda body: runs.mutate(body, scan.Encoding.VARINTS, random)[0])


def check(data: bytes) -> None:
    """Read the bytes as varints, `choice` of them first."""
    _, count, choice, body = inputs.given(data)
    values = attempt(decimal.decode, Cursor(body), count)
    if values is None:
        return
    numbers = values.tolist()
    holds(len(numbers) == count and all(-(1 << 127) <= each < 1 << 127 for each in numbers), "128 bits")
    same(
        decimal.decode(Cursor(decimal.encode(numbers).data), count).tolist(),
        numbers,
        "read, written and read",
    )
    cursor, first = Cursor(body), min(choice, count)
    parts = [decimal.decode(cursor, each).tolist() for each in (first, count - first)]
    same(parts[0] + parts[1], numbers, "read in two parts")
