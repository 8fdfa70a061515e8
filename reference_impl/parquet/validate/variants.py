"""Checks of Variants: their binaries (VariantEncoding.md), and shredding (VariantShredding.md)."""

from __future__ import annotations

from itertools import chain

from reference_impl.byte_arrays import ByteArrays
from reference_impl.columns import Column, ListColumn, MapColumn, StructColumn
from reference_impl.errors import ReferenceError_
from reference_impl.parquet.validate.scan import Chunk
from reference_impl.validation import Report
from reference_impl.variant import columns
from reference_impl.variant.metadata import read
from reference_impl.variant.schema import column_errors, is_variant


def check(chunk: Chunk, report: Report) -> None:
    """Check the `metadata` column of a VARIANT group, even if its values cannot be read."""
    if not is_metadata(chunk):
        return
    for page in chunk.data:
        values = page.entries.values
        for raw in set(values) if isinstance(values, ByteArrays) else ():
            try:
                read(raw)
            except ReferenceError_ as error:
                error.offset = page.page.offset
                report.note(error, chunk.path)
                return


def is_metadata(chunk: Chunk) -> bool:
    """Return whether a chunk holds the metadata of Variants."""
    above = chunk.file.ancestors(chunk.node)[:-1]
    group = above[-1].logical if above else None
    return group is not None and group.name == "VARIANT" and chunk.node.name == "metadata"


def check_column(column: Column, path: tuple[str, ...], offset: int, report: Report) -> None:
    """Check all Variants of an assembled field; reports the first error of each VARIANT group.

    `schemas.check` lists the errors of its fields, and of groups that are not required; `check` those of the
    metadata.
    """
    for where, group in _variants(column):
        if any(column_errors(group)):
            continue
        try:
            columns.check(group)
        except ReferenceError_ as error:
            if error.rule not in ("PQ-VARIANT-006", "PQ-VARIANT-018"):
                error.offset = offset
                report.note(error, (*path, *where))


def _variants(column: Column) -> list[tuple[tuple[str, ...], StructColumn]]:
    """Return the VARIANT groups below a field, with the fields that lead to them."""
    if is_variant(column):
        return [((column.name,), column)]
    below: tuple[Column, ...] = ()
    if isinstance(column, StructColumn):
        below = column.fields
    elif isinstance(column, ListColumn):
        below = (column.element,)
    elif isinstance(column, MapColumn):
        below = (column.key,) if column.value is None else (column.key, column.value)
    groups = chain.from_iterable(map(_variants, below))
    return [((column.name, *where), group) for where, group in groups]
