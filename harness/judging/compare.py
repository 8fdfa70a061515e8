"""Comparison of two tables: whether they are equal, and if not, the first difference of each column.

The comparison is exact except for the equivalences that the engine claims. Types are compared once, and the
comparison of a column is planned from them; its values are then compared block by block, so that memory does
not grow with the table. A block whose values are equal costs one list comparison; only where a block differs
are its values walked, to find the first that does, or to see that an equivalence of values makes them equal.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from corpora.tagged import BLOCK_ROWS, Table, Value
from harness.judging.columns import ColumnPlan, Mismatch, formed, named, plan_of, variant

_LONGEST = 200
_BEFORE = 60  # characters of a long text before the first that differs


class TablePath(NamedTuple):
    """Where two tables differ; as text such as `column 'a'.list[3].key, row 17`.

    `what` is set if the difference is in no column (`columns`, `rows`); else `column` is the column's number,
    from 0, `label` its name, `inside` the steps below it, and `row` the row's number, from 0. `note` is about
    other places.
    """

    what: str = ""
    column: int | None = None
    label: str = ""
    inside: str = ""
    row: int | None = None
    note: str = ""

    def __str__(self) -> str:
        place = f"{self.label}{self.inside}" + ("" if self.row is None else f", row {self.row}")
        return (self.what or place) + self.note


class Difference(NamedTuple):
    """A place where two tables differ, the first of its column.

    `kind` is `columns` (names or their order), `type`, `rows` (their number) or `value`; where a second look
    differs, also `outcome` or `order`. `expected` and `actual` are short texts for people.
    """

    path: TablePath
    expected: str
    actual: str
    kind: str


@dataclass(frozen=True)
class Comparison:
    """The result: equal if there are no differences; `equivalences` are the names that were needed, sorted.

    `differences` are the first one of each column that differs, wrong types before wrong values; or the only
    one, if the tables have other columns or numbers of rows.
    """

    differences: tuple[Difference, ...] = ()
    equivalences: tuple[str, ...] = ()

    @property
    def difference(self) -> Difference | None:
        """Return the first difference."""
        return self.differences[0] if self.differences else None

    @property
    def equal(self) -> bool:
        """Return whether the tables mean the same."""
        return not self.differences


@dataclass
class _Walk:
    """Search for the first difference of two values; collects the equivalences of values that it needs."""

    used: set[str] = field(default_factory=set)

    def differ(
        self, plan: ColumnPlan, path: str, expected: Value, actual: Value
    ) -> tuple[str, str, str] | None:
        """Return path and texts of the first difference, or None."""
        if expected == actual:
            return None
        for name, form in plan.forms:
            before = expected, actual
            expected, actual = formed(form, expected), formed(form, actual)
            if (expected, actual) != before:
                self.used.add(name)
        if expected == actual or self._paired(plan, expected, actual):
            return None
        kind = plan.type.kind
        if not plan.children or not isinstance(expected, list) or not isinstance(actual, list):
            return path, *_texts(expected, actual)
        if kind == "struct":
            return self._fields(plan, path, expected, actual)
        if kind == "union":
            return self._variant(plan, path, expected, actual)
        for at, (left, right) in enumerate(zip(expected, actual, strict=False)):
            inner = f"{path}.{kind}[{at}]"
            if kind == "list":
                difference = self.differ(plan.children[0], inner, left, right)
            else:
                difference = self._fields(plan, inner, left, right)
            if difference:
                return difference
        if len(expected) != len(actual):
            what = "elements" if kind == "list" else "entries"
            return f"{path}.{kind}", f"{len(expected)} {what}", f"{len(actual)} {what}"
        return None

    def _paired(self, plan: ColumnPlan, expected: Value, actual: Value) -> bool:
        """Return whether an equivalence of pairs accepts the actual value for the expected one."""
        if actual is None:
            return False
        pairs = plan.pairs if expected is not None else plan.of_nulls
        match = next((name for name, same in pairs if same(expected, actual)), None)
        self.used.update({match} if match else ())
        return match is not None

    def _fields(
        self, plan: ColumnPlan, path: str, expected: Value, actual: Value
    ) -> tuple[str, str, str] | None:
        """Compare the fields of a struct, or key and value of an entry."""
        names = [child.name for child in plan.type.children]
        if not isinstance(expected, list) or not isinstance(actual, list) or len(actual) != len(names):
            return path, *_texts(expected, actual)
        for name, child, left, right in zip(names, plan.children, expected, actual, strict=True):
            difference = self.differ(child, f"{path}.{name}", left, right)
            if difference:
                return difference
        return None

    def _variant(
        self, plan: ColumnPlan, path: str, expected: Value, actual: Value
    ) -> tuple[str, str, str] | None:
        """Compare what two unions hold, if they hold the same variant."""
        held, other = variant(plan, expected), variant(plan, actual)
        if held is None or held is not other:
            return path, *_texts(expected, actual)
        assert isinstance(expected, list) and isinstance(actual, list)  # noqa: PT018 - variant() saw to both
        return self.differ(held, f"{path}.union[{expected[0]}]", expected[1], actual[1])


def compare(expected: Table, actual: Table, claimed: Iterable[str]) -> Comparison:
    """Compare the expected table with an engine's table, allowing the equivalences that the engine claims.

    Raises ValueError for an unknown equivalence.
    """
    equivalences = named(claimed)
    shape = _shape(expected, actual)
    if shape and shape.kind == "columns":
        return Comparison((shape,))
    plans: list[ColumnPlan | None] = []
    names = column_names(expected)
    types = []
    for number, (left, right) in enumerate(zip(expected.columns, actual.columns, strict=True)):
        try:
            plans.append(plan_of(left.type, right.type, equivalences, ""))
        except Mismatch as wrong:
            path = TablePath("", number, names[number], wrong.path)
            types.append(Difference(path, str(wrong.expected), str(wrong.actual), "type"))
            plans.append(None)
    if shape:
        return Comparison((*types, shape))
    walk = _Walk()
    is_same = not types and expected.has_text_of(actual)
    differences = (*types, *(() if is_same else _values(expected, actual, plans, names, walk)))
    used = walk.used.union(*(plan.names for plan in plans if plan))
    return Comparison(differences, () if differences else tuple(sorted(used)))


def same_cell(plan: ColumnPlan, expected: Value, actual: Value) -> bool:
    """Return whether two values of a column mean the same."""
    if plan.convert and expected is not None:
        expected = plan.convert(expected)
    return _Walk().differ(plan, "", expected, actual) is None


def column_names(table: Table) -> list[str]:
    """Return the name of each column in a path, with its number from 1 where names repeat."""
    count = Counter(column.name for column in table.columns)
    return [
        f"column {column.name!r}" if count[column.name] == 1 else f"column {number} {column.name!r}"
        for number, column in enumerate(table.columns, 1)
    ]


def _shape(expected: Table, actual: Table) -> Difference | None:
    left, right = ([column.name for column in table.columns] for table in (expected, actual))
    if left != right:
        return Difference(TablePath("columns"), *_texts(left, right), "columns")
    if expected.num_rows != actual.num_rows:
        return Difference(TablePath("rows"), f"{expected.num_rows} rows", f"{actual.num_rows} rows", "rows")
    return None


def _values(
    expected: Table, actual: Table, plans: Sequence[ColumnPlan | None], names: Sequence[str], walk: _Walk
) -> list[Difference]:
    """Return the first difference of each column that differs, in the order of columns."""
    first: dict[int, Difference] = {}
    for number, (left, right) in enumerate(zip(expected.blocks(), actual.blocks(), strict=True)):
        for index, plan in enumerate(plans):
            if plan is None or index in first:
                continue
            if difference := _column(plan, left[index], right[index], walk):
                row, (path, wanted, given) = difference
                where = TablePath("", index, names[index], path, number * BLOCK_ROWS + row)
                first[index] = Difference(where, wanted, given, "value")
    return [first[index] for index in sorted(first)]


def _column(
    plan: ColumnPlan, expected: list[Value], actual: list[Value], walk: _Walk
) -> tuple[int, tuple[str, str, str]] | None:
    if plan.convert:
        expected = [None if value is None else plan.convert(value) for value in expected]
    if expected == actual:
        return None
    for row, (left, right) in enumerate(zip(expected, actual, strict=True)):
        difference = walk.differ(plan, "", left, right)
        if difference:
            return row, difference
    return None


def _texts(expected: Value | list[str], actual: Value | list[str]) -> tuple[str, str]:
    """Return two values as texts; of long ones, the part around the first character that differs."""
    left, right = (json.dumps(value, ensure_ascii=True) for value in (expected, actual))
    shorter = min(len(left), len(right))
    alike = next((at for at in range(shorter) if left[at] != right[at]), shorter)
    start = max(0, alike - _BEFORE) if max(len(left), len(right)) > _LONGEST else 0
    return _part(left, start), _part(right, start)


def _part(text: str, start: int) -> str:
    if len(text) <= _LONGEST and not start:
        return text
    part = text[start : start + _LONGEST]
    more = "…" if start + _LONGEST < len(text) else ""
    return f"{'…' * bool(start)}{part}{more} ({len(text)} characters)"
