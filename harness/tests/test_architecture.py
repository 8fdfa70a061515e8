"""ARCHITECTURE.md's table "Where is …?" names symbols that are there."""

from __future__ import annotations

import ast
import re

import pytest

from harness.tests.pages import ROOT

_PAGE = ROOT / "ARCHITECTURE.md"
_SYMBOL = re.compile(r"`([\w./-]+\.(?:py|toml)):([A-Za-z_][\w.]*)`")


def named_symbols() -> list[tuple[str, str]]:
    """Return path and symbol of each `file:symbol` on the page."""
    return sorted(set(_SYMBOL.findall(_PAGE.read_text("utf-8"))))


def names_in(nodes: list[ast.stmt]) -> dict[str, ast.stmt]:
    """Return what statements give a name to: classes, functions, constants and fields."""
    names: dict[str, ast.stmt] = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[node.name] = node
        elif isinstance(node, ast.Assign):
            names |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = node
    return names


def is_defined(text: str, symbol: str) -> bool:
    """Return whether a module defines a symbol, which may be `Class.member`."""
    nodes = ast.parse(text).body
    for name in symbol.split("."):
        node = names_in(nodes).get(name)
        if node is None:
            return False
        nodes = node.body if isinstance(node, ast.ClassDef) else []
    return True


@pytest.mark.parametrize(("path", "symbol"), named_symbols(), ids=lambda text: text)
def test_symbols(path: str, symbol: str) -> None:
    """The module defines the symbol; a table of TOML has the key."""
    text = (ROOT / path).read_text("utf-8")
    assert (
        is_defined(text, symbol) if path.endswith(".py") else f'"{symbol}"' in text or f"{symbol} =" in text
    )


@pytest.mark.parametrize(
    ("symbol", "there"),
    [
        ("f", True),
        ("C", True),
        ("C.m", True),
        ("C.x", True),
        ("T", True),
        ("g", False),
        ("C.f", False),
        ("f.a", False),
    ],
)
def test_a_missing_symbol_is_seen(symbol: str, there: bool) -> None:
    """A symbol counts where it is defined, not where it is used."""
    text = "T: int = 1\n\ndef f():\n    a = g()\n\nclass C:\n    x: int\n    def m(self): pass\n"
    assert is_defined(text, symbol) == there


def test_the_page_begins_with_the_table() -> None:
    """The questions come first, some thirty of them, each with one symbol at least."""
    text = _PAGE.read_text("utf-8")
    table = text.partition("## Where is …?")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert text.index("## Where is …?") < 400
    assert len(rows) >= 30
    assert not [row for row in rows if not _SYMBOL.search(row)]
