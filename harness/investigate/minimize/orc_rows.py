"""Reductions of the contents of ORC files: the reference reads a plan, and a smaller plan is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from harness.investigate.minimize import plans
from harness.investigate.minimize.orc_plan import plan_of
from harness.investigate.minimize.reduction import Reduction, Sites
from reference_impl.orc.decryption import MasterKeys
from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import FilePlan
from reference_impl.orc.schema import TypeKind
from reference_impl.orc.writer import write

_GROWTH, _BELOW = 1 << 12, 1 << 20  # a simpler file may be longer, as by values that masks had hidden
_ZERO: dict[TypeKind, Any] = {
    TypeKind.BOOLEAN: False,
    TypeKind.FLOAT: 0.0,
    TypeKind.DOUBLE: 0.0,
    TypeKind.TIMESTAMP: (0, 0),
    TypeKind.TIMESTAMP_INSTANT: (0, 0),
}
_TEXTS = (
    TypeKind.STRING,
    TypeKind.CHAR,
    TypeKind.VARCHAR,
    TypeKind.BINARY,
    TypeKind.GEOMETRY,
    TypeKind.GEOGRAPHY,
)


def rewritten(data: bytes, keys: MasterKeys | None = None) -> Sites:
    """Write the file anew from its plan."""
    return Sites(1, lambda _start, _stop: write(plan_of(data, keys)))


def unlocked(data: bytes, keys: MasterKeys | None = None) -> Sites:
    """Write encrypted columns unencrypted."""
    plan = plan_of(data, keys)
    return Sites(
        int(OrcFile(data).footer.encryption is not None),
        lambda _start, _stop: write(replace(plan, encryption=None)),
    )


def rows(data: bytes, keys: MasterKeys | None = None) -> Sites:
    """Leave out rows, and stripes that lose all their rows."""
    count, smaller = plans.rows(plan_of(data, keys))
    return Sites(count, lambda start, stop: write(smaller(start, stop)))


def _leaves(data: bytes, keys: MasterKeys | None = None, *, simpler: Callable[[TypeKind, Any], Any]) -> Sites:
    """Return values that `simpler` changes as sites; masked values come first."""
    plan = plan_of(data, keys)
    root = OrcFile(data).root

    def walked(walk: _Walk) -> FilePlan:
        new: FilePlan = plans.with_rows(plan, lambda every: tuple(walk.value(root, row) for row in every))
        return new

    total = _Walk(simpler, 0, 0)
    walked(total)
    return Sites(total.seen, lambda start, stop: write(walked(_Walk(simpler, start, stop))))


class _Walk:
    """Walks over values, counts those that can be simpler, and simplifies some of them."""

    def __init__(self, simpler: Callable[[TypeKind, Any], Any], start: int, stop: int) -> None:
        self.simpler = simpler
        self.start = start
        self.stop = stop
        self.seen = 0

    def value(self, node: Any, value: Any) -> Any:
        """Return a value of a type, simplified if its number is in the range."""
        if value is None:
            return None
        kind, children = node.kind, node.children
        if kind is TypeKind.STRUCT:
            return tuple(self.value(child, field) for child, field in zip(children, value, strict=True))
        if kind is TypeKind.LIST:
            return [self.value(children[0], element) for element in value]
        if kind is TypeKind.MAP:
            return [(self.value(children[0], key), self.value(children[1], item)) for key, item in value]
        if kind is TypeKind.UNION:
            return value[0], self.value(children[value[0]], value[1])
        new = self.simpler(kind, value)
        if new == value:
            return value
        self.seen += 1
        return new if self.start < self.seen <= self.stop else value


def _zero(kind: TypeKind, value: Any) -> Any:
    if kind in (TypeKind.FLOAT, TypeKind.DOUBLE):
        return bytes(len(value))
    if kind in _TEXTS:
        return b""
    return _ZERO.get(kind, 0)


def _half(kind: TypeKind, value: Any) -> Any:
    return value[: len(value) // 2] if kind in _TEXTS else value


zeros = partial(_leaves, simpler=_zero)
halves = partial(_leaves, simpler=_half)


def reductions(keys: MasterKeys | None = None) -> tuple[Reduction, ...]:
    """Return the reductions with keys: encryption, rows, values (twice), and last writing anew."""
    return tuple(
        Reduction(name, partial(sites, keys=keys), growth, below)
        for name, sites, growth, below in (
            ("encryption", unlocked, _GROWTH, _BELOW),
            ("rows", rows, 0, 0),
            ("values", zeros, 0, 0),
            ("half values", halves, 0, 0),
            ("written anew", rewritten, 0, 0),
        )
    )
