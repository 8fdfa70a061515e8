"""Removal of environments that do not work, or were not used for a long time."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Sequence

from corpora import own_cases
from harness.children.launch import apart
from harness.engines.registry import ENGINES
from harness.environments import store
from harness.environments.carried import carried
from harness.environments.install import java_variables, proof
from harness.environments.problem import EnvironmentProblem
from harness.environments.store import Environment


def useless(environments: Sequence[Environment], unused: dt.timedelta) -> list[tuple[Environment, str]]:
    """Return environments to remove, with the reason; each engine is started as a check."""
    now = dt.datetime.now(tz=dt.UTC)
    removable = []
    for environment in environments:
        why = environment.broken
        if not why and now - environment.used > unused:
            why = f"not used since {environment.used:%Y-%m-%d}"
        why = why or not_working(environment)
        if why:
            removable.append((environment, why))
    return removable


def not_working(environment: Environment) -> str:
    """Return why the engine does not start, "" if it does or if only its Java is missing."""
    entry = ENGINES.get(environment.name)
    if entry is None:
        return "colconf knows no such engine"
    try:
        variables = java_variables(entry, environment.version)
    except EnvironmentProblem:
        return ""
    result = proof(apart(entry, environment.interpreter, carried(store.cache()), variables))
    return f"it does not work: {result}" if isinstance(result, str) else ""


def leftovers() -> int:
    """Remove files of killed installs, workers and cases of other versions of colconf; return bytes freed."""
    freed = store.sweep()
    remaining = [carried(store.cache()), *([own_cases.place()] if own_cases.is_packed() else [])]
    for current in remaining:
        for folder in current.parent.iterdir() if current.parent.is_dir() else ():
            if folder != current:
                freed += store.size(folder, freed=True)
                shutil.rmtree(folder, ignore_errors=True)
    return freed
