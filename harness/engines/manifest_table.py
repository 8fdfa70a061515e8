"""Typed access to a TOML table, which reports keys that were never read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from corpora.problem import UserError

_MISSING: Any = object()
_LARGEST = 1_000_000_000  # of seconds and MiB: what is more is no limit, or a slip of the pen


class ManifestError(UserError, ValueError):
    """A manifest cannot be used; the message is one line that says how to mend it."""


class Table:
    """A table of a manifest; methods raise ManifestError, whose message names the key and the remedy."""

    def __init__(self, data: Mapping[str, Any], name: str = "") -> None:
        self.name = name
        self._data = data
        self._known: dict[str, Table | list[Table] | None] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __contains__(self, key: str) -> bool:
        return key in self._data

    def close(self) -> None:
        """Raise ManifestError if there is a key that was never asked for."""
        for key in self._data:
            if key not in self._known:
                close = get_close_matches(key, self._known, 1)
                mend = f"did you mean {close[0]}?" if close else f"known: {', '.join(sorted(self._known))}"
                raise ManifestError(f"unknown key {self._path(key)}; {mend}")
        for inner in self._known.values():
            for table in inner if isinstance(inner, list) else [inner] if inner else []:
                table.close()

    def text(self, key: str, default: str = _MISSING) -> str:
        """Return a text that is not empty, unless the default is."""
        value = self._value(key, default)
        if not isinstance(value, str) or (not value and default is _MISSING) or {"\n", "\0"} & set(value):
            raise ManifestError(f"{self._path(key)} is {value!r:.60}, not a text of one line")
        return value

    def texts(self, key: str, choices: Sequence[str] = ()) -> tuple[str, ...]:
        """Return a list of texts; with `choices`, they are some of these, each once."""
        value = self._value(key)
        if not isinstance(value, list) or not all(isinstance(text, str) and text for text in value):
            raise ManifestError(f'{self._path(key)} is {value!r:.60}, not a list of texts such as ["a", "b"]')
        if any("\0" in text for text in value):
            raise ManifestError(f"{self._path(key)} has U+0000, which no program can be given; leave it out")
        wrong = [text for text in value if choices and text not in choices]
        if wrong:
            raise ManifestError(f"{self._path(key)} has {wrong[0]!r:.40}; use {', '.join(choices)}")
        if choices and len(set(value)) < len(value):
            raise ManifestError(
                f"{self._path(key)} has a value twice: {', '.join(value)[:80]}; give each once"
            )
        return tuple(value)

    def choice(self, key: str, choices: Sequence[str]) -> str:
        """Return a text that is one of `choices`."""
        value = self.text(key)
        if value not in choices:
            raise ManifestError(f"{self._path(key)} is {value!r:.40}; use one of {', '.join(choices)}")
        return value

    def flag(self, key: str) -> bool:
        """Return true or false, by default false."""
        value = self._value(key, default=False)
        if not isinstance(value, bool):
            raise ManifestError(f"{self._path(key)} is {value!r:.40}, not true or false")
        return value

    def number(self, key: str, default: int = _MISSING) -> int:
        """Return a whole number."""
        value = self._value(key, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise ManifestError(f"{self._path(key)} is {value!r:.40}, not a whole number")
        return value

    def size(self, key: str, least: float = 0) -> float | None:
        """Return a number above 0, not below `least` and at most _LARGEST; None without one."""
        value = self._value(key, None)
        if value is None:
            return None
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not value > 0:
            raise ManifestError(f"{self._path(key)} is {value!r:.40}, not a number above 0")
        if value < least or value > _LARGEST:
            mend = f"write {least:g} or more" if value < least else f"write {_LARGEST} or less"
            raise ManifestError(f"{self._path(key)} is {value!r:.40}; {mend}")
        return float(value)

    def inner(self, key: str) -> Table:
        """Return a table, empty if it is not there."""
        known = self._known.get(key)
        if isinstance(known, Table):
            return known
        value = self._value(key, {})
        if not isinstance(value, Mapping):
            raise ManifestError(f"{self._path(key)} is {value!r:.40}, not a table; write [{self._path(key)}]")
        inner = Table(value, self._path(key))
        self._known[key] = inner
        return inner

    def tables(self, key: str) -> list[Table]:
        """Return an array of tables, empty if it is not there."""
        value = self._value(key, [])
        if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
            raise ManifestError(f"{self._path(key)} is no array of tables; write [[{self._path(key)}]]")
        inner = [Table(each, self._path(key)) for each in value]
        self._known[key] = inner
        return inner

    def _value(self, key: str, default: Any = _MISSING) -> Any:
        self._known.setdefault(key, None)
        value = self._data.get(key, default)
        if value is _MISSING:
            close = get_close_matches(key, self._data, 1)
            raise ManifestError(f"{self._path(key)} is missing" + (f"; is it {close[0]}?" if close else ""))
        return value

    def _path(self, key: str) -> str:
        return f"{self.name}.{key}" if self.name else key
