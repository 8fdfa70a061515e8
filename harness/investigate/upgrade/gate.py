"""The upgrade gate from beginning to end: runs of the pipeline over several inputs, then one account of them.

Each input is an ordinary run in a folder of its own (`runs/<input>`), of both versions and of the reference,
with the stage that compares them. What differs is gathered into groups, held against causes and a baseline,
and written as `upgrade.json` and `differences.ndjson`: reports are made from these.
"""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from corpora.files import whole_file
from corpora.importers import Imported
from harness.children.connection import StartError
from harness.files import Counting, digest_of
from harness.investigate.upgrade import baseline, large, scripts, speed
from harness.investigate.upgrade.account import FILE, SCHEMA_VERSION
from harness.investigate.upgrade.causes import causes_of
from harness.investigate.upgrade.choices import names
from harness.investigate.upgrade.groups import gather
from harness.judging.results import ResultsError, load_run, verified_lines
from harness.runs.pipeline.context import Comparison
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.request import Request
from harness.runs.pipeline.run import run as run_pipeline
from harness.runs.pipeline.selection import SelectionError, select
from harness.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from corpora.cases import Case
    from harness.children.connection import Limits
    from harness.engines.naming import EngineName
    from harness.investigate.upgrade.baseline import Reviewed
    from harness.investigate.upgrade.groups import Group
    from harness.judging.places import Process
    from harness.runs.pipeline.context import Generate
    from harness.runs.pipeline.run import Progress

DIFFERENCES, RUNS, CASES = "differences.ndjson", "runs", "cases"
PAIRS = "pairs.ndjson"  # of the run of one input
_PAIR = "harness.investigate.upgrade.pairing:pair"
_WRITTEN = "harness.investigate.upgrade.written:lines"
SHOWN_FILES = 200  # groups whose smallest file is kept beside the report


@dataclass(frozen=True)
class Input:
    """What both versions read: `cases`, or files that are generated, or (neither) those that they write.

    `every`: under all switches that the gate knows, otherwise under those that any run tries. `own`: they are
    the user's. `large`: they are compared by digests, under the first configuration alone.
    """

    name: str
    format: str
    cases: tuple[Case, ...] = ()
    generate: Generate | None = None
    writes: bool = False
    every: bool = False
    own: bool = False
    large: bool = False


@dataclass(frozen=True)
class Asked:
    """What the gate is asked; `reviewed` is the baseline, in `layouts` layouts each table is written.

    `repeat`: so often each file of the user's is read by both, to compare their speed; 0 for not at all.
    """

    old: EngineName
    new: EngineName
    inputs: tuple[Input, ...]
    out: Path
    limits: Limits
    layouts: int
    arguments: tuple[str, ...]
    reviewed: tuple[Reviewed, ...] = ()
    master: str | None = None
    repeat: int = 0


@dataclass(frozen=True)
class Outcome:
    """What came of it: the account that `upgrade.json` holds, and the groups that nobody has reviewed."""

    account: dict[str, Any]
    unreviewed: list[Group]


def upgrade(asked: Asked, progress: Progress) -> Outcome:
    """Do it; raises SelectionError, PipelineError and OSError."""
    asked.out.mkdir(parents=True, exist_ok=True)
    started = _now()
    lines: list[tuple[str, dict[str, Any]]] = []
    told: list[dict[str, Any]] = []
    engines: list[dict[str, str]] = []
    for one in asked.inputs:
        pair = processes(asked, one)
        keys = tuple(process.key for process in pair if process.reported)
        progress.note(f"{one.name}: {keys[0]} and {keys[1]}")
        out = asked.out / RUNS / one.name
        if one.large:
            found, counts, engines = _large(asked, one, pair, out, progress)
        else:
            _run(asked, one, pair, keys, progress)
            found, counts = _pairs(out)
            engines = _engines(out, keys) or engines
        if asked.repeat and one.own:
            found += speed.lines(pair, one.cases, asked.repeat, asked.limits, progress)
        lines += [(one.name, line) for line in found]
        configs = 1 if one.large else len(pair[0].configs)
        told.append({"input": one.name, "format": one.format, "configs": configs, **counts})
    groups = gather(lines)
    today = dt.datetime.now(tz=dt.UTC).date()
    signed, useless = baseline.sign_off(groups, asked.reviewed, today)
    unreviewed = [group for group in groups if group.signature not in signed]
    account = {
        "schema_version": SCHEMA_VERSION,
        "colconf": __version__,
        "started": started,
        "finished": _now(),
        "arguments": list(asked.arguments),
        "engine": asked.old.name,
        "engines": engines,
        "passed": not unreviewed,
        "inputs": told,
        "groups": [_group(asked, group, signed.get(group.signature), engines) for group in groups],
        "useless": [{"signature": one.signature, "why": why} for one, why in useless],
    }
    _keep(asked.out, groups, account)
    _write(asked.out, lines, account)
    return Outcome(account, unreviewed)


def processes(asked: Asked, one: Input) -> tuple[Process, ...]:
    """Return the processes of both versions, the old one first, and the reference; raises SelectionError."""
    wanted = [
        name
        for engine in (asked.old, asked.new)
        for name in names(engine, one.format, every=one.every, probed=not one.writes)
    ]
    selection = select(wanted, [one.format], every_switch=False)
    reported = [process for process in selection.processes if process.reported]
    if len(reported) != 2:
        raise SelectionError(f"{asked.old} and {asked.new} are one version; name two")
    return tuple(map(_probed, selection.processes))


def _probed(process: Process) -> Process:
    """Have queries asked of the first configuration alone, and of what differs from it in pushdown."""
    first = process.configs[0].switches
    configs = tuple(
        replace_config(config, first) if process.reported else config for config in process.configs
    )
    return replace(process, configs=configs)


def replace_config(config: Any, first: dict[str, str]) -> Any:
    """Return a configuration that is asked queries if it differs from the first in pushdown alone."""
    others = {name for name, value in config.switches.items() if value != first[name]}
    return config._replace(probed=others <= {"pushdown"})


def _run(
    asked: Asked, one: Input, pair: tuple[Process, ...], keys: tuple[str, ...], progress: Progress
) -> None:
    """Run the pipeline, unless an earlier start of the same command has finished this input."""
    out = asked.out / RUNS / one.name
    decides = {
        "input": one.name,
        "cases": [[case.id, case.sha256] for case in one.cases],
        "generate": list(one.generate) if one.generate else None,
        "engines": [f"{process.key}:{config.text}" for process in pair for config in process.configs],
        "layouts": asked.layouts,
        "seconds": asked.limits.seconds,
        "colconf": __version__,
    }
    if _is_done(out, decides):
        progress.note(f"{one.name}: as it was compared before")
        return
    request = Request(
        out,
        pair,
        asked.limits,
        None if one.generate or one.writes else Imported(one.cases, ()),
        asked.layouts,
        decides,
        list(asked.arguments),
        master=asked.master,
        generate=one.generate,
        format=one.format,
        comparison=Comparison(keys, _PAIR, _WRITTEN, PAIRS),
    )
    run_pipeline(request, progress)


def _large(
    asked: Asked, one: Input, pair: tuple[Process, ...], out: Path, progress: Progress
) -> tuple[list[dict[str, Any]], dict[str, Any], list[dict[str, str]]]:
    """Compare large files; raises PipelineError for a version that does not start."""
    try:
        reported = [process for process in pair if process.reported]
        return large.compare(reported, one.cases, asked.limits, out, progress)
    except StartError as error:
        raise PipelineError(f"{one.name}: an engine does not start: {error}") from error


def _is_done(out: Path, decides: dict[str, Any]) -> bool:
    try:
        before = load_run(out)
    except ResultsError:
        return False
    return bool(before["finished"]) and before["asked"] == decides and (out / PAIRS).exists()


def _pairs(out: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the differences of a run, and its counts added up; raises ResultsError."""
    found: list[dict[str, Any]] = []
    counts: dict[str, Any] = {"cases": 0, "places": 0, "differing": 0, "seconds": [0.0, 0.0]}
    for text in verified_lines(out, PAIRS):
        line = json.loads(text)
        if "signature" in line:
            found.append(line)
            continue
        for name in ("cases", "places", "differing"):
            counts[name] += line[name]
        counts["seconds"] = [a + b for a, b in zip(counts["seconds"], line["seconds"], strict=True)]
    return found, counts


def _engines(out: Path, keys: Sequence[str]) -> list[dict[str, str]]:
    """Return name, version and runtime of both versions, as the run says."""
    found = {f"{one['name']}@{one['version']}": one for one in load_run(out)["engines"]}
    return [
        {name: found[key][name] for name in ("name", "version", "runtime")} for key in keys if key in found
    ]


def _group(
    asked: Asked, group: Group, reviewed: Reviewed | None, engines: list[dict[str, str]]
) -> dict[str, Any]:
    versions = [one["version"] for one in engines] if len(engines) == 2 else [str(asked.old), str(asked.new)]
    at = group.smallest
    return {
        "signature": group.signature,
        "class": group.cls,
        "right": group.right,
        "rights": dict(group.rights),
        "inputs": dict(group.inputs),
        "cases": len(group.cases),
        "configs": dict(group.configs.most_common()),
        "features": sorted(group.features),
        "unstable": group.unstable,
        "restored": sorted(group.restored),
        "explained": sorted(group.explained),
        "causes": list(causes_of(group, asked.old.name, *versions)),
        "smallest": {name: at[name] for name in _SHOWN},
        "reviewed": _reviewed(reviewed),
        "folder": None,
    }


_SHOWN = ("case", "format", "file", "sha256", "size", "probe", "configs", "path", "old", "new", "by")


def _reviewed(entry: Reviewed | None) -> dict[str, str] | None:
    if entry is None:
        return None
    told = {"signature": entry.signature, "reason": entry.reason, "reviewer": entry.reviewer}
    return {**told, "date": str(entry.date), "expires": str(entry.expires) if entry.expires else ""}


def _keep(out: Path, groups: list[Group], account: dict[str, Any]) -> None:
    """Put the smallest file of each group beside a script that shows the difference without colconf."""
    for number, (group, told) in enumerate(zip(groups[:SHOWN_FILES], account["groups"], strict=False), 1):
        folder = out / CASES / f"{number:03}"
        told["folder"] = scripts.keep(folder, group, account["engines"])


def _write(out: Path, lines: Sequence[tuple[str, dict[str, Any]]], account: dict[str, Any]) -> None:
    for name, texts in (
        (DIFFERENCES, (json.dumps({"input": one, **line}) + "\n" for one, line in lines)),
        (FILE, chain([json.dumps(account, indent=1)], ["\n"])),
    ):
        written = Counting()
        with whole_file(out / name) as file:
            for text in texts:
                written.add(text.encode("ascii"))
                file.write(text.encode("ascii"))
        if digest_of(out / name).sha256 != written.digest.sha256:
            raise PipelineError(f"{out / name}: not as it was written; the same command goes on")


def _now() -> str:
    return f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%dT%H:%M:%SZ}"
