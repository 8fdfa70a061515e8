"""Plans for comparing the values of a column, made once from the expected and the actual type."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from corpora.tagged import Type, Value
from harness.judging.equivalences import DEFAULTS, EQUIVALENCES
from harness.judging.rewrites import Convert, Equivalence, Same

_MAX_CHAIN = 4  # equivalences of types that may follow one another at one node


@dataclass(frozen=True)
class ColumnPlan:
    """The plan for comparing the values at one node.

    `convert` rewrites an expected value of this node and of all below it (None: nothing to rewrite);
    `forms` are the equivalences of values that may be needed here, `pairs` those of pairs, `names` those of
    types that were needed here and below. `type` is the actual one.
    """

    type: Type
    convert: Convert | None
    forms: tuple[tuple[str, Convert], ...]
    names: frozenset[str]
    children: tuple[ColumnPlan, ...] = ()
    pairs: tuple[tuple[str, Same], ...] = ()
    of_nulls: tuple[tuple[str, Same], ...] = ()


@dataclass
class Mismatch(Exception):  # noqa: N818 - a result on its way up
    """Two types that no claimed equivalence brings together."""

    path: str
    expected: Type
    actual: Type


def named(claimed: Iterable[str]) -> list[Equivalence]:
    """Return the equivalences of these names, and the defaults of all engines; raises ValueError."""
    names = dict.fromkeys((*claimed, *DEFAULTS))
    unknown = [name for name in names if name not in EQUIVALENCES]
    if unknown:
        raise ValueError(f"unknown equivalences: {', '.join(unknown)}")
    return [EQUIVALENCES[name] for name in names]


def plan_of(expected: Type, actual: Type, equivalences: list[Equivalence], path: str) -> ColumnPlan:
    """Plan one node and those below; raises Mismatch."""
    chain = _chain(expected, actual, equivalences, _MAX_CHAIN)
    if chain is None:
        raise Mismatch(path, expected, actual)
    reached, names, steps = chain
    children = tuple(
        plan_of(left.type, right.type, equivalences, f"{path}.{left.name}")
        for left, right in zip(reached.children, actual.children, strict=True)
    )
    forms = []
    for equivalence in equivalences:
        form = equivalence.apply(actual, actual) if equivalence.both else None
        if form:
            forms.append((equivalence.name, form.convert))
    pairs, of_nulls = (_pairs(expected, actual, equivalences, of_null=flag) for flag in (False, True))
    below = _below(actual.kind, [child.convert for child in children])
    convert = _after([*steps, below] if below else steps)
    needed = names.union(*(child.names for child in children))
    return ColumnPlan(actual, convert, tuple(forms), needed, children, pairs, of_nulls)


def _pairs(
    expected: Type, actual: Type, equivalences: list[Equivalence], *, of_null: bool
) -> tuple[tuple[str, Same], ...]:
    """Return the equivalences of pairs that apply to a node: of nulls, or of other values."""
    chosen = [each for each in equivalences if each.pair and each.of_null == of_null]
    candidates = [(each.name, each.pair(expected, actual)) for each in chosen if each.pair]
    return tuple((name, same) for name, same in candidates if same)


def _chain(
    expected: Type, actual: Type, equivalences: list[Equivalence], length: int
) -> tuple[Type, frozenset[str], list[Convert]] | None:
    """Find a way from one type to the other, children apart: the type reached, names, steps."""
    if _alike(expected, actual):
        return expected, frozenset(), []
    if not length:
        return None
    for equivalence in equivalences:
        rewrite = None if equivalence.both else equivalence.apply(expected, actual)
        if rewrite and rewrite.type != expected:
            rest = _chain(rewrite.type, actual, equivalences, length - 1)
            if rest:
                return rest[0], rest[1] | {equivalence.name}, [rewrite.convert, *rest[2]]
    return None


def _alike(expected: Type, actual: Type) -> bool:
    """Return whether two types differ at most in the types of their children."""
    if expected == actual:
        return True
    names = ([child.name for child in type_.children] for type_ in (expected, actual))
    left, right = names
    return left == right and replace(expected, children=()) == replace(actual, children=())


def _below(kind: str, converts: list[Convert | None]) -> Convert | None:
    """Return how a nested value is rewritten when its children are; None if none of them is."""
    if not any(converts):
        return None
    if kind == "list":
        (inner,) = (_nullable(convert) for convert in converts)
        return lambda value: [inner(element) for element in value]  # type: ignore[union-attr]
    parts = [_nullable(convert) for convert in converts]
    if kind == "union":
        return lambda value: _in_union(parts, value)

    def fields(value: Value) -> Value:
        assert isinstance(value, list)
        return [part(field) for part, field in zip(parts, value, strict=True)]

    return fields if kind == "struct" else lambda value: [fields(entry) for entry in value]  # type: ignore[union-attr]


def _in_union(parts: list[Convert], value: Value) -> Value:
    """Rewrite the value of a union as its tag says."""
    assert isinstance(value, list)
    tag, inner = value
    return [tag, parts[int(tag)](inner)]


def _nullable(convert: Convert | None) -> Convert:
    return lambda value: value if convert is None or value is None else convert(value)


def _after(steps: list[Convert]) -> Convert | None:
    """Return all steps as a single conversion; None without steps."""
    if len(steps) <= 1:
        return steps[0] if steps else None

    def convert(value: Value) -> Value:
        for step in steps:
            value = step(value)
        return value

    return convert


def variant(plan: ColumnPlan, value: Value) -> ColumnPlan | None:
    """Return the plan of a union's variant; None if the value is no `[tag, value]` of the union."""
    if not isinstance(value, list) or len(value) != 2:
        return None
    names = [child.name for child in plan.type.children]
    return plan.children[names.index(value[0])] if value[0] in names else None


def formed(form: Convert, value: Value) -> Value:
    """Return the value in its form; a value that does not fit its type stays, and then differs."""
    if value is None:
        return None
    try:
        return form(value)
    except (TypeError, ValueError, AssertionError):
        return value


def in_form(plan: ColumnPlan, value: Value, *, as_null: bool = False) -> Value:
    """Return a value, rewritten or actual, in the normal form that all equal values share.

    With `as_null`, a value that a claimed equivalence lets stand for a null is null, too: others than equal
    values share that form.
    """
    if value is None:
        return None
    for _, form in plan.forms:
        value = formed(form, value)
    if plan.children and isinstance(value, list):
        value = _inner_in_form(plan, value, as_null=as_null)
    return None if as_null and any(same(None, value) for _, same in plan.of_nulls) else value


def _inner_in_form(plan: ColumnPlan, value: list[Value], *, as_null: bool) -> Value:
    if plan.type.kind == "union":
        held = variant(plan, value)
        return [value[0], in_form(held, value[1], as_null=as_null)] if held else value
    if plan.type.kind == "list":
        return [in_form(plan.children[0], element, as_null=as_null) for element in value]
    if plan.type.kind == "map":
        return [_fields_in_form(plan, entry, as_null=as_null) for entry in value]
    return _fields_in_form(plan, value, as_null=as_null)


def _fields_in_form(plan: ColumnPlan, value: Value, *, as_null: bool) -> Value:
    if not isinstance(value, list) or len(value) != len(plan.children):
        return value
    return [in_form(child, field, as_null=as_null) for child, field in zip(plan.children, value, strict=True)]
