"""Options of `colconf run`: which cases, how many at once, until when, and how much is printed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from corpora.cases import Case
from corpora.importers import Imported, ImportProblem
from corpora.own_cases import matches
from harness.commands.parameters import check_paths, with_options
from harness.problem import Problem
from harness.runs.pipeline.storage import check_workdir

_PATHS = ("resume", "out", "history", "keys", "known", "workdir")  # none may be empty
# https://spark.apache.org/docs/latest/submitting-applications.html#master-urls
_MASTER = re.compile(r"local(\[(\*|[0-9]+)(, *[0-9]+)?\])?|local-cluster\[[0-9, ]+\]|yarn|(spark|k8s)://\S+")
_CHOSEN_ELSEWHERE = ("generate", "write_generated", "time_budget")
SETTINGS = ("case", "shard", "fail_fast", "known")  # by parameter; they decide results


class Shard(NamedTuple):
    """The `number`-th of `total` parts of the cases, counted from 1."""

    number: int
    total: int

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"

    def has(self, case: str) -> bool:
        """Return whether a case is in this part; this depends only on its id, and on no other case."""
        digest = hashlib.sha256(case.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.total == self.number - 1


class ShardType(click.ParamType[Shard]):
    """A part of the cases, such as 1/4."""

    name = "I/N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Shard:
        """Return the part."""
        number, _, count = str(value).partition("/")
        if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
            self.fail(f"{str(value)!r:.40} is not a part such as 1/4", param, ctx)
        return Shard(int(number), int(count))


extent_options = with_options(
    click.option(
        "--case",
        multiple=True,
        metavar="GLOB",
        help="Run only cases whose id matches, of --files and --tables or, without these, of colconf's own "
        "corpora (`colconf list cases`); repeatable.",
    ),
    click.option(
        "--shard",
        type=ShardType(),
        metavar="I/N",
        help="Run the I-th of N parts of the cases, such as 1/4; every machine divides them in the same way.",
    ),
    click.option("--fail-fast", is_flag=True, help="Read no further files after the first finding."),
    click.option(
        "--jobs",
        type=click.IntRange(1),
        metavar="N",
        help="Number of concurrent tasks; default: one per core, half as many more where engines are asked.",
    ),
    click.option(
        "--known",
        metavar="DIR",
        help="Folder of known failures, one TOML file per engine; default: colconf's own.",
    ),
    click.option(
        "--quiet", "-q", is_flag=True, help="Print only findings and counts: no progress, no table."
    ),
    click.option(
        "--verbose", "-v", is_flag=True, help="Print all findings, and everything that could not be tested."
    ),
)


def check_extent(options: Mapping[str, Any]) -> None:
    """Raise Problem for options that contradict each other or name nothing, before any work."""
    for name in _PATHS:
        if options[name] is not None:
            check_paths([options[name]], f"--{name}")
    for name in ("case", "shard", "fail_fast"):
        option = f"--{name.replace('_', '-')}"
        for other in _CHOSEN_ELSEWHERE if name != "fail_fast" else ("time_budget",):
            if options[name] and options[other]:
                raise Problem(f"{option} and --{other.replace('_', '-')} exclude each other")
    if options["shard"] and not (options["case"] or options["files"] or options["tables"]):
        raise Problem("--shard requires --files, --tables or --case")
    if options["quiet"] and options["verbose"]:
        raise Problem("--quiet and --verbose exclude each other")
    if options["jobs"] and options["master"]:
        raise Problem("--jobs and --master exclude each other: a master has its own number of cores")
    if options["known"] is not None and not Path(options["known"]).is_dir():
        raise Problem(f"{options['known']}: no such folder of known failures")
    if options["master"] is not None and not _MASTER.fullmatch(options["master"]):
        mend = "write local[4], spark://HOST:7077, yarn or k8s://HOST:443"
        raise Problem(f"--master {options['master']!r:.80} is no address of a Spark master; {mend}")
    if options["workdir"] is not None:
        check_workdir(options["workdir"])


def extent_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run that these options are, without those that are not given."""
    return {
        **({"case": list(options["case"])} if options["case"] else {}),
        **({"shard": str(options["shard"])} if options["shard"] else {}),
        **({"fail_fast": True} if options["fail_fast"] else {}),
        **({"known": str(Path(options["known"]).absolute())} if options["known"] else {}),
    }


def taken(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that correspond to the settings of a run."""
    shard = settings.get("shard")
    return {
        "case": tuple(settings.get("case", ())),
        "shard": ShardType().convert(shard, None, None) if shard else None,
        "fail_fast": bool(settings.get("fail_fast")),
        "known": settings.get("known"),
    }


def selected(imported: Imported, globs: Sequence[str], shard: Shard | None) -> Imported:
    """Return the cases and skipped files that globs and a part leave; raises ImportProblem for none."""

    def chosen(identity: str) -> bool:
        return (not globs or matches(identity, globs)) and (shard is None or shard.has(identity))

    cases: tuple[Case, ...] = tuple(case for case in imported.cases if chosen(case.id))
    if not cases:
        why = " and ".join(filter(None, (" or ".join(globs), f"part {shard}" if shard else "")))
        raise ImportProblem(f"none of the {len(imported.cases):,} cases is selected by {why}")
    return Imported(cases, tuple(skip for skip in imported.skipped if chosen(skip.id)))
