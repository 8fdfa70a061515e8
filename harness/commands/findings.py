"""`colconf findings`: write findings as folders for people who do not have colconf."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click

from harness.children.connection import Limits
from harness.children.scratch import scratch_folder
from harness.children.variables import without_python
from harness.commands import upstream
from harness.commands.blame import blame_command
from harness.commands.parameters import problems
from harness.engines.naming import EngineName, parse
from harness.environments.availability import status_of
from harness.investigate.findings import broken_files, collect, folders, heading
from harness.investigate.findings.collect import Evidence
from harness.investigate.findings.rejudge import CannotAsk
from harness.listings.text import show_line
from harness.problem import Problem

_SECONDS = 120.0
SHOWS = b"the bug shows"
_OUTCOMES = {0: "does not show", 1: "shows"}


@click.group()
def findings() -> None:
    """Export findings for people who do not have colconf, file them as issues, and track these issues."""


findings.add_command(upstream.status)
findings.add_command(upstream.file_issues)
findings.add_command(blame_command)


@findings.command("export")
@click.argument("finding", metavar="RUN|RUN:SIGNATURE|MINIMIZED|ID")
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Output folder.")
@click.option(
    "--engine",
    metavar="NAME@VERSION",
    help="For an ID: use this version of its engine. Or FILE.toml, the manifest of the engine.",
)
@click.option("--check", is_flag=True, help="Run each script, with the engine's Python.")
def export_findings(*, finding: str, out: Path, engine: str | None, check: bool) -> None:
    """Write a folder for each finding of a run, a single finding of it, or a known finding (FINDINGS.md).

    RUN may also be a folder of `colconf fuzz --engine`; MINIMIZED is a folder of `colconf minimize`.

    A folder holds the file, its case, the result of each engine, `repro.py`, which shows the finding with the
    engine alone, and the text of an issue for the engine's developers.

    Exit status: 0 all written; 1 with --check, a script does not show its finding; 2 nothing written.
    """
    missed = written = 0
    with problems(out), scratch_folder() as scratch:
        named = parse(engine).name if engine else ""
        for evidence in _evidence(finding, engine, scratch):
            if isinstance(evidence, str):
                show_line(evidence, err=True)
                continue
            folder, why = folders.write(evidence, out, named)
            written += 1
            note = f"no script: {why}" if why else ""
            if check and not why:
                status, times = repeated(folder, evidence)
                missed += status != 1
                note = _OUTCOMES.get(status, f"the script fails: exit status {status}")
                note += f" in {times} runs" if times > 1 else ""
            show_line(f"{folder}{f'  {note}' if note else ''}")
    if not written:
        raise Problem("no folder was written")
    click.get_current_context().exit(1 if missed else 0)


def _evidence(text: str, engine: str | None, scratch: Path) -> Iterator[Evidence | str]:
    limits = Limits(seconds=_SECONDS)
    for evidence in _named(text, engine, scratch):
        if (
            isinstance(evidence, str)
            or evidence.broken_file
            or evidence.finding.verdict not in broken_files.VERDICTS
        ):
            yield evidence
            continue
        try:
            yield collect.written_again(evidence, limits, scratch)
        except (CannotAsk, collect.NotThere) as error:
            show_line(error, err=True)
            yield evidence


def _named(text: str, engine: str | None, scratch: Path) -> Iterator[Evidence | str]:
    folder, _, signature = text.partition(":")
    version = parse(engine).version if engine else None
    if collect.is_minimized(Path(text)):
        yield collect.of_minimized(Path(text), Limits(seconds=_SECONDS))
    elif Path(text).is_dir():
        yield from collect.of_run(Path(text))
    elif Path(folder).is_dir():
        yield from collect.of_run(Path(folder), signature.strip())
    elif collect.is_written(text):
        yield collect.of_written(text, version, Limits(seconds=_SECONDS), scratch)
    else:
        yield collect.of_known(text, version, Limits(seconds=_SECONDS))


def repeated(folder: Path, evidence: Evidence) -> tuple[int, int]:
    """Run the script until it shows the finding; return the exit status, and how many times it ran.

    A finding that showed in a share of the reads is given as many runs as miss it in less than 1 %.
    """
    tries = evidence.finding.share.tries
    statuses = (checked(folder, evidence) for _ in range(tries))
    for times, status in enumerate(statuses, 1):
        if status != 0 or times == tries:
            return status, times
    raise AssertionError(tries)


def checked(folder: Path, evidence: Evidence) -> int:
    """Run the script of a folder with its engine's Python, without colconf, and return the exit status.

    Python also exits with 1 if it cannot run the script: without the line `SHOWS` in the output, and after a
    timeout, the status is -1.
    """
    launch = status_of(EngineName(evidence.finding.engine, evidence.finding.version)).launch
    variables = {**without_python(dict(os.environ)), **dict(launch.variables)}
    command = [launch.command[0], "-I", str(folder / heading.NAME)]
    try:
        done = subprocess.run(command, env=variables, capture_output=True, timeout=6 * _SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return -1
    return -1 if done.returncode == 1 and SHOWS not in done.stdout.splitlines() else done.returncode
