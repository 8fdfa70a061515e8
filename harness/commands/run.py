"""`colconf run`: have engines read files, judge their answers, and write reports."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from corpora.build.formats import FORMATS, PARQUET
from harness.children.connection import Limits
from harness.commands import night, resume, writing
from harness.commands.exit_status import check_selection, exit_status, incomplete
from harness.commands.inputs import (
    DEFAULT_OUT,
    RunCommand,
    check_formats,
    has_queries,
    imported_cases,
    queries_of_files,
)
from harness.commands.keyed import HELP, locked, with_keys
from harness.commands.parameters import Queries, Size, problems
from harness.commands.run_options import (
    GENERATING,
    LOCAL_MASTER,
    MEND,
    absolute,
    arguments_of,
    generate_of,
    master_of,
    write_of,
)
from harness.commands.sample import sample, with_seed
from harness.judging.results import load_run
from harness.judging.run_record import RunRecord
from harness.listings.text import quoted, show_line
from harness.problem import USAGE, Interrupted, Problem
from harness.runs import summary
from harness.runs.history.confirm import remember
from harness.runs.nightly.night import Night
from harness.runs.nightly.night import night as run_night
from harness.runs.pipeline.context import TABLES
from harness.runs.pipeline.derived import QUERIES, QUERIES_OF_WRITTEN
from harness.runs.pipeline.profiles import DEFAULT, PROFILES
from harness.runs.pipeline.request import Request
from harness.runs.pipeline.run import run as run_pipeline
from harness.runs.pipeline.selection import select
from harness.runs.summary import progress
from harness.version import __version__

REPORTED = 100_000  # results: of more, default reports, which hold all in memory, are not written
GENERATED_SECONDS = 30.0  # generated files are small


@click.command(cls=RunCommand)
@click.option(
    "--files",
    multiple=True,
    metavar="PATH…",
    help="Files and folders to read; default: files that engines write.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(list(FORMATS)),
    multiple=True,
    help="Read files of this format only; repeatable. Default: the formats of --files, else parquet.",
)
@click.option(
    "--tables",
    multiple=True,
    metavar="DIR",
    help="Folder to read as one table, with each schema that its files have, or folder of table cases; "
    "repeatable.",
)
@click.option("--keys", metavar="FILE", help=HELP)
@click.option(
    "--generate",
    type=click.IntRange(1),
    metavar="N",
    help="Generate N files and queries on them, one sheet in "
    f"{TABLES} a folder that is read as a table, instead of files that engines write.",
)
@click.option(
    "--write-generated",
    type=click.IntRange(1),
    metavar="N",
    help="Have each engine write N generated tables under drawn options, instead of the fixed tables.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    metavar="S",
    help="Random seed of --generate and --write-generated; default: 0.",
)
@click.option(
    "--engine",
    multiple=True,
    metavar="NAME[@VERSION][:SWITCH=VALUE]",
    help="Engine to run, or FILE.toml[:SWITCH=VALUE], the manifest of your own; repeatable. "
    "Default: all installed engines.",
)
@click.option(
    "--queries",
    type=Queries(),
    metavar="N|none|all",
    help="Queries that are derived from each file of which nothing is recorded, and from those that engines "
    f"write; default: {QUERIES}, of files that engines write {QUERIES_OF_WRITTEN}.",
)
@click.option("--out", metavar="DIR", help=f"Output folder; default: {DEFAULT_OUT}/<time>.")
@click.option(
    "--resume",
    metavar="RUN",
    help="Continue the interrupted run in this folder, with the options of that run.",
)
@click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    default=DEFAULT,
    show_default=True,
    help="Amount of testing; a later value tests more, and sets longer time limits.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Time limit per file; default: by --profile, 20 to 600 seconds.",
)
@click.option(
    "--memory-limit",
    type=Size(),
    metavar="SIZE",
    help="Memory limit per engine process, such as 4G; default: 8G.",
)
@click.option(
    "--master", metavar="URL", help=f"Spark master that runs the pipeline; default: {LOCAL_MASTER}."
)
@click.option(
    "--workdir",
    metavar="DIR",
    help="Working folder of a cluster: a path or URL that all machines can access.",
)
@click.option("--no-spark", is_flag=True, help="Run the pipeline without Spark.")
@click.option(
    "--report",
    multiple=True,
    metavar="FORMAT",
    help="Report format, or none; repeatable. Default: html, markdown, junit.",
)
@click.option(
    "--history",
    metavar="DIR",
    envvar=night.VARIABLE,
    help=f"Folder with the findings of earlier runs; also ${night.VARIABLE}. "
    "With a history, only new or regressed findings make the exit status 1.",
)
@click.option(
    "--time-budget",
    type=night.Duration(),
    metavar="DURATION",
    help="For a duration such as 2h, read the corpora, the files of open findings, and generated files.",
)
@click.option(
    "--level",
    type=click.Choice(["must", "should"]),
    default="should",
    help="must: what only breaks a SHOULD is shown, but does not exit 1; should (default): it does.",
)
@click.option("--overwrite", is_flag=True, help="Replace an earlier run in the output folder.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.pass_context
def run(ctx: click.Context, /, **options: Any) -> None:
    """Have engines read files, judge their answers, and write reports.

    Exit status: 0 no findings; 1 findings (with --history: new or regressed ones); 2 error,
    or no engine but the reference ran.
    """
    before: RunRecord | None = None
    given = options
    with problems():
        writers = writing.writers(options["report"])
        if options["resume"]:
            out = Path(options["resume"])
            before = resume.begun(out, ctx)
            if before.finished:
                show_line(resume.ended(out, before), err=True)
                ctx.exit(exit_status(before))
            options = resume.options(out, before, options)
        options = with_seed(options)
        night_plan = _night(options, before) if options["time_budget"] else None
        request = night_plan.request if night_plan else _request(options, before)
        try:
            with progress() as bars:
                record, tally = run_night(night_plan, bars) if night_plan else run_pipeline(request, bars)
                history = night.folder_of(options)
                if history and not night_plan:
                    tally.findings = remember(history, request, bars)
                    record = load_run(request.out)
                if record.counts["results"] > REPORTED and not given["report"]:
                    bars.note(
                        f"no report was written for more than {REPORTED:,} results; see `colconf trend`"
                    )
                    writers = {}
                reports = writing.write_reports(writers, request.out, bars)
        except KeyboardInterrupt:
            where = quoted(request.out)
            raise Interrupted(f"interrupted; `colconf run --resume {where}` continues") from None
    missing = incomplete(options["engine"], record)
    status = exit_status(record)
    if options["as_json"]:
        click.echo(summary.as_json(request.out, record, tally, reports, USAGE if missing else status))
    else:
        summary.show(request.out, record, tally, reports)
    if missing:
        raise Problem(missing)
    ctx.exit(status)


def _night(options: dict[str, Any], before: RunRecord | None) -> Night:
    """Return the plan of a night; `before` is the record of a resumed night."""
    if find_spec(GENERATING) is None:
        raise Problem(f"--time-budget requires {GENERATING}, which is not installed; {MEND}")
    out = _out(options)
    night_plan = night.plan(options, out, ["run", *arguments_of(options)], master_of(options))
    if before is not None:
        resume.check(out, before, night_plan.request.settings)
    return night_plan


def _out(options: dict[str, Any]) -> Path:
    now = dt.datetime.now().astimezone()
    return Path(options["out"]) if options["out"] else Path(DEFAULT_OUT) / f"{now:%Y%m%d-%H%M%S}"


def _request(options: dict[str, Any], before: RunRecord | None = None) -> Request:
    """Return the request of a run; `before` is the record of a resumed run."""
    chosen = PROFILES[options["profile"]]
    mixed = sample(options)
    generate, write = (mixed.generate, None) if mixed else (generate_of(options), write_of(options))
    out = _out(options)
    given = tuple(name for name in FORMATS if name in options["format_"])
    imported = (
        mixed.imported if mixed else imported_cases(options, given[0] if len(given) == 1 else None, out)
    )
    if options["keys"]:
        imported = with_keys(imported, options["keys"])
    if warning := locked(imported):
        show_line(f"colconf: {warning}", err=True)
    chosen_formats = mixed.formats if mixed else given or (PARQUET.name,)
    if len(chosen_formats) > 1 and not options["files"] and not generate:
        raise Problem("without --files or --generate, only one --format is allowed")
    formats = sorted({case.format for case in imported.cases}) if imported else [*chosen_formats]
    if generate:
        generate = generate._replace(formats=chosen_formats)
    of_files = None if mixed else imported
    queries = queries_of_files(options["queries"], of_files, generated=generate is not None and not mixed)
    is_new = before is None  # a resumed run names each configuration that it has
    selection = select(
        options["engine"],
        formats,
        every_switch=chosen.every_switch,
        probed=is_new and generate is not None and not mixed,
        queried=is_new and (queries > 0 or (chosen.every_switch and has_queries(imported))),
    )
    check_selection(options["engine"], selection)
    seconds = min(chosen.seconds, GENERATED_SECONDS) if generate else chosen.seconds
    limits = Limits(seconds=options["time_limit"] or seconds)
    if options["memory_limit"]:
        limits = replace(limits, memory_bytes=options["memory_limit"])
    request = {
        "files": absolute(options["files"]),
        **({"tables": absolute(options["tables"])} if options["tables"] else {}),
        "format": ",".join(given) or None,
        **({"keys": str(Path(options["keys"]).absolute())} if options["keys"] else {}),
        **({"level": options["level"]} if options["level"] == "must" else {}),
        "generate": generate.files if generate and not mixed else None,
        "seed": options["seed"] or 0 if generate or write else None,
        **({"write_generated": write.tables} if write else {}),
        **({} if generate and not mixed else {"queries": queries}),
        "engines": selection.labels(),
        **({"manifests": selection.manifests()} if selection.manifests() else {}),
        "profile": options["profile"],
        "time_limit": limits.seconds,
        "memory_limit": limits.memory_bytes,
        "colconf": __version__,
    }
    if before is not None:
        resume.check(out, before, request)
    if imported:
        check_formats(imported, selection.processes)
    return Request(
        out,
        selection.processes,
        limits,
        imported,
        chosen.layouts,
        request,
        ["run", *arguments_of(options)],
        selection.unavailable if before is None else before.unavailable,
        master_of(options),
        options["overwrite"],
        generate=generate,
        every_value=chosen.every_value,
        format=chosen_formats[0],
        resumed=before is not None,
        workdir=options["workdir"],
        order=options["seed"] or 0,
        control=True,
        queries=queries,
        write=write,
        written=mixed.formats if mixed else (),
        tables=mixed.tables if mixed else 1,
    )
