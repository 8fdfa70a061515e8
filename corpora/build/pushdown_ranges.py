"""The rows of a part of a file for which a predicate may be TRUE, from the rows that its tests leave.

The modules of the formats decide which rows a test of one column leaves (`pushdown_parquet`, `pushdown_orc`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import chain
from typing import Any

from corpora import tagged
from corpora.constants import FAMILIES, FLOATS, float_of
from corpora.predicates import (
    And,
    Compare,
    Computed,
    In,
    IsNull,
    Not,
    NotTrue,
    NullSafe,
    Predicate,
    StartsWith,
    leaves,
)
from corpora.tagged import STRING

LeafTest = Compare | In | IsNull | NullSafe | Computed | StartsWith

Ranges = list[tuple[int, int]]  # half-open, in order
_NEGATED = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def ranges(predicate: Predicate, leaf: Callable[[LeafTest, bool], Ranges], *, plain: bool = True) -> Ranges:
    """Return the rows for which a predicate may be TRUE, or, if not `plain`, FALSE.

    `leaf` returns these rows for a test, given `plain`.
    """
    if isinstance(predicate, Not):
        return ranges(predicate.of, leaf, plain=not plain)
    if isinstance(predicate, NotTrue):
        return ranges(predicate.of, leaf) if not plain else _not_true(predicate.of, leaf)
    if isinstance(predicate, (Compare, In, IsNull, NullSafe, Computed, StartsWith)):
        return leaf(predicate, plain)
    parts = [ranges(part, leaf, plain=plain) for part in predicate.of]
    needed = len(parts) if isinstance(predicate, And) == plain else 1
    return covered(parts, needed)


def _not_true(predicate: Predicate, leaf: Callable[[LeafTest, bool], Ranges]) -> Ranges:
    """Return the rows for which a predicate may be FALSE or UNKNOWN.

    It may be UNKNOWN where a column is null, and for any value that is looked for in a list with null.
    """
    nulls = [leaf(IsNull(test.path), True) for test in leaves(predicate)]
    listed = [leaf(test, False) for test in leaves(predicate) if isinstance(test, In) and None in test.values]
    return covered([ranges(predicate, leaf, plain=False), *listed, *nulls], 1)


def condition(
    test: LeafTest, constant: Callable[[tagged.Type, tagged.Value], Any], *, plain: bool
) -> tuple[str, list[Any]] | None:
    """Return the operator and the constants to search for, None where no row may be ruled out.

    `constant` returns a constant in the form of the column, None if the column cannot hold it.
    """
    if isinstance(test, Computed):  # statistics are those of the column
        return None
    if isinstance(test, IsNull) or (isinstance(test, NullSafe) and test.value is None):
        return ("is null" if plain else "is not null"), []
    if isinstance(test, NullSafe):
        test = Compare(test.path, "=", test.type, test.value)
        if not plain:  # the opposite is TRUE for nulls, too
            return None
    if isinstance(test, StartsWith):
        prefix = constant(STRING, test.prefix)
        return ("starts-with", [prefix]) if plain and prefix is not None else None
    values = [value for value in test.values if value is not None] if isinstance(test, In) else [test.value]
    constants = [constant(test.type, value) for value in values]
    known = [value for value in constants if value is not None]
    if len(known) < len(constants):
        return None
    if isinstance(test, In):
        return ("in", known) if plain else None
    if plain:
        return test.op, known
    # NOT (a < b) is a >= b except for NaN, for which neither is TRUE.
    if test.type.kind == "float" and test.op not in ("=", "!="):
        return None
    return _NEGATED[test.op], known


def in_type(column: tagged.Type, constant: tagged.Type, value: tagged.Value) -> tagged.Value | None:
    """Return a constant as a value of a column's type, None if the type does not have it.

    Constant and column are of one kind; "widths and units may differ" (`corpora.evaluation`).
    """
    kind = column.kind
    if FAMILIES.get(kind, kind) != FAMILIES.get(constant.kind, constant.kind):
        return None
    if kind == "float" and column.bits != constant.bits:
        return _in_width(column, float_of(constant, value))
    if kind == "decimal":
        steps = (column.scale or 0) - (constant.scale or 0)
        return _scaled(value, 10 ** max(steps, 0), 10 ** max(-steps, 0))
    if kind in ("time", "timestamp", "duration"):
        nanos = tagged.NANOSECONDS
        return _scaled(value, nanos[str(constant.unit)], nanos[str(column.unit)])
    return value


def _scaled(value: tagged.Value, factor: int, divisor: int) -> tagged.Value | None:
    number, rest = divmod(int(str(value)) * factor, divisor)
    return None if rest else str(number)


def _in_width(column: tagged.Type, number: float) -> tagged.Value | None:
    """Return a number as a float of the column's width, None if it is no such float, or NaN."""
    form = FLOATS[column.bits or 64]
    try:
        raw = struct.pack(form, number)
    except OverflowError:
        return None
    return raw.hex() if struct.unpack(form, raw)[0] == number else None


def covered(parts: list[Ranges], needed: int) -> Ranges:
    """Return the rows that are in at least `needed` of the parts."""
    edges = sorted(chain.from_iterable(((start, 1), (stop, -1)) for part in parts for start, stop in part))
    inside: Ranges = []
    depth, begin = 0, 0
    for at, step in edges:
        before, depth = depth, depth + step
        if before < needed <= depth:
            begin = at
        elif depth < needed <= before and begin < at:
            inside.append((begin, at))
    return _joined(inside)


def _joined(parts: Ranges) -> Ranges:
    """Join ranges that touch."""
    out: Ranges = []
    for start, stop in parts:
        if out and out[-1][1] == start:
            out[-1] = (out[-1][0], stop)
        else:
            out.append((start, stop))
    return out
