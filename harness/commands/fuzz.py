"""`colconf fuzz`: fuzz colconf's own parsers or engines, merge corpora, and list the targets."""

from __future__ import annotations

import json
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

import click

from harness.children.connection import Limits as EngineLimits
from harness.children.processes import cores
from harness.commands import fuzz_engines
from harness.commands.fuzz_summary import show_summary, summarised
from harness.commands.night import budget_option
from harness.commands.parameters import Seconds, formats_option, problems
from harness.investigate.fuzz import merging
from harness.investigate.fuzz.campaign import Campaign
from harness.investigate.fuzz.campaign_record import CampaignRequest
from harness.investigate.fuzz.process import Limits
from harness.listings.text import show_line
from harness.problem import Interrupted, Problem
from properties.fuzz import targets
from properties.fuzz.child import MISSING

CRASHED = 1
DEFAULT_OUT = Path("colconf-fuzz")
ENGINES_OUT = Path("colconf-fuzz-engines")
_SECONDS, _SECONDS_OF_ENGINE = 20.0, 5.0  # of an input
_RUN = "run"
_PATH = click.Path(file_okay=False, path_type=Path)


class _Fuzz(click.Group):
    """A group with `run` as the default command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert `run` if no command is named."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [_RUN, *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Fuzz)
def fuzz() -> None:
    """Fuzz colconf's parsers, or engines.

    `colconf fuzz --all` is short for `colconf fuzz run --all`; `colconf fuzz run --help` lists the options.
    """


@fuzz.command(_RUN)
@click.argument("names", nargs=-1, metavar="[TARGET]...")
@click.option("--all", "every", is_flag=True, help="Fuzz all targets.")
@click.option(
    "--engine",
    "engines",
    multiple=True,
    metavar="NAME[@VERSION][:SWITCHES]",
    help="Fuzz this engine; repeatable.",
)
@formats_option("With --engine: send files of this format only; repeatable.")
@click.option(
    "--from",
    "others",
    type=_PATH,
    multiple=True,
    metavar="DIR",
    help="With --engine: also read the corpora of the campaign in DIR; repeatable.",
)
@click.option(
    "--guide/--no-guide",
    default=True,
    help="With --engine: also fuzz colconf's reader, and send engines the inputs that reach new code in"
    " that reader (default: --guide).",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed of the mutations.")
@budget_option("--time-budget", "seconds", default="10m", text="Total time, such as 30m.")
@click.option(
    "--out", type=_PATH, help="Output folder; default: colconf-fuzz, with --engine colconf-fuzz-engines."
)
@click.option("--jobs", type=click.IntRange(1), help="Parallel processes; default: one per core.")
@click.option(
    "--time-limit",
    type=Seconds(0.1),
    help="CPU seconds per input (default: 20); with --engine, seconds per file (default: 5).",
)
@click.option(
    "--memory-limit",
    type=click.IntRange(256),
    default=2048,
    show_default=True,
    help="Memory limit per process, in MiB.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.pass_context
def run(
    ctx: click.Context,
    /,
    *,
    names: tuple[str, ...],
    every: bool,
    engines: tuple[str, ...],
    seconds: float,
    out: Path | None,
    jobs: int | None,
    time_limit: float | None,
    memory_limit: int,
    as_json: bool,
    **of_engines: Any,
) -> None:
    """Fuzz TARGETs, or engines, within a time budget.

    The targets share half of the time equally; the other half goes to targets that reach new code.

    A campaign in the output folder is continued: its crashes are replayed first, and those that no longer
    occur are listed and moved to DIR/closed. The smallest inputs of each new crash are stored in DIR/crashes,
    in a folder per target.

    With --engine, engines in child processes read mutated files and files with features of future format
    versions, and each result is compared with the reference reader's. The output folder is that of a run,
    with the smallest file of each finding, for `colconf minimize DIR:SIGNATURE` and
    `colconf findings export DIR`.

    Exit status: 0 no crash; 1 the output folder holds crashes of these targets, or findings; 2 error.
    """
    if engines:
        if names or every or jobs:
            raise Problem("--engine excludes targets, --all and --jobs")
        folder = out or ENGINES_OUT
        children = EngineLimits(seconds=time_limit or _SECONDS_OF_ENGINE, memory_bytes=memory_limit << 20)
        request = fuzz_engines.request_for(engines, folder, seconds, children, **of_engines)
        _fuzz_engines(ctx, request, as_json=as_json)
    if of_engines["formats"] or of_engines["others"]:
        raise Problem("--format and --from require --engine")
    out = out or DEFAULT_OUT
    chosen = _chosen(names, every=every)
    _need_atheris()
    limits = Limits(time_limit or _SECONDS, memory_limit << 20)
    campaign = Campaign(out, chosen, limits, lambda message: show_line(message, err=True))
    began = time.monotonic()
    interrupted = False
    with problems():
        try:
            campaign.run(seconds, jobs or cores())
        except KeyboardInterrupt:
            interrupted = True
    summary = summarised(campaign, time.monotonic() - began)
    click.echo(json.dumps(summary, indent=2)) if as_json else show_summary(summary)
    if interrupted:
        raise Interrupted(f"interrupted; the results are in {out}, and the same command continues")
    if failed := [row for row in summary["targets"] if row["failure"]]:
        raise Problem(f"{failed[0]['target']} cannot be run: {failed[0]['failure']}")
    ctx.exit(CRASHED if summary["crashes"] else 0)


def _fuzz_engines(ctx: click.Context, request: CampaignRequest, *, as_json: bool) -> NoReturn:
    summary, interrupted = fuzz_engines.fuzz(request)
    click.echo(json.dumps(summary, indent=2)) if as_json else fuzz_engines.show(summary)
    if interrupted:
        raise Interrupted(f"interrupted; the results are in {request.out}, and the same command continues")
    ctx.exit(CRASHED if summary["findings"] or summary["reference_lost"] else 0)


@fuzz.command()
@click.argument("names", nargs=-1, metavar="[TARGET]...")
@click.option(
    "--out",
    type=_PATH,
    default=DEFAULT_OUT,
    show_default=True,
    help="Folder of the campaign whose corpora are merged.",
)
@click.option(
    "--from",
    "others",
    type=_PATH,
    multiple=True,
    metavar="DIR",
    help="Also merge the corpora of the campaign in DIR; repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def merge(*, names: tuple[str, ...], out: Path, others: tuple[Path, ...], as_json: bool) -> None:
    """Merge the corpora of TARGETs (default: all), and keep only inputs that add coverage."""
    chosen = _chosen(names, every=not names)
    _need_atheris()
    merged = []
    for name in chosen:
        if not any((campaign / "corpus" / name).is_dir() for campaign in (out, *others)):
            continue
        click.echo(f"merging {name} …", err=True)
        with problems():
            merged.append(merging.merge(name, out, others, Limits()))
    if not merged:
        raise Problem(f"{out}: no corpus of these targets")
    if as_json:
        click.echo(json.dumps([corpus.to_json() for corpus in merged], indent=2))
        return
    for corpus in merged:
        click.echo(
            f"{corpus.target}: {corpus.inputs:,} inputs of {corpus.bytes:,} bytes, "
            f"kept {corpus.remaining:,} of {corpus.remaining_bytes:,}"
        )


@fuzz.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(*, as_json: bool) -> None:
    """List the targets and the inputs that they read."""
    descriptions = {
        name: (targets.load(name).__doc__ or "").strip().splitlines()[0] for name in targets.names()
    }
    if as_json:
        rows = [{"target": name, "reads": what} for name, what in descriptions.items()]
        click.echo(json.dumps(rows, indent=2))
        return
    width = max(map(len, descriptions))
    for name, what in descriptions.items():
        click.echo(f"{name:{width}}  {what}")


def _chosen(names: tuple[str, ...], *, every: bool) -> list[str]:
    if every == bool(names):
        raise Problem("name targets of `colconf fuzz list`, or give --all")
    with problems():
        for name in names:
            targets.module_of(name)
    return list(dict.fromkeys(names)) or targets.names()


def _need_atheris() -> None:
    if find_spec("atheris") is None:
        raise Problem(MISSING)
