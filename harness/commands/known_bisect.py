"""`colconf known bisect`: the versions of known failures, found by asking releases."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from corpora import known_failures
from corpora.cache import folder as cache_folder
from corpora.cases import FORMATS, Case
from corpora.importers import Imported, import_paths
from corpora.known_text import write_ranges
from corpora.versions import bounds, version_in
from harness.children.connection import Limits
from harness.children.scratch import scratch_folder
from harness.commands.inputs import show_unusable
from harness.commands.night import PUBLISHED, budget_option
from harness.commands.parameters import known_option, problems, time_limit_option
from harness.engines.registry import ENGINES
from harness.environments.availability import status
from harness.environments.releases import every_version, installed_of, stable
from harness.investigate.ranges.asker import Asker
from harness.investigate.ranges.results import Range, ranges
from harness.investigate.ranges.search import Search
from harness.investigate.ranges.starting import Starting, reference
from harness.investigate.ranges.subjects import Pool, is_meant, subjects
from harness.investigate.ranges.writers import globs_of, written_cases
from harness.listings.text import say, show_line
from harness.problem import Problem
from harness.runs.pipeline import generated
from harness.runs.pipeline.context import Context

_ALL_FOUND, _SOME_NOT = 0, 1


@click.command()
@click.option("--engine", required=True, type=click.Choice(list(ENGINES)), help="Engine to bisect.")
@click.option("--entry", "names", multiple=True, metavar="ID", help="A finding, or a glob of cases.")
@click.option("--versions", default="", metavar="RANGE", help="Test these releases only, such as '>=1.0,<3'.")
@click.option("--installed", is_flag=True, help="Test installed releases only.")
@click.option(
    "--sample",
    type=click.IntRange(2),
    default=8,
    show_default=True,
    help="Number of releases that are always tested, whatever the results of the others.",
)
@budget_option("--budget", default="30m", text="Start testing no further release after this time.")
@click.option("--files", multiple=True, metavar="PATH", help="Files with more cases; repeatable.")
@click.option("--generate", "count", type=click.IntRange(1), help="Also generate this many files per format.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of generated files.")
@click.option(
    "--cases", "most", type=click.IntRange(1), default=60, show_default=True,
    help="Number of an entry's cases among which to look for some that show it.",
)  # fmt: skip
@time_limit_option(20.0, "Time limit for a file or query.")
@known_option
@click.option("--write", is_flag=True, help="Write the ranges into the known failures.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def bisect(ctx: click.Context, /, **options: Any) -> None:
    """Find the affected versions of an engine's known failures by testing its releases.

    With the version that is installed with colconf, the command looks for cases that show each entry. It then
    tests them with a sample of the releases, and with more releases where an entry starts or stops failing,
    for all entries together. A release counts as failing if it shows the same symptom. Releases are installed
    as needed, and their results are cached: the same command continues after --budget has ended it. The files
    of entries `writers/...` are written by the engines that are installed with colconf. Checkouts that
    PARQUET_TEST_DATA and ORC_TEST_DATA name are read like --files.

    Exit status: 0 each entry has a range; 1 some entry has none; 2 error.
    """
    engine, folder = options["engine"], options["folder"] or known_failures.FOLDER
    if not ENGINES[engine].packages:
        raise Problem(f"{engine} is part of colconf and has no other versions")
    with problems(), scratch_folder() as scratch:
        file = folder / f"{engine}.toml"
        if not file.is_file():
            raise Problem(f"{file}: no such file of known failures")
        results = _searched(options, file, scratch)
        if options["write"]:
            new = {each.history.subject.place: each.versions or "" for each in results if each.is_new}
            write_ranges(file, new)
    if options["as_json"]:
        click.echo(json.dumps([each.to_json() for each in results], indent=2))
    else:
        _show(results, written=options["write"])
    ctx.exit(_SOME_NOT if any(each.versions is None for each in results) else _ALL_FOUND)


def _searched(options: Mapping[str, Any], file: Path, scratch: Path) -> list[Range]:
    engine = options["engine"]
    entry = ENGINES[engine]
    bounds(options["versions"])  # a mistake is told before anything is read or listed
    known = known_failures.read(file)
    here = installed_of(entry)
    every = here if options["installed"] else [*every_version(entry), *here]
    versions = [release for release in stable(every) if version_in(release, options["versions"])]
    if not versions:
        raise Problem(f"no release of {engine} is in {options['versions'] or 'the index'}")
    limits = Limits(seconds=options["time_limit"])
    meant = [each for each in known if is_meant(each, options["names"])]
    here_written = written_cases(globs_of(meant), entry.formats, limits, scratch, say)
    pool = Pool.of([*_cases(options, entry.formats, scratch), *here_written])
    own = status(entry).version
    base = own if own in versions else versions[-1]
    chosen = subjects(known, pool, options["names"], entry.formats, base=base, most=options["most"])
    starting = Starting(engine, say)
    with Asker(starting, reference(), limits, scratch, cache_folder() / "bisect") as asker:
        search = Search(
            asker,
            versions,
            say,
            sample=options["sample"],
            is_whole=versions[0] == stable(every)[0] and not (options["installed"] or entry.artifact),
            cheap=here,
            base=base,
            ends=time.monotonic() + options["budget"],
        )
        span = f"{len(versions)} releases from {versions[0]} to {versions[-1]}"
        say(f"{engine}: {len(chosen)} known failures, {span}")
        return ranges(search, search.run(chosen))


def _cases(options: Mapping[str, Any], formats: Sequence[str], scratch: Path) -> list[Case]:
    """Return the cases that are not of the corpora: of given and of generated files."""
    paths = [*options["files"], *filter(None, (os.environ.get(name) for name in PUBLISHED))]
    imported = import_paths(paths) if paths else Imported((), ())
    show_unusable(imported.skipped)
    if count := sum(skip.unusable for skip in imported.skipped):
        raise Problem(f"{count:,} of the given files cannot be used, so the ranges would not cover them")
    cases = list(imported.cases)
    for format_ in FORMATS:
        if options["count"] and format_ in formats:
            context = Context(scratch / format_, (), Limits(), scratch, format=format_)
            cases_of_format: list[Case] = []
            sheet = 0
            while len(cases_of_format) < options["count"]:
                cases_of_format += generated.remade(context, options["seed"], sheet, format_)
                sheet += 1
            cases += cases_of_format[: options["count"]]
    return cases


def _show(results: Sequence[Range], *, written: bool) -> None:
    for each in results:
        entry = each.history.subject.entry
        about = f" [{entry.signature}]" if entry.signature else ""
        show_line(f"{entry}{about}")
        if each.versions is None:
            show_line(f"  no range: {each.why}")
        else:
            change = "written" if written else f"the entry has {entry.versions or 'all versions'}"
            note = change if each.is_new else "same as in the entry"
            show_line(f"  fails in {each.versions or 'all tested releases'} ({note})")
        for low, high, count in each.gaps:
            show_line(f"  not tested: {count} releases between {low} and {high}")
        for version, description in each.otherwise.items():
            show_line(f"  {version} fails in another way: {description}")
    missing = sum(each.versions is None for each in results)
    show_line(f"{len(results) - missing} of {len(results)} known failures have a range")
