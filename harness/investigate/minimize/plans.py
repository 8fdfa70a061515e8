"""Smaller plans of generated files: fewer rows, row groups, columns, and choices at their defaults.

A generated file can be made again from its seed and numbers, so its plan is known. While the best file was
written from a plan, these reductions write a smaller plan; once other reductions have changed bytes, the plan
is unknown, and these reductions have no sites.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import partial
from importlib.util import find_spec
from typing import Any

from corpora.build.formats import FORMATS
from corpora.cases import Case
from harness.investigate.minimize.reduction import NO_SITES, Reduction, Sites, overlaps
from reference_impl.orc import plan as orc
from reference_impl.wire.table import Union

_GROWTH, _BELOW = 1 << 12, 1 << 20  # a simpler file may be longer, such as values without a codec
_PARTS = 4  # of generated/SEED/SHEET/NUMBER
_DATA = ("schema", "types", "rows", "row_groups", "stripes")  # fields that are no choices
Path = tuple[str | int, ...]


class Plans:
    """The plans of files, by their digests."""

    def __init__(self, format_: str, given: list[tuple[bytes, Any]]) -> None:
        self._write = FORMATS[format_].write
        self._known = {hashlib.sha256(data).digest(): plan for data, plan in given}

    def reductions(self) -> tuple[Reduction, ...]:
        """Return the reductions, coarse before fine; none where no plan is known."""
        if not self._known:
            return ()
        kinds: tuple[tuple[str, Callable[[Any], _Steps]], ...] = (
            ("rows of the plan", rows),
            ("columns of the plan", _columns),
            ("row groups of the plan", _groups),
            ("choices of the plan", _choices),
        )
        return tuple(
            Reduction(name, partial(self._sites, of=steps), _GROWTH, _BELOW) for name, steps in kinds
        )

    def _sites(self, data: bytes, of: Callable[[Any], _Steps]) -> Sites:
        plan = self._known.get(hashlib.sha256(data).digest())
        if plan is None:
            return NO_SITES
        count, smaller = of(plan)

        def reduced(start: int, stop: int) -> bytes:
            new = smaller(start, stop)
            written = self._write(new, None)
            self._known[hashlib.sha256(written).digest()] = new
            return written

        return Sites(count, reduced)


_Steps = tuple[int, "Callable[[int, int], Any]"]


def of_case(case: Case, data: bytes) -> Plans:
    """Return the plan of a generated file, if the case is one and its bytes are still those of the plan."""
    name = _number(case)
    if name is None:
        return Plans(case.format, [])
    if find_spec("hypothesis") is None:
        return Plans(case.format, [])  # it draws the plans
    from properties.generate import generate  # noqa: PLC0415 - it needs Hypothesis

    seed, sheet, number = name
    (generated,) = generate(seed, sheet, sheet + 1, case.format)
    known = [(file.data, file.plan) for file in generated.files[number : number + 1] if file.data == data]
    return Plans(case.format, known)


def _number(case: Case) -> tuple[int, int, int] | None:
    """Return seed, sheet and number of a generated case, or of a file of a run with its plan beside it."""
    parts = case.id.split("/")
    if parts[0] != "generated":
        if not case.file.with_suffix(".plan.txt").is_file():
            return None
        parts = ["", *case.file.parts[-3:-1], case.file.stem]
    if len(parts) != _PARTS or not all(part.isdecimal() for part in parts[1:]):
        return None
    seed, sheet, number = map(int, parts[1:])
    return seed, sheet, number


def _sized(plan: Any, sizes: tuple[int, ...] | None) -> Any:
    return replace(plan, **{"stripes" if isinstance(plan, orc.FilePlan) else "row_groups": sizes})


def _sizes(plan: Any) -> tuple[int, ...] | None:
    sizes: tuple[int, ...] | None = plan.stripes if isinstance(plan, orc.FilePlan) else plan.row_groups
    return sizes


def with_rows(plan: Any, change: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Any:
    """Return a plan with changed rows, both plain and masked."""
    sealed = plan.encryption
    if getattr(sealed, "masked", None) is not None:
        sealed = replace(sealed, masked=change(sealed.masked))
    return replace(plan, rows=change(plan.rows), encryption=sealed)


def rows(plan: Any) -> _Steps:
    """Leave out rows, and row groups that lose all their rows."""

    def smaller(start: int, stop: int) -> Any:
        new = with_rows(plan, lambda every: (*every[:start], *every[stop:]))
        sizes = _sizes(plan)
        if sizes is None:
            return new
        removed = {at: high - low for at, low, high in overlaps(start, stop, sizes)}
        left = [size - removed.get(at, 0) for at, size in enumerate(sizes)]
        gone = [at for at, count in removed.items() if count == sizes[at]]
        return _without_groups(_sized(new, tuple(left)), gone)

    return len(plan.rows), smaller


def _without_groups(plan: Any, gone: list[int]) -> Any:
    """Return a plan without some row groups, with the overrides and zones of the others renumbered."""
    sizes = _sizes(plan) or ()
    remaining = [at for at in range(len(sizes)) if at not in gone]
    numbers = {at: number for number, at in enumerate(remaining)}
    overrides = [(numbers[at], leaf, column) for at, leaf, column in plan.overrides if at in numbers]
    if isinstance(plan, orc.FilePlan) and plan.stripe_timezones:
        plan = replace(plan, stripe_timezones=plan.timezones(remaining))
    return replace(_sized(plan, tuple(sizes[at] for at in remaining)), overrides=tuple(overrides))


def _groups(plan: Any) -> _Steps:
    """Merge row groups into their predecessors."""
    sizes = _sizes(plan) or ()

    def smaller(start: int, stop: int) -> Any:
        joined = [*sizes[:start], sum(sizes[start : stop + 1]), *sizes[stop + 1 :]]
        new = _sized(plan, tuple(joined))
        moved = [
            (at if at <= start else at - (stop - start), leaf, column)
            for at, leaf, column in plan.overrides
            if not start < at <= stop
        ]
        return replace(new, overrides=tuple(moved))

    return max(0, len(sizes) - 1), smaller


def _columns(plan: Any) -> _Steps:
    """Leave out top-level fields, with the layouts of their columns."""
    if plan.encryption is not None:
        return 0, lambda _start, _stop: plan
    return _orc_columns(plan) if isinstance(plan, orc.FilePlan) else _parquet_columns(plan)


def _parquet_columns(plan: Any) -> _Steps:
    tops: list[tuple[int, int, int, int]] = []  # of each field: its elements, and its leaves
    at, leaf = 1, 0
    while at < len(plan.schema):
        first, first_leaf, open_ = at, leaf, 1
        while open_:
            open_ += (plan.schema[at].num_children or 0) - 1
            leaf += plan.schema[at].type is not None
            at += 1
        tops.append((first, at, first_leaf, leaf))

    def smaller(start: int, stop: int) -> Any:
        elements = range(tops[start][0], tops[stop - 1][1])
        leaves = range(tops[start][2], tops[stop - 1][3])
        names = {plan.schema[top[0]].name for top in tops[start:stop]}
        numbers = {
            old: new for new, old in enumerate(number for number in range(leaf) if number not in leaves)
        }
        root = replace(plan.schema[0], num_children=len(tops) - (stop - start))
        orders = plan.column_orders
        return replace(
            plan,
            schema=(root, *(element for at, element in enumerate(plan.schema) if at and at not in elements)),
            rows=tuple(
                {name: value for name, value in row.items() if name not in names} for row in plan.rows
            ),
            columns=_without(plan.columns, leaves),
            overrides=tuple(
                (group, numbers[at], layout) for group, at, layout in plan.overrides if at in numbers
            ),
            chunk_order=None
            if plan.chunk_order is None
            else tuple(numbers[at] for at in plan.chunk_order if at in numbers),
            column_orders=orders if not orders else _without(orders, leaves),
            sorting_columns=tuple(
                (numbers[at], *rest) for at, *rest in plan.sorting_columns if at in numbers
            ),
        )

    return len(tops) if len(tops) > 1 else 0, smaller


def _orc_columns(plan: orc.FilePlan) -> _Steps:
    root = plan.types[0]
    if root.field_names == () or len(root.subtypes) != len(root.field_names):
        return 0, lambda _start, _stop: plan
    ends = [*root.subtypes[1:], len(plan.types)]

    def smaller(start: int, stop: int) -> Any:
        gone = range(root.subtypes[start], ends[stop - 1])
        numbers = {
            old: new
            for new, old in enumerate(number for number in range(len(plan.types)) if number not in gone)
        }
        remaining = [at for at in range(len(root.subtypes)) if not start <= at < stop]
        types = [
            replace(type_, subtypes=tuple(numbers[each] for each in type_.subtypes if each in numbers))
            for at, type_ in enumerate(plan.types)
            if at not in gone
        ]
        types[0] = replace(types[0], field_names=tuple(root.field_names[at] for at in remaining))
        return replace(
            plan,
            types=tuple(types),
            rows=tuple(None if row is None else tuple(row[at] for at in remaining) for row in plan.rows),
            columns=_without(plan.columns, gone),
            overrides=tuple(
                (stripe, numbers[at], layout) for stripe, at, layout in plan.overrides if at in numbers
            ),
        )

    return len(root.subtypes) if len(root.subtypes) > 1 else 0, smaller


def _without(values: tuple[Any, ...], gone: range) -> tuple[Any, ...]:
    return tuple(value for at, value in enumerate(values) if at not in gone)


def _choices(plan: Any) -> _Steps:
    """Set choices to their defaults, outer before inner."""
    paths = list(_chosen(plan))

    def smaller(start: int, stop: int) -> Any:
        new = plan
        for path in paths[start:stop]:
            new = _default(new, path)
        return new

    return len(paths), smaller


def _chosen(value: Any, *, top: bool = True) -> Iterator[Path]:
    """Yield the paths of fields that are not at their default; elements of tuples by number."""
    for field in fields(value):
        own = getattr(value, field.name)
        if (top and field.name in _DATA) or own == field.default:
            continue
        if field.default is not MISSING:
            yield (field.name,)
        elements = enumerate(own) if isinstance(own, tuple) else [(None, own)]
        for at, element in elements:
            if is_dataclass(element) and not isinstance(element, (type, Union)):  # a union has one field
                for inner in _chosen(element, top=False):
                    yield (field.name, *(() if at is None else (at,)), *inner)


def _default(value: Any, path: Path) -> Any:
    """Return a plan, or a part of it, with the default at a path; unchanged where the path does not exist."""
    name, *rest = path
    own = getattr(value, str(name))
    if not rest:
        default = next(field.default for field in fields(value) if field.name == name)
        return replace(value, **{str(name): default})
    if isinstance(own, tuple):
        at, *inner = rest
        if not isinstance(at, int) or at >= len(own):
            return value
        changed = (*own[:at], _default(own[at], tuple(inner)), *own[at + 1 :])
        return replace(value, **{str(name): changed})
    return value if own is None else replace(value, **{str(name): _default(own, tuple(rest))})
