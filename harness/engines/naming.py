"""Names of engines: `name@version:switch=value,…`, such as `spark@4.3.0:vectorized=off`.

A foreign engine may be named by its manifest instead, such as `./my-reader.toml:api=rows`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from harness.engines.registry import ENGINES, UNNAMED, Entry, ManifestError, register

_MANIFEST = re.compile(r"(.+\.toml)(?:(:)(.*))?", re.DOTALL)
_UNNAMED = ", which this folder's pyproject.toml registers; this command starts it only if --engine names it"
_VERSION = re.compile(r"[0-9][0-9A-Za-z.+!_-]*")  # wide enough for PEP 440


class NamingError(ValueError):
    """The text names no engine; the message is a line with the error and the remedy."""


@dataclass(frozen=True)
class EngineName:
    """An engine, the requested version (None: the installed version), and the given switches."""

    name: str
    version: str | None = None
    config: dict[str, str] = field(default_factory=dict)

    @property
    def entry(self) -> Entry:
        """Return the engine's entry in the registry."""
        return ENGINES[self.name]

    def __str__(self) -> str:
        version = f"@{self.version}" if self.version else ""
        switches = ",".join(f"{switch}={value}" for switch, value in self.config.items())
        return f"{self.name}{version}{':' if switches else ''}{switches}"

    def __hash__(self) -> int:
        return hash(str(self))


def parse(text: str) -> EngineName:
    """Read the name of an engine, or the path of a manifest, which is registered; raises NamingError."""
    name, at, version, colon, switches = _parts(text.strip())
    if name not in ENGINES:
        hint = _UNNAMED if name in UNNAMED else _hint(name, ENGINES)
        raise NamingError(f"unknown engine {name!r}{hint}")
    entry = ENGINES[name]
    if at and not _VERSION.fullmatch(version):
        raise NamingError(f"{text!r}: {version!r} is no version; write {name}@1.2.3, or {name} alone")
    if version and not entry.packages and not entry.foreign:
        raise NamingError(f"{text!r}: {name} is part of colconf and has no other versions; write {name}")
    if colon and not switches:
        raise NamingError(f"{text!r}: no switch after the colon; write {_example(entry)}")
    config = _switches(text, entry, switches.split(",")) if colon else {}
    return EngineName(name, version or None, config)


def _parts(text: str) -> tuple[str, str, str, str, str]:
    """Return name, `@`, version, `:` and switches of an engine; raises NamingError for a bad manifest."""
    by_path = _MANIFEST.fullmatch(text)
    if by_path is None:
        head, colon, switches = text.partition(":")
        return (*head.partition("@"), colon, switches)
    path, colon, switches = by_path.groups(default="")
    try:
        return register(Path(path)).name, "", "", colon, switches
    except ManifestError as error:
        raise NamingError(str(error)) from error


def _switches(text: str, entry: Entry, parts: list[str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for part in parts:
        switch, _, value = part.partition("=")
        if not entry.switches:
            raise NamingError(f"{text!r}: {entry.name} has no switches; write {entry.name}")
        if switch not in entry.switches:
            raise NamingError(f"{text!r}: unknown switch {switch!r}{_hint(switch, entry.switches)}")
        values = entry.switches[switch]
        if value not in values:
            reason = f"{value!r} is no value of {switch}" if value else f"{switch} needs a value"
            choices = " or ".join(f"{switch}={choice}" for choice in values)
            raise NamingError(f"{text!r}: {reason}; use {choices}")
        if switch in given:
            raise NamingError(f"{text!r}: {switch} is given twice; give it once")
        given[switch] = value
    # In the registry's order, so that two spellings of one configuration have one name.
    return {switch: given[switch] for switch in entry.switches if switch in given}


def switches_of(name: str, config: str) -> dict[str, str]:
    """Return every switch of an engine under a configuration such as `vectorized=off`, "" for defaults.

    Of an engine that is not registered, those that are given.
    """
    given = dict(part.split("=", 1) for part in config.split(",") if "=" in part)
    entry = ENGINES.get(name)
    return {**({switch: values[0] for switch, values in entry.switches.items()} if entry else {}), **given}


def _example(entry: Entry) -> str:
    for switch, values in entry.switches.items():
        return f"{entry.name}:{switch}={values[-1]}"
    return entry.name


def _hint(word: str, known: Iterable[str]) -> str:
    names = list(known)
    close = get_close_matches(word, names, 1)
    return f"; {f'did you mean {close[0]}? ' if close else ''}known: {', '.join(names)}"
