"""Planting: in a child process, one module of the reader is imported with one place of its source changed.

So every name that another module holds of it is of the changed code, whether function, method or table. A
statement in front of the changed one notes that it was reached; a change outside of functions is reached by
importing the module.
"""

from __future__ import annotations

import ast
import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder, SourceFileLoader
from importlib.util import spec_from_loader
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

    from harness.selftest.plant import Plant

REACHED = "COLCONF_SELFTEST_REACHED"  # the variable that names the file to make when a plant is reached
Block = list[ast.stmt]


class PlantError(Exception):
    """A plant does not fit the source that it is a change of."""


def plant(one: Plant) -> None:
    """Have the module of a plant imported with its bug; raises PlantError if it was imported before."""
    if one.module in sys.modules:
        raise PlantError(f"{one.module} is imported already")
    sys.meta_path.insert(0, _Finder(one))


def reached(_done: list[bool] = []) -> None:  # noqa: B006 - remembers, so that the file is made once
    """Note that a plant was reached."""
    if not _done:
        _done.append(True)
        path = os.environ.get(REACHED)
        if path:
            Path(path).touch()


def changed(source: str, one: Plant, name: str) -> CodeType:
    """Answer the code of a module with a plant in it; raises PlantError if it does not fit."""
    if source.count(one.old) != 1:
        raise PlantError(f"{one.name}: what it changes stands {source.count(one.old)} times in {one.module}")
    at = source.index(one.old)
    first = source.count("\n", 0, at) + 1
    # The change may end on a later line; its first line is enough to find the statement.
    tree = ast.parse(source[:at] + one.new + source[at + len(one.old) :], name)
    block, place = _statement(tree, first + _lines_before(one))
    block.insert(place, ast.parse(f"__import__({__name__!r}, fromlist=['reached']).reached()").body[0])
    return compile(ast.fix_missing_locations(tree), name, "exec", dont_inherit=True)


def _lines_before(one: Plant) -> int:
    """Answer how many lines of the change are as they were."""
    pairs = zip(one.old.splitlines(), one.new.splitlines(), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _statement(tree: ast.Module, line: int) -> tuple[Block, int]:
    """Answer block and place of the innermost statement of a line; the module's end outside of functions."""
    found: tuple[Block, int] = tree.body, len(tree.body)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for block in _blocks(function):
                for place, statement in enumerate(block):
                    if statement.lineno <= line <= (statement.end_lineno or 0):
                        found = block, place
    return found


def _blocks(node: ast.AST) -> Iterator[Block]:
    """Yield the blocks of statements of a node, outer ones first."""
    for name in ("body", "orelse", "finalbody", "handlers"):
        block = getattr(node, name, None)
        if not isinstance(block, list):
            continue
        if name != "handlers":
            yield block
        for inner in block:
            yield from _blocks(inner)


class _Finder(MetaPathFinder):
    """Finds one module, and has it loaded with a bug."""

    def __init__(self, one: Plant) -> None:
        self._plant = one

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._plant.module:
            return None
        found = PathFinder.find_spec(fullname, path, target)
        if found is None or found.origin is None:
            raise PlantError(f"{fullname} has no source")
        return spec_from_loader(fullname, _Loader(fullname, found.origin, self._plant))


class _Loader(SourceFileLoader):
    def __init__(self, fullname: str, path: str, one: Plant) -> None:
        super().__init__(fullname, path)
        self._plant = one

    def get_code(self, fullname: str) -> CodeType:
        """Answer the changed code; what was compiled before is of no use."""
        return changed(self.get_source(fullname) or "", self._plant, self.get_filename(fullname))
