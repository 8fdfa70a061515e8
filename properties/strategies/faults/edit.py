"""Tampers with one method: whatever a writer offers to be changed is passed to `visit`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from inspect import isfunction
from typing import Any, ClassVar

Change = Callable[[Any], Any]
Changes = Mapping[str, Change]
Part = Callable[[Any, Change], tuple[str, Change]]


class Visitor:
    """Mixed into a `Tamper`: each of its methods calls `visit` with its name, its place and the item."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        tamper = cls.__bases__[-1]
        for name, method in vars(tamper).items() if not issubclass(tamper, Visitor) else ():
            if isfunction(method) and getattr(cls, name) is method:
                setattr(cls, name, _visiting(name))

    def visit(self, name: str, where: tuple[Any, ...], item: Any) -> Any:
        """Return an item, changed or not."""
        raise NotImplementedError


def _visiting(name: str) -> Callable[..., Any]:
    def method(self: Visitor, *arguments: Any) -> Any:
        *where, item = arguments
        return self.visit(name, tuple(where), item)

    return method


class Edit(Visitor):
    """Changes items by functions that have the names of `Tamper`'s methods, at the place `at`.

    `parts` are further names: of parts of these items, which stand at the place.
    """

    parts: ClassVar[Mapping[str, Part]] = {}

    def __init__(self, at: Any, changes: Changes) -> None:
        self.at = at
        self.changes = changes
        self._applied: defaultdict[str, list[Change]] = defaultdict(list)
        for name, change in changes.items():
            whole, applied = self.parts[name](at, change) if name in self.parts else (name, change)
            self._applied[whole].append(applied)

    def visit(self, name: str, where: tuple[Any, ...], item: Any) -> Any:
        """Return an item, changed if it is at the place."""
        if name in self._applied and self.is_here(name, *where):
            for change in self._applied[name]:
                item = change(item)
        return item

    def is_here(self, name: str, *where: Any) -> bool:
        """Return whether an item is at the place."""
        raise NotImplementedError


class Scene(Visitor):
    """Changes nothing, and remembers each item: under the name of its method, by its place."""

    def __init__(self, plan: Any) -> None:
        self.plan = plan
        self.seen: defaultdict[str, dict[Any, Any]] = defaultdict(dict)

    def visit(self, name: str, where: tuple[Any, ...], item: Any) -> Any:
        """Remember an item."""
        self.seen[name][where[0] if where else None] = item
        return item
