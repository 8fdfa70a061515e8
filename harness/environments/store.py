"""The environments that are cached: where they are, what they hold, which of them work.

`$COLCONF_CACHE`, or the platform's cache folder, holds `environments/NAME@VERSION/`: `environment.json` and
the virtual environment `venv`. A folder of that name is whole: it is made under another one and renamed. Who
makes or removes one holds its lock, which the system takes back from a process that is killed.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from packaging.version import InvalidVersion, Version

from corpora.cache import folder as cache_folder
from corpora.files import move, sync_all, write_whole
from harness.engines.registry import ENGINES, Entry
from harness.environments.problem import EnvironmentProblem

FILE = "environment.json"
LOCKS = ".locks"
UNFINISHED, GONE = ".making-", ".gone-"
_USED = "used"
_FORMAT = 1


@dataclass(frozen=True)
class Environment:
    """A cached environment; the fields up to `seconds` are those of `environment.json`.

    `name` is the engine it is called by, `version` that of its `package`, `python` such as 3.12.1, `packages`
    the exact version of everything in it, `before` the date that bounds the packages beside the engine (""
    if the index tells no dates), `created` a time, `runtime` what the engine said it runs on, `size` bytes on
    disk (some shared with uv's cache), `seconds` how long it took to make. `broken`: why it cannot be used.
    """

    name: str
    version: str
    package: str
    python: str
    packages: dict[str, str] = field(default_factory=dict)
    before: str = ""
    created: str = ""
    runtime: str = ""
    size: int = 0
    seconds: float = 0.0
    folder: Path = Path()
    broken: str = ""

    @property
    def key(self) -> str:
        """Return `name@version`."""
        return f"{self.name}@{self.version}"

    @property
    def interpreter(self) -> Path:
        """Return its Python."""
        return interpreter_of(self.folder)

    @property
    def used(self) -> dt.datetime:
        """Return when it was last used, or made."""
        newest = max(_modified(self.folder / _USED), _modified(self.folder / FILE))
        return dt.datetime.fromtimestamp(newest, tz=dt.UTC)

    def use(self) -> None:
        """Note that it is used now."""
        with contextlib.suppress(OSError):  # a cache that is only read keeps no such notes
            (self.folder / _USED).touch()


def cache() -> Path:
    """Return colconf's cache folder."""
    return cache_folder()


def root() -> Path:
    """Return the folder of environments."""
    return cache() / "environments"


def home(entry: Entry) -> Entry:
    """Return the engine whose environment another one uses too: engines of one package share theirs.

    Raises EnvironmentProblem for an engine that is part of colconf.
    """
    if not entry.packages:
        raise EnvironmentProblem(f"{entry.name} is part of colconf and has no other versions")
    return next(engine for engine in ENGINES.values() if engine.packages[:1] == entry.packages[:1])


def same(text: str, other: str) -> bool:
    """Return whether two texts are one version: 14.0 is 14.0.0."""
    try:
        return Version(text) == Version(other)
    except InvalidVersion:
        return text == other


def find(entry: Entry, version: str) -> Environment | None:
    """Return the environment that holds this version of an engine, also a broken one, or None."""
    name = home(entry).name
    exact = _read(root() / f"{name}@{version}")
    if exact:
        return exact
    for folder in _folders():  # which are called after what they hold, see `_read`
        stored_name, _, stored_version = folder.name.partition("@")
        if stored_name == name and same(stored_version, version) and (environment := _read(folder)):
            return environment
    return None


def environments() -> list[Environment]:
    """Return all environments, engines in the registry's order, versions from old to new."""
    order = {name: place for place, name in enumerate(ENGINES)}
    cached = [environment for folder in _folders() if (environment := _read(folder)) is not None]
    return sorted(
        cached,
        key=lambda environment: (order.get(environment.name, len(order)), _sortable(environment.version)),
    )


def write(environment: Environment) -> None:
    """Write `environment.json` into its folder."""
    stored = {name: value for name, value in asdict(environment).items() if name in _STORED}
    stored[_CREATED] = stored.pop("created")
    text = json.dumps({"format": _FORMAT, **stored}, indent=2) + "\n"
    write_whole(environment.folder / FILE, text)


_CREATED = "made"  # the key of the field `created`
_REQUIRED = frozenset({"name", "version", "package", "python"})
_TYPES: dict[str, tuple[type, ...]] = {"packages": (dict,), "size": (int,), "seconds": (int, float)}
_STORED = {
    field.name: _TYPES.get(field.name, (str,))
    for field in fields(Environment)
    if field.name not in {"folder", "broken"}
}


@contextlib.contextmanager
def locked(name: str, waiting: Callable[[], object] = lambda: None, *, wait: bool = True) -> Iterator[bool]:
    """Hold the lock of `NAME@VERSION`; `waiting` is called if another process has it.

    Without `wait`, it yields False where another process holds it.
    """
    folder = root() / LOCKS
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / f"{name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if not wait:
            yield False
            return
        waiting()
        lock.acquire()
    try:
        yield True
    finally:
        lock.release()


def put(staged: Path, target: Path) -> None:
    """Give a finished folder its name, in place of what has it; the lock is held."""
    old = None
    if target.exists():
        old = target.with_name(f"{GONE}{target.name}-{time.time_ns()}")
        move(target, old)
    sync_all(staged / FILE)
    move(staged, target)
    if old:
        shutil.rmtree(old, ignore_errors=True)


def remove(environment: Environment) -> int:
    """Remove an environment and answer the bytes that were freed: what uv's cache shares stays there."""
    with locked(environment.folder.name):
        freed = size(environment.folder, freed=True)
        gone = environment.folder.with_name(f"{GONE}{environment.folder.name}-{time.time_ns()}")
        try:
            move(environment.folder, gone)
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise EnvironmentProblem(f"{environment.folder}: {error.strerror}") from error
        shutil.rmtree(gone, ignore_errors=True)
    return freed


def sweep(name: str | None = None) -> int:
    """Remove what killed processes left, of `NAME@VERSION` (whose lock is held) or all; answer bytes."""
    freed = 0
    for prefix in (UNFINISHED, GONE):
        for left in root().glob(f"{prefix}{name or ''}*"):
            key = left.name.removeprefix(prefix).rpartition("-")[0]
            if name is not None and key != name:
                continue
            with contextlib.nullcontext(True) if name else locked(key, wait=False) as ours:
                if ours:
                    freed += size(left, freed=True)
                    shutil.rmtree(left, ignore_errors=True)
    return freed


def size(folder: Path, *, freed: bool = False) -> int:
    """Return the bytes on disk of a folder; `freed`: only those that nothing else links to."""
    total = 0
    for base, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                about = os.lstat(os.path.join(base, name))  # noqa: PTH118 - 30,000 files in a second
                if not freed or about.st_nlink == 1:
                    total += about.st_blocks * 512
    return total


def interpreter_of(folder: Path) -> Path:
    """Return the Python of an environment's folder."""
    return folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _folders() -> list[Path]:
    try:
        return sorted(path for path in root().iterdir() if "@" in path.name and not path.name.startswith("."))
    except OSError:
        return []


def _read(folder: Path) -> Environment | None:
    """Read an environment's description; a folder that has none, or a wrong one, is a broken environment."""
    if not folder.is_dir():
        return None
    name, _, version = folder.name.partition("@")
    try:
        environment = Environment(**_description((folder / FILE).read_text("utf-8")), folder=folder)
    except OSError as error:
        return Environment(name, version, "", "", folder=folder, broken=f"its {FILE}: {error.strerror}")
    except ValueError as error:
        return Environment(name, version, "", "", folder=folder, broken=f"its {FILE} is damaged: {error}")
    if (environment.name, environment.version) != (name, version):
        other = f"its {FILE} is that of {environment.key}"
        return Environment(name, version, "", "", folder=folder, broken=other)
    if not os.access(environment.interpreter, os.X_OK):
        return replace(environment, broken=f"its Python {environment.python} is gone")
    return environment


def _description(text: str) -> dict[str, Any]:
    """Return the fields of an environment's description; raises ValueError for anything else."""
    if not text.strip("\0 \r\n"):  # NUL: what some file systems leave after a power cut
        raise ValueError("it is empty")
    try:
        data = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(data, dict) or data.pop("format", None) != _FORMAT:
        raise ValueError("it has another format")
    if _CREATED in data:
        data["created"] = data.pop(_CREATED)
    if missing := sorted(_REQUIRED - data.keys()):
        raise ValueError(f"it lacks {', '.join(missing)}")
    if unknown := sorted(data.keys() - _STORED):
        raise ValueError(f"it has unknown fields {', '.join(unknown)!r:.80}")
    for name, value in data.items():
        if not isinstance(value, _STORED[name]):
            raise ValueError(f"its {name} is {value!r:.40}")  # noqa: TRY004 - one error for all
    if not all(isinstance(version, str) for version in data.get("packages", {}).values()):
        raise ValueError("its packages have no versions")
    return data


def _modified(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _sortable(version: str) -> tuple[int, Version, str]:
    try:
        return 0, Version(version), ""
    except InvalidVersion:
        return 1, Version("0"), version
