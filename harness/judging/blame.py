"""The engines to blame for wrong values or a wrong answer to a query, where the file has false metadata."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from corpora.cases import CERTAIN, CONTESTED, Expectation
from corpora.queries import (
    AGGREGATES,
    Aggregate,
    CountRows,
    Filter,
    FilterHeld,
    Join,
    Query,
    Slice,
    Sorted,
    predicate_of,
)
from harness.judging.compare import Difference
from harness.judging.read_wrong import tested_columns

_NULL = "null"  # as a Difference spells it
# The parts of rule ids that are about what rows are skipped by.
_SKIPPING = frozenset({"STATS", "INDEX", "BLOOM", "ORDER"})
# Rules of values after whose breach they are read as others than those that the statistics are of.
MISLEADING = frozenset({"ORC-TIME-003"})
# Rules of where the pages or positions of the rows of a column are.
PLACES = frozenset({
    *(f"PQ-INDEX-0{number}" for number in range(28, 34)),
    *(f"ORC-INDEX-00{number}" for number in range(1, 5)),
})  # fmt: skip
# Rules of a LogicalType and a ConvertedType that say the same (`misannotated`).
ANNOTATIONS = frozenset({"PQ-LOGICAL-003", "PQ-LOGICAL-010", "PQ-LOGICAL-011"})
# Rules of bounds: no value is beyond them, and they are not crossed.
_BOUNDS = frozenset({
    *("PQ-STATS-003", "PQ-STATS-004", "PQ-STATS-005", "PQ-STATS-023", "PQ-STATS-024"),
    *("ORC-STATS-001", "ORC-STATS-002"),
})  # fmt: skip
# Rules of the number of rows in the footer, which readers return as the number of rows, and cut slices by.
_ROW_COUNTS = frozenset({"PQ-FILE-008", "ORC-FILE-011"})
# Rules of the number of nulls.
_NULL_COUNTS = frozenset({"PQ-STATS-013", "ORC-STATS-003", "ORC-STATS-004"})


def blaming(
    expectation: Expectation, query: Query, *, pushed: bool, difference: Difference | None = None
) -> Expectation:
    """Return the expectation that a wrong answer to a query is reported with.

    A reader that skips rows by false statistics, indexes or filters is not to be blamed: the file breaks the
    rule. A reader that contradicts itself is, also where nothing says which of its answers is right.
    """
    if (broken := _broken(expectation, _ROW_COUNTS)) and _is_of_count(query, difference):
        why = f"the file breaks {' '.join(broken)}: a reader that trusts the footer counts other rows"
        return replace(expectation, certainty=CONTESTED, why=why)
    tested = tested_columns(query)
    is_elsewhere = bool(tested) and not may_mislead(expectation, tested)
    if (broken := _false_metadata(expectation)) and not is_elsewhere:
        if isinstance(query, (Filter, FilterHeld, Aggregate, CountRows, Join, Slice, Sorted)):
            why = f"the file breaks {' '.join(broken)}: a reader that trusts false metadata loses rows"
            return replace(expectation, certainty=CONTESTED, why=why)
    elif pushed and expectation.certainty != CERTAIN:
        why = "the same engine returns another result without pushdown"
        return replace(expectation, certainty=CERTAIN, why=why)
    return expectation


def blaming_values(expectation: Expectation, difference: Difference) -> Expectation:
    """Return the expectation with which an engine is reported that returns other values than the file's.

    A reader may use equal bounds as the values of a column, and trust metadata that a column has only nulls,
    or none. Other false metadata is no excuse: values do not follow from sums, indexes and filters.
    """
    is_of_null = _NULL in (difference.expected, difference.actual)
    trusted = _BOUNDS | _NULL_COUNTS if is_of_null else _BOUNDS
    broken = [rule for rule in _false_metadata(expectation) if rule in trusted]
    columns = expectation.table.columns if expectation.table else ()
    names = {column.name for column in columns if difference.path.label == f"column {column.name!r}"}
    if not broken or (names and not may_mislead(expectation, names)):
        return expectation
    why = f"the file breaks {' '.join(broken)}: a reader that trusts them returns other values"
    return replace(expectation, certainty=CONTESTED, why=why)


def blaming_types(expectation: Expectation, difference: Difference) -> Expectation:
    """Return the expectation that another type of a column is reported with.

    A reader may take the type by one of two annotations, which must say the same.
    """
    broken = _broken(expectation, ANNOTATIONS)
    is_of_these = difference.path.label in {f"column {name!r}" for name in expectation.misannotated}
    if not broken or not is_of_these:
        return expectation
    why = f"the file breaks {' '.join(broken)}: a reader of the other annotation returns another type"
    return replace(expectation, certainty=CONTESTED, why=why)


def _is_of_count(query: Query, difference: Difference | None) -> bool:
    """Return whether what differs is a number of rows, which a reader may take from the footer."""
    if predicate_of(query) is not None:
        return False
    if isinstance(query, Aggregate):
        return difference is not None and difference.path.label == f"column {AGGREGATES[0]!r}"
    if isinstance(query, Slice):
        return difference is not None and difference.kind in {"rows", "slice"}
    return isinstance(query, CountRows)


def _broken(expectation: Expectation, rules: Collection[str]) -> list[str]:
    return [rule for rule in (expectation.breach or "").split() if rule in rules]


def _false_metadata(expectation: Expectation) -> list[str]:
    """Return the broken rules that are about statistics, indexes and filters, or that make these false."""
    return [rule for rule in (expectation.breach or "").split() if is_misleading(rule)]


def is_misleading(rule: str) -> bool:
    """Return whether a rule is about what rows are skipped by, or makes it false."""
    return rule.split("-")[1] in _SKIPPING or rule in MISLEADING


def may_mislead(expectation: Expectation, columns: Collection[str]) -> bool:
    """Return whether one of these top-level columns may have false statistics, indexes or filters."""
    return expectation.misleading is None or not expectation.misleading.isdisjoint(columns)
