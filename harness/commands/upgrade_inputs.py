"""The inputs of `colconf upgrade`: files, folders and queries of the user, generated files, and corpora."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from corpora import own_cases
from corpora.build.evolution.importing import import_tables
from corpora.build.formats import FORMATS as FORMATS_BY_NAME
from corpora.cases import Case
from corpora.importers import Skipped, import_paths
from corpora.queries import Query
from harness.commands.inputs import show_unusable
from harness.commands.own_queries import statements_of, with_queries
from harness.commands.parameters import check_paths
from harness.commands.table_schemas import declared
from harness.engines.naming import EngineName
from harness.engines.registry import ENGINES
from harness.investigate.upgrade.choices import identity, parted, tables
from harness.investigate.upgrade.choices import spread as spread_corpus
from harness.investigate.upgrade.large import size_of
from harness.investigate.upgrade.request import Input
from harness.listings.text import show_line
from harness.problem import Problem
from harness.runs.pipeline.context import Generate


class Own(NamedTuple):
    """The user's files, reads of the user's folders, the formats to compare, and the user's queries."""

    files: tuple[Case, ...]
    reads: tuple[Case, ...]
    formats: list[str]
    given: dict[Query, str]


def own_inputs(engine: EngineName, options: dict[str, Any]) -> Own:
    """Return the user's files and folders, with queries; raises Problem and ImportProblem."""
    formats = [name for name in engine.entry.formats if not options["formats"] or name in options["formats"]]
    if not formats:
        raise Problem(f"{engine.name} reads {' and '.join(engine.entry.formats)} only")
    statements = statements_of(options)
    if statements and not options["files"] and not options["folders"]:
        raise Problem("--query and --query-file require --files or --tables")
    files = _imported(options["files"], options["digest_above"])
    folders = options["folders"]
    check_paths(folders, "--tables")
    imported = import_tables(folders, undefined=True, declared=declared(options["schema"], folders))
    _check_usable(imported.skipped, "folders")
    reads = imported.cases
    _check_formats(engine, formats, (*files, *reads), is_chosen=bool(options["formats"]))
    queried = with_queries(statements, [case for case in (*files, *reads) if case.format in formats])
    for note in queried.notes:
        show_line(note, err=True)
    cases = queried.cases
    return Own(
        tuple(case for case in cases if case.read is None),
        tuple(case for case in cases if case.read is not None),
        formats,
        queried.queries,
    )


def inputs_of(engine: EngineName, options: dict[str, Any], own: Own) -> Iterator[Input]:
    """Yield what both versions read and write."""
    for format_ in own.formats:
        theirs = tuple(case for case in own.files if case.format == format_)
        whole = tuple(tables(options["files"], theirs))
        small, large = parted(theirs, whole, options["digest_above"])
        if small:
            yield Input(f"files-{format_}", format_, small, every=True, own=True)
        if large:
            if own.given:
                note = (
                    f"no query is run on {len(large):,} of the files, which are large and compared by digests"
                )
                show_line(f"{note}; a larger --digest-above adds some", err=True)
            yield Input(f"large-{format_}", format_, large, large=True, own=True)
        fitting = tuple(case for case in whole if size_of(case) <= options["digest_above"])
        if fitting:
            yield Input(f"tables-{format_}", format_, fitting, every=True)
        if evolved := tuple(case for case in own.reads if case.format == format_):
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
    _check_usable(imported.skipped, "files")
    return imported.cases


def _check_usable(skipped: Sequence[Skipped], what: str) -> None:
    """Print which files or folders cannot be used; raises Problem if there are any."""
    show_unusable(skipped)
    if count := sum(skip.unusable for skip in skipped):
        raise Problem(f"{count:,} of the given {what} cannot be used, so that they would not be compared")
