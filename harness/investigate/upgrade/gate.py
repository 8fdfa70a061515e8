"""The upgrade gate from beginning to end: runs of the pipeline over several inputs, then one account of them.

Each input is an ordinary run in a folder of its own (`runs/<input>`), of both versions and of the reference,
with the stage that compares them. What differs is gathered into groups, held against causes and a baseline,
and written as `upgrade.json` and `differences.ndjson`: reports are made from these.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from corpora.importers import Imported
from harness.children.connection import StartError
from harness.engines.spark.options import options_of
from harness.investigate.upgrade import baseline, large, output, speed
from harness.investigate.upgrade.account import SCHEMA_VERSION
from harness.investigate.upgrade.baseline import Reviewed
from harness.investigate.upgrade.causes import causes_of
from harness.investigate.upgrade.choices import names
from harness.investigate.upgrade.comparable import no_counts
from harness.investigate.upgrade.groups import Group, gather
from harness.investigate.upgrade.output import RUNS
from harness.investigate.upgrade.own_queries import Compared, compared_queries
from harness.investigate.upgrade.request import Input, Outcome, UpgradeRequest
from harness.judging.places import Process
from harness.judging.results import ResultsError, load_run, verified_lines
from harness.runs.pipeline.context import Comparison
from harness.runs.pipeline.derived import QUERIES
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.pool import POOL
from harness.runs.pipeline.request import Request
from harness.runs.pipeline.run import Progress
from harness.runs.pipeline.run import run as run_pipeline
from harness.runs.pipeline.selection import SelectionError, select
from harness.version import __version__

PAIRS = "pairs.ndjson"  # of the run of one input
_PAIR = "harness.investigate.upgrade.pairing:pair"
_WRITTEN = "harness.investigate.upgrade.written:lines"
_REASONS = 3  # why answers of an input were not compared


@POOL.across_runs()  # each version stays warm from one input to the next
def upgrade(request: UpgradeRequest, progress: Progress) -> Outcome:
    """Compare all inputs and write the account; raises SelectionError, PipelineError and OSError."""
    output.prepare(request.out, overwrite=request.overwrite)
    started = _now()
    lines: list[tuple[str, dict[str, Any]]] = []
    counted: list[dict[str, Any]] = []
    engines: list[dict[str, str]] = []
    not_asked: list[dict[str, str]] = []
    unread_own = False
    compared = Compared()
    for input_ in request.inputs:
        pair = processes(request, input_)
        keys = tuple(process.key for process in pair if process.reported)
        progress.note(f"{input_.name}: {keys[0]} and {keys[1]}")
        out = request.out / RUNS / input_.name
        if input_.large:
            differences, counts, engines = _large(request, input_, pair, out, progress)
        else:
            _run(request, input_, pair, keys, progress)
            differences, counts = _pairs(out)
            engines = _engines(out, keys) or engines
            not_asked += (line for line in load_run(out).not_asked or [] if line not in not_asked)
        if request.repeat and input_.own and not input_.large:
            differences += speed.lines(pair, input_.cases, request.repeat, request.limits, progress)
        lines += [(input_.name, line) for line in differences]
        configs = 1 if input_.large else len(pair[0].configs)
        if counts["cases"] and not counts["places"] and not counts["differing"]:
            counts["unread"] = counts["cases"]
        unread_own |= bool(counts["unread"]) and input_.own
        reasons = counts.pop("reasons", Counter())
        compared += counts.pop("queries", Counter())
        if counts.get("unread"):
            counts["reasons"] = [reason for reason, _ in reasons.most_common(_REASONS)]
        counted.append({"input": input_.name, "format": input_.format, "configs": configs, **counts})
    groups = gather(lines)
    today = dt.datetime.now(tz=dt.UTC).date()
    signed, useless = baseline.sign_off(groups, request.reviewed, today)
    unreviewed = [group for group in groups if group.signature not in signed]
    own = (case for input_ in request.inputs if input_.own for case in input_.cases)
    queries = compared_queries(request.given, own, compared)
    account = {
        "schema_version": SCHEMA_VERSION,
        "colconf": __version__,
        "started": started,
        "finished": _now(),
        "arguments": list(request.arguments),
        "engine": request.old.name,
        "engines": engines,
        "passed": not unreviewed and not unread_own and all(query["compared"] for query in queries),
        "inputs": counted,
        "groups": [_group(request, group, signed.get(group.signature), engines) for group in groups],
        "useless": [{"signature": entry.signature, "why": why} for entry, why in useless],
        "not_asked": not_asked,
        **({"queries": queries} if queries else {}),
    }
    output.keep(request.out, groups, account)
    output.write(request.out, lines, account)
    return Outcome(account, unreviewed)


def processes(request: UpgradeRequest, input_: Input) -> tuple[Process, ...]:
    """Return the processes of both versions, the old one first, and the reference; raises SelectionError."""
    tables = any(case.read is not None for case in input_.cases)
    probed = not input_.writes and not tables
    wanted = [
        name
        for engine in (request.old, request.new)
        for name in names(engine, input_.format, every=input_.every, probed=probed, tables=tables)
    ]
    selection = select(wanted, [input_.format], every_switch=False)
    reported = [process for process in selection.processes if process.reported]
    if len(reported) != 2:
        raise SelectionError(f"{request.old} and {request.new} are the same version; name two versions")
    return tuple(map(_probed, selection.processes))


def _probed(process: Process) -> Process:
    """Restrict queries to the first configuration and to those that differ from it in pushdown."""
    first = process.configs[0].switches
    configs = tuple(
        replace_config(config, first) if process.reported else config for config in process.configs
    )
    return replace(process, configs=configs)


def replace_config(config: Any, first: dict[str, str]) -> Any:
    """Return a configuration that takes queries if it differs from the first in pushdown alone."""
    others = {name for name, value in config.switches.items() if value != first[name]}
    return config._replace(probed=others <= {"pushdown"})


def _run(
    request: UpgradeRequest,
    input_: Input,
    pair: tuple[Process, ...],
    keys: tuple[str, ...],
    progress: Progress,
) -> None:
    """Run the pipeline, unless an earlier start of the same command has finished this input."""
    out = request.out / RUNS / input_.name
    queries, given = (QUERIES, tuple(request.given)) if input_.own else (0, ())
    decides = {
        "input": input_.name,
        "cases": [[case.id, case.sha256] for case in input_.cases],
        "generate": list(input_.generate) if input_.generate else None,
        "engines": [f"{process.key}:{config.text}" for process in pair for config in process.configs],
        "layouts": request.layouts,
        "queries": queries,
        **({"own_queries": [query.to_json() for query in given]} if given else {}),
        "seconds": request.limits.seconds,
        "colconf": __version__,
    }
    if not request.overwrite and _is_done(out, decides):
        progress.note(f"{input_.name}: already compared")
        return
    run_request = Request(
        out,
        pair,
        request.limits,
        None if input_.generate or input_.writes else Imported(input_.cases, ()),
        request.layouts,
        decides,
        list(request.arguments),
        master=request.master,
        generate=input_.generate,
        format=input_.format,
        comparison=Comparison(keys, _PAIR, _WRITTEN, PAIRS),
        queries=queries,
        given=given,
        control=True,
        overwrite=request.overwrite,
    )
    run_pipeline(run_request, progress)


def _large(
    request: UpgradeRequest, input_: Input, pair: tuple[Process, ...], out: Path, progress: Progress
) -> tuple[list[dict[str, Any]], dict[str, Any], list[dict[str, str]]]:
    """Compare large files; raises PipelineError for a version that does not start."""
    try:
        if request.overwrite:
            (out / large.DIGESTS).unlink(missing_ok=True)
        reported = [process for process in pair if process.reported]
        return large.compare(reported, input_.cases, request.limits, out, progress)
    except StartError as error:
        raise PipelineError(f"{input_.name}: an engine does not start: {error}") from error


def _is_done(out: Path, decides: dict[str, Any]) -> bool:
    try:
        before = load_run(out)
    except ResultsError:
        return False
    return bool(before.finished) and before.settings == decides and (out / PAIRS).exists()


def _pairs(out: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the differences of a run, and its counts added up; raises ResultsError."""
    differences: list[dict[str, Any]] = []
    counts = no_counts()
    for text in verified_lines(out, PAIRS):
        line = json.loads(text)
        if "signature" in line:
            differences.append(line)
            continue
        for name in ("cases", "places", "differing", "unread"):
            counts[name] += line.get(name, 0)  # absent from a comparison that an older colconf began
        for name in ("reasons", "queries"):
            counts[name].update(line.get(name, {}))
        counts["seconds"] = [a + b for a, b in zip(counts["seconds"], line["seconds"], strict=True)]
    return differences, counts


def _engines(out: Path, keys: Sequence[str]) -> list[dict[str, str]]:
    """Return name, version and runtime of both versions in a run."""
    engines = {f"{engine['name']}@{engine['version']}": engine for engine in load_run(out).engines}
    return [
        {name: engines[key][name] for name in ("name", "version", "runtime")}
        for key in keys
        if key in engines
    ]


def _group(
    request: UpgradeRequest, group: Group, reviewed: Reviewed | None, engines: list[dict[str, str]]
) -> dict[str, Any]:
    versions = (
        [engine["version"] for engine in engines]
        if len(engines) == 2
        else [str(request.old), str(request.new)]
    )
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
        "changed": sorted(group.changed),
        "restored": sorted(group.restored),
        "explained": sorted(group.explained),
        "tried": sorted(group.tried),
        "settings": {
            config: text
            for config in sorted({*group.configs, *group.restored, *group.explained})
            if (text := options_of(request.old.name, at["format"], config))
        },
        "causes": list(causes_of(group, request.old.name, *versions)),
        "smallest": {name: at[name] for name in _SMALLEST},
        "reviewed": _reviewed(reviewed),
        "folder": None,
    }


_SMALLEST = ("case", "format", "file", "sha256", "size", "probe", "configs", "path", "old", "new", "by")


def _reviewed(entry: Reviewed | None) -> dict[str, str] | None:
    if entry is None:
        return None
    texts = {"signature": entry.signature, "reason": entry.reason, "reviewer": entry.reviewer}
    return {**texts, "date": str(entry.date), "expires": str(entry.expires) if entry.expires else ""}


def _now() -> str:
    return f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%dT%H:%M:%SZ}"
