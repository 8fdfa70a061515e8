# Any bytes are taken apart or a documented error. What was taken apart and put together again is taken
# apart again to the same file; a file that can be read is read from it to the same.
"""A whole Parquet file, taken apart and put together again (`parquet/anatomy`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import parquet_file
from properties.fuzz.bounds import limits
from properties.fuzz.claims import attempt, same
from properties.strategies.mutations import parquet
from reference_impl.columns import to_python
from reference_impl.parquet.anatomy import assemble, dissect
from reference_impl.parquet.file import ParquetFile

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random
    from typing import Any

NAME = "parquet_anatomy"


def seeds() -> Iterable[bytes]:
    """Return small files of all areas."""
    return parquet_file.seeds()


def mutate(data: bytes, random: Random) -> bytes:
    """Change parts of the file, and seal it again or leave a seal broken."""
    return parquet.mutate(data, random)


def check(data: bytes) -> None:
    """Take the bytes apart, and put them together."""
    anatomy = attempt(dissect, data)
    if anatomy is None:
        return
    whole = assemble(anatomy)
    same(assemble(dissect(whole)), whole, "taken apart and put together twice")
    before = attempt(_read, data, data)
    if before is not None:
        same(_read(whole, data), before, "read")


def _read(data: bytes, bounding: bytes) -> list[list[Any]]:
    table = ParquetFile(data, limits=limits(bounding)).read()
    return [to_python(column) for column in table.columns]
