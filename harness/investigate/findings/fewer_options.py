"""Fewer options of a writer: each set that is tried to find the smallest that still breaks a rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.engines.writer_options import BY_COLUMN, CHOSEN, COLUMNS


def simpler(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield fewer options, the simplest last: without those that size row groups, then none.

    Drawn ones are left out one by one (`fewer`).
    """
    if CHOSEN in options:
        return
    yield {name: value for name, value in options.items() if name in {"codec", "page_version", "dictionary"}}
    yield {**options, "codec": "UNCOMPRESSED"}
    yield {}


def fewer(chosen: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield drawn options without one of them, then with one column less of those that are by column."""
    for name in chosen:
        yield {other: value for other, value in chosen.items() if other != name}
    for name, value in chosen.items():
        for mark in (COLUMNS, BY_COLUMN):
            for path in value.get(mark, ()) if isinstance(value, dict) else ():
                yield {**chosen, name: {mark: _without(value[mark], path)}}


def _without(held: Any, path: str) -> Any:
    if isinstance(held, dict):
        return {other: value for other, value in held.items() if other != path}
    return [other for other in held if other != path]


def common(current: Any, wanted: Any) -> Any:
    """Return what both values of an option by column have; another option has its current value."""
    for mark in (COLUMNS, BY_COLUMN):
        if isinstance(current, dict) and mark in current:
            gone = [path for path in current[mark] if path not in wanted[mark]]
            held = current[mark]
            for path in gone:
                held = _without(held, path)
            return {mark: held}
    return current
