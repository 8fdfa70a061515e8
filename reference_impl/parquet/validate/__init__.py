"""The rules of the specification that a Parquet file breaks.

    >>> for violation in validate(data): print(violation.rule, violation.offset, violation.message)

Rules are named by id; their texts are in `corpora/rules.d`. Validation continues behind the first
violation as far as the file can still be read; consequences of a violation are not reported again.
"""

from __future__ import annotations

import mmap
from itertools import islice

from reference_impl.errors import ReferenceError_
from reference_impl.limits import DEFAULT, Limits
from reference_impl.parquet.encryption.keys import KeySource
from reference_impl.parquet.shape import Shape, leaves
from reference_impl.parquet.validate import (
    blooms,
    chunks,
    conventions,
    encryption,
    footer,
    geospatial,
    groups,
    indexes,
    schemas,
    statistics,
    values,
    variants,
)
from reference_impl.parquet.validate.opened import Opened
from reference_impl.parquet.validate.scan import Chunk, scan
from reference_impl.validation import MOST_OF_A_RULE, Report, Violation

__all__ = ["Report", "Violation", "examine", "validate"]

_OF_CHUNKS = (
    chunks.check,
    values.check,
    variants.check,
    geospatial.check,
    statistics.check,
    indexes.check,
    blooms.check,
)


def validate(
    data: bytes | mmap.mmap, keys: KeySource | None = None, *, limits: Limits = DEFAULT
) -> list[Violation]:
    """Return the violations of a file, in the order of the checks.

    No content of a file raises. At most 100 violations of a rule and 2,000 in all are returned. Parts that
    could not be checked (an unknown codec, a column without a key among `keys`) are no violations: `examine`
    returns them.
    """
    return examine(data, keys, limits=limits).violations


def examine(data: bytes | mmap.mmap, keys: KeySource | None = None, *, limits: Limits = DEFAULT) -> Report:
    """Return violations, the parts that could not be checked, and notes."""
    report = Report()
    try:
        file = Opened(data, limits, report, keys)
    except ReferenceError_ as error:
        report.note(error)
        return report
    footer.check(file, report)
    shapes = schemas.check(file, report)
    for number in file.row_groups:
        _row_group(file, number, shapes, report)
    groups.check_places(file, report)
    encryption.check(file, report)
    report.notes += islice(conventions.notes(file), MOST_OF_A_RULE)
    return report


def _row_group(file: Opened, number: int, shapes: dict[int, Shape], report: Report) -> None:
    """Check a row group, field by field; values of sorting columns stay until its end."""
    group = file.metadata.row_groups[number]
    sorted_by = {column.column_idx for column in group.sorting_columns or ()}
    scanned: dict[int, Chunk] = {}
    for position, field in enumerate(file.root.children):
        of_field: list[Chunk] = []
        for leaf in field.leaves():
            chunk = scan(file, number, leaf, report)
            if chunk is not None:
                of_field.append(chunk)
                _chunk(chunk, report)
        if position in shapes and len(of_field) == len(leaves(shapes[position])):
            groups.check_field(of_field, shapes[position], number, report)
        for chunk in of_field:
            scanned[chunk.node.index] = chunk
            chunk.forget(values=chunk.node.index not in sorted_by)
    groups.check_group(file, number, scanned, report)


def _chunk(chunk: Chunk, report: Report) -> None:
    if chunk.walked and chunk.start < chunk.stop:
        chunk.file.parts.append((chunk.start, chunk.stop, f"column chunk of {chunk.name}"))
    for check in _OF_CHUNKS:
        check(chunk, report)
