"""The targets by name: each module of this package with a `NAME`.

A target knows nothing of a fuzzer. It has

    NAME                        that of its module
    seeds() -> Iterable[bytes]  inputs to begin with, cut from the checked-in cases
    check(data: bytes) -> None  raises for what must not be: whatever leaves it is a finding
    mutate(data, random)        optional: -> bytes, where bytes have a structure that others would break
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

_TOOLS = {
    *(
        "bounds",
        "child",
        "claims",
        "crashes",
        "cut_orc",
        "cut_parquet",
        "inputs",
        "pages",
        "slots",
        "structs",
        "targets",
    ),
}


class Target(Protocol):
    """A module as above."""

    NAME: str

    def seeds(self) -> Iterable[bytes]: ...  # noqa: D102 - above
    def check(self, data: bytes, /) -> None: ...  # noqa: D102 - above


class UnknownTarget(LookupError):  # noqa: N818 - it says what is wrong
    """There is no target of this name."""


def names() -> list[str]:
    """Return the names of all targets, in the order of the alphabet."""
    found = pkgutil.iter_modules([str(Path(__file__).parent)])
    return sorted(one.name for one in found if one.name not in _TOOLS)


def module_of(name: str) -> str:
    """Return the module of a target; a name with dots is that of a module elsewhere. Raises UnknownTarget."""
    if "." in name:
        return name
    if name not in names():
        raise UnknownTarget(f"there is no target {name!r}; there are {', '.join(names())}")
    return f"{__package__}.{name}"


def load(name: str) -> Target:
    """Return a target. Raises UnknownTarget."""
    return cast("Target", import_module(module_of(name)))
