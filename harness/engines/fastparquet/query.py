"""Predicates as fastparquet's filters: lists of tests that are joined by AND, joined by OR.

https://fastparquet.readthedocs.io/en/latest/api.html (`to_pandas`, `filters`). There is no IS NULL and no
prefix, and of NOT there is `not in`: NOT is moved down to the tests, which become their opposites. pandas
calls a null unequal to everything, so `!=` and `not in` are asked of floats, and of columns without nulls.
"""

from __future__ import annotations

from typing import Any

from corpora.constants import TEXT
from corpora.predicates import And, Compare, In, Not, Or, Predicate
from corpora.queries import COUNT, CountRows, Filter, Project, Query, RowGroup, Slice, predicate_of
from corpora.tagged import Type, Value
from harness.engines.errors import Unsupported
from harness.engines.fastparquet.ways import Way, slice_of
from harness.engines.scripts.literals import operator, python
from harness.engines.terms import only

_MOST = 64  # conjunctions; a predicate may have exponentially many
_OPTIONAL = 1  # parquet.thrift, FieldRepetitionType
JSON = 19  # parquet.thrift, ConvertedType
_FLOATS = (4, 5)  # parquet.thrift, Type: a null among them is NaN, which is unequal to everything
_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", "<=": ">", ">": "<="}
_NOT_NULL = ("!=", "not in")  # what is true of a null, too
Part = tuple[str, str, str]  # a column, an operator, and the source of a constant


def check(predicate: Predicate, elements: dict[str, Any]) -> None:
    """Raise Unsupported for tests of a predicate that the columns of a file cannot be asked for."""
    for group in _groups(predicate, negated=False):
        for column, op, _ in group:
            element = elements[only(column, elements)]
            if element.converted_type == JSON:
                raise Unsupported("fastparquet parses JSON, and compares the Python objects")
            if op in _NOT_NULL and element.repetition_type == _OPTIONAL and element.type not in _FLOATS:
                raise Unsupported("pandas calls a null unequal to everything")


def statements(query: Query, pushdown: str, way: Way) -> list[str]:
    """Return the statements that make `frame` the answer to a query of a `file` with columns `names`."""
    predicate, columns = predicate_of(query), getattr(query, "columns", None)
    lines = [] if columns is None else [f"names = {list(columns)!a}"]
    if isinstance(query, RowGroup):
        return [f"frame = file[{query.number}].to_pandas(index=False)"]
    if isinstance(query, Slice):
        return [*lines, f"frame = {slice_of(query)}[names]"]
    if isinstance(query, Project):
        return [*lines, "frame = file.to_pandas(columns=names, index=False)[names]"]
    wanted = [] if predicate is None else [f"wanted = {filters_source(predicate)}"]
    if isinstance(query, CountRows):
        return [*wanted, f"frame = {count_source(query, pushdown, way)}"]
    if not isinstance(query, Filter):
        raise Unsupported(f"fastparquet does not answer queries of kind {query.kind}")
    if pushdown == "rows":
        options = "filters=wanted, row_filter=True, index=False"
        return [*wanted, *lines, f"frame = file.to_pandas(columns=names, {options})[names]"]
    return [
        *wanted,
        "tests = wanted",
        *(["wanted = []"] if pushdown == "off" else []),
        f"frame = {way.groups}",
        *lines,
        "frame = frame[file._column_filter(frame, tests)].reset_index(drop=True)[names]",
    ]


def filters_source(predicate: Predicate) -> str:
    """Return the filters of a predicate as source; raises Unsupported.

    In it stand `np`, which is numpy, `pd`, which is pandas, and `file`, which was opened.
    """
    groups = (", ".join(map(_source, group)) for group in _groups(predicate, negated=False))
    return "[" + ", ".join(f"[{group}]" for group in groups) + "]"


def _source(part: Part) -> str:
    name, op, constant = part
    return f"({name!a}, {op!a}, {constant})"


def _groups(predicate: Predicate, *, negated: bool) -> list[list[Part]]:
    if isinstance(predicate, Not):
        return _groups(predicate.of, negated=not negated)
    if isinstance(predicate, (And, Or)):
        parts = [_groups(part, negated=negated) for part in predicate.of]
        if isinstance(predicate, Or) is not negated:
            return _few([group for part in parts for group in part])
        groups: list[list[Part]] = [[]]
        for part in parts:
            groups = _few([left + right for left in groups for right in part])
        return groups
    if not isinstance(predicate, (Compare, In)):
        raise Unsupported(f"fastparquet has no filter for {predicate}")
    return [[_test(predicate, negated=negated)]]


def _test(test: Compare | In, *, negated: bool) -> Part:
    if len(test.path) > 1:
        raise Unsupported("a field of a struct, of which no column is read")
    (name,) = test.path
    if isinstance(test, In):
        if None in test.values:
            raise Unsupported("pandas calls a null equal to a null of a list")
        constants = ", ".join(_constant(name, test.type, value) for value in test.values)
        return name, "not in" if negated else "in", f"[{constants}]"
    if negated and test.type.kind == "float" and test.op not in ("=", "!="):
        raise Unsupported(
            "the negation of a comparison of floats: NaN satisfies neither the comparison nor its opposite"
        )
    op = _OPPOSITE[test.op] if negated else test.op
    return name, operator(op), _constant(name, test.type, test.value)


def _few(groups: list[list[Part]]) -> list[list[Part]]:
    if len(groups) > _MOST:
        raise Unsupported(f"a predicate of {len(groups)} conjunctions")
    return groups


def _constant(name: str, type_: Type, value: Value) -> str:
    """Return the pandas value of a constant: pandas has no own dates, times of day and decimals.

    A column has a time zone if the file has pandas metadata; it is compared with timestamps that have one.
    """
    kind, text = type_.kind, python(type_, value)
    if kind == "date":
        return f"np.datetime64({text}, 'D')"
    if kind in ("timestamp", "int96"):
        moment = f"np.datetime64({text}, {type_.unit or 'ns'!a})"
        if kind == "timestamp" and not type_.utc:
            return moment
        # What pandas says of an INT96 column is not in the dtypes, which are found out before `tz` is.
        has_zone = f"hasattr(file.dtypes[{name!a}], 'tz') or {name!a} in (getattr(file, 'tz', None) or ())"
        return f"(pd.Timestamp({moment}, tz='UTC') if {has_zone} else {moment})"
    if kind == "time":
        return f"np.timedelta64({text}, {type_.unit!a})"
    if kind in ("int", "bool", "bytes", *TEXT) or (kind == "float" and type_.bits != 16):
        return text
    raise Unsupported(f"a constant of type {type_}, which pandas does not have")


def count_source(query: CountRows, pushdown: str, way: Way) -> str:
    """Return the expression of a count, of `file`, `names`, `pd`, and of the tests `wanted` of its filter.

    https://fastparquet.readthedocs.io/en/latest/api.html, ParquetFile.count; with `row_filter`, of rows.
    """
    count = "file.count()"
    if query.predicate is not None and pushdown == "off":
        whole = way.groups.replace("wanted", "[]")
        count = f"file._column_filter({whole}, wanted).sum()"
    elif query.predicate is not None:
        count = "file.count(filters=wanted, row_filter=True)"
    return f"pd.DataFrame({{{COUNT!a}: [int({count})]}})"
