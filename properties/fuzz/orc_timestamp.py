# Any two streams of integers are seconds and nanoseconds or a documented error. Nanoseconds are below a
# second; moments that can be stored are stored and read again to the same.
"""Seconds and nanoseconds of timestamps (ORCv1.md, "Timestamp Columns")."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from properties.fuzz import cut_orc, inputs
from properties.fuzz.claims import attempt, holds, same
from properties.strategies.mutations.orc import runs
from reference_impl.cursor import Cursor
from reference_impl.orc.encodings import rle_v2, scan, timestamp

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from numpy.typing import NDArray

NAME = "orc_timestamp"
_MOST = 64


def seeds() -> Iterable[bytes]:
    """Return streams of integers, whatever they were."""
    return cut_orc.integers(rle_v2)


def mutate(data: bytes, random: Random) -> bytes:
    """Change runs and what they hold."""
    return inputs.mutated(data, random, lambda body: runs.mutate(body, scan.Encoding.RLE_V2, random)[0])


def check(data: bytes) -> None:
    """Read the bytes as nanoseconds, and their unsigned values as seconds."""
    _, count, choice, body = inputs.given(data)
    packed = attempt(rle_v2.decode, Cursor(body), min(count, _MOST), signed=False)
    nanos = attempt(timestamp.unpack, packed) if packed is not None else None
    if packed is None or nanos is None:
        return
    holds(all(0 <= each < 1_000_000_000 for each in nanos.tolist()), "less than a second")
    same(attempt(timestamp.unpack, packed), nanos, "unpacked again")
    sign = -1 if choice % 2 else 1
    moments = timestamp.seconds((packed >> 8) * sign, nanos).tolist()
    for moment, nano in zip(moments, nanos.tolist(), strict=True):
        stored = attempt(timestamp.stored, moment, nano)
        if stored is not None:
            same(_read(*stored), (moment, nano), "stored and read")


def _read(second: int, packed: int) -> tuple[int, int]:
    nanos = timestamp.unpack(_array(packed))
    return int(timestamp.seconds(_array(second), nanos)[0]), int(nanos[0])


def _array(number: int) -> NDArray[np.int64]:
    return np.array([number], np.int64)
