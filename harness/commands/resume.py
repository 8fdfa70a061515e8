"""`colconf run --resume RUN`: the options of a run, taken from its folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from click.core import ParameterSource

from harness.commands import run_extent
from harness.engines.registry import recall
from harness.judging.ballots import REFERENCE
from harness.judging.results import load_run
from harness.judging.run_record import RunRecord
from harness.listings.text import quoted
from harness.problem import Problem

if TYPE_CHECKING:
    import click

# Options that do not affect results may be given again.
_ALSO = {"resume", "master", "no_spark", "report", "as_json", "history", "jobs", "quiet", "verbose"}
_TAKEN = ("files", "generate", "seed", "profile", "time_limit", "memory_limit")


def begun(out: Path, ctx: click.Context) -> RunRecord:
    """Return the record of the run to resume; raises Problem and ResultsError."""
    for option in ctx.command.params:
        given = option.name and ctx.get_parameter_source(option.name) is ParameterSource.COMMANDLINE
        if given and option.name not in _ALSO:
            raise Problem(f"--resume takes everything from the run; leave out {option.opts[0]}")
    return load_run(out)


def ended(out: Path, before: RunRecord) -> str:
    """Return a line about a run that is already finished."""
    counts = before.counts
    totals = ", ".join(f"{counts[name]:,} {name}" for name in ("cases", "results", "findings"))
    return f"{out}: the run was finished {before.finished}: {totals}; see `colconf report {quoted(out)}`"


def options(out: Path, before: RunRecord, given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of the run, updated with the options given now."""
    request, ran = before.settings, before.pipeline
    recall(request.get("manifests", {}))
    taken = {**given, **{name: request[name] for name in _TAKEN}}
    taken |= {"out": str(out), "overwrite": False, "engine": tuple(map(named, request["engines"]))}
    taken["format_"] = tuple(request["format"].split(",")) if request["format"] else ()
    taken |= {
        "workdir": ran.workdir,
        **{name: request.get(name) for name in ("keys", "queries", "queries_of_cases", "write_generated")},
    }
    taken |= {"partitioned": request.get("partitioned", False)}
    taken |= {"level": request.get("level", "should"), "tables": request.get("tables", ())}
    taken |= {"query": request.get("query", ()), "query_file": (), "schema": request.get("schema", ())}
    taken |= run_extent.taken(request)
    if "time_budget" in request:
        taken |= {name: request[name] for name in ("time_budget", "history")}
        taken["engine"] = tuple(request["named"])
    if not given["master"] and not given["no_spark"]:
        master = None if given["jobs"] else ran.master
        taken |= {"master": master, "no_spark": ran.master is None}
    return taken


def check(out: Path, before: RunRecord, request: dict[str, Any]) -> None:
    """Raise Problem if files, engines or colconf differ from those of the run."""
    for name, was in before.settings.items():
        now = request.get(name)
        if now != was:
            raise Problem(f"{out}: cannot be resumed: {name} was {_text(was)}, and is {_text(now)} now")


def named(label: str) -> str:
    """Return an engine as a value of `--engine`, where the reference has no version."""
    name, _, rest = label.partition("@")
    if name != REFERENCE:
        return label
    return ":".join(filter(None, (name, rest.partition(":")[2])))


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
