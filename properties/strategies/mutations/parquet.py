"""Mutation of Parquet files: parts are changed, then the file is sealed again, or one seal is broken.

    >>> mutate(data, Random(7))                 # bytes, deterministic
    >>> mutant(data, Random(7)).operations      # ("levels", "break CRC")

If a file cannot be dissected, the fields of its footer, or its bytes, are mutated. Nothing is raised.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from properties.strategies.mutations import scalars, thrift
from properties.strategies.mutations.parquet_parts import OPERATIONS
from properties.strategies.mutations.parquet_scene import Scene, with_footer
from properties.strategies.mutations.scalars import Mutant
from reference_impl.errors import ReferenceError_
from reference_impl.parquet import anatomy
from reference_impl.parquet.schema import FileMetaData

_TRIES = 12
_NAMES = list(OPERATIONS)
_WEIGHTS = [weight for weight, _ in OPERATIONS.values()]
_LARGEST = 1 << 22  # bytes of a file that is dissected


def mutate(data: bytes, random: Random, others: Sequence[bytes] = ()) -> bytes:
    """Return the file mutated; `others` are files whose parts may be put into it."""
    return mutant(data, random, others).data


def mutant(data: bytes, random: Random, others: Sequence[bytes] = ()) -> Mutant:
    """Return the file mutated, and the names of the operations."""
    if not random.randrange(25) or len(data) > _LARGEST:
        return scalars.mutant(random, data)
    try:
        parts = _parts(data).copy()
    except ReferenceError_:
        return _footer_only(data, random)
    scene = Scene(parts, random, _donor(random, others))
    done = []
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        for _try in range(_TRIES):
            (name,) = random.choices(_NAMES, _WEIGHTS)
            operation = OPERATIONS[name][1](scene)
            if operation:
                done.append(operation)
                break
    out = scene.assembled()
    for change in scene.of_footer:
        out = with_footer(out, change)
    return Mutant(out, tuple(done))


def _donor(random: Random, others: Sequence[bytes]) -> anatomy.Anatomy | None:
    if not others:
        return None
    try:
        return _parts(random.choice(others)).copy()  # its parts become the mutant's, and are changed
    except ReferenceError_:
        return None


@lru_cache(maxsize=64)
def _parts(data: bytes) -> anatomy.Anatomy:
    """Return the parts of a file, which must not be changed; cached, because seeds are mutated repeatedly."""
    return anatomy.dissect(data)


def _footer_only(data: bytes, random: Random) -> Mutant:
    """Mutate the fields of a footer that cannot be read completely."""
    length = int.from_bytes(data[-8:-4], "little")
    if not 0 < length <= len(data) - 12 or not random.randrange(3):
        return scalars.mutant(random, data)
    out = with_footer(data, lambda raw: thrift.mutate(raw, FileMetaData, random))
    return Mutant(out, ("fields of a broken footer",))
