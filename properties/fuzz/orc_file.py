# Any bytes are a file or a documented error. Stripes read one by one are the whole; rows read from a row
# group on are those of the stripe; with the ranges of fields kept, the footer says the same. All
# statistics, indexes and filters are read or a documented error.
"""A whole ORC file."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

from properties.fuzz import inputs
from properties.fuzz.bounds import limits
from properties.fuzz.claims import attempt, same
from properties.strategies.mutations import orc
from reference_impl.columns import Table, to_python
from reference_impl.orc.column_slices import cut
from reference_impl.orc.file import OrcFile

NAME = "orc_file"


def seeds() -> Iterable[bytes]:
    """Return small files of all areas."""
    return inputs.some(inputs.files("orc", largest=4096), most=160)


def mutate(data: bytes, random: Random) -> bytes:
    """Change parts of the file, and seal it again or leave a seal broken."""
    return orc.mutate(data, random)


def check(data: bytes) -> None:
    """Read the bytes as a file, in all ways."""
    file = attempt(OrcFile, data, limits=limits(data))
    if file is None:
        return
    same(OrcFile(data, limits=file.limits, keep_spans=True).footer, file.footer, "with spans")
    _hold(file)
    if file.footer.encryption is not None:  # what CTR decrypts may be anything
        sealed = attempt(OrcFile, data, limits=limits(data), keys=inputs.ORC_KEYS)
        if sealed is not None:
            _hold(sealed)


def _hold(file: OrcFile) -> None:
    attempt(lambda: file.metadata)
    numbers = range(len(file.footer.stripes))
    for stripe in numbers:
        for column in range(file.root.max_id + 1):
            attempt(file.row_index, stripe, column)
            attempt(file.bloom_filters, stripe, column)
    parts = [attempt(file.read, stripes=[each]) for each in numbers]
    table = attempt(file.read)
    if table is None:
        return
    whole = [part for part in parts if part is not None]
    same(len(whole), len(numbers), "stripes that can be read")
    same(sum(part.num_rows for part in whole), table.num_rows, "rows of the stripes")
    same([row for part in whole for row in rows(part)], rows(table), "stripe by stripe")
    for stripe, part in zip(numbers, whole, strict=True):
        hold_rows(file, stripe, part)


def hold_rows(file: OrcFile, stripe: int, whole: Table) -> None:
    """Read the rows of a stripe since its second row group, and those before; compare both with the whole."""
    start = min(file.footer.row_index_stride or 1, whole.num_rows)
    part = attempt(file.read_rows, None, stripe, start, whole.num_rows)
    if part is not None:
        same(part.num_rows, whole.num_rows - start, "rows from a row group on")
    if start and (front := attempt(file.read_rows, None, stripe, 0, start)) is not None:
        cuts = tuple(cut(column, 0, start) for column in whole.columns)
        same(
            [to_python(column) for column in front.columns], [to_python(each) for each in cuts], "first rows"
        )


def rows(table: Table) -> list[tuple[Any, ...]]:
    """Return the rows of a table."""
    return list(zip(*map(to_python, table.columns), strict=True))
