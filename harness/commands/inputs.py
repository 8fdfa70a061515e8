"""The arguments of `colconf run`, with defaults from settings, and its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from corpora import own_cases
from corpora.build.evolution.importing import import_tables
from corpora.build.formats import FORMATS, ORC, PARQUET
from corpora.formats import BY_SUFFIX
from corpora.importers import Imported, ImportProblem, Skipped, import_paths
from harness import settings
from harness.commands.parameters import check_paths, spread
from harness.commands.run_extent import selected
from harness.commands.table_schemas import declared
from harness.engines.registry import ENGINES
from harness.judging.ballots import REFERENCE
from harness.judging.places import Process
from harness.listings.text import show_line
from harness.problem import Problem
from harness.runs.pipeline.derived import QUERIES, QUERIES_OF_WRITTEN, is_queried, is_sound

DEFAULT_OUT = "colconf-out"
_LISTED = 10  # files that cannot be used
_OWN = ("query", "query_file", "schema")  # of files and tables of the user
_INSTEAD = {  # settings that an option replaces
    "--case": ("files", "tables", "generate", "seed", "time_budget", *_OWN),
    "--files": ("tables", "generate", "seed", "time_budget"),
    "--tables": ("files", "generate", "seed", "time_budget", "keys"),
    "--generate": ("files", "tables", "time_budget", *_OWN),
    "--time-budget": ("files", "tables", "generate", "seed", *_OWN),
}


class RunCommand(click.Command):
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


def imported_files(files: Sequence[str], format_: str | None, out: Path) -> Imported | None:
    """Import the files of a format, except for files in the folders of this and other runs."""
    if not files:
        return None
    check_paths(files)
    imported = import_paths(files)
    own = [out.absolute(), Path(DEFAULT_OUT).absolute()]

    def foreign(file: Path) -> bool:
        return not any(file.absolute().is_relative_to(folder) for folder in own)

    cases = tuple(case for case in imported.cases if foreign(case.file))
    skipped = tuple(skip for skip in imported.skipped if foreign(skip.file) and _is_of(skip.file, format_))
    show_unusable(skipped)
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


def _is_of(file: Path, format_: str | None) -> bool:
    """Return whether a file may be of a format, by its name; of None, any."""
    formats = [name for suffix, name in BY_SUFFIX.items() if file.name.lower().endswith(suffix)]
    return format_ is None or not formats or format_ in formats


def show_unusable(skipped: Sequence[Skipped]) -> None:
    """Print which files cannot be used, or are wrong cases of ours, and why."""
    unusable = [skip for skip in skipped if skip.unusable or skip.quarantined]
    for skip in unusable[:_LISTED]:
        show_line(f"{skip.file}: {skip.reason}", err=True)
    if len(unusable) > _LISTED:
        show_line(f"and {len(unusable) - _LISTED:,} more that are not used", err=True)


def imported_cases(options: Mapping[str, Any], format_: str | None, out: Path) -> Imported | None:
    """Import the files and tables of a run, None without any; raises Problem and ImportProblem.

    With `--case` alone, these are colconf's own cases.
    """
    globs, shard = options["case"], options["shard"]
    if globs and not options["files"] and not options["tables"]:
        imported = _own(globs, options["format_"] or FORMATS)
    else:
        both = [imported_files(options["files"], format_, out)]
        both += [imported_tables(options)] if options["tables"] else []
        parts = [part for part in both if part is not None]
        if not parts:
            return None
        imported = Imported(
            tuple(case for part in parts for case in part.cases),
            tuple(skip for part in parts for skip in part.skipped),
        )
    return selected(imported, globs, shard) if globs or shard else imported


def _own(globs: Sequence[str], formats: Collection[str]) -> Imported:
    """Import colconf's own cases of these formats whose ids match; raises ImportProblem if none does."""
    by_kind: dict[bool, list[str]] = {False: [], True: []}
    for path in own_cases.records(globs):
        by_kind[path.relative_to(own_cases.folder()).parts[0] == own_cases.TABLES].append(str(path))
    parts = [import_tables(by_kind[True])]
    if files := [file for path in by_kind[False] for file in _beside(Path(path), formats)]:
        parts.insert(0, import_paths(files))
    skipped = tuple(skip for part in parts for skip in part.skipped)
    show_unusable(skipped)
    cases = tuple(case for part in parts for case in part.cases)
    cases = tuple(case for case in cases if case.format in formats)
    if not cases and skipped:
        raise ImportProblem(f"the cases that match {' or '.join(map(repr, globs))} are in quarantine")
    if not cases:
        raise ImportProblem(
            f"no case of colconf's corpora matches {' or '.join(map(repr, globs))}; see `colconf list cases`"
        )
    return Imported(cases, skipped)


def _beside(record: Path, formats: Collection[str]) -> Iterator[Path]:
    """Yield the file of one of these formats that a record describes."""
    return (file for name in formats if (file := record.with_suffix(f".{name}")).exists())


def imported_tables(options: Mapping[str, Any]) -> Imported:
    """Import folders that are read as tables; raises Problem and ImportProblem."""
    for name in ("generate", "keys"):
        if options[name]:
            raise Problem(f"--tables and --{name} exclude each other")
    check_paths(options["tables"], "--tables")
    imported = import_tables(options["tables"], declared=declared(options["schema"], options["tables"]))
    cases = tuple(case for case in imported.cases if case.format in (options["format_"] or FORMATS))
    for line in _undefined(imported):
        show_line(line, err=True)
    if not cases:
        why = "no read of these tables is asked" if imported.skipped else "no table of these formats"
        raise ImportProblem(f"{', '.join(options['tables'])}: {why}")
    return Imported(cases, imported.skipped)


def _undefined(imported: Imported) -> Iterator[str]:
    """Yield a line for each reason why reads of a table are not asked: no text defines their result."""
    counts = Counter(case.file for case in imported.cases)
    show_unusable(imported.skipped)
    reads = [skip for skip in imported.skipped if skip.is_read]
    skipped = Counter(skip.file for skip in reads)
    by_reason: dict[tuple[Path, str], list[str]] = {}
    for skip in reads:
        by_reason.setdefault((skip.file, skip.reason), []).append(skip.id.rpartition("/")[2])
    for (folder, reason), names in by_reason.items():
        total = skipped[folder] + counts[folder]
        yield f"{folder}: {len(names)} of {total} reads are not asked ({', '.join(names)}): {reason}"


def has_queries(imported: Imported | None) -> bool:
    """Return whether any of the cases has recorded queries."""
    return imported is not None and any(case.probes for case in imported.cases)


def queries_of_files(given: int | None, imported: Imported | None, *, generated: bool, of_cases: bool) -> int:
    """Return how many queries are derived from a file; files that engines write have fewer."""
    if of_cases and (generated or imported is None):
        raise Problem("--queries-of-cases requires --files or --case: other files have no recorded queries")
    if generated:
        if given is not None:
            raise Problem("--queries and --generate exclude each other: generated files have queries")
        return 0
    if imported is None:
        return QUERIES_OF_WRITTEN if given is None else given
    is_asked = any(is_queried(case) or (of_cases and is_sound(case)) for case in imported.cases)
    return (QUERIES if given is None else given) if is_asked else 0


def format_for(engines: Sequence[str]) -> str:
    """Return the format of files that are made for engines, by their names: Parquet, if any reads it."""
    entries = [ENGINES.get(name.partition(":")[0].partition("@")[0]) for name in engines]
    others = [entry for entry in entries if entry is None or entry.name != REFERENCE]
    is_orc = all(entry is not None and PARQUET.name not in entry.formats for entry in others)
    return ORC.name if others and is_orc else PARQUET.name


def check_formats(formats: Iterable[str], processes: Sequence[Process], files: int) -> None:
    """Raise ImportProblem if no engine reads any of the formats; `files` are those given, 0 for none."""
    wanted = set(formats)
    if not wanted & {name for process in processes if process.reported for name in process.formats}:
        names = " or ".join(sorted(name.upper() for name in wanted))
        count = f", the format of all {files:,} files" if files else ": choose another --format"
        raise ImportProblem(f"none of the selected engines reads {names}{count}")
