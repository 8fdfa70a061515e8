"""`colconf engines`: list engines, and install and remove other versions of them."""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness.commands import control as control_set
from harness.commands.conformance import check
from harness.commands.new_engine import new
from harness.commands.parameters import problems
from harness.engines.naming import EngineName, parse
from harness.environments import abilities, store
from harness.environments import prune as pruning
from harness.environments.availability import Status, statuses
from harness.environments.install import install as install_one
from harness.environments.store import Environment
from harness.problem import Problem

_KEPT_DAYS = 90


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def engines(ctx: click.Context, *, as_json: bool) -> None:
    """List engines, their versions and switches (the default first), and whether they can run.

    `install` creates a separate environment for each version other than the one installed with colconf.
    """
    if ctx.invoked_subcommand is None:
        _show(as_json=as_json)
    elif as_json:
        raise click.UsageError(f"put --json after the command: colconf engines {ctx.invoked_subcommand}")


@engines.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(*, as_json: bool) -> None:
    """List engines and their installed versions."""
    _show(as_json=as_json)


@engines.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME@VERSION...")
@click.option(
    "--python",
    metavar="VERSION",
    help="Python version, such as 3.11, or path of an interpreter; default: the newest supported one.",
)
@click.option("--force", is_flag=True, help="Reinstall installed versions.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def install(*, names: tuple[str, ...], python: str | None, force: bool, as_json: bool) -> None:
    """Install versions of engines, each in a separate environment, and test each with trivial files.

    Exit status: 0 all versions are installed; 2 a version could not be installed.
    """
    installed = []
    for engine in _parsed(names):
        assert engine.version is not None
        with problems():
            done = install_one(engine.entry, engine.version, python=python, force=force, say=_say)
        answers = control_set.answers_of(str(engine))
        control = [each.to_json() for each in answers]
        installed.append({**_of(done.environment), "new": done.new, "control": control})
        if not as_json:
            _say(_sentence(done.environment, new=done.new))
            _say(f"{engine}: {control_set.sentence(answers)}")
    if as_json:
        click.echo(json.dumps(installed, indent=2))


engines.add_command(control_set.control)
engines.add_command(check)
engines.add_command(new)


@engines.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME@VERSION...")
def remove(*, names: tuple[str, ...]) -> None:
    """Remove versions of engines that `install` installed."""
    chosen = []
    for engine in _parsed(names):
        with problems():
            environment = store.find(engine.entry, str(engine.version))
        if environment is None:
            there = ", ".join(other.key for other in store.environments()) or "none"
            raise Problem(f"{engine} is not installed; installed: {there}")
        chosen.append(environment)
    _removed(chosen)


@engines.command()
@click.option(
    "--days",
    type=click.IntRange(0),
    default=_KEPT_DAYS,
    show_default=True,
    metavar="N",
    help="Remove versions that were not used for N days.",
)
@click.option("--dry-run", is_flag=True, help="Print what would be removed, and remove nothing.")
def prune(*, days: int, dry_run: bool) -> None:
    """Remove versions that are broken or long unused, and leftovers of interrupted installations."""
    chosen = pruning.useless(store.environments(), dt.timedelta(days=days))
    for environment, why in chosen:
        click.echo(f"{environment.key}: {why}")
    if not dry_run:
        with problems():
            left = pruning.leftovers()
        _removed([environment for environment, _ in chosen], left)


def _removed(chosen: Sequence[Environment], freed: int = 0) -> None:
    shared = 0
    for environment in chosen:
        whole = store.size(environment.folder)
        with problems():
            alone = store.remove(environment)
        freed, shared = freed + alone, shared + whole - alone
        click.echo(f"removed {environment.key}")
    rest = f"; {_size(shared)} remain in uv's cache, see `uv cache prune`" if shared else ""
    click.echo(f"{_size(freed)} freed{rest}")


def _parsed(names: Sequence[str]) -> list[EngineName]:
    """Return engines with a version and without switches; raises Problem."""
    parsed = []
    for text in names:
        with problems():
            engine = parse(text)
        if not engine.version:
            raise Problem(f"{text}: a version is required: {engine.name}@VERSION, such as {_example(engine)}")
        if engine.config:
            raise Problem(f"{text}: switches are not allowed here; write {engine.name}@{engine.version}")
        parsed.append(engine)
    return parsed


def _example(engine: EngineName) -> str:
    here = next((status.version for status in statuses() if status.entry.name == engine.name), "")
    return f"{engine.name}@{here or '1.2.3'}"


def _say(line: str) -> None:
    click.echo(line, err=True)
    sys.stderr.flush()


def _sentence(environment: Environment, *, new: bool) -> str:
    where = f"Python {environment.python}, {_size(environment.size)}"
    if new:
        return (
            f"{environment.key}: installed in {environment.seconds:.0f} s ({where}) in {environment.folder}"
        )
    return f"{environment.key}: already installed ({where})"


def _show(*, as_json: bool) -> None:
    own, others = statuses(), store.environments()
    if as_json:
        click.echo(json.dumps([status_to_json(status, others) for status in own], indent=2))
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("engine", "version", "switches", "writes", "status"):
        table.add_column(name, overflow="fold")
    for status in own:
        switches = ", ".join(f"{name}={'|'.join(values)}" for name, values in status.entry.switches.items())
        state = "ready" if status.available else f"{status.reason}: {status.mend}"
        writes = "yes" if status.writes else "·"
        table.add_row(status.entry.name, status.version or "·", switches or "·", writes, Text(state))
        for other in _others(status, others):
            state = other.broken or f"Python {other.python}, {_size(other.size)}, used {other.used:%Y-%m-%d}"
            table.add_row(f"{status.entry.name}@{other.version}", other.version, "", "", Text(state))
    Console(highlight=False).print(table)


def _others(status: Status, others: Sequence[Environment]) -> list[Environment]:
    if not status.entry.packages:
        return []
    name = store.home(status.entry).name
    return [other for other in others if other.name == name]


def status_to_json(status: Status, others: Sequence[Environment]) -> dict[str, object]:
    """Return the JSON form of an engine's status; `others` are all environments of other versions."""
    able = abilities.of(status)
    return {
        "engine": status.entry.name,
        "version": status.version or None,
        "available": status.available,
        "reason": status.reason,
        "mend": status.mend,
        "formats": list(status.entry.formats),
        "lineage": {name: status.entry.lineage_of(name) for name in status.entry.formats},
        "abilities": asdict(able) if able else None,
        "manifest": status.entry.manifest if status.entry.foreign else None,
        "switches": {name: list(values) for name, values in status.entry.switches.items()},
        "writes": status.writes,
        "installed": [_of(other) for other in _others(status, others)],
    }


def _of(environment: Environment) -> dict[str, Any]:
    return {
        "name": environment.name,
        "version": environment.version,
        "python": environment.python,
        "packages": environment.packages,
        "runtime": environment.runtime,
        "created": environment.created,
        "used": f"{environment.used:%Y-%m-%dT%H:%M:%SZ}",
        "size": environment.size,
        "seconds": environment.seconds,
        "folder": str(environment.folder),
        "broken": environment.broken,
    }


def _size(number: int) -> str:
    return f"{number / (1 << 20):,.0f} MiB"
