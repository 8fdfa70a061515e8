"""The run request that corresponds to the options of `colconf run`."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path
from typing import Any

from corpora.build.formats import FORMATS
from corpora.importers import Imported
from harness.children.connection import Limits
from harness.commands import night, resume
from harness.commands.exit_status import check_selection
from harness.commands.inputs import (
    DEFAULT_OUT,
    check_formats,
    format_for,
    has_queries,
    imported_cases,
    queries_of_files,
    show_unusable,
)
from harness.commands.keyed import locked, with_keys
from harness.commands.own_queries import queries_of_user, with_queries
from harness.commands.run_extent import extent_of
from harness.commands.run_options import (
    absolute,
    arguments_of,
    check_generating,
    generate_of,
    master_of,
    write_of,
)
from harness.commands.sample import sample
from harness.commands.table_schemas import by_folder
from harness.judging.records import known_entries
from harness.judging.run_record import RunRecord
from harness.listings.text import show_line
from harness.problem import Problem
from harness.runs.nightly.plan import Night
from harness.runs.pipeline.context import Generate
from harness.runs.pipeline.profiles import PROFILES
from harness.runs.pipeline.request import Request
from harness.runs.pipeline.selection import select
from harness.version import __version__

GENERATED_SECONDS = 30.0  # generated files are small


def night_of(options: dict[str, Any], before: RunRecord | None) -> Night:
    """Return the plan of a night; `before` is the record of a resumed night."""
    check_generating("--time-budget")
    out = _out(options)
    night_plan = night.plan(options, out, ["run", *arguments_of(options)], master_of(options))
    if before is not None:
        resume.check(out, before, night_plan.request.settings)
    return night_plan


def _out(options: dict[str, Any]) -> Path:
    now = dt.datetime.now().astimezone()
    return Path(options["out"]) if options["out"] else Path(DEFAULT_OUT) / f"{now:%Y%m%d-%H%M%S}"


def _files(imported: Imported | None, generate: Generate | None) -> int | None:
    """Return how many files a run reads or generates; None for a run of files that engines write."""
    if imported is None and generate is None:
        return None
    return (len(imported.cases) if imported else 0) + (generate.files if generate else 0)


def _schemas(options: dict[str, Any]) -> list[str]:
    """Return the values of `--schema` with absolute paths; raises Problem."""
    files = by_folder(options["schema"], options["tables"])
    return sorted(f"{Path(folder).absolute()}={Path(file).absolute()}" for folder, file in files.items())


def request_of(options: dict[str, Any], before: RunRecord | None = None) -> Request:
    """Return the request of a run; `before` is the record of a resumed run."""
    if options["known"]:
        known_entries(night.known_of(options))  # what is wrong with them is said before anything is done
    chosen = PROFILES[options["profile"]]
    mixed = sample(options)
    generate, write = (mixed.generate, None) if mixed else (generate_of(options), write_of(options))
    out = _out(options)
    given = tuple(name for name in FORMATS if name in options["format_"])
    imported = (
        mixed.imported if mixed else imported_cases(options, given[0] if len(given) == 1 else None, out)
    )
    if options["keys"]:
        used = len(imported.skipped) if imported else 0
        imported = with_keys(imported, options["keys"])
        show_unusable(imported.skipped[used:])
    if warning := locked(imported):
        show_line(f"colconf: {warning}", err=True)
    chosen_formats = mixed.formats if mixed else given or (format_for(options["engine"]),)
    if len(chosen_formats) > 1 and not options["files"] and not options["case"] and not generate:
        raise Problem("without --files or --generate, only one --format is allowed")
    formats = sorted({case.format for case in imported.cases}) if imported else [*chosen_formats]
    if generate:
        generate = generate._replace(formats=chosen_formats)
    of_files = None if mixed else imported
    of_cases = bool(options["queries_of_cases"])
    statements = queries_of_user(options, of_files)
    queries = queries_of_files(
        options["queries"], of_files, generated=generate is not None and not mixed, of_cases=of_cases
    )
    own = with_queries(statements, imported.cases if imported else (), partial=bool(options["shard"]))
    if statements and imported:
        imported = replace(imported, cases=own.cases)
    for note in own.notes:
        show_line(note, err=True)
    is_new = before is None  # a resumed run names each configuration that it has
    selection = select(
        options["engine"],
        formats,
        every_switch=chosen.every_switch,
        probed=is_new and generate is not None and not mixed,
        queried=is_new
        and (queries > 0 or (chosen.every_switch and has_queries(imported)) or bool(statements)),
    )
    check_selection(options["engine"], selection)
    seconds = min(chosen.seconds, GENERATED_SECONDS) if generate else chosen.seconds
    limits = Limits(seconds=options["time_limit"] or seconds)
    if options["memory_limit"]:
        limits = replace(limits, memory_bytes=options["memory_limit"])
    request = {
        "files": absolute(options["files"]),
        **({"tables": absolute(options["tables"])} if options["tables"] else {}),
        **({"schema": _schemas(options)} if options["schema"] else {}),
        "format": ",".join(given) or None,
        **extent_of(options),
        **({"keys": str(Path(options["keys"]).absolute())} if options["keys"] else {}),
        **({"level": options["level"]} if options["level"] == "must" else {}),
        "generate": generate.files if generate and not mixed else None,
        "seed": options["seed"] or 0 if generate or write else None,
        **({"write_generated": write.tables} if write else {}),
        **({"partitioned": True} if write and write.partitioned else {}),
        **({} if generate and not mixed else {"queries": queries}),
        **({"queries_of_cases": True} if of_cases else {}),
        **({"query": [statement.text for statement in statements]} if statements else {}),
        "engines": selection.labels(),
        **({"manifests": selection.manifests()} if selection.manifests() else {}),
        "profile": options["profile"],
        "time_limit": limits.seconds,
        "memory_limit": limits.memory_bytes,
        "colconf": __version__,
    }
    if before is not None:
        resume.check(out, before, request)
    check_formats(formats, selection.processes, len(imported.cases) if imported else 0)
    return Request(
        out,
        selection.processes,
        limits,
        imported,
        chosen.layouts,
        request,
        ["run", *arguments_of(options)],
        selection.unavailable if before is None else before.unavailable,
        master_of(options, None if mixed or write else _files(imported, generate)),
        options["overwrite"],
        generate=generate,
        every_value=chosen.every_value,
        format=chosen_formats[0],
        resumed=before is not None,
        workdir=options["workdir"],
        order=options["seed"] or 0,
        control=mixed is None,  # the versions beside colconf are those that its adapters are written for
        queries=queries,
        queries_of_cases=of_cases,
        given=tuple(own.queries),
        left_out=own.left_out,
        write=write,
        written=mixed.formats if mixed else (),
        tables=mixed.tables if mixed else 1,
        known=night.known_of(options),
        fail_fast=options["fail_fast"],
        jobs=options["jobs"],
        partial=bool(options["case"] or options["shard"] or mixed),
    )
