"""How the child of an engine is started: its command and its environment variables.

An engine installed beside colconf runs in our Python, with colconf's own modules on the path. An engine of
another version (`apart`) runs in a Python that has only this engine, and gets the modules for children as a
folder (`harness/environments/carried.py`): isolated (`python -I`), it sees neither our packages nor our
PYTHONPATH. A foreign engine is the command of its manifest, on a leash (`leash.py`), and sees those variables
that its manifest names.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from harness.children import leash
from harness.children.foreign import Foreign
from harness.children.variables import for_engines, without_python

ROOT = Path(__file__).resolve().parents[2]


class Adapter(Protocol):
    """The part of a registry entry that names the class to run."""

    @property
    def module(self) -> str: ...  # noqa: D102 - of the registry's `Entry`
    @property
    def class_name(self) -> str: ...  # noqa: D102 - of the registry's `Entry`


@dataclass(frozen=True)
class Launch:
    """The command of a child, its own variables, and whether it runs in another environment.

    `foreign`: it is a reader of a manifest.
    """

    command: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = ()
    apart: bool = False
    foreign: Foreign | None = None

    def environment(self, ours: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the child's whole environment, from `ours` (default: this process's)."""
        if self.foreign is not None:
            return {**self.foreign.environment(os.environ if ours is None else ours), **dict(self.variables)}
        env = for_engines(os.environ if ours is None else ours)
        if self.apart:
            env = without_python(env)
            folder = str(Path(self.command[0]).parent)
            env["PATH"] = os.pathsep.join(filter(None, (folder, env.get("PATH"))))
        else:
            path = env.get("PYTHONPATH", "").split(os.pathsep)
            env["PYTHONPATH"] = os.pathsep.join(
                [str(ROOT), *(entry for entry in path if entry not in {"", str(ROOT)})]
            )
        return {**env, **dict(self.variables)}


def beside(entry: Adapter, python: str = sys.executable) -> Launch:
    """Return how the version installed beside colconf is started."""
    return Launch((python, "-m", "harness.children.worker", adapter_of(entry)))


def worker_command(entry: Adapter) -> list[str]:
    """Return the command that runs the engine of a registry entry, as it is installed beside colconf."""
    return list(beside(entry).command)


def apart(entry: Adapter, python: Path, carried: Path, variables: Mapping[str, str] | None = None) -> Launch:
    """Return how a version in its own environment is started; `carried` is the worker's folder."""
    command = (str(python), "-I", str(carried), adapter_of(entry))
    return Launch(command, tuple(sorted((variables or {}).items())), apart=True)


def leashed(command: Sequence[str], variables: Mapping[str, str], foreign: Foreign) -> Launch:
    """Return how a foreign engine is started: `command` begins with the path of its program."""
    on_leash = (sys.executable, "-I", "-S", leash.__file__, *command)
    return Launch(on_leash, tuple(sorted(variables.items())), foreign=foreign)


def adapter_of(entry: Adapter) -> str:
    """Return the worker's argument."""
    return f"{entry.module}:{entry.class_name}"
