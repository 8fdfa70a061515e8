# Validating never raises, whatever the bytes. A file that the reader calls malformed breaks a rule that
# validating finds; one without a violation is read, or it is not supported or too large.
"""Validation of a whole Parquet file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import inputs
from properties.fuzz.bounds import limits
from properties.fuzz.claims import Broken
from properties.strategies.mutations import parquet
from reference_impl.errors import Malformed, ReferenceError_
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.validate import examine

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "parquet_validate"


def seeds() -> Iterable[bytes]:
    """Return small files of all areas, of faults first of all."""
    return inputs.some(inputs.files("parquet", largest=2048), most=160)


def mutate(data: bytes, random: Random) -> bytes:
    """Change parts of the file, and seal it again or leave a seal broken."""
    return parquet.mutate(data, random)


def check(data: bytes) -> None:
    """Validate the bytes, and read them."""
    report = examine(data, inputs.PARQUET_KEYS, limits=limits(data))
    try:
        ParquetFile(data, inputs.PARQUET_KEYS, limits=limits(data)).read()
    except Malformed as error:
        if not report.violations and not report.unchecked:
            raise Broken("malformed, but no violation", str(error)) from error
    except ReferenceError_:
        return
