"""Which environments are of no more use: those that do not work, and those that nobody used for long."""

from __future__ import annotations

import datetime as dt
import shutil
from typing import TYPE_CHECKING

from harness.children.launch import apart
from harness.engines.registry import ENGINES
from harness.environments import store
from harness.environments.carried import carried
from harness.environments.install import java_variables, proof
from harness.environments.problem import EnvironmentProblem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.environments.store import Environment


def useless(environments: Sequence[Environment], unused: dt.timedelta) -> list[tuple[Environment, str]]:
    """Return environments to remove, and why; each engine is started to see whether it works."""
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
    """Return in one line why the engine does not start, "" if it does, or if only its Java is missing."""
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
    """Remove what killed installs left, and workers of other versions of colconf; answer bytes freed."""
    freed = store.sweep()
    current = carried(store.cache())
    for folder in current.parent.iterdir():
        if folder != current:
            freed += store.size(folder, freed=True)
            shutil.rmtree(folder, ignore_errors=True)
    return freed
