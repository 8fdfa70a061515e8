"""Assertions of targets: a documented error is accepted only where `attempt` calls a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, ParamSpec, TypeVar

import numpy as np

from reference_impl.byte_arrays import ByteArrays
from reference_impl.errors import Malformed, ReferenceError_
from reference_impl.wire.table import Struct

P = ParamSpec("P")
T = TypeVar("T")
_LONGEST_TEXT = 200


class Broken(AssertionError):  # noqa: N818 - the name is the finding
    """The invariant of a target does not hold; `what` names the part, in the same words each time."""

    def __init__(self, what: str, detail: str = "") -> None:
        super().__init__(f"{what}: {detail}" if detail else what)
        self.what = what


def attempt(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    """Return the result of a function, None if the function raises one of the four documented errors."""
    try:
        return function(*args, **kwargs)
    except ReferenceError_:
        return None


def holds(claim: bool, what: str) -> None:
    """Raise Broken unless the claim is true."""
    if not claim:
        raise Broken(what)


def not_malformed(report: Any, read: Callable[[], object]) -> None:
    """Raise Broken if a file is malformed whose report has no violation."""
    try:
        read()
    except Malformed as error:
        if not report.violations and not report.unchecked:
            raise Broken("malformed, but no violation", str(error)) from error
    except ReferenceError_:
        return


def same(actual: Any, expected: Any, what: str) -> None:
    """Raise Broken unless both are identical, floats by their bits."""
    if not identical(actual, expected):
        raise Broken(what, f"{_text(actual)} is not {_text(expected)}")


def _text(value: Any) -> str:
    value = list(value) if isinstance(value, ByteArrays) else value
    return f"{value!r:.{_LONGEST_TEXT}}"


def identical(left: Any, right: Any) -> bool:
    """Return whether two values of the reference (arrays, columns, structs, tuples of these) are identical.

    Unknown fields are compared in the order of their ids, because they are written in that order.
    """
    if left is right:
        return True
    if isinstance(left, ByteArrays) and isinstance(right, ByteArrays):
        return len(left) == len(right) and list(left) == list(right)
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        if left.shape != right.shape or left.dtype != right.dtype:
            return False
        return left.tolist() == right.tolist() if left.dtype.hasobject else left.tobytes() == right.tobytes()
    if type(left) is not type(right):
        return False
    if isinstance(left, tuple | list):
        return len(left) == len(right) and all(map(identical, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(identical(each, right[key]) for key, each in left.items())
    if isinstance(left, Struct) and [*map(_by_id, left.unknown)] != [*map(_by_id, right.unknown)]:
        if sorted(left.unknown, key=_by_id) != sorted(right.unknown, key=_by_id):
            return False
        right = replace(right, unknown=left.unknown)
    if is_dataclass(left) and not isinstance(left, type):
        names = [field.name for field in fields(left) if field.compare]
        return all(identical(getattr(left, name), getattr(right, name)) for name in names)
    return bool(left == right) or (left != left and right != right)  # noqa: PLR0124 - both NaN


def _by_id(field: tuple[int, int, bytes]) -> int:
    return field[0]
