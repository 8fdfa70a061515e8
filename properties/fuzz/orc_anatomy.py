# Any bytes are taken apart or a documented error. What was taken apart and put together again is the same
# bytes, whatever is wrong in them.
"""A whole ORC file, taken apart and put together again (`orc/anatomy`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import orc_file
from properties.fuzz.bounds import limits
from properties.fuzz.claims import attempt, same
from properties.strategies.mutations import orc
from reference_impl.orc.anatomy import assemble, dissect

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "orc_anatomy"


def seeds() -> Iterable[bytes]:
    """Return small files of all areas."""
    return orc_file.seeds()


def mutate(data: bytes, random: Random) -> bytes:
    """Change parts of the file, and seal it again or leave a seal broken."""
    return orc.mutate(data, random)


def check(data: bytes) -> None:
    """Take the bytes apart, and put them together."""
    anatomy = attempt(dissect, data, limits=limits(data))
    if anatomy is None:
        return
    whole = assemble(anatomy)
    same(whole, data, "nothing was changed")
