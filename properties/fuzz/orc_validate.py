# Validating never raises, whatever the bytes. A file that the reader calls malformed breaks a rule that
# validating finds; one without a violation is read, or it is not supported or too large.
"""Validation of a whole ORC file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import inputs
from properties.fuzz.bounds import limits
from properties.fuzz.claims import Broken
from properties.strategies.mutations import orc
from reference_impl.errors import Malformed, ReferenceError_
from reference_impl.orc.file import OrcFile
from reference_impl.orc.validate import examine

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "orc_validate"


def seeds() -> Iterable[bytes]:
    """Return small files of all areas, of faults first of all."""
    return inputs.some(inputs.files("orc", largest=2048), most=160)


def mutate(data: bytes, random: Random) -> bytes:
    """Change parts of the file, and seal it again or leave a seal broken."""
    return orc.mutate(data, random)


def check(data: bytes) -> None:
    """Validate the bytes, and read them."""
    for keys in (None, inputs.ORC_KEYS):
        _validated(data, keys)


def _validated(data: bytes, keys: dict[str, dict[int, bytes]] | None) -> None:
    report = examine(data, keys, limits=limits(data))
    try:
        file = OrcFile(data, limits=limits(data), keys=keys)
        if keys is None or file.decryption is not None:
            file.read()
    except Malformed as error:
        if not report.violations and not report.unchecked:
            raise Broken("malformed, but no violation", str(error)) from error
    except ReferenceError_:
        return
