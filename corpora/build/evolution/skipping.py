"""The files of a folder that a filter need not read: those of which a constant column decides.

All rows of a file have the same value in a partition column, and null or a default in a
column that the file lacks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from corpora.evaluation import evaluate
from corpora.evolution import read_as
from corpora.predicates import And, Or, Predicate, leaves
from corpora.table_files import TableFile
from corpora.table_reads import BY_POSITION, METADATA_PREFIX, TableRead
from corpora.tagged import Table

_CONSTANT = {"missing", "default"}  # conversions that give all rows of a file one value


def may_match(file: TableFile, read: TableRead, predicate: Predicate, float_order: str) -> bool:
    """Return whether a row of a file can be one for which a predicate is TRUE; raises Undefined."""
    row, constants = _constants(file, read)

    def is_true(known: Predicate) -> bool:
        return bool(evaluate(known, row, float_order))

    return _may_match(predicate, constants, is_true)


def _may_match(predicate: Predicate, constants: set[str], is_true: Callable[[Predicate], bool]) -> bool:
    if all(test.path[0] in constants for test in leaves(predicate)):
        return is_true(predicate)
    if isinstance(predicate, And):
        return all(_may_match(part, constants, is_true) for part in predicate.of)
    if isinstance(predicate, Or):
        return any(_may_match(part, constants, is_true) for part in predicate.of)
    return True


def _constants(file: TableFile, read: TableRead) -> tuple[Table, set[str]]:
    """Return a row of a file in which all but its constants is null, and the names of its constants."""
    read = replace(read, unified=False)  # which is of all files, not of this one
    fields = [(field.name, field.type) for field in file.table.columns]
    nulls = file._replace(table=Table.of(fields, [[None] for _ in fields], 1))
    constants = {field.name for field in read.partitions}
    constants |= {METADATA_PREFIX + name for name in read.metadata if name != "row_index"}
    if read.matching == BY_POSITION:
        constants |= {field.name for field in read.columns[len(fields) :]}
        return read_as([nulls], read).table, constants
    for field in read.columns:
        if _CONSTANT & read_as([nulls], replace(read, columns=(field,))).conversions:
            constants.add(field.name)
    return read_as([nulls], read).table, constants
