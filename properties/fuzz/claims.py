"""What targets speak with: a documented error is silence where bytes are read first, and nowhere else."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

from reference_impl.byte_arrays import ByteArrays
from reference_impl.errors import ReferenceError_
from reference_impl.wire.table import Struct

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")
_SHOWN = 200


class Broken(AssertionError):  # noqa: N818 - what is so, not what went wrong
    """The invariant of a target does not hold; `what` says which, in the same words each time."""

    def __init__(self, what: str, detail: str = "") -> None:
        super().__init__(f"{what}: {detail}" if detail else what)
        self.what = what


def attempt(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    """Return what the function answers, None if it raises one of the four documented errors."""
    try:
        return function(*args, **kwargs)
    except ReferenceError_:
        return None


def holds(claim: bool, what: str) -> None:
    """Raise Broken unless the claim is true."""
    if not claim:
        raise Broken(what)


def same(found: Any, expected: Any, what: str) -> None:
    """Raise Broken unless both are identical, floats by their bits."""
    if not identical(found, expected):
        raise Broken(what, f"{_shown(found)} is not {_shown(expected)}")


def _shown(value: Any) -> str:
    return f"{value!r:.{_SHOWN}}" if not isinstance(value, ByteArrays) else f"{list(value)!r:.{_SHOWN}}"


def identical(one: Any, other: Any) -> bool:
    """Tell whether two values of the reference (arrays, columns, structs, tuples of such) are the same.

    Fields that a table does not know are written in the order of their ids, whatever theirs was.
    """
    if one is other:
        return True
    if isinstance(one, ByteArrays) and isinstance(other, ByteArrays):
        return len(one) == len(other) and list(one) == list(other)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        if one.shape != other.shape or one.dtype != other.dtype:
            return False
        return one.tolist() == other.tolist() if one.dtype.hasobject else one.tobytes() == other.tobytes()
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(identical, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(identical(each, other[key]) for key, each in one.items())
    if isinstance(one, Struct) and [*map(_by_id, one.unknown)] != [*map(_by_id, other.unknown)]:
        if sorted(one.unknown, key=_by_id) != sorted(other.unknown, key=_by_id):
            return False
        other = replace(other, unknown=one.unknown)
    if is_dataclass(one) and not isinstance(one, type):
        names = [field.name for field in fields(one) if field.compare]
        return all(identical(getattr(one, name), getattr(other, name)) for name in names)
    return bool(one == other) or (one != one and other != other)  # noqa: PLR0124 - both NaN


def _by_id(field: tuple[int, int, bytes]) -> int:
    return field[0]
