"""Symbols of modules: what a name such as `file.py:Class.method` stands for, without importing the module."""

from __future__ import annotations

import ast
from collections.abc import Sequence

DOCSTRING = "__doc__"  # the symbol of what a module itself says


def names_in(nodes: Sequence[ast.stmt]) -> dict[str, ast.stmt]:
    """Return what statements give a name to: classes, functions, constants and fields."""
    names: dict[str, ast.stmt] = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[node.name] = node
        elif isinstance(node, ast.Assign):
            names |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign | ast.AugAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = node
    return names


def is_defined(text: str, symbol: str) -> bool:
    """Return whether a module of this source defines a symbol, which may be `Class.member`."""
    tree = ast.parse(text)
    if symbol == DOCSTRING:
        return ast.get_docstring(tree) is not None
    nodes: Sequence[ast.stmt] = tree.body
    for name in symbol.split("."):
        node = names_in(nodes).get(name)
        if node is None:
            return False
        nodes = node.body if isinstance(node, ast.ClassDef) else []
    return True


def symbol_at(tree: ast.Module, line: int) -> str:
    """Return the symbol whose statement has a line: a method, function, class or constant.

    A comment in front of a definition is its own; what stands in no named statement is the module's.
    """
    return ".".join(_names_at(tree.body, line)) or DOCSTRING


def _names_at(nodes: Sequence[ast.stmt], line: int) -> list[str]:
    holders = [node for node in nodes if node.end_lineno is not None and node.end_lineno >= line]
    if not holders:
        return []
    node = holders[0]
    names = [name for name, stated in names_in([node]).items() if stated is node][:1]
    if isinstance(node, ast.ClassDef) and node.lineno <= line:
        return names + _names_at(node.body, line)
    return names
