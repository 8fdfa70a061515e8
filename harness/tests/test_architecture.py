"""ARCHITECTURE.md's table "Where is …?" names symbols that are there."""

from __future__ import annotations

import re

import pytest

from corpora.dodges import is_defined
from harness.tests.pages import ROOT

_PAGE = ROOT / "ARCHITECTURE.md"
_SECURITY = ROOT / "docs/security.md"
_SYMBOL = re.compile(r"`([\w./-]+\.(?:py|toml)):([A-Za-z_][\w.]*)`")


def named_symbols() -> list[tuple[str, str]]:
    """Return path and symbol of each `file:symbol` on the pages."""
    return sorted({pair for page in (_PAGE, _SECURITY) for pair in _SYMBOL.findall(page.read_text("utf-8"))})


def test_symbols() -> None:
    """The module of each symbol defines it; a table of TOML has the key."""
    symbols = named_symbols()
    assert symbols
    assert [f"{path}:{symbol}" for path, symbol in symbols if not is_there(path, symbol)] == []


def is_there(path: str, symbol: str) -> bool:
    """Return whether a file has a symbol; one that is not there has none."""
    if not (ROOT / path).is_file():
        return False
    text = (ROOT / path).read_text("utf-8")
    if path.endswith(".py"):
        return is_defined(text, symbol)
    return f'"{symbol}"' in text or f"{symbol} =" in text


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


def test_each_promise_of_security_has_its_test() -> None:
    """Each row of the tables of docs/security.md names a test that holds it."""
    text = _SECURITY.read_text("utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and "| held by |" not in line]
    assert len(rows) >= 15
    assert not [row for row in rows if not re.search(r"tests/test_\w+\.py", row)]


def test_the_page_begins_with_the_table() -> None:
    """The questions come first, some thirty of them, each with one symbol at least."""
    text = _PAGE.read_text("utf-8")
    table = text.partition("## Where is …?")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert text.index("## Where is …?") < 400
    assert len(rows) >= 30
    assert not [row for row in rows if not _SYMBOL.search(row)]
