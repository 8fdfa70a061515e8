"""Whether two tables are the same, and if not, where they differ first.

Exact, but for the equivalences that the engine claims. Types are compared once, and the comparison of a
column is planned from them; its values are then compared block by block, so that memory does not grow with
the table. A block whose values are equal costs one list comparison; only where a block differs are its values
walked, to find the first that does, or to see that an equivalence of values makes them equal.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from corpora.tagged import BLOCK_ROWS, Table, Type, Value
from harness.equivalences import DEFAULTS, EQUIVALENCES, Equivalence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.rewrites import Convert

_SHOWN = 200
_MAX_CHAIN = 4  # equivalences of types that may follow one another at one node


class Difference(NamedTuple):
    """The first place where two tables differ.

    `kind` is `columns` (names or their order), `type`, `rows` (their number) or `value`; `path` is such as
    `column 'a'.list[3].key, row 17`; `expected` and `actual` are short texts for people.
    """

    path: str
    expected: str
    actual: str
    kind: str


@dataclass(frozen=True)
class Comparison:
    """The result: equal if `difference` is None; `equivalences` are the names that were needed, sorted."""

    difference: Difference | None = None
    equivalences: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether the tables mean the same."""
        return self.difference is None


@dataclass(frozen=True)
class _Plan:
    """How the values at one node are compared.

    `convert` rewrites an expected value of this node and of all below it (None: nothing to rewrite);
    `forms` are the equivalences of values that may be needed here, `names` those of types that were needed
    here and below. `type` is the actual one.
    """

    type: Type
    convert: Convert | None
    forms: tuple[tuple[str, Convert], ...]
    names: frozenset[str]
    children: tuple[_Plan, ...] = ()


@dataclass
class _Mismatch(Exception):  # noqa: N818 - a result on its way up
    """Two types that no claimed equivalence brings together."""

    path: str
    expected: Type
    actual: Type


@dataclass
class _Walk:
    """Looks for the first difference of two values; gathers the equivalences of values that were needed."""

    used: set[str] = field(default_factory=set)

    def differ(self, plan: _Plan, path: str, expected: Value, actual: Value) -> tuple[str, str, str] | None:
        """Answer path and texts of the first difference, or None."""
        if expected == actual:
            return None
        if expected is None or actual is None:
            return path, _show(expected), _show(actual)
        for name, form in plan.forms:
            before = expected, actual
            expected, actual = _formed(form, expected), _formed(form, actual)
            if (expected, actual) != before:
                self.used.add(name)
        if expected == actual:
            return None
        kind = plan.type.kind
        if not plan.children or not isinstance(expected, list) or not isinstance(actual, list):
            return path, _show(expected), _show(actual)
        if kind == "struct":
            return self._fields(plan, path, expected, actual)
        for at, (left, right) in enumerate(zip(expected, actual, strict=False)):
            inner = f"{path}.{kind}[{at}]"
            if kind == "list":
                found = self.differ(plan.children[0], inner, left, right)
            else:
                found = self._fields(plan, inner, left, right)
            if found:
                return found
        if len(expected) != len(actual):
            what = "elements" if kind == "list" else "entries"
            return f"{path}.{kind}", f"{len(expected)} {what}", f"{len(actual)} {what}"
        return None

    def _fields(self, plan: _Plan, path: str, expected: Value, actual: Value) -> tuple[str, str, str] | None:
        """Compare the fields of a struct, or key and value of an entry."""
        names = [child.name for child in plan.type.children]
        if not isinstance(expected, list) or not isinstance(actual, list) or len(actual) != len(names):
            return path, _show(expected), _show(actual)
        for name, child, left, right in zip(names, plan.children, expected, actual, strict=True):
            found = self.differ(child, f"{path}.{name}", left, right)
            if found:
                return found
        return None


def compare(expected: Table, actual: Table, claimed: Iterable[str]) -> Comparison:
    """Compare what is expected with what an engine answered, allowing the equivalences it claims.

    Raises ValueError for the name of an equivalence that there is none of.
    """
    equivalences = _named(claimed)
    shape = _shape(expected, actual)
    if shape and shape.kind == "columns":
        return Comparison(shape)
    plans = []
    for left, right in zip(expected.columns, actual.columns, strict=True):
        try:
            plans.append(_plan(left.type, right.type, equivalences, f"column {left.name!r}"))
        except _Mismatch as found:
            return Comparison(Difference(found.path, str(found.expected), str(found.actual), "type"))
    if shape:
        return Comparison(shape)
    walk = _Walk()
    difference = _values(expected, actual, plans, walk)
    used = walk.used.union(*(plan.names for plan in plans))
    return Comparison(difference, () if difference else tuple(sorted(used)))


def _named(claimed: Iterable[str]) -> list[Equivalence]:
    names = dict.fromkeys((*claimed, *DEFAULTS))
    unknown = [name for name in names if name not in EQUIVALENCES]
    if unknown:
        raise ValueError(f"unknown equivalences: {', '.join(unknown)}")
    return [EQUIVALENCES[name] for name in names]


def _shape(expected: Table, actual: Table) -> Difference | None:
    left, right = ([column.name for column in table.columns] for table in (expected, actual))
    if left != right:
        return Difference("columns", _show(left), _show(right), "columns")
    if expected.num_rows != actual.num_rows:
        return Difference("rows", f"{expected.num_rows} rows", f"{actual.num_rows} rows", "rows")
    return None


def _values(expected: Table, actual: Table, plans: Sequence[_Plan], walk: _Walk) -> Difference | None:
    """Find the first differing row of the first differing column."""
    found: Difference | None = None
    columns = len(plans)  # once a column differs, only those before it are of interest
    for number, (left, right) in enumerate(zip(expected.blocks(), actual.blocks(), strict=True)):
        for index in range(columns):
            difference = _column(plans[index], left[index], right[index], walk)
            if difference:
                row, (path, wanted, given) = difference
                where = f"column {expected.columns[index].name!r}{path}, row {number * BLOCK_ROWS + row}"
                found, columns = Difference(where, wanted, given, "value"), index
                break
        if not columns:
            break
    return found


def _column(
    plan: _Plan, expected: list[Value], actual: list[Value], walk: _Walk
) -> tuple[int, tuple[str, str, str]] | None:
    if plan.convert:
        expected = [None if value is None else plan.convert(value) for value in expected]
    if expected == actual:
        return None
    for row, (left, right) in enumerate(zip(expected, actual, strict=True)):
        found = walk.differ(plan, "", left, right)
        if found:
            return row, found
    return None


def _plan(expected: Type, actual: Type, equivalences: list[Equivalence], path: str) -> _Plan:
    """Plan one node and those below; raises _Mismatch."""
    chain = _chain(expected, actual, equivalences, _MAX_CHAIN)
    if chain is None:
        raise _Mismatch(path, expected, actual)
    reached, names, steps = chain
    children = tuple(
        _plan(left.type, right.type, equivalences, f"{path}.{left.name}")
        for left, right in zip(reached.children, actual.children, strict=True)
    )
    forms = []
    for one in equivalences:
        form = one.apply(actual, actual) if one.both else None
        if form:
            forms.append((one.name, form.convert))
    below = _below(actual.kind, [child.convert for child in children])
    convert = _after([*steps, below] if below else steps)
    return _Plan(actual, convert, tuple(forms), names.union(*(child.names for child in children)), children)


def _chain(
    expected: Type, actual: Type, equivalences: list[Equivalence], length: int
) -> tuple[Type, frozenset[str], list[Convert]] | None:
    """Find a way from one type to the other, children apart: the type reached, names, steps."""
    if _alike(expected, actual):
        return expected, frozenset(), []
    if not length:
        return None
    for one in equivalences:
        rewrite = None if one.both else one.apply(expected, actual)
        if rewrite and rewrite.type != expected:
            rest = _chain(rewrite.type, actual, equivalences, length - 1)
            if rest:
                return rest[0], rest[1] | {one.name}, [rewrite.convert, *rest[2]]
    return None


def _alike(expected: Type, actual: Type) -> bool:
    """Say whether two types differ at most in the types of their children."""
    names = ([child.name for child in type_.children] for type_ in (expected, actual))
    left, right = names
    return left == right and replace(expected, children=()) == replace(actual, children=())


def _below(kind: str, converts: list[Convert | None]) -> Convert | None:
    """Answer how a nested value is rewritten when its children are; None if none of them is."""
    if not any(converts):
        return None
    if kind == "list":
        (inner,) = (_nullable(convert) for convert in converts)
        return lambda value: [inner(one) for one in value]  # type: ignore[union-attr]
    parts = [_nullable(convert) for convert in converts]

    def fields(value: Value) -> Value:
        assert isinstance(value, list)
        return [part(one) for part, one in zip(parts, value, strict=True)]

    return fields if kind == "struct" else lambda value: [fields(one) for one in value]  # type: ignore[union-attr]


def _nullable(convert: Convert | None) -> Convert:
    return lambda value: value if convert is None or value is None else convert(value)


def _after(steps: list[Convert]) -> Convert | None:
    """Answer all steps as one; None if there is none."""
    if len(steps) <= 1:
        return steps[0] if steps else None

    def convert(value: Value) -> Value:
        for step in steps:
            value = step(value)
        return value

    return convert


def _formed(form: Convert, value: Value) -> Value:
    """Answer the value in its form; one that is not even of its type's shape stays, and differs."""
    try:
        return form(value)
    except (TypeError, ValueError, AssertionError):
        return value


def _show(value: Value) -> str:
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"
