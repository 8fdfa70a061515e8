"""`colconf upgrade`: classify and review the differences between two versions of an engine."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import click

from corpora import own_cases
from corpora.build.evolution.importing import import_tables
from corpora.build.formats import FORMATS as FORMATS_BY_NAME
from corpora.cases import FORMATS, Case
from corpora.files import write_whole
from corpora.importers import import_paths
from harness.children.connection import Limits
from harness.commands.exit_status import FINDINGS, NOTHING_UNEXPECTED
from harness.commands.inputs import show_unusable
from harness.commands.parameters import Seconds, Size, check_paths, problems, spread
from harness.commands.run_options import LOCAL_MASTER
from harness.commands.run_request import GENERATED_SECONDS
from harness.engines.installed import entry_points
from harness.engines.naming import EngineName, parse
from harness.engines.registry import ENGINES
from harness.investigate.upgrade import baseline, speed
from harness.investigate.upgrade.account import show
from harness.investigate.upgrade.baseline import Reviewed
from harness.investigate.upgrade.choices import identity, parted, tables
from harness.investigate.upgrade.choices import spread as spread_corpus
from harness.investigate.upgrade.gate import upgrade
from harness.investigate.upgrade.large import size_of
from harness.investigate.upgrade.request import Input, UpgradeRequest
from harness.problem import Interrupted, Problem
from harness.runs.pipeline.context import Generate
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
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(FORMATS),
    help="Compare files of this format only; repeatable.",
)
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
    inputs = tuple(_inputs(old, options))
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
    )


def _inputs(engine: EngineName, options: dict[str, Any]) -> Iterator[Input]:
    formats = [name for name in engine.entry.formats if not options["formats"] or name in options["formats"]]
    if not formats:
        raise Problem(f"{engine.name} reads {' and '.join(engine.entry.formats)} only")
    own = _imported(options["files"], options["digest_above"])
    check_paths(options["folders"], "--tables")
    read_with_schemas = import_tables(options["folders"], undefined=True).cases
    _check_formats(engine, formats, (*own, *read_with_schemas), is_chosen=bool(options["formats"]))
    for format_ in formats:
        theirs = tuple(case for case in own if case.format == format_)
        whole = tuple(tables(options["files"], theirs))
        small, large = parted(theirs, whole, options["digest_above"])
        if small:
            yield Input(f"files-{format_}", format_, small, every=True, own=True)
        if large:
            yield Input(f"large-{format_}", format_, large, large=True, own=True)
        fitting = tuple(case for case in whole if size_of(case) <= options["digest_above"])
        if fitting:
            yield Input(f"tables-{format_}", format_, fitting, every=True)
        if evolved := tuple(case for case in read_with_schemas if case.format == format_):
            yield Input(f"evolved-{format_}", format_, evolved, own=True)
        if options["generate"]:
            generate = Generate(options["generate"], options["seed"])
            yield Input(f"generated-{format_}", format_, generate=generate, every=True)
        if options["writes"] and ENGINES[engine.name].writes:
            yield Input(f"written-{format_}", format_, writes=True)
        if options["corpora"] != "none":
            cases = import_paths([own_cases.folder() / format_]).cases
            chosen = cases if options["corpora"] == "all" else tuple(spread_corpus(cases))
            yield Input(f"corpus-{format_}", format_, chosen)


def _check_formats(
    engine: EngineName, formats: Sequence[str], cases: Sequence[Case], *, is_chosen: bool
) -> None:
    """Raise Problem for files and tables that would not be compared, unless --format leaves them out."""
    given = {case.file: case for case in cases if not case.file.is_relative_to(own_cases.folder())}
    others = Counter(case.format for case in given.values())
    for format_ in sorted(set(others) - set(formats)):
        if not is_chosen:
            count, title = f"{others[format_]:,}", FORMATS_BY_NAME[format_].title
            raise Problem(
                f"{count} of the given files and tables are {title}, which {engine.name} does not read, so "
                f"that they would not be compared: `--format {formats[0]}` leaves them out"
            )


def _imported(files: Sequence[str], most: int) -> tuple[Case, ...]:
    if not files:
        return ()
    check_paths(files)
    imported = import_paths(files, lambda file: identity(file, most))
    show_unusable(imported.skipped)
    if count := sum(skip.unusable for skip in imported.skipped):
        raise Problem(f"{count:,} of the given files cannot be used, so that they would not be compared")
    return imported.cases


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
