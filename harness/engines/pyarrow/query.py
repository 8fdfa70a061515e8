"""Predicates, slices and joins as expressions of pyarrow."""

from __future__ import annotations

from corpora.predicates import (
    Compare,
    Computed,
    In,
    IsNull,
    NullSafe,
    Predicate,
    StartsWith,
    Test,
    unhandled,
)
from corpora.queries import AntiJoin, Join, Slice
from corpora.tagged import STRING, Type, Value
from harness.engines.errors import Unsupported
from harness.engines.scripts.literals import arrow, joined, operator
from harness.engines.scripts.literals import arrow_type as type_text
from harness.engines.scripts.request import is_before
from harness.engines.scripts.select import MATCH
from harness.engines.terms import bytes_of, float_of

# https://arrow.apache.org/docs/python/generated/pyarrow.dataset.Scanner.html: special fields of `columns`
SPECIAL = "__filename"
_TABLES_FILTER = 11  # the first pyarrow whose tables take an expression (ARROW-16469)


def condition(predicate: Predicate) -> str:
    """Return a predicate as an expression of pyarrow, of `type_of` and the `schema` of the columns."""
    return joined(predicate, _test, untrue="(~pc.coalesce({}, pc.scalar(False)))")


def _test(test: Test, plain: bool) -> str:
    field = f"pc.field({', '.join(map(ascii, test.path))})"
    target = f"type_of(schema, {test.path!a})"
    if isinstance(test, IsNull):
        return f"{field}.is_null()"
    if isinstance(test, StartsWith):
        return f"pc.starts_with({field}, pattern={bytes_of(STRING, test.prefix)!a})"
    if isinstance(test, Compare):
        return f"{field} {operator(test.op)} pc.scalar({arrow(test.type, (test.value,), target)}[0])"
    if isinstance(test, Computed):
        return _computed(field, test, target)
    if isinstance(test, NullSafe):
        raise Unsupported("pyarrow has no null-safe equality")
    if isinstance(test, In):
        return _in(field, test, target, plain=plain)
    raise unhandled(test)


def _computed(field: str, test: Computed, column: str) -> str:
    argument = str(test.argument)
    if test.function == "itself":
        return field
    if test.function == "like":
        return f"pc.match_like({field}, {argument!a})"
    target = {"cast": type_text(test.type), "year": "pa.int64()"}.get(test.function, column)
    added = arrow(test.type, (argument,), column) if test.function == "add" else ""
    function = {
        "cast": f"{field}.cast({target})",
        "add": f"pc.add({field}, pc.scalar({added}[0]))",
        "year": f"pc.year({field})",
        "date_trunc": f"pc.floor_temporal({field}, unit={argument!a})",
        "lower": f"pc.ascii_lower({field})",
        "prefix": f"pc.utf8_slice_codeunits({field}, 0, {argument})",
    }[test.function]
    return f"{function} {operator(test.test)} pc.scalar({arrow(test.type, (test.value,), target)}[0])"


def _in(field: str, test: In, target: str, *, plain: bool) -> str:
    """Return `isin` so that it means to a filter what SQL means by IN; equalities with NaN and zeros.

    https://arrow.apache.org/docs/python/generated/pyarrow.compute.is_in.html: a null is in no list, where SQL
    says UNKNOWN. A filter leaves out both; below NOT, where UNKNOWN and TRUE are left out, a null is added.
    So is a null equal to a null of the list, and where SQL compares with that, a NULL stands for UNKNOWN.
    Values are looked up, where all NaN are one, and the zeros two.
    """
    if test.type.kind == "float" and any(_is_ambiguous(test.type, value) for value in test.values):
        # A comparison with a null is UNKNOWN, here as in SQL.
        scalars = [f"pc.scalar({arrow(test.type, (value,), target)}[0])" for value in test.values]
        return " | ".join(f"({field} == {scalar})" for scalar in scalars)
    if None in test.values:
        listed = f"({field}.isin({arrow(test.type, test.values, target)}) & {field}.is_valid())"
        return listed if plain else f"{listed} | pc.scalar(pa.scalar(None, pa.bool_()))"
    listed = f"{field}.isin({arrow(test.type, test.values, target)})"
    return listed if plain else f"{listed} | {field}.is_null()"


def filtered(version: str) -> str:
    """Return the expression of the rows of a `table` that are `wanted`."""
    if is_before(version, _TABLES_FILTER):
        return "ds.InMemoryDataset(table).to_table(filter=wanted)"
    return "table.filter(wanted)"


def slice_of_file(query: Slice, *, threads: bool) -> str:
    """Return the statements that make a `table` of a slice of a `file` without a filter.

    They read the first batches of the file until these have enough rows: a batch has at most the rows that it
    is asked for, and fewer where a dictionary ends.
    """
    names = None if query.columns is None else list(query.columns)
    columns = "" if names is None else f", columns={names!a}"
    selected = "" if names is None else f".select({names!a})"
    wanted = query.offset + query.rows or 1
    return f"""\
batches, left = [], {wanted}
for batch in file.iter_batches(batch_size={wanted}{columns}, use_threads={threads}):
    batches.append(batch)
    left -= batch.num_rows
    if left <= 0:
        break
empty = file.schema_arrow.empty_table(){selected}
table = pa.Table.from_batches(batches){selected} if batches else empty
table = {part_of_table(query)}"""


def part_of_table(query: Slice) -> str:
    """Return the expression of the rows of a slice in a `table`.

    A table without columns has as many rows as `slice` is asked for, also more than the table before.
    """
    return f"table.slice({query.offset}, max(0, min({query.rows}, table.num_rows - {query.offset})))"


def small_table(query: Join) -> str:
    """Return the expression of the small table of a join, of the `schema` of the columns."""
    return f"pa.table({{{MATCH!a}: {arrow(query.type, query.values, f'type_of(schema, {query.path!a})')}}})"


def join(query: Join, *, of_table: bool) -> list[str]:
    """Return the expressions that, one after the other, make of `data` the rows that match a table `small`.

    `data` is a data set, or a table: keys are names of columns, and no column of lists or structs is taken.
    https://arrow.apache.org/docs/python/generated/pyarrow.dataset.Dataset.html#pyarrow.dataset.Dataset.join
    """
    if len(query.path) > 1:
        raise Unsupported("pyarrow joins by top-level columns")
    if query.type.kind == "float" and any(_is_ambiguous(query.type, value) for value in query.values):
        raise Unsupported("no page says whether pyarrow joins a NaN with another, and the zeros")
    if isinstance(query, AntiJoin) and query.not_in:
        raise Unsupported("an anti-join of pyarrow is not that of NOT IN")
    how = "left anti" if isinstance(query, AntiJoin) else "left semi"
    right = "small" if of_table else "ds.dataset(small)"
    steps = [f"data.join({right}, {query.path[0]!a}, {MATCH!a}, {how!a})"]
    steps += [] if of_table else ["data.to_table()"]
    if query.columns is None:
        return steps
    names = list(dict.fromkeys((query.path[0], *query.columns)))
    fields = f"data.replace_schema(pa.schema([data.schema.field(name) for name in {names!a}]))"
    before = f"data.select({names!a})" if of_table else fields
    return [before, *steps, f"data.select({list(query.columns)!a})"]


def _is_ambiguous(type_: Type, value: Value) -> bool:
    """Return whether a float is NaN or a zero: equal numbers of several bits, or none."""
    number = 1.0 if value is None else float_of(type_, value)
    return number == 0 or number != number  # noqa: PLR0124 - so NaN is defined
