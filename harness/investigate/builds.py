"""The engine that was built from a checkout: how it is started, in place of an installed one."""

from __future__ import annotations

import os
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from corpora.problem import UserError
from harness.children.connection import Connection, Limits, StartError
from harness.children.launch import Launch, apart, leashed
from harness.engines import manifest
from harness.engines.naming import EngineName, NamingError, parse
from harness.engines.registry import ENGINES, Entry, ManifestError, register
from harness.environments import store, uv
from harness.environments.availability import Status
from harness.environments.carried import carried
from harness.investigate.checkout import COMMIT_VARIABLE, BuildError, Commit

PYTHON_VARIABLE = "COLCONF_PYTHON"


class BuildsError(UserError):
    """An engine cannot be built from a checkout; the message is one line."""


@dataclass(frozen=True)
class Built:
    """How the engine is started after a build.

    A foreign engine is the command of its `manifest`, as if the manifest were the file `place` of the
    checkout. An engine that colconf has an adapter for is what the build installed into the environment of
    the interpreter `python`.
    """

    entry: Entry
    python: Path | None = None
    manifest: Path | None = None
    place: Path | None = None

    def status(self, commit: Commit, limits: Limits) -> Status:
        """Return the engine of a commit, which is started and asked for its version; raises BuildError."""
        launch = self._launch(commit)
        with Connection(launch, Limits(start_seconds=limits.start_seconds, starts=1)) as connection:
            try:
                description = connection.describe()
            except StartError as error:
                detail = error.outcome.detail
                raise BuildError(f"the built engine does not start: {detail.summary}") from error
        return Status(self.entry, str(description["version"]), other=launch, description=description)

    def _launch(self, commit: Commit) -> Launch:
        if self.python is not None:
            return apart(self.entry, self.python, carried(store.cache()), {COMMIT_VARIABLE: commit.id})
        assert self.manifest is not None
        assert self.place is not None
        try:
            data = tomllib.loads(self.manifest.read_text("utf-8"))
            entry = manifest.entry_of(data, self.place.absolute())
        except (ValueError, ManifestError) as error:
            raise BuildError(f"{self.manifest}: {error}") from error
        assert entry.foreign is not None
        program, *arguments = entry.command
        path = shutil.which(program)
        if path is None:
            raise BuildError(f"the build left no program {program}")
        command = (str(Path(path).absolute()), *arguments)
        return leashed(command, {**entry.variables, COMMIT_VARIABLE: commit.id}, entry.foreign)


@dataclass
class Environment:
    """The Python environment into which builds of an engine with an adapter are installed."""

    folder: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def python(self) -> Path:
        """Return its interpreter."""
        return store.interpreter_of(self.folder)


def environment_for(entry: Entry, folder: Path, python: str | None) -> Environment:
    """Return the environment of builds in `folder`, made if it is not there; raises BuildsError.

    It holds what the adapter needs beside the engine.
    """
    environment = Environment(folder)
    venv = environment.python.parents[1]
    if not environment.python.exists():
        shutil.rmtree(folder, ignore_errors=True)
        chosen = ["--python", python] if python else []
        _uv("venv", "--no-project", "--quiet", *chosen, str(venv))
        if entry.packages[1:]:
            _uv("pip", "install", "--quiet", "--python", str(environment.python), *entry.packages[1:])
    path = os.pathsep.join([str(venv / "bin"), os.environ.get("PATH", "")])
    environment.variables = {
        PYTHON_VARIABLE: str(environment.python), "VIRTUAL_ENV": str(venv), "PATH": path,
    }  # fmt: skip
    return environment


def _uv(*arguments: str) -> None:
    done = uv.run(arguments)
    if done.returncode:
        raise BuildsError(f"the environment of builds cannot be made: {uv.why(done)}")


def engine_of(text: str) -> tuple[EngineName, Path | None]:
    """Return an engine and its manifest, None of an engine with an adapter; raises BuildsError."""
    try:
        if text.endswith(".toml"):
            file = Path(text)
            return EngineName(register(file).name), file.absolute()
        name = parse(text)
    except (NamingError, ManifestError) as error:
        raise BuildsError(str(error)) from error
    if name.version or name.config:
        raise BuildsError(f"{text}: a build has no other version or switches; write {name.name}")
    entry = ENGINES[name.name]
    if entry.foreign is not None:
        return name, Path(entry.manifest)
    if not entry.packages or entry.artifact:
        what = f"is a jar of {entry.packages[0]}" if entry.packages else "is part of colconf"
        raise BuildsError(f"{text} {what}, and is not built alone; name another engine, or a manifest")
    return name, None
