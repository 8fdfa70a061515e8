"""Short descriptions of queries for signatures: the types, and the kind of test."""

from __future__ import annotations

from corpora.evaluation import resolve
from corpora.predicates import (
    And,
    Computed,
    In,
    Not,
    NotTrue,
    Or,
    Predicate,
    Test,
    has_not_true,
    leaves,
    unhandled,
)
from corpora.queries import (
    Aggregate,
    AggregateWhere,
    Batches,
    CountRows,
    Distinct,
    Extract,
    Fields,
    Filter,
    FilterHeld,
    Groups,
    Join,
    Project,
    Query,
    RowGroup,
    Slice,
    Sorted,
    ToJson,
    TopWhere,
    predicate_of,
)
from corpora.query_base import OfColumn
from corpora.table_reads import TableRead
from corpora.tagged import Table

_ORDER = ("<", "<=", ">", ">=")


def about(query: Query, file: Table, read: TableRead | None = None) -> str:
    """Return a short description of a query, the same for many files: types, and the kind of test.

    With a `read`, the file is a table of several files: conditions on partition columns, which these lack,
    are marked, and so are values of them.
    """
    text = _about(query, file)
    if read is None:
        return text
    predicate = predicate_of(query)
    paths = [] if predicate is None else [test.path for test in leaves(predicate)]
    if len(paths) > 1 and any(len(path) > 1 for path in paths):
        text += " in struct"
    others = {field.name for field in read.partitions}
    if isinstance(query, OfColumn) and query.path[0] in others:
        text += " of a partition"
    has_other = any(path[0] in others for path in paths)
    return f"{text} of a table{' by partition' if has_other else ''}".lstrip()


def _about(query: Query, file: Table) -> str:
    if isinstance(query, AggregateWhere | TopWhere) and query.predicate is not None:
        return f"{_type(query.path, file)}{_nested(query.path)} of {_about(Filter(query.predicate), file)}"
    if isinstance(query, Aggregate | Extract | ToJson | Join | Distinct | Groups | Sorted):
        return f"{_type(query.path, file)}{_nested(query.path)}"
    if isinstance(query, Fields):
        kinds = sorted({_kind(path, file) for path in query.paths})
        return f"{', '.join(kinds)}{' of a filter' * (query.predicate is not None)}"
    if isinstance(query, FilterHeld):
        return f"{query.type} of {_type(query.path, file)}{_nested(query.path)}"
    if isinstance(query, Project | RowGroup | Batches):
        return ""
    if not isinstance(query, CountRows | Filter | Slice):
        raise unhandled(query)
    if query.predicate is None:
        return ""
    tests = list(leaves(query.predicate))
    negated = "not " * _has_not(query.predicate)
    untrue = " that is not true" * has_not_true(query.predicate)
    if len(tests) == 1:
        (test,) = tests
        word = _function(test) if isinstance(test, Computed) else "order" if test.op in _ORDER else test.op
        word += " with null" * _has_null(test)
        return f"{_type(test.path, file)} {negated}{word}{_nested(test.path)}{untrue}"
    kinds = sorted({_kind(test.path, file) for test in tests})
    with_in = " with in" if negated and any(isinstance(test, In) for test in tests) else ""
    with_null = " with null in a list" * any(map(_has_null, tests))
    return f"{negated}several tests of {', '.join(kinds)}{with_in}{with_null}{untrue}"


def _function(test: Computed) -> str:
    """Return the function's name; of a cast to a type of time that kind as well, as causes differ by it."""
    of_time = test.function == "cast" and test.type.kind in {"date", "timestamp"}
    return f"cast to {test.type.kind}" if of_time else test.function


def _type(path: tuple[str, ...], file: Table) -> str:
    return str(resolve(path, file.columns, [[] for _ in file.columns])[0])


def _kind(path: tuple[str, ...], file: Table) -> str:
    return _type(path, file).partition("(")[0].partition("<")[0]


def _has_null(test: Test) -> bool:
    return isinstance(test, In) and None in test.values


def _nested(path: tuple[str, ...]) -> str:
    return " in struct" if len(path) > 1 else ""


def _has_not(predicate: Predicate) -> bool:
    if isinstance(predicate, (And, Or)):
        return any(map(_has_not, predicate.of))
    return isinstance(predicate, Not) or (isinstance(predicate, NotTrue) and _has_not(predicate.of))
