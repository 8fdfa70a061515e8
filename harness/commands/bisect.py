"""`colconf bisect`: find the first release of an engine that shows a finding, or no longer shows it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from corpora.given_cases import load_given
from corpora.known_text import with_versions
from harness.children.connection import Limits
from harness.children.scratch import scratch_folder
from harness.commands.parameters import ALLOW_OUTSIDE, problems, time_limit_option
from harness.engines.naming import EngineName
from harness.engines.registry import ENGINES
from harness.environments.availability import status_of
from harness.environments.install import install
from harness.environments.problem import EnvironmentProblem
from harness.environments.releases import between, every_version, installed_of
from harness.environments.store import same
from harness.investigate.bisect import Bisection, State, search
from harness.investigate.suspects import Suspect, ask, named, of_case
from harness.listings.text import case_name, say, show_line
from harness.problem import Problem

_NAMED = 3  # tested releases that are listed


@click.command()
@click.argument("finding")
@click.option("--engine", required=True, type=click.Choice(list(ENGINES)), help="Engine to bisect.")
@click.option(
    "--between", "ends", required=True, nargs=2, metavar="OLD NEW", help="Oldest and newest release."
)
@click.option("--installed", is_flag=True, help="Test installed releases only.")
@click.option("--all", "every", is_flag=True, help="Test every release instead of bisecting.")
@time_limit_option(120.0, "Time limit for starting an engine, and for reading the file.")
@click.option("--write", is_flag=True, help="Write the affected versions into the entry in corpora/known.")
@click.option("--allow-outside", is_flag=True, help=ALLOW_OUTSIDE)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bisect(
    *,
    finding: str,
    engine: str,
    ends: tuple[str, str],
    installed: bool,
    every: bool,
    time_limit: float,
    write: bool,
    allow_outside: bool,
    as_json: bool,
) -> None:
    """Find the first release that shows a finding, or the first that no longer does.

    FINDING is the id of a confirmed finding (FINDINGS.md), RUN:SIGNATURE (the folder of a run and the
    beginning of a finding's signature), a folder of `colconf minimize`, or the JSON file of a case, for its
    first finding with the newest release, or else with the oldest. Releases are installed in
    separate environments as needed; installed releases are tested first. With --installed, other releases are
    skipped, so an older release may fail, too.

    Exit status: 0 found, or all releases behave alike; 2 error.
    """
    entry = ENGINES[engine]
    limits = Limits(start_seconds=max(Limits.start_seconds, time_limit), seconds=time_limit)
    if not entry.packages:
        raise Problem(f"{engine} is part of colconf and has no other versions")
    messages: dict[str, str] = {}
    with problems(), scratch_folder() as scratch:
        by_case = Path(finding).suffix == ".json"
        suspect = None if by_case else named(finding, engine, scratch)
        here = installed_of(entry)
        versions = between(here if installed else every_version(entry), *ends)
        if suspect is None:
            suspect = _of_case(finding, engine, (versions[-1], versions[0]), limits, outside=allow_outside)
        cheap = [release for release in versions if any(same(release, other) for other in here)]
        name = case_name(suspect.case)
        say(f"{name}: {len(versions)} releases from {versions[0]} to {versions[-1]}")

        def state(version: str) -> State:
            result, messages[version] = _state(suspect, engine, version, limits)
            say(f"{engine}@{version}: {result} ({messages[version]})")
            return result

        search_result = search(versions, state, every=every, cheap=cheap)
    summary = _summary(search_result, suspect, engine, messages)
    if as_json:
        click.echo(json.dumps(summary, indent=2))
    else:
        _show(summary)
    if not any(release is not State.SKIPPED for release in search_result.states.values()):
        raise Problem("no release could be tested")
    if write:
        _write(search_result, suspect)


def _of_case(path: str, engine: str, versions: Sequence[str], limits: Limits, *, outside: bool) -> Suspect:
    """Return the finding of the JSON file of a case, by the first release that shows one."""
    case = load_given(Path(path), outside=outside)
    for version in versions:
        _install(engine, version)
    suspect = of_case(case, engine, versions, limits)
    say(f"{suspect.entry.signature}")
    return suspect


def _install(engine: str, version: str) -> str:
    """Install a release that is not installed; return why that failed, "" if it did not."""
    if not status_of(EngineName(engine, version)).available:
        try:
            install(ENGINES[engine], version, say=say)
        except EnvironmentProblem as error:
            return str(error)
    return ""


def _state(suspect: Suspect, engine: str, version: str, limits: Limits) -> tuple[State, str]:
    why = _install(engine, version)
    return (State.SKIPPED, why) if why else ask(suspect, engine, version, limits)


def _summary(
    search_result: Bisection, suspect: Suspect, engine: str, messages: dict[str, str]
) -> dict[str, Any]:
    try:
        versions = search_result.versions or _every(search_result.states)
    except ValueError as error:
        versions = str(error)
    return {
        "engine": engine,
        "case": suspect.case.id,
        "verdict": suspect.entry.verdict,
        "first_bad": search_result.first_bad,
        "first_good": search_result.first_good,
        "versions": versions,
        "asked": [
            {"version": version, "state": state.value, "said": messages[version]}
            for version, state in search_result.states.items()
        ],
    }


def _every(states: Mapping[str, State]) -> str:
    """Return the words for releases that all fail, from old to new: the ends may be all that was tested."""
    tested = [version for version, state in states.items() if state is State.BAD]
    if len(tested) <= _NAMED:
        return f"all tested releases ({', '.join(tested)})"
    return f"all {len(tested)} tested releases, {tested[0]} to {tested[-1]}"


def _show(summary: dict[str, Any]) -> None:
    bad, good = summary["first_bad"], summary["first_good"]
    if bad:
        show_line(f"first bad release: {bad}")
    if good:
        show_line(f"first good release: {good}")
    if not bad and not good:
        states = sorted({entry["state"] for entry in summary["asked"]})
        show_line(f"no change between the ends: {', '.join(states)}")
    show_line(f"fails in: {summary['versions']}")


def _write(search_result: Bisection, suspect: Suspect) -> None:
    """Write the range into the known failure; raises Problem if there is no such entry."""
    if not suspect.entry.finding:
        raise Problem("--write requires a finding of corpora/known, not of a run")
    with problems("", ValueError):
        file = with_versions(suspect.entry, search_result.versions)
    show_line(f"{file}: versions = {json.dumps(search_result.versions)}")
