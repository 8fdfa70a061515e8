"""The engines by name: those of colconf, and foreign ones wherever their manifests are found.

The parent reads manifests and imports no engine. Foreign engines are found by `--engine FILE.toml`
(`harness/engines/naming.py`), in `[tool.colconf.engines]` of the current folder's `pyproject.toml`, in the
folders of `COLCONF_ENGINES`, and by entry points of the group `colconf.engines`.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import tomllib

from harness.engines import manifest
from harness.engines.entry import QUERY_SWITCHES, Entry
from harness.engines.installed import entry_points
from harness.engines.manifest_table import ManifestError

__all__ = ["ENGINES", "QUERY_SWITCHES", "Entry", "ManifestError", "add", "discover", "recall", "register"]

VARIABLE = "COLCONF_ENGINES"
GROUP = "colconf.engines"


def _own() -> list[Entry]:
    files = sorted(Path(__file__).parent.glob("*/manifest.toml"))
    return sorted((manifest.read(file, own=True) for file in files), key=lambda entry: entry.place)


UNNAMED: set[str] = set()  # engines of the current folder's project that the command may not start
ENGINES: dict[str, Entry] = {entry.name: entry for entry in _own()}


def register(file: Path) -> Entry:
    """Read the manifest of a foreign engine, and have the engine known by its name; raises ManifestError."""
    entry = manifest.read(file)
    known = ENGINES.get(entry.name)
    if known is not None and Path(known.manifest).resolve() != Path(entry.manifest).resolve():
        where = known.manifest if known.foreign else "colconf itself"
        raise ManifestError(f"{file}: the name {entry.name} is that of {where}; give another name")
    add(entry)
    return entry


def add(entry: Entry) -> None:
    """Have a foreign engine known by its name."""
    ENGINES[entry.name] = entry


def recall(manifests: Mapping[str, str]) -> None:
    """Register the engines of an earlier run whose manifests are still there; raises ManifestError."""
    for file in map(Path, manifests.values()):
        if file.is_file():
            register(file)


def discover(folder: Path, named: Collection[str] | None = None) -> None:
    """Register the foreign engines that stand anywhere but on the command line; raises ManifestError.

    `named`: of the engines of the current folder's project only those of these names (None: all). A command
    that reads what somebody may have sent must not start a program that came with it.
    """
    UNNAMED.clear()
    for file in (*_of_project(folder / "pyproject.toml", named), *_of_folders(), *_of_packages()):
        register(file)


def _of_project(file: Path, named: Collection[str] | None) -> Iterator[Path]:
    if not file.is_file():
        return
    try:
        data: Any = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError):  # `harness/settings.py` says what is wrong with it
        return
    for key in ("tool", "colconf", "engines"):
        data = data.get(key, {}) if isinstance(data, Mapping) else {}
    for name, path in data.items() if isinstance(data, Mapping) else ():
        if named is not None and not {name, own := _name_of(file.parent / str(path))} & {*named}:
            UNNAMED.update({name, own} - {""})
            continue
        if not isinstance(path, str) or not (file.parent / path).is_file():
            raise ManifestError(f"{file}: tool.colconf.engines.{name} names no file: {path!r:.80}")
        yield file.parent / path


def _name_of(file: Path) -> str:
    """Return the name that a manifest gives its engine, "" if it cannot be read; nothing is executed."""
    if not file.is_file():  # to open a FIFO may wait for ever
        return ""
    try:
        return str(tomllib.loads(file.read_text("utf-8")).get("name", ""))
    except (OSError, ValueError):
        return ""


def _of_folders() -> Iterator[Path]:
    for folder in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        if not Path(folder).is_dir():
            raise ManifestError(f"{VARIABLE} names {folder!r:.80}, which is no folder")
        yield from filter(manifest.is_manifest, sorted(Path(folder).glob("*.toml")))


def _of_packages() -> Iterator[Path]:
    """Yield the manifests of installed packages: an entry point is a path, or a function that returns it."""
    for point in entry_points(group=GROUP):
        try:
            value = point.load()
            yield Path(value() if callable(value) else value)
        except Exception as error:
            text = f"the entry point {point.name} of {GROUP}: {type(error).__name__}: {error}"
            raise ManifestError(text[:300]) from error
