"""`colconf findings blame`: find the commit of an engine that began, or ceased, to show a finding."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from corpora.given_cases import load_given
from harness.children.connection import Limits
from harness.children.scratch import scratch_folder
from harness.commands.inputs import DEFAULT_OUT
from harness.commands.night import Duration
from harness.commands.parameters import ALLOW_OUTSIDE, problems, time_limit_option
from harness.engines.registry import ENGINES
from harness.investigate.bisect import Bisection, State
from harness.investigate.blame import FILE, Builder, Memory, blame, first_finding
from harness.investigate.builds import Built, engine_of, environment_for
from harness.investigate.checkout import Checkout, Commit, commits
from harness.investigate.suspects import Suspect, named, of_case
from harness.listings.text import say, show_line
from harness.problem import Problem


@click.command("blame")
@click.argument("finding")
@click.option(
    "--engine", "engine", required=True, metavar="NAME|FILE.toml", help="Engine, or the manifest of a reader."
)
@click.option(
    "--repo",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Git repository of the engine.",
)
@click.option(
    "--build", "command", required=True, metavar="CMD", help="Shell command that builds a checkout."
)
@click.option(
    "--between",
    "ends",
    required=True,
    nargs=2,
    metavar="OLD NEW",
    help="Oldest and newest commit, branch or tag.",
)
@click.option("--all", "every", is_flag=True, help="Test every commit instead of bisecting.")
@click.option(
    "--build-limit", type=Duration(), default="1h", show_default=True, metavar="DURATION",
    help="Time limit of a build.",
)  # fmt: skip
@time_limit_option(120.0, "Time limit for starting an engine, and for reading the file.")
@click.option("--python", metavar="VERSION|PATH", help="Python of the environment that builds install into.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR",
    help="Folder of the clone, and of the states of commits; default: below colconf-out.",
)  # fmt: skip
@click.option("--allow-outside", is_flag=True, help=ALLOW_OUTSIDE)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def blame_command(
    *,
    finding: str,
    engine: str,
    repo: Path,
    command: str,
    ends: tuple[str, str],
    every: bool,
    build_limit: float,
    time_limit: float,
    python: str | None,
    out: Path | None,
    allow_outside: bool,
    as_json: bool,
) -> None:
    """Find the first commit that shows a finding, or the first that no longer does.

    FINDING is what `colconf bisect` takes. Commits are checked out in a clone, never in DIR, and
    built there by CMD; a commit that does not build is skipped. The manifest of a reader is used as if it
    were in the clone. For an engine with an adapter in colconf, CMD installs the engine into the Python
    $COLCONF_PYTHON, such as --build 'uv pip install .'. The same command continues a search.

    CMD and the code of every commit run with your rights: blame only repositories that you trust.

    Exit status: 0 found, or all commits behave alike; 2 error.
    """
    if not command.strip():
        raise Problem("--build is empty; give the command that builds a checkout")
    with problems(), scratch_folder() as scratch:
        name, manifest = engine_of(engine)
        if manifest and python:
            raise Problem(
                "--python requires an engine with an adapter in colconf: a manifest has its own command"
            )
        between = commits(repo, *ends)
        by_case = Path(finding).suffix == ".json"
        case = load_given(Path(finding), outside=allow_outside) if by_case else None
        suspect = named(finding, name.name, scratch) if case is None else None
        request = {
            "finding": case.sha256 if case else finding,
            "engine": name.name,
            "repository": str(repo.resolve()),
            "build": command,
        }
        folder = out or _default(request)
        folder.mkdir(parents=True, exist_ok=True)
        memory = Memory(folder / FILE, request)
        limits = Limits(start_seconds=max(Limits.start_seconds, time_limit), seconds=time_limit)
        checkout = Checkout(repo, folder / "checkout")
        built, variables = (
            (_of_manifest(name.name, manifest, repo, checkout.folder), {})
            if manifest
            else _with_adapter(name.name, folder / "environment", python)
        )
        builder = Builder(checkout, command, build_limit, built, variables, limits)
        say(f"{len(between)} commits from {between[0].short} to {between[-1].short}, in {folder}")
        if case is not None:
            given = case
            suspect = first_finding(between, builder, lambda: of_case(given, name.name, [""], limits), say)
            say(suspect.entry.signature)
        assert suspect is not None
        result = blame(between, builder, suspect, memory, say, every=every)
    summary = _summary(result, suspect, {commit.id: commit for commit in between}, memory)
    click.echo(json.dumps(summary, indent=2)) if as_json else _show(summary)
    if not any(state is not State.SKIPPED for state in result.states.values()):
        raise Problem("no commit could be tested")


def _default(request: dict[str, str]) -> Path:
    digest = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
    return Path(DEFAULT_OUT, f"blame-{request['engine']}-{digest[:12]}")


def _with_adapter(name: str, folder: Path, python: str | None) -> tuple[Built, Mapping[str, str]]:
    """Return an engine that builds install into an environment, and the variables of a build."""
    environment = environment_for(ENGINES[name], folder, python)
    return Built(ENGINES[name], python=environment.python), environment.variables


def _of_manifest(name: str, manifest: Path, repo: Path, checkout: Path) -> Built:
    """Return an engine of a manifest that is taken at its place in `repo`, but of the checkout."""
    file, root = manifest.resolve(), repo.resolve()
    place = file.relative_to(root) if file.is_relative_to(root) else Path(file.name)
    return Built(ENGINES[name], manifest=manifest, place=checkout / place)


def _summary(result: Bisection, suspect: Suspect, by_id: dict[str, Commit], memory: Memory) -> dict[str, Any]:
    def commit(commit_id: str | None) -> dict[str, str] | None:
        return {"commit": commit_id, "title": by_id[commit_id].title} if commit_id else None

    return {
        "engine": suspect.entry.engine,
        "case": suspect.case.id,
        "verdict": suspect.entry.verdict,
        "first_bad": commit(result.first_bad),
        "first_good": commit(result.first_good),
        "asked": [
            {"commit": commit_id, "state": state.value, "said": memory.states[commit_id][1]}
            for commit_id, state in result.states.items()
        ],
        "skipped_between": _skipped(result, by_id, memory),
    }


def _skipped(result: Bisection, by_id: dict[str, Commit], memory: Memory) -> list[str]:
    """Return the commits without a state between the last change and the commit before it.

    The change may be in one of them instead.
    """
    if not result.changes:
        return []
    order = list(by_id)
    end = order.index(result.changes[-1][0])
    skipped = []
    for commit_id in reversed(order[:end]):
        state, _ = memory.states.get(commit_id, (None, ""))
        if state is not State.SKIPPED:
            break
        skipped.append(commit_id)
    return skipped[::-1]


def _show(summary: dict[str, Any]) -> None:
    for key, text in (("first_bad", "first bad commit"), ("first_good", "first good commit")):
        if summary[key]:
            show_line(f"{text}: {summary[key]['commit']} {summary[key]['title']}")
    if summary["skipped_between"]:
        show_line(f"or one that could not be tested: {', '.join(summary['skipped_between'])}")
    if not summary["first_bad"] and not summary["first_good"]:
        states = sorted({entry["state"] for entry in summary["asked"]})
        show_line(f"no change between the ends: {', '.join(states)}")
