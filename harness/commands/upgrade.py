"""`colconf upgrade`: classify and review the differences between two versions of an engine."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import click

from corpora import own_cases
from corpora.files import write_whole
from harness.children.connection import Limits
from harness.commands.exit_status import FINDINGS, NOTHING_UNEXPECTED
from harness.commands.own_queries import query_options
from harness.commands.parameters import Seconds, Size, formats_option, problems, spread
from harness.commands.run_options import LOCAL_MASTER
from harness.commands.run_request import GENERATED_SECONDS
from harness.commands.table_schemas import schema_option
from harness.commands.upgrade_inputs import inputs_of, own_inputs
from harness.engines.installed import entry_points
from harness.engines.naming import parse
from harness.investigate.upgrade import baseline, speed
from harness.investigate.upgrade.account import show
from harness.investigate.upgrade.baseline import Reviewed
from harness.investigate.upgrade.gate import upgrade
from harness.investigate.upgrade.request import UpgradeRequest
from harness.problem import Interrupted, Problem
from harness.runs.pipeline.selection import select
from harness.runs.progress import progress

REPORTS = "colconf.upgrade_reports"
DEFAULT_OUT = "colconf-upgrade"
_LAYOUTS = 4
_GENERATED = 50
_DIGEST_ABOVE = "64M"
_OWN_TABLES = "colconf's own"


class _Upgrade(click.Command):
    """A command whose `--files` takes all paths up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat `--files` before each of its paths."""
        return super().parse_args(ctx, spread(args, "--files"))


def _with_own_tables(_: click.Context, __: click.Parameter, folders: Sequence[str]) -> tuple[str, ...]:
    """Return the folders of table cases, with that of colconf's own in place of its mark."""
    with problems():
        own = str(own_cases.folder() / own_cases.TABLES) if _OWN_TABLES in folders else ""
    return tuple(own if folder == _OWN_TABLES else folder for folder in folders)


@click.command("upgrade", cls=_Upgrade)
@click.option("--from", "old", required=True, metavar="NAME@VERSION", help="Current version.")
@click.option("--to", "new", required=True, metavar="NAME@VERSION", help="Candidate version.")
@click.option("--files", multiple=True, metavar="PATH…", help="Your files and folders.")
@click.option(
    "--tables",
    "folders",
    multiple=True,
    is_flag=False,
    flag_value=_OWN_TABLES,
    callback=_with_own_tables,
    metavar="[DIR]",
    help="Folder to read as one table, once with each schema of its files, or folder of table cases; "
    "without DIR, colconf's own table cases.",
)
@schema_option
@query_options
@click.option(
    "--digest-above",
    type=Size(),
    default=_DIGEST_ABOVE,
    show_default=True,
    metavar="SIZE",
    help="Read --files with every switch up to this total size, smallest first; compare larger ones by"
    " digests, with default switches only.",
)
@click.option(
    "--generate",
    type=click.IntRange(0),
    default=_GENERATED,
    show_default=True,
    metavar="N",
    help="Generate N files per format.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, metavar="S", help="Random seed of --generate; default: 0."
)
@click.option(
    "--corpora",
    type=click.Choice(["quick", "all", "none"]),
    default="quick",
    show_default=True,
    help="Share of colconf's corpora to read.",
)
@click.option(
    "--writes/--no-writes",
    default=True,
    help="Have both versions write the same tables, and compare the files (default: --writes).",
)
@formats_option("Compare files of this format only; repeatable.")
@click.option(
    "--baseline",
    "baseline_file",
    metavar="FILE",
    help="TOML file of reviewed differences, which do not make the exit status 1.",
)
@click.option(
    "--propose", metavar="FILE", help="Write unreviewed differences to this TOML file, as entries to review."
)
@click.option("--out", metavar="DIR", help=f"Output folder; default: {DEFAULT_OUT}/<time>.")
@click.option("--overwrite", is_flag=True, help="Replace an earlier comparison in the output folder.")
@click.option(
    "--report",
    multiple=True,
    metavar="FORMAT",
    help="Report format: html, markdown, json, or none; repeatable. Default: all.",
)
@click.option("--time-limit", type=Seconds(), metavar="SECONDS", help="Time limit per file.")
@click.option(
    "--repeat",
    type=click.IntRange(speed.LEAST),
    metavar="N",
    help="Read each file of --files N times, and compare the speed of the versions.",
)
@click.option("--master", metavar="URL", help=f"Spark master that runs the pipeline, such as {LOCAL_MASTER}.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.pass_context
def upgrade_command(ctx: click.Context, /, **options: Any) -> None:
    """Compare two versions of an engine before an upgrade.

    Both versions read the corpora, generated files and your files with every relevant switch, write the same
    tables, and read each other's files. Differences are classified and compared with a baseline.

    Exit status: 0 no unreviewed differences; 1 unreviewed differences; 2 error.
    """
    request = None
    try:
        with problems():
            request = _request(options)
            with progress() as bars:
                done = upgrade(request, bars)
                if options["propose"]:
                    today = dt.datetime.now(tz=dt.UTC).date()
                    write_whole(Path(options["propose"]), baseline.proposal(done.unreviewed, today))
                written = [str(point.load()(request.out)) for point in _writers(options["report"])]
    except KeyboardInterrupt:
        where = f"; the same command with --out {request.out} continues" if request else ""
        raise Interrupted(f"interrupted{where}") from None
    if options["as_json"]:
        click.echo(json.dumps(done.account, indent=2))
    else:
        show(done.account, [*written, *filter(None, [options["propose"]])])
    ctx.exit(FINDINGS if done.unreviewed or not done.account["passed"] else NOTHING_UNEXPECTED)


def _request(options: dict[str, Any]) -> UpgradeRequest:
    old, new = parse(options["old"]), parse(options["new"])
    if old.name != new.name:
        raise Problem(f"{old} and {new} are different engines; name two versions of one engine")
    if old.config != new.config:
        raise Problem(f"{old} and {new} have different switches; give both the same switches")
    _writers(options["report"])
    select([options["old"], options["new"]], old.entry.formats, every_switch=False)  # before any work
    file = options["baseline_file"]
    reviewed: list[Reviewed] = baseline.read(Path(file)) if file else []
    now = dt.datetime.now().astimezone()
    out = Path(options["out"]) if options["out"] else Path(DEFAULT_OUT) / f"{now:%Y%m%d-%H%M%S}"
    own = own_inputs(old, options)
    inputs = tuple(inputs_of(old, options, own))
    if not inputs:
        raise Problem("nothing to compare: no files, no generated files, no corpora and no writes")
    return UpgradeRequest(
        old,
        new,
        inputs,
        out,
        Limits(seconds=options["time_limit"] or GENERATED_SECONDS),
        _LAYOUTS,
        ("upgrade", *_arguments(options)),
        tuple(reviewed),
        options["master"],
        options["repeat"] or 0,
        options["overwrite"],
        own.given,
    )


def _arguments(options: dict[str, Any]) -> Iterator[str]:
    """Yield the arguments that repeat the command."""
    names = {"old": "from", "new": "to", "baseline_file": "baseline", "formats": "format"}
    names["folders"] = "tables"
    for name, value in options.items():
        option = f"--{names.get(name, name).replace('_', '-')}"
        if isinstance(value, tuple):
            for text in value:
                yield from (option, text)
        elif name == "writes":
            yield from () if value else ("--no-writes",)
        elif value not in (None, False) and name not in {"as_json", "out", "overwrite"}:
            yield from (option, str(value))


def _writers(names: Sequence[str]) -> list[EntryPoint]:
    """Return the reports to write; raises Problem for an unknown one."""
    there = {point.name: point for point in entry_points(group=REPORTS)}
    unknown = [name for name in names if name not in there and name != "none"]
    if unknown:
        raise Problem(f"unknown report {unknown[0]!r}; known: {', '.join([*sorted(there), 'none'])}")
    return [there[name] for name in names or sorted(there) if name != "none"]
