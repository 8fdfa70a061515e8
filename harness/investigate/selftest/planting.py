"""Planting: a child process imports one module of the reader with one change to its source.

So every name that another module imports from the changed module refers to changed code, whether function,
method or table. A statement in front of the change notes that it was reached; a change outside of functions
is reached by importing the module.

Marking: modules are imported unchanged, but the place of each plant notes that it was reached; a place
outside of functions is reached by all that follows.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_loader
from itertools import takewhile
from pathlib import Path
from types import CodeType, ModuleType

from harness.investigate.selftest.plant import Plant

REACHED = "COLCONF_SELFTEST_REACHED"  # names the file to create when a plant is reached
NOTES = "COLCONF_SELFTEST_NOTES"  # names the file to which the names of reached marks are added
SEEN: set[str] = set()  # names of the plants whose marks were reached; the reader of the set clears it
ALWAYS: set[str] = set()  # names of the plants that every case reaches from now on
Block = list[ast.stmt]


class PlantError(Exception):
    """A plant does not fit the source of its module."""


def plant(bug: Plant) -> None:
    """Have the module of a plant imported with its bug; raises PlantError if it was imported before."""
    _change(bug.module, partial(changed, bug=bug))


def mark(plants: Iterable[Plant]) -> None:
    """Have modules imported with marks in the places of plants; raises PlantError as `plant`."""
    by_module: dict[str, list[Plant]] = {}
    for bug in plants:
        by_module.setdefault(bug.module, []).append(bug)
    for module, some in by_module.items():
        _change(module, partial(marked, plants=some))


def _change(module: str, change: Callable[[str, str], CodeType]) -> None:
    if module in sys.modules:
        raise PlantError(f"{module} is imported already")
    sys.meta_path.insert(0, _Finder(module, change))


def reached() -> None:
    """Note that a plant was reached: create the file that REACHED names, if any."""
    path = os.environ.get(REACHED)
    if path and not Path(path).exists():
        Path(path).touch()


def seen(name: str) -> None:
    """Note that the mark of a plant was reached."""
    if name in SEEN:
        return
    SEEN.add(name)
    if path := os.environ.get(NOTES):
        with Path(path).open("a", encoding="utf-8") as notes:
            notes.write(name + "\n")


def always(name: str) -> None:
    """Note that the mark of a plant outside of functions was reached."""
    ALWAYS.add(name)
    seen(name)


def changed(source: str, name: str, bug: Plant) -> CodeType:
    """Return the code of a module with a plant in it; raises PlantError if it does not fit."""
    at, first = _place(source, bug)
    # The change may end on a later line; its first line is enough to find the statement.
    tree = ast.parse(source[:at] + bug.new + source[at + len(bug.old) :], name)
    block, place = _statement(tree, first)
    block.insert(place, ast.parse(f"__import__({__name__!r}, fromlist=['reached']).reached()").body[0])
    return compile(ast.fix_missing_locations(tree), name, "exec", dont_inherit=True)


def marked(source: str, name: str, plants: Iterable[Plant]) -> CodeType:
    """Return the code of a module with the marks of plants; raises PlantError for one that does not fit."""
    tree = ast.parse(source, name)
    marks = [(*_statement(tree, _place(source, bug)[1]), bug.name) for bug in plants]
    for block, place, own in sorted(marks, key=lambda each: each[1], reverse=True):
        noted = "always" if block is tree.body else "seen"
        call = f"__import__({__name__!r}, fromlist=[{noted!r}]).{noted}({own!r})"
        block.insert(place, ast.parse(call).body[0])
    return compile(ast.fix_missing_locations(tree), name, "exec", dont_inherit=True)


def _place(source: str, bug: Plant) -> tuple[int, int]:
    """Return the offset of a plant in a source, and the number of the first line that the plant changes."""
    if source.count(bug.old) != 1:
        raise PlantError(f"{bug.name}: its text occurs {source.count(bug.old)} times in {bug.module}")
    at = source.index(bug.old)
    return at, source.count("\n", 0, at) + 1 + _lines_before(bug)


def _lines_before(bug: Plant) -> int:
    """Return the number of leading lines that the plant does not change."""
    pairs = zip(bug.old.splitlines(), bug.new.splitlines(), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _statement(tree: ast.Module, line: int) -> tuple[Block, int]:
    """Return block and index of the innermost statement of a line; the module's end outside of functions."""
    innermost: tuple[Block, int] = tree.body, len(tree.body)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for block in _blocks(function):
                for place, statement in enumerate(block):
                    if statement.lineno <= line <= (statement.end_lineno or 0):
                        innermost = block, place
    return innermost


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
    """Finds a module, and loads it with changes."""

    def __init__(self, module: str, change: Callable[[str, str], CodeType]) -> None:
        self._module = module
        self._change = change

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._module:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None:
            raise PlantError(f"{fullname} has no source")
        return spec_from_loader(fullname, _Loader(fullname, spec.origin, self._change))


class _Loader(SourceFileLoader):
    def __init__(self, fullname: str, path: str, change: Callable[[str, str], CodeType]) -> None:
        super().__init__(fullname, path)
        self._change = change

    def get_code(self, fullname: str) -> CodeType:
        """Return the changed code; cached bytecode is not used."""
        return self._change(self.get_source(fullname) or "", self.get_filename(fullname))
