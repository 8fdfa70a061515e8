"""JSON for people and for comparison line by line: what fits into one line has one line."""

from __future__ import annotations

import json
from typing import Any

_LINE = 120  # characters of a line, where it can be cut


def render(value: Any) -> str:
    """Return a value as JSON, ASCII only; an outermost list or object has a line for each item."""
    return _show(value, 0)


def _show(value: Any, depth: int) -> str:
    """Return short JSON for line-by-line comparison: a value that fits into one line has one line."""
    text = json.dumps(value, ensure_ascii=True, separators=(", ", ": "))
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if (len(text) + depth <= _LINE and depth) or not any(isinstance(item, (dict, list)) for item in inner):
        return text
    if isinstance(value, dict):
        lines = [f"{json.dumps(key)}: {_show(item, depth + 1)}" for key, item in value.items()]
    else:
        lines = [_show(item, depth + 1) for item in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    indent = " " * (depth + 1)
    return f"{opening}\n{indent}" + f",\n{indent}".join(lines) + f"\n{' ' * depth}{closing}"
