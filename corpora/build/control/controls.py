"""The control files of a format with their cases, and the features that a query needs of a reader.

An engine of any version and age reads these files, or says that it lacks a feature. If Python code of an
adapter or a binding fails on one of them, colconf cannot test this feature with that version: such a failure
is not due to a file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from corpora.build import probes
from corpora.build.control import orc, parquet
from corpora.build.make import make
from corpora.build.questions.columns import ColumnFacts
from corpora.build.questions.of_values import computed
from corpora.build.recipe import Recipe
from corpora.cases import Case, Probe
from corpora.constants import BINARY, TEXT, comparable
from corpora.files import write_whole
from corpora.formats import ORC, PARQUET
from corpora.predicates import Compare, Computed, In, IsNull, NotTrue, NullSafe, StartsWith, Test, leaves
from corpora.queries import (
    Aggregate,
    AggregateWhere,
    AntiJoin,
    CountRows,
    CountValues,
    Distinct,
    Fields,
    Filter,
    Groups,
    Join,
    Query,
    SemiJoin,
    Slice,
    Top,
    TopRows,
    TopWhere,
    predicate_of,
)
from corpora.tagged import Field, Table, Type, integer

READ = "read"
RECIPES: dict[str, Callable[[], Iterator[Recipe]]] = {PARQUET: parquet.recipes, ORC: orc.recipes}
_KINDS = {In: "in", IsNull: "is null", NullSafe: "null-safe equality", StartsWith: "starts with"}
_ORDER = ("<", "<=", ">", ">=")


@cache
def _built(format_: str) -> tuple[tuple[Case, bytes], ...]:
    return tuple(map(_case_of, RECIPES[format_]()))


def _case_of(recipe: Recipe) -> tuple[Case, bytes]:
    built = make(replace(recipe, probed=None))
    case, table = built.case, built.case.expectation.table
    assert table is not None
    added = _queries(table, recipe.probed) if recipe.probed else ()
    more = tuple(Probe(query, probes.rows(query, table)) for query in added)
    return replace(case, id=f"control/{case.id}", probes=(*case.probes, *more)), built.data


def _queries(table: Table, path: tuple[str, ...]) -> Iterator[Query]:
    """Yield one query for each question about a column whose values rise, and end with a null."""
    type_ = _type_at(path, table.columns)
    values = [value for value in table.column(len(table.columns) - 1) if value is not None]
    yield Filter(IsNull(path))
    if not comparable(type_):
        yield CountValues(path)
        return
    low, high = values[0], values[-1]
    yield Filter(Compare(path, "=", type_, low))
    yield Filter(Compare(path, "<", type_, high))
    yield Filter(In(path, type_, (low, high)))
    column = ColumnFacts(path, type_, (low, high))
    functions: dict[tuple[str, str], Query] = {}
    for query in computed(column):
        assert isinstance(query, Filter) and isinstance(query.predicate, Computed)  # noqa: PT018 - types alone
        functions.setdefault((query.predicate.function, query.predicate.type.kind), query)
    yield from functions.values()
    yield Filter(NullSafe(path, type_, low))
    yield Filter(NotTrue(Compare(path, "<", type_, high)))
    yield SemiJoin(path, type_, (low, high), path[:1])
    if type_ == integer(32):  # the join is that of a semi-join
        yield from (AntiJoin(path, type_, (low, None), path[:1], by) for by in (False, True))
    if type_.kind in TEXT:
        yield Filter(StartsWith(path, str(low)[:1]))
    if type_.kind not in BINARY:
        yield Aggregate(path)
    if type_ == integer(32):  # queries without constants, which are alike for all types
        yield from (Distinct(path), Groups(path), Top(path, 2), Top(path, 2, descending=True))
        yield from (TopRows(path, 2), TopRows(path, 2, descending=True, columns=path[:1]))
        yield TopWhere(path, 1, predicate=Compare(path, "<", type_, high), offset=1)
        yield from (CountRows(), CountRows(Compare(path, "<", type_, high)))
        yield AggregateWhere(path, Compare(path, "<", type_, high))
        yield from (Slice(1, 2), Slice(1, 1, Compare(path, "<", type_, high), path[:1]))
        yield from (Fields((path,)), Fields((path, path[:1])[: len(path)], Compare(path, "<", type_, high)))


def cases(format_: str, folder: Path) -> tuple[Case, ...]:
    """Return the cases of a format, the first of a file like any other; writes the files into `folder`."""
    written = []
    for case, data in _built(format_):
        file = folder / case.file.name
        if not file.exists():
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(file, data)
        written.append(replace(case, file=file))
    return tuple(written)


def name(case: Case) -> str:
    """Return the name of a control file within its format."""
    return case.id.rpartition("/")[2]


@cache
def features(format_: str) -> dict[str, frozenset[str]]:
    """Return the features of each control file by its name, the first of a file like any other."""
    return {name(case): frozenset(case.features) for case, _ in _built(format_)}


@cache
def digest() -> str:
    """Return a digest of all files and queries of the set."""
    parts = [
        f"{case.id} {case.sha256} {[str(probe.query) for probe in case.probes]}"
        for format_ in sorted(RECIPES)
        for case, _ in _built(format_)
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def questions(query: Query, table: Table) -> Iterator[tuple[str, str]]:
    """Yield the features that a query needs: pairs of a type, "" for any, and a kind of test or query."""
    predicate = predicate_of(query)
    if predicate is not None:
        for test in leaves(predicate):
            yield type_name(_type_at(test.path, table.columns)), _kind(test)
    if isinstance(query, (Aggregate, Join)):
        yield type_name(_type_at(query.path, table.columns)), query.kind
    elif not isinstance(query, Filter):
        yield "", query.kind


def _kind(test: Test) -> str:
    """Return the kind of a test: comparisons for order and for equality are two."""
    if isinstance(test, Compare):
        return "order" if test.op in _ORDER else "equality"
    return test.function if isinstance(test, Computed) else _KINDS[type(test)]


def type_name(type_: Type) -> str:
    """Return the name of a type without the parameters that change no question."""
    if type_.kind == "int":
        return f"{'' if type_.signed else 'u'}int{type_.bits}"
    if type_.kind == "float":
        return f"float{type_.bits}"
    return f"{type_.kind}({type_.unit})" if type_.unit else type_.kind


def _type_at(path: Sequence[str], fields: Sequence[Field]) -> Type:
    name, *rest = path
    type_ = next(field.type for field in fields if field.name == name)
    return _type_at(rest, type_.children) if rest else type_
