"""`colconf doctor`: list what is installed and what is missing, and how to install it."""

from __future__ import annotations

import json
import os
import platform
import sys
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import click
import psutil

from harness.children import java
from harness.children.processes import cores
from harness.engines.registry import ENGINES
from harness.environments import abilities, store, uv
from harness.environments.availability import Status, statuses
from harness.environments.problem import EnvironmentProblem
from harness.judging.ballots import REFERENCE
from harness.judging.control import all_cached
from harness.judging.control_answers import described

LITTLE_MEMORY = 4 << 30
NOT_ENOUGH = 2
OWN = "colconf"
PACKAGES = ("reference_impl", "corpora", "properties", "harness", "reports")
_DATA = {  # variable, repository, its folder to set the variable to, and a folder that must exist below
    "PARQUET_TEST_DATA": ("apache/parquet-testing", "the clone", "data"),
    "ORC_TEST_DATA": ("apache/orc", "its folder examples", "expected"),
}


class Check(NamedTuple):
    """A check, passed if `mend` is empty; if a `needed` check fails, `colconf run` cannot run."""

    name: str
    text: str
    mend: str = ""
    needed: bool = False


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(ctx: click.Context, /, *, as_json: bool) -> None:
    """List what is installed and what is missing, and how to install it.

    Exit status: 0 if `colconf run` can run; 2 otherwise.
    """
    checks = [
        Check("Python", f"{platform.python_version()}, {sys.executable}"),
        _packages(),
        _java(),
        *_engines(),
        *_not_asked(),
        _uv(),
        _memory(),
        Check("cores", str(cores())),
        *map(_test_data, _DATA),
    ]
    can_run = not any(check.mend and check.needed for check in checks)
    if as_json:
        content = [_to_json(check) for check in checks]
        click.echo(json.dumps({"can_run": can_run, "checks": content}, indent=2))
    else:
        width = max(len(check.name) for check in checks)
        for check in checks:
            click.echo(f"{'ok     ' if not check.mend else 'missing'}  {check.name:<{width}}  {check.text}")
            if check.mend:
                click.echo(f"{'':7}  {'':<{width}}  → {check.mend}")
        click.echo("colconf run can run" if can_run else "colconf run cannot run")
    ctx.exit(0 if can_run else NOT_ENOUGH)


def _to_json(check: Check) -> dict[str, object]:
    name, text, mend, needed = check
    return {"name": name, "told": text, "mend": mend, "needed": needed, "ok": not mend}


def _packages() -> Check:
    """Check that no other distribution owns a package of colconf's name, and no folder hides one."""
    here = Path(__file__).resolve().parents[2]
    owners = packages_distributions()
    problems = [
        f"{package} is also in {owner}"
        for package in PACKAGES
        for owner in owners.get(package, ())
        if owner != OWN
    ]
    for package in PACKAGES:
        spec = find_spec(package)
        places = [Path(place).resolve() for place in (spec and spec.submodule_search_locations) or ()]
        problems += [f"{package} is {place}" for place in places if place.parent != here]
    if problems:
        mend = (
            "install colconf in an environment of its own: uv tool install colconf, or pipx install colconf"
        )
        return Check("packages", "; ".join(dict.fromkeys(problems)), mend)
    return Check("packages", f"{', '.join(PACKAGES)} are colconf's")


def _java() -> Check:
    installed = java.find()
    if installed.problem:
        return Check("Java", installed.problem, f"{java.MEND} (required by Spark only)")
    return Check("Java", f"{installed.version}, {installed.path}")


def _engines() -> list[Check]:
    """Look at every engine; with the reference and any other, there is something to compare."""
    everything = statuses()
    checks = [
        Check(status.entry.name, _about(status) if status.available else status.reason, status.mend)
        for status in everything
    ]
    others = [
        status.entry.name for status in everything if status.available and status.entry.name != REFERENCE
    ]
    if not others:
        known = ", ".join(name for name in ENGINES if name != REFERENCE)
        mend = "pip install 'colconf[all]'"
        checks.append(Check("engines", f"none of {known} can be run", mend, needed=True))
    return checks


def _about(status: Status) -> str:
    """Return an engine's version, its formats and their libraries, and the tests that it supports."""
    return f"{status.version}: {abilities.lineages(status.entry)}; asked: {abilities.of(status)}"


def _not_asked() -> list[Check]:
    """List what each engine's version cannot be asked, as far as the control set was asked."""
    listed = []
    for answers in all_cached():
        questions = list(dict.fromkeys(map(described, answers.barred())))
        if questions:
            text = f"{answers.format}, not asked: {'; '.join(questions)}"
            version = f"{answers.engine}@{answers.version}"
            mend = f"colconf's adapter does not fit this version: see `colconf engines control {version}`"
            listed.append(Check(answers.key, text, mend))
    return listed


def _uv() -> Check:
    """Check uv, and count the other versions of engines that it installed."""
    try:
        program = uv.find()
    except EnvironmentProblem as error:
        return Check(
            "uv", "not found: other versions of engines cannot be installed", str(error).rpartition("; ")[2]
        )
    return Check("uv", f"{program}, {len(store.environments())} other versions of engines installed")


def _memory() -> Check:
    available = psutil.virtual_memory().available
    text = f"{available / (1 << 30):.1f} GiB available"
    if available < LITTLE_MEMORY:
        return Check("memory", text, "lower the limit: colconf run --memory-limit 1G")
    return Check("memory", text)


def _test_data(variable: str) -> Check:
    repository, place, folder = _DATA[variable]
    path = os.environ.get(variable)
    mend = f"git clone https://github.com/{repository}, and set {variable} to {place}"
    if not path:
        return Check(variable, "not set: required by tests and runs over published files only", mend)
    if not (Path(path) / folder).is_dir():
        return Check(variable, f"{path} is not a clone of {repository}", mend)
    return Check(variable, path)
