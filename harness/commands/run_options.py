"""Options of `colconf run`: generated files, a Spark master, and the arguments that repeat a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from harness.engines.registry import ENGINES
from harness.environments.availability import status
from harness.problem import Problem
from harness.runs.pipeline.context import PARTITIONED, Generate, WriteDrawn

LOCAL_MASTER = "local[*]"
FEW_FILES = 200  # of a run without a pipeline of Spark, whose start takes as long as reading as many files
_REPEATED = (
    *("keys", "generate", "write_generated", "seed", "out", "profile", "time_limit", "memory_limit"),
    *("master", "workdir", "time_budget", "queries", "shard", "jobs", "known"),
)
GENERATING = ("hypothesis", "lzallright")  # what files are generated with: one of their codecs is LZO
MEND = "pip install 'colconf[generate]'"


def not_installed() -> list[str]:
    """Return the packages that generating files needs and that are not installed."""
    return [package for package in GENERATING if find_spec(package) is None]


def check_generating(option: str) -> None:
    """Raise Problem if files cannot be generated, which the option or command needs."""
    if missing := not_installed():
        raise Problem(f"{option} requires {' and '.join(missing)}, not installed here; {MEND}")


def absolute(paths: Iterable[str]) -> list[str]:
    """Return the absolute forms of paths, each once, sorted."""
    return sorted({str(Path(path).absolute()) for path in paths})


def generate_of(options: dict[str, Any]) -> Generate | None:
    """Return the request of `--generate`, None without the option; raises Problem."""
    if options["generate"] is None:
        if options["seed"] is not None and options["write_generated"] is None:
            raise Problem("--seed requires --generate or --write-generated")
        return None
    if options["files"]:
        raise Problem("--generate and --files exclude each other")
    check_generating("--generate")
    return Generate(options["generate"], options["seed"] or 0)


def write_of(options: dict[str, Any]) -> WriteDrawn | None:
    """Return the request of `--write-generated`, None without the option; raises Problem."""
    if options["write_generated"] is None:
        if options["partitioned"]:
            raise Problem("--partitioned requires --write-generated")
        return None
    if options["files"] or options["tables"] or options["generate"]:
        raise Problem("--write-generated excludes --files, --tables and --generate")
    check_generating("--write-generated")
    return written_of(options["write_generated"], options["seed"] or 0, partitioned=options["partitioned"])


def written_of(tables: int, seed: int, *, partitioned: bool) -> WriteDrawn:
    """Return the request of generated tables that engines write, as files or as partitioned folders."""
    if partitioned:
        return WriteDrawn(tables, seed, PARTITIONED, partitioned=True)
    return WriteDrawn(tables, seed)


def arguments_of(options: dict[str, Any]) -> Iterator[str]:
    """Yield the arguments that repeat the run."""
    for name in ("files", "tables", "schema", "case", "engine", "format", "query", "query_file"):
        for value in options["format_" if name == "format" else name]:
            yield from (f"--{name.replace('_', '-')}", value)
    for name in _REPEATED:
        given = options[name]
        if given is not None:
            yield from (f"--{name.replace('_', '-')}", str(given))
    if options["level"] == "must":
        yield from ("--level", "must")
    for name in ("partitioned", "queries_of_cases", "fail_fast", "no_spark"):
        if options[name]:
            yield f"--{name.replace('_', '-')}"


def master_of(options: dict[str, Any], files: int | None = None) -> str | None:
    """Return the Spark master of the pipeline, None to run without Spark; raises Problem.

    `files` is how many files a run reads, if this is known: few are read sooner than Spark starts.
    """
    if options["no_spark"]:
        if options["master"]:
            raise Problem("--master and --no-spark exclude each other")
        return None
    if files is not None and files <= FEW_FILES and not options["master"]:
        return None
    spark = status(ENGINES["spark"])
    if spark.available:
        jobs = options["jobs"]
        return options["master"] or (f"local[{jobs}]" if jobs else LOCAL_MASTER)
    if options["master"]:
        raise Problem(f"--master {options['master']}: {spark.reason}; {spark.mend}")
    return None
