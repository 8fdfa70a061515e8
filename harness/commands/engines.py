"""`colconf engines`: the engines colconf knows, which of them are here, and other versions of them."""

from __future__ import annotations

import datetime as dt
import json
import sys
from typing import TYPE_CHECKING, Any

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness.engines.naming import EngineName, NamingError, parse
from harness.environments import prune as pruning
from harness.environments import store
from harness.environments.availability import Status, statuses
from harness.environments.install import install as install_one
from harness.environments.problem import EnvironmentProblem
from harness.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.environments.store import Environment

_KEPT_DAYS = 90


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def engines(ctx: click.Context, *, as_json: bool) -> None:
    """List engines, their switches (the default first), and whether they can be run here.

    Other versions than the one beside colconf live in environments of their own, made by `install`.
    """
    if ctx.invoked_subcommand is None:
        _show(as_json=as_json)
    elif as_json:
        raise click.UsageError(f"--json belongs after the command: colconf engines {ctx.invoked_subcommand}")


@engines.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(*, as_json: bool) -> None:
    """List engines, and the versions that are installed in environments of their own."""
    _show(as_json=as_json)


@engines.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME@VERSION...")
@click.option("--python", metavar="VERSION", help="Python to install on, such as 3.11, or its path.")
@click.option("--force", is_flag=True, help="Install anew what is there.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def install(*, names: tuple[str, ...], python: str | None, force: bool, as_json: bool) -> None:
    """Install versions of engines, each in an environment of its own.

    Exit status 0 if all of them are there, 2 if one could not be had.
    """
    made = []
    for engine in _parsed(names):
        assert engine.version is not None
        try:
            done = install_one(engine.entry, engine.version, python=python, force=force, say=_say)
        except EnvironmentProblem as error:
            raise Problem(str(error)) from error
        made.append({**_of(done.environment), "new": done.new})
        if not as_json:
            _say(_sentence(done.environment, new=done.new))
    if as_json:
        click.echo(json.dumps(made, indent=2))


@engines.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME@VERSION...")
def remove(*, names: tuple[str, ...]) -> None:
    """Remove versions of engines that `install` installed."""
    chosen = []
    for engine in _parsed(names):
        try:
            found = store.find(engine.entry, str(engine.version))
        except EnvironmentProblem as error:
            raise Problem(str(error)) from error
        if found is None:
            there = ", ".join(one.key for one in store.environments()) or "none"
            raise Problem(f"{engine} is not installed; installed: {there}")
        chosen.append(found)
    _removed(chosen)


@engines.command()
@click.option(
    "--days",
    type=click.IntRange(0),
    default=_KEPT_DAYS,
    show_default=True,
    metavar="N",
    help="Also those that were not used for so many days.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be removed.")
def prune(*, days: int, dry_run: bool) -> None:
    """Remove versions that no longer work, that were not used for long, and what killed installs left."""
    chosen = pruning.useless(store.environments(), dt.timedelta(days=days))
    for one, why in chosen:
        click.echo(f"{one.key}: {why}")
    if not dry_run:
        left = pruning.leftovers()
        _removed([one for one, _ in chosen], left)


def _removed(chosen: Sequence[Environment], freed: int = 0) -> None:
    shared = 0
    for one in chosen:
        whole = store.size(one.folder)
        try:
            alone = store.remove(one)
        except EnvironmentProblem as error:
            raise Problem(str(error)) from error
        freed, shared = freed + alone, shared + whole - alone
        click.echo(f"removed {one.key}")
    rest = f"; {_size(shared)} more are in uv's cache too, see `uv cache prune`" if shared else ""
    click.echo(f"{_size(freed)} freed{rest}")


def _parsed(names: Sequence[str]) -> list[EngineName]:
    """Return names that have a version and no switches; raises Problem."""
    found = []
    for text in names:
        try:
            engine = parse(text)
        except NamingError as error:
            raise Problem(str(error)) from error
        if not engine.version:
            raise Problem(f"{text}: which version? write {engine.name}@VERSION, such as {_example(engine)}")
        if engine.config:
            raise Problem(f"{text}: an environment has no switches; write {engine.name}@{engine.version}")
        found.append(engine)
    return found


def _example(engine: EngineName) -> str:
    here = next((one.version for one in statuses() if one.entry.name == engine.name), "")
    return f"{engine.name}@{here or '1.2.3'}"


def _say(line: str) -> None:
    click.echo(line, err=True)
    sys.stderr.flush()


def _sentence(made: Environment, *, new: bool) -> str:
    where = f"Python {made.python}, {_size(made.size)}"
    if new:
        return f"{made.key}: installed in {made.seconds:.0f} s ({where}) in {made.folder}"
    return f"{made.key}: already installed ({where})"


def _show(*, as_json: bool) -> None:
    found, others = statuses(), store.environments()
    if as_json:
        click.echo(json.dumps([_told(one, others) for one in found], indent=2))
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("engine", "version", "switches", "writes", "status"):
        table.add_column(name, overflow="fold")
    for one in found:
        switches = ", ".join(f"{name}={'|'.join(values)}" for name, values in one.entry.switches.items())
        state = "ready" if one.available else f"{one.reason}: {one.mend}"
        writes = "yes" if one.entry.writes else "·"
        table.add_row(one.entry.name, one.version or "·", switches or "·", writes, Text(state))
        for other in _others(one, others):
            state = other.broken or f"Python {other.python}, {_size(other.size)}, used {other.used:%Y-%m-%d}"
            table.add_row(f"{one.entry.name}@{other.version}", other.version, "", "", Text(state))
    Console(highlight=False).print(table)


def _others(one: Status, others: Sequence[Environment]) -> list[Environment]:
    if not one.entry.packages:
        return []
    name = store.home(one.entry).name
    return [other for other in others if other.name == name]


def _told(one: Status, others: Sequence[Environment]) -> dict[str, object]:
    return {
        "engine": one.entry.name,
        "version": one.version or None,
        "available": one.available,
        "reason": one.reason,
        "mend": one.mend,
        "formats": list(one.entry.formats),
        "switches": {name: list(values) for name, values in one.entry.switches.items()},
        "writes": one.entry.writes,
        "installed": [_of(other) for other in _others(one, others)],
    }


def _of(one: Environment) -> dict[str, Any]:
    return {
        "name": one.name,
        "version": one.version,
        "python": one.python,
        "packages": one.packages,
        "runtime": one.runtime,
        "made": one.made,
        "used": f"{one.used:%Y-%m-%dT%H:%M:%SZ}",
        "size": one.size,
        "seconds": one.seconds,
        "folder": str(one.folder),
        "broken": one.broken,
    }


def _size(number: int) -> str:
    return f"{number / (1 << 20):,.0f} MiB"
