"""`colconf run`: have engines read files and run queries, judge the results, and write reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from corpora.build.formats import FORMATS
from harness.commands import night, resume, writing
from harness.commands.exit_status import exit_status, incomplete
from harness.commands.inputs import (
    DEFAULT_OUT,
    RunCommand,
)
from harness.commands.keyed import HELP
from harness.commands.own_queries import query_options
from harness.commands.parameters import Queries, Seconds, Size, problems
from harness.commands.run_extent import check_extent, extent_options
from harness.commands.run_options import (
    FEW_FILES,
    LOCAL_MASTER,
)
from harness.commands.run_request import night_of, request_of
from harness.commands.sample import with_seed
from harness.commands.table_schemas import schema_option
from harness.judging.results import load_run
from harness.judging.run_record import RunRecord
from harness.listings.text import quoted, show_line
from harness.problem import USAGE, Interrupted, Problem
from harness.runs import summary
from harness.runs.history.confirm import remember
from harness.runs.history.store import check as check_history
from harness.runs.nightly.night import night as run_night
from harness.runs.pipeline.context import TABLES
from harness.runs.pipeline.derived import QUERIES, QUERIES_OF_WRITTEN
from harness.runs.pipeline.profiles import DEFAULT, PROFILES
from harness.runs.pipeline.run import run as run_pipeline
from harness.runs.progress import progress
from harness.runs.summary import Amount

REPORTED = 100_000  # results: of more, default reports, which hold all in memory, are not written


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
    help="Read files of this format only; repeatable. Default: the formats of --files; else parquet, or"
    " orc if no named engine reads Parquet.",
)
@click.option(
    "--tables",
    multiple=True,
    metavar="DIR",
    help="Folder to read as one table, once with each schema of its files, or folder of table cases; "
    "repeatable.",
)
@schema_option
@click.option("--keys", metavar="FILE", help=HELP)
@click.option(
    "--generate",
    type=click.IntRange(1),
    metavar="N",
    help="Generate N files and queries on them, instead of files that engines write; one sheet (group of "
    f"files) in {TABLES} is a folder that is read as a table.",
)
@click.option(
    "--write-generated",
    type=click.IntRange(1),
    metavar="N",
    help="Have each engine write N generated tables with random options, instead of the fixed tables.",
)
@click.option(
    "--partitioned",
    is_flag=True,
    help="With --write-generated: each table is a folder, partitioned by one or two of its columns.",
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
    help="Engine to run, or FILE.toml[:SWITCH=VALUE], the manifest of your own reader; repeatable. "
    "Default: all installed engines.",
)
@click.option(
    "--queries",
    type=Queries(),
    metavar="N|none|all",
    help="Number of queries to derive from each file without a recorded expectation, and from each table "
    f"that engines write; default: {QUERIES}, for tables that engines write {QUERIES_OF_WRITTEN}.",
)
@click.option(
    "--queries-of-cases",
    is_flag=True,
    help="Also run derived queries on files with a case, besides the queries of the case.",
)
@query_options
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
    type=Seconds(),
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
    "--master",
    metavar="URL",
    help=f"Spark master that runs the pipeline; default: {LOCAL_MASTER}, "
    f"but for {FEW_FILES} files or fewer none.",
)
@click.option(
    "--workdir",
    metavar="DIR",
    help="Working folder of a cluster: a path or URL that all machines can access.",
)
@click.option(
    "--no-spark",
    is_flag=True,
    help="Run the pipeline in threads, without Spark. The engine spark still reads, if it is installed.",
)
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
    "With a history, only new, regressed or intermittent findings cause exit status 1.",
)
@click.option(
    "--time-budget",
    type=night.Duration(),
    metavar="DURATION",
    help="Read the corpora, the files of open findings, and generated files for this long, such as 2h.",
)
@click.option(
    "--level",
    type=click.Choice(["must", "should"]),
    default="should",
    help="must: findings of level SHOULD are shown, but do not cause status 1; should (default): they do.",
)
@extent_options
@click.option("--overwrite", is_flag=True, help="Replace an earlier run in the output folder.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.pass_context
def run(ctx: click.Context, /, **options: Any) -> None:
    """Have engines read files and run queries, judge the results, and write reports.

    Exit status: 0 no findings; 1 findings (with --history: new, regressed or intermittent ones) or stale
    known failures; 2 error, or no engine but the reference ran.
    """
    before: RunRecord | None = None
    given = options
    with problems():
        check_extent(options)
        writers = writing.writers(options["report"])
        if folder := night.folder_of(options):
            check_history(folder)
        if options["resume"]:
            out = Path(options["resume"])
            before = resume.begun(out, ctx)
            if before.finished:
                show_line(resume.ended(out, before), err=True)
                ctx.exit(exit_status(before))
            options = resume.options(out, before, options)
        options = with_seed(options)
        night_plan = night_of(options, before) if options["time_budget"] else None
        request = night_plan.request if night_plan else request_of(options, before)
        try:
            with progress(quiet=options["quiet"]) as bars:
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
        amount = Amount.of(quiet=options["quiet"], verbose=options["verbose"])
        summary.show(request.out, record, tally, reports, amount)
    if missing:
        raise Problem(missing)
    ctx.exit(status)
