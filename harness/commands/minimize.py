"""`colconf minimize`: find the smallest file with which an engine shows the same finding."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import click

from corpora.cases import Case
from corpora.files import check_regular
from corpora.given_cases import load_given
from corpora.importers import import_paths
from harness.children.connection import Limits
from harness.children.scratch import scratch_folder
from harness.commands import keyed
from harness.commands.night import budget_option
from harness.commands.parameters import ALLOW_OUTSIDE, Seconds, problems
from harness.engines.naming import EngineName, parse
from harness.engines.scripts.request import switches
from harness.investigate.findings.rejudge import queried
from harness.investigate.minimize.minimizer import Minimized, MinimizeRequest
from harness.investigate.minimize.minimizer import minimize as minimized
from harness.investigate.suspects import Suspect, named
from harness.judging.ballots import REFERENCE
from harness.judging.odds import Share
from harness.judging.places import Process
from harness.judging.pushdown import OFF, PUSHDOWN
from harness.listings.text import say, show_line
from harness.problem import Problem
from harness.runs.pipeline.selection import select

_SECONDS = 60.0


@click.command()
@click.argument("finding")
@click.option(
    "--engine", required=True, metavar="NAME[@VERSION][:SWITCHES]", help="Engine that shows the finding."
)
@click.option("--config", metavar="SWITCHES", help="Further switches of the engine, such as pushdown=late.")
@budget_option("--time-budget", "seconds", default="5m", text="Time limit of the search.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Output folder; default: minimized/<engine>-<finding>.",
)
@click.option(
    "--time-limit",
    type=Seconds(0.1),
    default=_SECONDS,
    show_default=True,
    help="Time limit per file, in seconds.",
)
@click.option(
    "--memory-limit",
    type=click.IntRange(64),
    default=4096,
    show_default=True,
    help="Memory limit per engine, in MiB.",
)
@click.option("--keys", metavar="FILE", help=keyed.HELP)
@click.option("--allow-outside", is_flag=True, help=ALLOW_OUTSIDE)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def minimize(
    *,
    finding: str,
    engine: str,
    config: str | None,
    seconds: float,
    out: Path | None,
    time_limit: float,
    memory_limit: int,
    keys: str | None,
    allow_outside: bool,
    as_json: bool,
) -> None:
    """Find the smallest file that shows the same finding.

    FINDING is the id of a confirmed finding (FINDINGS.md), RUN:SIGNATURE (the folder of a run and the
    beginning of a finding's signature), the JSON file of a case, or a Parquet or ORC file, whose first
    finding is minimized. The smaller file shows a finding of the same signature, and breaks no further rule.
    In a folder that is read as a table, files, rows, and fields of the files and of the read are removed.

    The output folder holds the original file, the minimal file, and the case of the minimal file, which
    names the file of `--keys`, not its keys. The same command continues an interrupted search.

    Exit status: 0 minimized as far as the time allowed; 2 the engine does not show the finding, or an error.
    """
    limits = Limits(seconds=time_limit, memory_bytes=memory_limit << 20)
    with problems(), scratch_folder() as scratch:
        parsed = parse(f"{engine}{',' if ':' in engine else ':'}{config}" if config else engine)
        case, suspect = _subject(finding, parsed, scratch, outside=allow_outside)
        case = keyed.case_with(keys, case)
        case = case if suspect else queried(case, limits)
        folder = out or Path("minimized") / _slug(f"{parsed.name}-{finding}")
        pair = processes(parsed, case, suspect)
        entry, share = (suspect.entry, suspect.share) if suspect else (None, Share())
        result = minimized(MinimizeRequest(case, pair, entry, folder, limits, seconds, share), say)
    if as_json:
        click.echo(json.dumps(result.to_json(), indent=2))
    else:
        _show(result)


def _subject(text: str, engine: EngineName, scratch: Path, *, outside: bool) -> tuple[Case, Suspect | None]:
    """Return the case of a subject, and the finding to look for (None: any)."""
    path = Path(text)
    if path.exists():
        check_regular(path)
    if path.is_file():
        if path.suffix == ".json":
            return load_given(path, outside=outside), None
        imported = import_paths([path])
        if imported.skipped:
            raise Problem(f"{text}: {imported.skipped[0].reason}")
        return imported.cases[0], None
    if path.is_dir():
        raise Problem(f"{text}: a folder; name RUN:SIGNATURE of a run, or the JSON file of a table case")
    suspect = named(text, engine.name, scratch)
    return suspect.case, suspect


def processes(engine: EngineName, case: Case, suspect: Suspect | None) -> tuple[Process, Process]:
    """Return the process of the engine, with the configurations to try, and that of the reference."""
    if engine.name == REFERENCE:
        raise Problem("the reference has no findings to minimize; name another engine")
    names = _names(engine, case, suspect)
    chosen = select(names, [case.format], every_switch=False, probed=bool(case.probes))
    reference = next(process for process in chosen.processes if process.name == REFERENCE)
    return chosen.processes[0], reference


def _names(engine: EngineName, case: Case, suspect: Suspect | None) -> list[str]:
    """Return the engine with each of the configurations to try."""
    if suspect is not None and suspect.configs:
        configs = [{**switches(text), **engine.config} for text in suspect.configs]
        return list(dict.fromkeys(str(replace(engine, config=config)) for config in configs))
    given = dict(suspect.entry.config) if suspect else {}
    wanted = replace(engine, config={**given, **engine.config})
    # `pushdown` has no effect on reading a whole file; a query is tried with each of its values.
    if PUSHDOWN not in engine.config and case.probes:
        wanted.config.pop(PUSHDOWN, None)
    names = [str(wanted)]
    if (
        case.probes
        and OFF in engine.entry.switches.get(PUSHDOWN, ())
        and wanted.config.get(PUSHDOWN, OFF) != OFF
    ):
        # What differs without pushdown has its value in the signature.
        names.append(str(replace(wanted, config={**wanted.config, PUSHDOWN: OFF})))
    return names


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]+", "-", text).strip("-.")[-80:]


def _show(result: Minimized) -> None:
    progress = result.progress
    show_line(f"signature: {result.signature}")
    if result.probe is not None:
        show_line(f"query: {result.probe}")
    ended = "nothing smaller was found" if progress.finished else "the time budget ended"
    show_line(f"{result.original} -> {progress.size} bytes; {ended}")
    steps = ", ".join(f"{name} {count}" for name, count in progress.by.items()) or "none"
    show_line(
        f"steps: {progress.steps} ({steps}); candidates: {progress.tried}, judged: {progress.questions}"
    )
    if progress.needed:
        show_line(f"features that the finding needs: {', '.join(progress.needed)}")
    show_line(f"seconds: {progress.seconds:.1f}")
    show_line(f"file: {result.file}")
