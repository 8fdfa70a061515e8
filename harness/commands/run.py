"""`colconf run`: have engines read files, judge their answers, and write reports."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from corpora.build.formats import FORMATS, PARQUET
from corpora.cases import CaseError
from corpora.importers import Imported, ImportProblem, Skipped, import_paths
from harness import settings
from harness.children.connection import Limits
from harness.commands import night, resume, writing
from harness.commands.keyed import HELP, locked, with_keys
from harness.commands.parameters import Size, check_paths, spread
from harness.engines.registry import ENGINES
from harness.environments.availability import status
from harness.judging.places import Process
from harness.judging.results import ResultsError, load_run
from harness.judging.run_record import RunRecord
from harness.listings.text import quoted, show_line
from harness.problem import USAGE, Interrupted, Problem
from harness.runs import summary
from harness.runs.history.records import NEW, REGRESSED
from harness.runs.history.remember import remember
from harness.runs.history.store import HistoryError
from harness.runs.nightly.night import Night
from harness.runs.nightly.night import night as run_night
from harness.runs.pipeline.context import Generate
from harness.runs.pipeline.errors import PipelineError, explained
from harness.runs.pipeline.profiles import DEFAULT, PROFILES
from harness.runs.pipeline.request import Request
from harness.runs.pipeline.run import run as run_pipeline
from harness.runs.pipeline.selection import SelectionError, select
from harness.runs.summary import progress
from harness.version import __version__

FINDINGS, NOTHING_UNEXPECTED = 1, 0
REPORTED = 100_000  # results: of more, default reports, which hold all in memory, are not written
DEFAULT_OUT = "colconf-out"
GENERATED_SECONDS = 30.0  # generated files are small
LOCAL_MASTER = "local[*]"
_INSTEAD = {  # settings that an option replaces
    "--files": ("generate", "seed", "time-budget"),
    "--generate": ("files", "time-budget"),
    "--time-budget": ("files", "generate", "seed"),
}
_REPEATED = (
    *("keys", "generate", "seed", "out", "profile", "time_limit", "memory_limit"),
    *("master", "workdir", "time_budget"),
)
_GENERATING = "hypothesis"
_MEND = "pip install 'colconf[generate]'"


class _Run(click.Command):
    """A command whose `--files` takes all paths up to the next option, with defaults from settings."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat `--files` before each of its paths, and load settings."""
        options = {
            name.removeprefix("--"): option
            for option in self.params
            if isinstance(option, click.Option)
            for name in option.opts
            if name.startswith("--")
        }
        given = {arg.partition("=")[0] for arg in args}
        defaults = settings.load(Path.cwd(), options)
        for option, others in _INSTEAD.items():
            defaults = {
                name: value for name, value in defaults.items() if option not in given or name not in others
            }
        ctx.default_map = {**defaults, **(ctx.default_map or {})}
        return super().parse_args(ctx, spread(args, "--files"))


@click.command(cls=_Run)
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
    help="Restrict to a format; repeatable. Default: the formats of --files, else parquet.",
)
@click.option("--keys", metavar="FILE", help=HELP)
@click.option(
    "--generate",
    type=click.IntRange(1),
    metavar="N",
    help="Generate N files, with queries.",
)
@click.option("--seed", type=click.IntRange(0), metavar="S", help="Seed of --generate; default: 0.")
@click.option(
    "--engine",
    multiple=True,
    metavar="NAME[@VERSION][:SWITCH=VALUE]",
    help="Engine to run; repeatable. Default: all installed engines.",
)
@click.option("--out", metavar="DIR", help=f"Output folder; default: {DEFAULT_OUT}/<time>.")
@click.option("--resume", metavar="RUN", help="Continue the run in this folder, with its options.")
@click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    default=DEFAULT,
    show_default=True,
    help="Amount of testing.",
)
@click.option(
    "--time-limit", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Time limit per file."
)
@click.option("--memory-limit", type=Size(), metavar="SIZE", help="Memory limit per engine, such as 4G.")
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
    "Then only new or regressed findings exit 1.",
)
@click.option(
    "--time-budget",
    type=night.Duration(),
    metavar="DURATION",
    help="Run corpora and open findings, then generated files, for a duration such as 2h.",
)
@click.option("--overwrite", is_flag=True, help="Replace the run in the output folder.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.pass_context
def run(ctx: click.Context, /, **options: Any) -> None:
    """Have engines read files, judge their answers, and write reports.

    Exit status: 0 no findings; 1 findings (with --history: new or regressed ones); 2 error.
    """
    before: RunRecord | None = None
    given = options
    try:
        writers = writing.writers(options["report"])
        if options["resume"]:
            out = Path(options["resume"])
            before = resume.begun(out, ctx)
            if before.finished:
                show_line(resume.ended(out, before), err=True)
                ctx.exit(FINDINGS if _unexpected(before) else NOTHING_UNEXPECTED)
            options = resume.options(out, before, options)
        night_plan = _night(options, before) if options["time_budget"] else None
        request = night_plan.request if night_plan else _request(options, before)
        with progress() as bars:
            record, tally = run_night(night_plan, bars) if night_plan else run_pipeline(request, bars)
            history = night.folder_of(options)
            if history and not night_plan:
                tally.findings = remember(history, request, bars)
                record = load_run(request.out)
            if record.counts["results"] > REPORTED and not given["report"]:
                bars.note(f"no report was written for more than {REPORTED:,} results; see `colconf trend`")
                writers = {}
            reports = writing.write_reports(writers, request.out, bars)
    except (SelectionError, ImportProblem, PipelineError, CaseError, ResultsError, HistoryError) as error:
        raise Problem(str(error)) from error
    except OSError as error:
        raise Problem(explained(error)) from error
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; `colconf run --resume {quoted(request.out)}` continues") from None
    missing = _missing(options["engine"], record)
    status = FINDINGS if _unexpected(record) else NOTHING_UNEXPECTED
    if options["as_json"]:
        click.echo(summary.as_json(request.out, record, tally, reports, USAGE if missing else status))
    else:
        summary.show(request.out, record, tally, reports)
    if missing:
        raise Problem(missing)
    ctx.exit(status)


def _unexpected(record: RunRecord) -> int:
    """Return the number of findings for which the exit status is 1."""
    if record.history:
        return sum(record.history[name] for name in (NEW, REGRESSED, "stale"))
    return int(record.counts["findings"])


def _night(options: dict[str, Any], before: RunRecord | None) -> Night:
    """Return the plan of a night; `before` is the record of a resumed night."""
    if find_spec(_GENERATING) is None:
        raise Problem(f"--time-budget requires {_GENERATING}, which is not installed; {_MEND}")
    out = _out(options)
    night_plan = night.plan(options, out, ["run", *_arguments(options)], _master(options))
    if before is not None:
        resume.check(out, before, night_plan.request.settings)
    return night_plan


def _out(options: dict[str, Any]) -> Path:
    now = dt.datetime.now().astimezone()
    return Path(options["out"]) if options["out"] else Path(DEFAULT_OUT) / f"{now:%Y%m%d-%H%M%S}"


def _request(options: dict[str, Any], before: RunRecord | None = None) -> Request:
    """Return the request of a run; `before` is the record of a resumed run."""
    chosen = PROFILES[options["profile"]]
    generate = _generate(options)
    out = _out(options)
    given = tuple(name for name in FORMATS if name in options["format_"])
    imported = _imported(options["files"], given[0] if len(given) == 1 else None, out)
    if options["keys"]:
        imported = with_keys(imported, options["keys"])
    if warning := locked(imported):
        show_line(f"colconf: {warning}", err=True)
    chosen_formats = given or (PARQUET.name,)
    if len(chosen_formats) > 1 and not options["files"] and not generate:
        raise Problem("without --files or --generate, only one --format is allowed")
    formats = sorted({case.format for case in imported.cases}) if imported else [*chosen_formats]
    if generate:
        generate = generate._replace(formats=chosen_formats)
    selection = select(
        options["engine"], formats, every_switch=chosen.every_switch, probed=generate is not None
    )
    seconds = min(chosen.seconds, GENERATED_SECONDS) if generate else chosen.seconds
    limits = Limits(seconds=options["time_limit"] or seconds)
    if options["memory_limit"]:
        limits = replace(limits, memory_bytes=options["memory_limit"])
    request = {
        "files": sorted({str(Path(file).absolute()) for file in options["files"]}),
        "format": ",".join(given) or None,
        **({"keys": str(Path(options["keys"]).absolute())} if options["keys"] else {}),
        "generate": generate.files if generate else None,
        "seed": generate.seed if generate else None,
        "engines": selection.labels(),
        "profile": options["profile"],
        "time_limit": limits.seconds,
        "memory_limit": limits.memory_bytes,
        "colconf": __version__,
    }
    if before is not None:
        resume.check(out, before, request)
    if imported:
        _check_formats(imported, selection.processes)
    return Request(
        out,
        selection.processes,
        limits,
        imported,
        chosen.layouts,
        request,
        ["run", *_arguments(options)],
        selection.unavailable if before is None else before.unavailable,
        _master(options),
        options["overwrite"],
        generate=generate,
        every_value=chosen.every_value,
        format=chosen_formats[0],
        resumed=before is not None,
        workdir=options["workdir"],
    )


def _generate(options: dict[str, Any]) -> Generate | None:
    """Return the request of `--generate`, None without the option; raises Problem."""
    if options["generate"] is None:
        if options["seed"] is not None:
            raise Problem("--seed requires --generate")
        return None
    if options["files"]:
        raise Problem("--generate and --files exclude each other")
    if find_spec(_GENERATING) is None:
        raise Problem(f"--generate requires {_GENERATING}, which is not installed; {_MEND}")
    return Generate(options["generate"], options["seed"] or 0)


def _imported(files: Sequence[str], format_: str | None, out: Path) -> Imported | None:
    """Import the files of a format, except for files in the folders of this and other runs."""
    if not files:
        return None
    check_paths(files)
    imported = import_paths(files)
    own = [out.absolute(), Path(DEFAULT_OUT).absolute()]

    def foreign(file: Path) -> bool:
        return not any(file.absolute().is_relative_to(folder) for folder in own)

    cases = tuple(case for case in imported.cases if foreign(case.file))
    skipped = tuple(skip for skip in imported.skipped if foreign(skip.file))
    if format_:
        foreigners = [case for case in cases if case.format != format_]
        skipped += tuple(
            Skipped(case.id, case.file, f"no {FORMATS[format_].title} file") for case in foreigners
        )
        cases = tuple(case for case in cases if case.format == format_)
    if not cases:
        others = f" ({len(skipped):,} other files)" if skipped else ""
        wanted = FORMATS[format_].title if format_ else " or ".join(each.title for each in FORMATS.values())
        raise ImportProblem(f"{', '.join(files)}: no {wanted} file found{others}")
    return Imported(cases, skipped)


def _check_formats(imported: Imported, processes: Sequence[Process]) -> None:
    """Raise ImportProblem if no engine reads any of the files."""
    there = {case.format for case in imported.cases}
    if not there & {name for process in processes if process.reported for name in process.formats}:
        names = " or ".join(sorted(name.upper() for name in there))
        count = f"{len(imported.cases):,} files"
        raise ImportProblem(f"none of the selected engines reads {names}, the format of all {count}")


def _arguments(options: dict[str, Any]) -> Iterator[str]:
    """Yield the arguments that repeat the run."""
    for name in ("files", "engine", "format"):
        for value in options["format_" if name == "format" else name]:
            yield from (f"--{name}", value)
    for name in _REPEATED:
        given = options[name]
        if given is not None:
            yield from (f"--{name.replace('_', '-')}", str(given))
    if options["no_spark"]:
        yield "--no-spark"


def _master(options: dict[str, Any]) -> str | None:
    """Return the Spark master of the pipeline, None to run without Spark; raises Problem."""
    if options["no_spark"]:
        if options["master"]:
            raise Problem("--master and --no-spark exclude each other")
        return None
    spark = status(ENGINES["spark"])
    if spark.available:
        return options["master"] or LOCAL_MASTER
    if options["master"]:
        raise Problem(f"--master {options['master']}: {spark.reason}; {spark.mend}")
    return None


def _missing(named: Sequence[str], record: RunRecord) -> str:
    """Return a message about engines that were named and did not start."""
    failed = [f"{entry['engine']} did not start: {entry['reason']}" for entry in record.unavailable]
    return "; ".join(failed) if named else ""
